"""The name of a stack reaches commands as it was given, whatever it holds, and nothing in it is run."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from recorder.run import PROJECT_ROOT

TARGETS = {"preview": "preview --", "quota": "preview.quota --", "demo": "demo --", "local-up": "up --"}
NAMES = ["", "dev;touch X", "../x", "a b", "$(shell touch X)", "`touch X`", "$HOME", "-x", "'\"", "dev"]
_SHOW = "import sys; print(' '.join(sys.argv[2:]), end='|')"


def arguments(folder: Path, *given: str) -> list[str]:
    """What each target hands its command, which is replaced by one that shows it."""
    return _arguments(folder, list(TARGETS), *given)


def _arguments(folder: Path, targets: list[str], *given: str) -> list[str]:
    (folder / "show.py").write_text(_SHOW)
    make = ["make", "-s", "-f", str(PROJECT_ROOT / "Makefile"), "-o", ".venv/.runtime", "-o", ".venv/.dev"]
    done = subprocess.run(
        [*make, *targets, f"PY={sys.executable} -S show.py", *given],
        cwd=folder,
        env={
            key: value for key, value in os.environ.items() if key != "MAKEFLAGS"
        },  # of the make that runs this
        capture_output=True,
        text=True,
        check=True,
    )
    return [shown.removeprefix("local_aks --build build ") for shown in done.stdout.split("|")[:-1]]


@pytest.mark.parametrize("name", NAMES)
def test_a_name_is_handed_on_as_it_is(tmp_path: Path, name: str) -> None:
    assert arguments(tmp_path, f"STACK={name}") == [f"{command} {name}" for command in TARGETS.values()]
    assert not (tmp_path / "X").exists()


def test_without_a_name_there_is_a_default(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("STACK", raising=False)
    assert arguments(tmp_path) == ["preview -- dev", "preview.quota -- dev", "demo -- demo", "up -- demo"]


def test_nothing_in_a_name_of_the_environment_is_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STACK", "$(shell touch X)")
    assert arguments(tmp_path)[0] == "preview -- $(shell touch X)"
    assert not (tmp_path / "X").exists()


@pytest.mark.parametrize("name", [name for name in NAMES if name])
def test_a_preview_of_a_change_gets_base_and_stack_as_they_are(tmp_path: Path, name: str) -> None:
    shown = _arguments(tmp_path, ["pr-preview"], f"BASE={name}", f"STACK={name}")
    assert shown == [f"pull_request --stack={name} -- {name}"]
    assert not (tmp_path / "X").exists()


def test_without_names_it_is_of_all_stacks_since_the_main_branch(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BASE", "of another program")
    monkeypatch.setenv("STACK", "dev")
    assert _arguments(tmp_path, ["pr-preview"]) == ["pull_request -- origin/main"]


@pytest.mark.parametrize("name", [name for name in NAMES if name])
def test_a_bill_gets_what_it_is_given_as_it_is(tmp_path: Path, name: str) -> None:
    given = [f"{key}={name}" for key in ("FORMAT", "OBSERVED", "AGAINST", "STACK")] + [
        "OFFLINE=1",
        "ADVISE=1",
    ]
    assert _arguments(tmp_path, ["cost"], *given) == [
        f"cost --format={name} --offline --advise --observed={name} --against={name} --build=build -- {name}"
    ]
    assert not (tmp_path / "X").exists()


def test_a_bill_takes_no_options_from_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("FORMAT", "OFFLINE", "OBSERVED", "AGAINST", "ADVISE"):
        monkeypatch.setenv(name, "x")
    monkeypatch.delenv("STACK", raising=False)
    assert _arguments(tmp_path, ["cost"]) == ["cost --build=build -- dev"]
