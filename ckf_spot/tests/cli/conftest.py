"""The program, run in this process on the demo stack's pools."""

from pathlib import Path

import pytest
from program import POOLS, Ran, Run

from ckf_spot import cli


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs the program in an empty folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CKF_SPOT_POOLS", str(POOLS))

    def ran(*arguments: str) -> Ran:
        try:
            code = cli.main(arguments)
        except SystemExit as end:
            code = int(end.code or 0)
        output = capsys.readouterr()
        return Ran(code, output.out, output.err.splitlines())

    return ran
