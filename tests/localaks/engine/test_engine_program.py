"""Running a program fresh: its modules load anew, and the caller's world is as it was afterwards."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

import pytest

import localaks
from localaks.engine import program


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(
        sys, "dont_write_bytecode", True
    )  # two versions within a second look alike to the cache
    (tmp_path / "__main__.py").write_text("import own_module\nopen('ran', 'a').write(own_module.WORD)\n")
    (tmp_path / "own_module.py").write_text("WORD = 'first'\n")
    return tmp_path


def test_the_program_runs_in_its_folder_with_its_own_modules(project: Path) -> None:
    with program.fresh(project):
        program.run(project)
    assert (project / "ran").read_text() == "first"


def test_a_changed_module_is_seen_by_the_next_run(project: Path) -> None:
    for word in ("first", "second"):
        (project / "own_module.py").write_text(f"WORD = '{word}'\n")
        with program.fresh(project):
            program.run(project)
    assert (project / "ran").read_text() == "firstsecond"


def test_the_callers_modules_path_and_folder_are_put_back(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "path", [str(project), *sys.path])
    callers = importlib.import_module("own_module")
    before = (Path.cwd(), sys.path.copy())
    with program.fresh(project):
        program.run(project)
        assert sys.modules["own_module"] is not callers
    assert sys.modules["own_module"] is callers
    assert (Path.cwd(), sys.path) == before
    del sys.modules["own_module"]


def test_a_failed_program_leaves_nothing_behind(project: Path) -> None:
    (project / "__main__.py").write_text("import own_module\nraise ValueError\n")
    before = (Path.cwd(), sys.path.copy())
    with pytest.raises(ValueError), program.fresh(project):  # noqa: PT011 - its own
        program.run(project)
    assert "own_module" not in sys.modules
    assert (Path.cwd(), sys.path) == before


def test_neither_we_nor_installed_packages_are_loaded_anew() -> None:
    root = Path(localaks.__file__).parents[1]
    with program.fresh(root):
        assert sys.modules["localaks"] is localaks
        assert sys.modules["pytest"] is pytest
