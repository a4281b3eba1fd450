"""The page of rules, generated from the rules."""

from __future__ import annotations

from pathlib import Path

import pytest

from kubeflow_aks.policy import RULES
from kubeflow_aks.policy.reference import PAGE, page
from kubeflow_aks.text.generated import main

_MODULE = "kubeflow_aks.policy.reference"


def test_the_page_is_fresh(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--check", _MODULE]) == 0, capsys.readouterr().out


def test_a_stale_page_is_reported_and_then_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["--check", _MODULE], tmp_path) == 1
    assert not (tmp_path / PAGE).exists()
    assert main(["--write", _MODULE], tmp_path) == 0
    assert main(["--check", _MODULE], tmp_path) == 0
    assert capsys.readouterr().out == f"{PAGE}: stale; run make docs\n{PAGE}: written\n"


def test_every_rule_has_a_row_of_as_many_cells_as_the_others() -> None:
    rows = [line.replace("\\|", "") for line in page().splitlines() if line.startswith("|")]
    assert {row.count("|") for row in rows} == {7}
    assert [rule.name for rule in RULES if f"| `{rule.name}` |" not in page()] == []
