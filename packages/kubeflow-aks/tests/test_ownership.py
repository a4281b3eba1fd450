"""No command writes into or removes what is not its own: not through a link, and not in folders of others."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import nullcontext, suppress
from pathlib import Path
from typing import Any, Final

import pytest

from kubeflow_aks import environment
from kubeflow_aks.cost import against
from kubeflow_aks.cost.report import pictures
from kubeflow_aks.demo.place import Place
from kubeflow_aks.exit_codes import CommandError, InconclusiveError
from kubeflow_aks.handoff import folder as handoff
from kubeflow_aks.ownership import MARKER, NotOurFolderError, empty_folder, open_folder
from kubeflow_aks.preview import command as preview
from kubeflow_aks.pull_request import command as pull_request
from kubeflow_aks.scenario.report import page as scenario
from tests.revisions.repository import Project, project
from tests.scenario import recorded

FOLDERS_OF_THEIR_OWN: Final = (
    "cost/prices/price_list.py",  # in the user's cache
    "local_aks/",  # in a run directory
    "ownership.py",
    "pull_request/programs.py",  # in a run directory
    "revisions/workplace.py",  # in a workplace
    "text/generated.py",  # pages of this repository, for whoever edits it
    "tools/",  # in the user's cache
)
"""Modules that make folders by themselves."""


class _WithoutEngineError(Exception):
    """Ends the command where it would build one."""


def _diff(root: Path) -> None:
    """The command up to where it needs an engine."""

    def none(*, control_plane: bool) -> None:
        assert not control_plane
        raise _WithoutEngineError

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(pull_request, "_tools", none)
        patched.setattr(pull_request.processes, "ended_with_this_one", nullcontext)
        with suppress(_WithoutEngineError):
            pull_request.preview("main", root)


PLAN: Final[Any] = {"pools": []}
COMMANDS: Final[dict[str, tuple[Callable[[Path], object], tuple[str, ...]]]] = {
    "cost": (
        lambda root: pictures.write(root / "build", "dev", {pictures.BY_POOL: "drawn"}),
        ("build", "dev"),
    ),
    "cost --against": (
        lambda root: against.stack_at(against.named("main", root), "none", root, print),
        ("build", "cost-against"),
    ),
    "demo and drill": (
        lambda root: scenario.write_page(root / "build" / "dev", recorded.recorded(), [], None),
        ("build", "dev"),
    ),
    "diff": (_diff, ("build", "pr-preview", "work")),
    "diff, states of bases": (_diff, ("build", "pr-preview", "bases")),
    "handoff": (
        lambda root: handoff.write(root / "build" / "dev" / "handoff", {"kubeconfig": "secret"}),
        ("build", "dev", "handoff"),
    ),
    "local": (lambda root: Place(root, root / "build").of("dev"), ("build", "dev", "local")),
    "preview": (lambda root: preview.write(PLAN, root / "build" / "dev"), ("build", "dev")),
    "set-up": (lambda root: environment.create(root / ".venv"), (".venv",)),
}
"""What each command does with its folder, and the folder's path in the project."""


@pytest.fixture
def small(tmp_path: Path) -> Project:
    return project(tmp_path / "project")


def _content(folder: Path) -> dict[str, bytes]:
    return {str(file.relative_to(folder)): file.read_bytes() for file in folder.rglob("*") if file.is_file()}


@pytest.mark.parametrize("name", COMMANDS)
def test_a_link_at_any_level_is_left_alone_with_what_it_leads_to(
    name: str, small: Project, tmp_path: Path
) -> None:
    work, names = COMMANDS[name]
    work(small.root)
    for level in range(1, len(names) + 1):
        there, elsewhere = small.root.joinpath(*names[:level]), tmp_path / f"elsewhere-{level}"
        there.rename(elsewhere)
        there.symlink_to(elsewhere)
        before = _content(elsewhere)
        with pytest.raises(CommandError, match=re.escape(f"{there}") + ".* left alone"):
            work(small.root)
        assert _content(elsewhere) == before
        there.unlink()
        elsewhere.rename(there)
    work(small.root)


def test_a_branch_that_brings_a_link_is_not_judged(small: Project, tmp_path: Path) -> None:
    (small.root / "build").symlink_to(tmp_path)
    with pytest.raises(InconclusiveError, match=r"build: is a link or a file and is left alone"):
        _diff(small.root)


@pytest.mark.parametrize("name", COMMANDS)
def test_a_folder_of_others_is_left_alone(name: str, small: Project) -> None:
    work, names = COMMANDS[name]
    there = small.root.joinpath(*names)
    there.mkdir(parents=True)
    (there / "thesis.tex").write_text("years")
    with pytest.raises(CommandError, match=r"was not made by .* and is left alone"):
        work(small.root)
    assert (there / "thesis.tex").read_text() == "years"


def test_what_others_keep_beside_our_folders_stays(tmp_path: Path) -> None:
    """A project may have had a folder `build` before."""
    (tmp_path / "build").mkdir()
    (tmp_path / "build" / "theirs").touch()
    folder = open_folder(tmp_path / "build", "dev")
    assert (folder / MARKER).is_file()
    assert (tmp_path / "build" / "theirs").exists()
    assert not (tmp_path / "build" / MARKER).exists()


def test_emptying_removes_links_and_not_what_they_lead_to(tmp_path: Path) -> None:
    folder, theirs = open_folder(tmp_path / "build", "dev"), tmp_path / "theirs"
    (theirs / "thesis").mkdir(parents=True)
    (folder / "link").symlink_to(theirs)
    (folder / "broken").symlink_to(tmp_path / "nowhere")
    (folder / "inner").mkdir()
    (folder / "inner" / "link").symlink_to(theirs)
    assert empty_folder(tmp_path / "build", "dev") == folder
    assert [entry.name for entry in folder.iterdir()] == [MARKER]
    assert (theirs / "thesis").exists()


@pytest.mark.parametrize("level", [1, 2])
def test_a_file_in_the_place_of_a_folder_is_left_alone(level: int, tmp_path: Path) -> None:
    file = tmp_path.joinpath(*("build", "dev")[:level])
    file.parent.mkdir(exist_ok=True)
    file.write_text("mine")
    with pytest.raises(NotOurFolderError, match="is a link or a file and is left alone"):
        open_folder(tmp_path / "build", "dev")
    assert file.read_text() == "mine"


def test_no_other_module_makes_folders() -> None:
    package = Path(environment.__file__).parent
    making = {
        file.relative_to(package).as_posix()
        for file in package.rglob("*.py")
        if re.search(r"\bmkdir\(|\bmakedirs\(", file.read_text(encoding="utf-8"))
    }
    assert {module for module in making if not module.startswith(FOLDERS_OF_THEIR_OWN)} == set()
    assert {
        there for there in FOLDERS_OF_THEIR_OWN if not any(module.startswith(there) for module in making)
    } == set()
