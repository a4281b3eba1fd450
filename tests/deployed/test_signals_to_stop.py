"""A signal to stop ends each command without a traceback, whenever it comes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from handoff import __main__ as handoff
from recorder.run import PROJECT_ROOT
from verify import __main__ as verify


@pytest.mark.parametrize("command", ["handoff", "verify", "drill"])
def test_ctrl_c_while_modules_are_loaded_says_nothing(command: str, tmp_path: Path) -> None:
    # The first module that each of them loads, in the place of Python's own.
    (tmp_path / "argparse.py").write_text("import os, signal\nos.kill(os.getpid(), signal.SIGINT)\n")
    done = subprocess.run(
        [sys.executable, "-B", "-m", command, "--", "dev"],
        cwd=PROJECT_ROOT,
        env={"PYTHONPATH": f"{tmp_path}:.:ckf_spot/src", "PATH": "/usr/bin:/bin"},
        capture_output=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (-signal.SIGINT, b"")


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
@pytest.mark.parametrize(
    ("main", "reads"),
    [(handoff.main, "handoff.__main__.stack_outputs.of_file"), (verify.main, "verify.__main__.of_file")],
)
def test_a_signal_is_one_line(
    main: Callable[[list[str]], int],
    reads: str,
    sent: signal.Signals,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def stopped(*_: object) -> None:
        os.kill(os.getpid(), sent)

    before = {each: signal.getsignal(each) for each in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
    signal.signal(sent, signal.SIG_DFL)  # under `nohup` a test begins with one that is ignored
    monkeypatch.setattr(reads, stopped)
    try:
        assert main(["--outputs=outputs.json", "--", "dev"]) == 130
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)
    assert capsys.readouterr().err.startswith("error: interrupted; ")
