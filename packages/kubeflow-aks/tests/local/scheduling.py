"""Which tests one worker runs after another, and which come first."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from xdist.scheduler import LoadScopeScheduling  # pyright: ignore[reportMissingTypeStubs] - it has none

_FOLDER: Final = Path("packages/kubeflow-aks/tests/local")
_STACKS: Final = ("argo", "crds", "demo", "handoff", "training")
"""Folders whose tests share a stack, or a control plane."""
_LONGEST: Final = (
    str(_FOLDER / "test_demo.py"),
    str(_FOLDER / "test_demo_afresh.py"),
    "argo",
    "demo",
    "training",
    str(_FOLDER / "engine" / "test_change_matrix.py"),
    str(_FOLDER / "engine" / "test_faults.py"),
    str(_FOLDER / "verify" / "test_verify_on_local_aks.py"),
    str(_FOLDER / "pull_request" / "test_changes_of_a_stack.py"),
)


class Scheduling(LoadScopeScheduling):
    """Gives a worker all tests of a group."""

    def _split_scope(self, nodeid: str) -> str:
        return group(Path(nodeid.partition("::")[0]))


def group(file: Path) -> str:
    """What tests of a file run together with: the stack that they share, else the file.

    Args:
        file: relative to the project's root.
    """
    folder = file.relative_to(_FOLDER).parts[0] if file.is_relative_to(_FOLDER) else ""
    return folder if folder in _STACKS else str(file)


def order(file: Path) -> int:
    """What takes longest comes first, so that no worker ends up alone with it."""
    worker_group = group(file)
    return _LONGEST.index(worker_group) if worker_group in _LONGEST else len(_LONGEST)
