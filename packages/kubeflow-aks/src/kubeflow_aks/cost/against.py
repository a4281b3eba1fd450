"""The same stack at another commit, whose program runs in a tree and an environment of its own."""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from kubeflow_aks.cost import reading
from kubeflow_aks.cost.figures import CostError
from kubeflow_aks.cost.stack import Stack
from kubeflow_aks.ownership import open_folder
from kubeflow_aks.recorder.stack_files import stack_names
from kubeflow_aks.revisions import processes
from kubeflow_aks.revisions.planned import planned
from kubeflow_aks.revisions.programs import ProgramError
from kubeflow_aks.revisions.repository import Repository, Revision
from kubeflow_aks.revisions.trees import MissingEnvironmentError, Report, Tree
from kubeflow_aks.revisions.workplace import tree_of, workplace

_SECONDS: Final = 300.0
"""Time limit, as `diff` gives a program."""


@dataclass(frozen=True)
class Earlier:
    """A stack at another commit; None, and why not, one line each, where there is none or it cannot be read there."""

    revision: Revision
    stack: Stack | None
    why_not: tuple[str, ...] = ()


def named(ref: str, root: Path) -> Revision:
    """The commit that a branch, a tag or a hash names: that one itself, as `git diff` takes it.

    Raises:
        RevisionError: there is no such commit.
    """
    return Repository.of(root).commit(ref, "--against")


def stack_at(revision: Revision, stack: str, root: Path, report: Report) -> Earlier:
    """A stack as the program of another commit has it; nothing of the user's tree is touched.

    Raises:
        GitError: its files can't be checked out.
    """
    repository = Repository.of(root)
    with (
        workplace(open_folder(root / "build", "cost-against"), root) as place,
        tree_of(revision.commit, place, root) as tree,
    ):
        os.environ[processes.MARK] = place.mark
        theirs = Tree(
            tree / repository.within, revision, repository.tree(revision.commit), revision.commit[:12]
        )
        if stack not in stack_names(theirs.root):
            return Earlier(revision, None)
        try:
            plan = planned(theirs, stack, limit=_SECONDS, report=report)
            return Earlier(revision, reading.from_file(plan))
        except (ProgramError, MissingEnvironmentError, CostError) as error:
            reasons = str(error).replace(f"{theirs.root}/", "")
            return Earlier(revision, None, tuple(reasons.splitlines()))
