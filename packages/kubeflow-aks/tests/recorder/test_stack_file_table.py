"""Stack files are read as the CLI reads them or refused, by a table that `tests/local/test_stack_files.py` proves."""

from pathlib import Path

import pytest

from kubeflow_aks.recorder.project_file import StackFileError
from kubeflow_aks.recorder.stack_files import ENCRYPTED, read_stack
from tests.recorder.stack_files import (
    DIFFERENT,
    StackFile,
    comparable,
    decrypted,
    scalars,
    stack_files,
    write,
)

ROWS = stack_files()


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_a_stack_file_is_read_as_the_cli_reads_it(tmp_path: Path, row: StackFile) -> None:
    write(tmp_path, row)
    if row.gives is None or row.stricter:
        with pytest.raises(StackFileError) as caught:
            read_stack(tmp_path, "dev")
        assert str(caught.value).startswith("Pulumi.dev.yaml")
        assert str(caught.value).isprintable()
        return
    config = read_stack(tmp_path, "dev")
    assert decrypted(comparable(config.values), ENCRYPTED) == comparable(row.gives)
    assert sorted(config.secret_keys) == sorted(row.secret)


@pytest.mark.parametrize("scalar", DIFFERENT)
def test_a_scalar_that_the_cli_reads_differently_is_refused(tmp_path: Path, scalar: str) -> None:
    write(tmp_path, scalars("one", {scalar: ""}))
    with pytest.raises(
        StackFileError, match=r"^Pulumi\.dev\.yaml line 2: .* in YAML|PyYAML.*; .*put it in quotes$"
    ):
        read_stack(tmp_path, "dev")


@pytest.mark.parametrize(
    ("scalar", "reason"),
    [
        ("22:00", "k0: 22:00 is 1320 for PyYAML and text for Pulumi; put it in quotes"),
        ("0o10", "k0: 0o10 is text for PyYAML and 8 for Pulumi; write 8, or put it in quotes"),
        ("1e4", "k0: 1e4 is text for PyYAML and 10000 for Pulumi; write 10000, or put it in quotes"),
        ("yes", "k0: yes is true for PyYAML and text for Pulumi; write true, or put it in quotes"),
        ("2026-11-22", "k0: 2026-11-22 is a point in time in YAML; put it in quotes"),
    ],
)
def test_both_readings_are_named(tmp_path: Path, scalar: str, reason: str) -> None:
    write(tmp_path, scalars("one", {scalar: ""}))
    with pytest.raises(StackFileError) as caught:
        read_stack(tmp_path, "dev")
    assert str(caught.value) == f"Pulumi.dev.yaml line 2: {reason}"


@pytest.mark.parametrize("scalar", DIFFERENT)
def test_in_quotes_it_is_text(tmp_path: Path, scalar: str) -> None:
    write(tmp_path, scalars("one", {f"'{scalar}'": ""}))
    assert read_stack(tmp_path, "dev").values["project:k0"] == scalar


def test_the_names_of_the_table_differ() -> None:
    assert len({row.name for row in ROWS}) == len(ROWS)
    assert all((row.gives is None) == row.refused for row in ROWS)
