"""Stack files are read as the CLI reads them, by a table for which `tests/local/test_stack_files.py` asks the CLI."""

from pathlib import Path

import pytest

from recorder.stack_files import ENCRYPTED, StackFileError, read_stack
from tests.recorder.stack_files import StackFile, comparable, decrypted, stack_files, write

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
    found = read_stack(tmp_path, "dev")
    assert decrypted(comparable(found.values), ENCRYPTED) == comparable(row.gives)
    assert sorted(found.secret_keys) == sorted(row.secret)


def test_the_table_has_more_than_a_hundred_rows_of_different_names() -> None:
    assert len({row.name for row in ROWS}) == len(ROWS) > 100
    assert all((row.gives is None) == row.refused for row in ROWS)
