"""The name of a stack reaches commands as it was given, whatever it holds, and nothing in it is run."""

import subprocess
import sys
from pathlib import Path

import pytest

from recorder.run import PROJECT_ROOT

TARGETS = {"preview": "preview --", "quota": "preview.quota --", "demo": "demo --", "local-up": "up --"}
NAMES = ["", "dev;touch X", "../x", "a b", "$(shell touch X)", "`touch X`", "$HOME", "-x", "'\"", "dev"]
_SHOW = "import sys; print(' '.join(sys.argv[1:]), end='|')"


def arguments(folder: Path, target: str, *given: str) -> str:
    """What a target hands its command, which is replaced by one that shows it."""
    (folder / "show.py").write_text(_SHOW)
    make = ["make", "-s", "-f", str(PROJECT_ROOT / "Makefile"), "-o", ".venv/.runtime", "-o", ".venv/.dev"]
    done = subprocess.run(
        [*make, target, f"PY={sys.executable} show.py", *given],
        cwd=folder,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("target", TARGETS)
def test_a_name_is_handed_on_as_it_is(tmp_path: Path, target: str, name: str) -> None:
    assert arguments(tmp_path, target, f"STACK={name}").endswith(f"{TARGETS[target]} {name}|")
    assert not (tmp_path / "X").exists()


@pytest.mark.parametrize(("target", "name"), [("preview", "dev"), ("demo", "demo"), ("local-up", "demo")])
def test_without_a_name_there_is_a_default(tmp_path: Path, target: str, name: str) -> None:
    assert arguments(tmp_path, target).endswith(f"{TARGETS[target]} {name}|")


def test_a_name_of_the_environment_is_run_by_nobody_either(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STACK", "$(shell touch X)")
    assert arguments(tmp_path, "preview").endswith("preview -- $(shell touch X)|")
    assert not (tmp_path / "X").exists()
