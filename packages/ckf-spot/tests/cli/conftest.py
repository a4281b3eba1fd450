"""The program, run in this process on the demo stack's pools."""

import sys
from pathlib import Path
from typing import Any

import pytest

from ckf_spot import cli
from program import POOLS, Ran, Run


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs the program in an empty folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CKF_SPOT_POOLS", str(POOLS))

    def ran(*arguments: str) -> Ran:
        errors: Any = sys.stderr
        errors.reconfigure(errors="backslashreplace")  # as it is outside of pytest
        try:
            code = cli.main(arguments)
        except SystemExit as end:
            code = int(end.code or 0)
        output = capsys.readouterr()
        return Ran(code, output.out, output.err.splitlines())

    return ran
