"""The checkpoint example, run and killed: whatever comes, it ends with the result of a run that nothing interrupted."""

import json
import os
import random
import signal
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

TRAIN: Final = Path(__file__).parents[2] / "examples/checkpoint/train.py"
STEPS: Final = 400
_LIMIT: Final = 60


def command(folder: Path, *, pause: float) -> list[str]:
    options = {"--folder": folder, "--steps": STEPS, "--every": 0.01, "--pause": pause, "--metadata": ""}
    return [sys.executable, str(TRAIN), *(str(word) for pair in options.items() for word in pair)]


def run(folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command(folder, pause=0), capture_output=True, text=True, timeout=_LIMIT, check=False
    )


def run_until(folder: Path, lines: int, sign: signal.Signals) -> tuple[int, str]:
    """Runs it, sends a signal after so many lines of output, and gives the exit code and all output."""
    with subprocess.Popen(command(folder, pause=0.002), stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        seen = [process.stdout.readline() for _ in range(lines)]
        process.send_signal(sign)
        rest = process.stdout.read()
        return process.wait(_LIMIT), "".join(seen) + rest


@pytest.fixture(scope="module")
def result(tmp_path_factory: pytest.TempPathFactory) -> str:
    """What a run gives that nothing interrupts."""
    folder = tmp_path_factory.mktemp("uninterrupted")
    assert run(folder).returncode == 0
    return (folder / "result.json").read_text(encoding="utf-8")


def test_it_learns_the_line(result: str) -> None:
    assert json.loads(result)["offset"] == pytest.approx(1, abs=0.3)


@pytest.mark.parametrize("seed", range(5))
def test_a_run_killed_again_and_again_ends_with_the_same_result(
    tmp_path: Path, seed: int, result: str
) -> None:
    chance = random.Random(seed)  # noqa: S311
    for _ in range(3):
        sign = chance.choice([signal.SIGTERM, signal.SIGKILL])
        code, output = run_until(tmp_path, chance.randint(2, 12), sign)
        assert code == (143 if sign == signal.SIGTERM else -signal.SIGKILL), output
        assert not (tmp_path / "result.json").exists()
    last = run(tmp_path)
    assert last.returncode == 0
    assert "start at step 0\n" not in last.stdout
    assert (tmp_path / "result.json").read_text(encoding="utf-8") == result


def test_sigterm_loses_no_step(tmp_path: Path) -> None:
    _, output = run_until(tmp_path, 3, signal.SIGTERM)
    evicted = output.splitlines()[-1].removeprefix("evicted at step ")
    assert run(tmp_path).stdout.splitlines()[0] == f"start at step {evicted}"


def test_what_a_killed_save_leaves_behind_is_never_read(tmp_path: Path, result: str) -> None:
    run_until(tmp_path, 3, signal.SIGKILL)
    (tmp_path / ".checkpoint.json.1").write_text('{"step": 3', encoding="utf-8")
    assert run(tmp_path).returncode == 0
    assert (tmp_path / "result.json").read_text(encoding="utf-8") == result


def test_a_finished_run_started_again_gives_the_same_result(tmp_path: Path, result: str) -> None:
    run(tmp_path)
    assert run(tmp_path).returncode == 0
    assert (tmp_path / "result.json").read_text(encoding="utf-8") == result


def test_what_a_killed_save_left_goes_and_what_another_may_be_writing_stays(tmp_path: Path) -> None:
    left, written = tmp_path / ".checkpoint.json.1", tmp_path / ".checkpoint.json.2"
    for file in (left, written):
        file.write_text('{"step": 3', encoding="utf-8")
    an_hour_ago = left.stat().st_mtime - 3600
    os.utime(left, (an_hour_ago, an_hour_ago))
    assert run(tmp_path).returncode == 0
    assert (left.exists(), written.exists()) == (False, True)
