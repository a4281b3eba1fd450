"""Targets of make take one variable, the name of a stack, which reaches the command as it was given."""

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from kubeflow_aks.project import PROJECT_ROOT

TARGETS = ("preview", "demo")
PARTS = ("COMPONENTS", "STACKS", "RULES")
"""Variables with the tests of `make test`."""
NAMES = ["", "dev;touch X", "../x", "a b", "$(shell touch X)", "`touch X`", "$HOME", "-x", "'\"", "dev"]
_SHOW = "import sys; print(' '.join(sys.argv[2:]), end='|')"


def make(folder: Path, *words: str) -> "subprocess.CompletedProcess[str]":
    """Calls make where the command in `.venv` only shows what it gets."""
    python = folder / ".venv" / "bin" / "python"
    python.parent.mkdir(parents=True, exist_ok=True)
    (folder / "show.py").write_text(_SHOW)
    python.write_text(f'#!/bin/sh\nshift 2\nexec {sys.executable} -S {folder}/show.py show "$@"\n')
    python.chmod(0o755)
    ready = [word for group in ("runtime", "commands", "dev") for word in ("-o", f".venv/.{group}")]
    return subprocess.run(
        ["make", "-s", "-f", str(PROJECT_ROOT / "Makefile"), *ready, *words],
        cwd=folder,
        env={key: value for key, value in os.environ.items() if key not in {"MAKEFLAGS", "MAKEOVERRIDES"}},
        capture_output=True,
        text=True,
        check=False,
    )


def shown(folder: Path, *words: str) -> list[str]:
    """What each target hands the command."""
    done = make(folder, *TARGETS, *words)
    assert done.returncode == 0, done.stderr
    return done.stdout.split("|")[:-1]


@pytest.mark.parametrize("name", NAMES)
def test_a_name_is_handed_on_as_it_is(tmp_path: Path, name: str) -> None:
    assert shown(tmp_path, f"STACK={name}") == [f"{target} -- {name}" for target in TARGETS]
    assert not (tmp_path / "X").exists()


def test_without_a_name_there_is_a_default(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("STACK", raising=False)
    assert shown(tmp_path) == ["preview -- dev", "demo -- demo"]


def test_nothing_in_a_name_of_the_environment_is_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STACK", "$(shell touch X)")
    assert shown(tmp_path) == ["preview -- $(shell touch X)", "demo -- demo"]
    assert not (tmp_path / "X").exists()


@pytest.mark.parametrize("word", ["STCK=prod", "YES=no", "FORCE=1", "STDOUT=0", "BUILD=x", "PY=python3"])
def test_any_other_variable_is_one_line_and_2(tmp_path: Path, word: str) -> None:
    done = make(tmp_path, "preview", word)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert f"{word.partition('=')[0]} is not allowed; expected STACK" in done.stderr


def test_options_of_commands_in_the_environment_are_not_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("STACK", raising=False)
    for name in ("FORMAT", "OFFLINE", "YES", "FORCE", "STDOUT", "BUILD"):
        monkeypatch.setenv(name, "x")
    assert shown(tmp_path) == ["preview -- dev", "demo -- demo"]


def test_make_test_runs_what_pytest_runs_alone() -> None:
    declared = tomllib.loads((PROJECT_ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    makefile = (PROJECT_ROOT / "Makefile").read_text(encoding="utf-8").replace("\\\n", " ")
    [parts] = zip(*(re.findall(rf"^{part} := (.*)$", makefile, re.MULTILINE) for part in PARTS), strict=True)
    assert declared["tool"]["pytest"]["ini_options"]["testpaths"] == ["tests"]
    paths = [PROJECT_ROOT / path for path in " ".join(parts).split()]
    for file in (PROJECT_ROOT / "tests").rglob("test_*.py"):
        assert len([path for path in paths if file.is_relative_to(path)]) == 1, file
