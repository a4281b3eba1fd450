"""The two trees of a comparison: the commit that a change started from, and the working tree."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Final

from kubeflow_aks.clients.git import GitError, git, names
from kubeflow_aks.exit_codes import InconclusiveError, UsageError
from kubeflow_aks.recorder.stack_files import stack_folder
from kubeflow_aks.text.sentences import first_of, shown

PREVIEWS: Final = "build/pr-preview"
"""Folder of a project with the results of previews and the states of bases."""
_NAMED: Final = 3
"""Files that a message names."""


class RevisionError(InconclusiveError):
    """A tree is not available; the text is one line for the user."""


class NoSuchCommitError(UsageError, RevisionError):
    """What the user named is no commit that can be compared with."""


@dataclass(frozen=True)
class Revision:
    """One of the two trees.

    Attributes:
        ref: the name that the user gave, such as `origin/main`; empty for the working tree.
        commit: its hash; of the last commit for the working tree.
        day: the date for the program: the commit's for the base, today for the head.
        edited: whether there are uncommitted changes.
    """

    ref: str
    commit: str
    day: date
    edited: bool = False


@dataclass(frozen=True)
class Repository:
    """The git repository of a project.

    Attributes:
        within: its path inside the repository; empty for the root of the repository.
    """

    root: Path
    within: Path

    @classmethod
    def of(cls, root: Path) -> Repository:
        """The repository of a project folder.

        Raises:
            RevisionError: it is in none, or git refuses to read it.
        """
        try:
            return cls(root, Path(git(root, "rev-parse", "--show-prefix").rstrip("\n")))
        except GitError as error:
            raise RevisionError(f"{root} is not in a git working tree: {error}") from None

    def base(self, ref: str) -> Revision:
        """The last commit that this branch has in common with `ref`.

        So new commits on `ref` do not appear as removals, and for a merge of both, as a CI checks it out, the base is
        `ref` itself.

        Raises:
            RevisionError: the commit is not here, or no common one is.
        """
        revision = self.commit(ref, "BASE")
        try:
            commit = git(self.root, "merge-base", "HEAD", revision.commit).split()[0]
        except GitError:
            shallow = git(self.root, "rev-parse", "--is-shallow-repository").strip() == "true"
            hint = "; this clone is shallow, `git fetch --unshallow` gets the rest" if shallow else ""
            raise NoSuchCommitError(
                f"BASE: {shown(ref)} is not allowed; expected one with a commit in common with this branch{hint}"
            ) from None
        return Revision(ref, commit, self._day(commit))

    def commit(self, ref: str, parameter: str) -> Revision:
        """The commit that a branch, a tag or a hash names.

        Raises:
            RevisionError: the commit is not here.
        """
        commit = self._commit(ref)
        if not commit:
            raise NoSuchCommitError(
                f"{parameter}: {shown(ref)} is not allowed; expected a branch, tag or commit that is here "
                f"(`git fetch origin` gets the branches of origin)"
            )
        return Revision(ref, commit, self._day(commit))

    def head(self) -> Revision:
        """The working tree, with uncommitted changes.

        Raises:
            RevisionError: the repository has no commit, a merge is not finished, or files are where previews keep the
                states of bases, by which a branch would decide what its own preview shows.
        """
        commit = self._commit("HEAD")
        if not commit:
            raise RevisionError("the repository has no commit yet, so there is no base to compare with")
        unmerged = sorted({line.partition("\t")[2] for line in names(self.root, "ls-files", "-u", "-z")})
        if unmerged:
            named = first_of([*map(shown, unmerged)], _NAMED)
            raise RevisionError(f"a merge is not finished: {named}; resolve it, `git add` and try again")
        if names(self.root, "ls-files", "-z", "--", PREVIEWS):
            raise RevisionError(
                f"{PREVIEWS}: has files of this branch; expected none where previews are kept"
            )
        edited = bool(git(self.root, "status", "--porcelain", "-z", "--ignore-submodules", "--", "."))
        return Revision("", commit, datetime.now(UTC).date(), edited)

    def tree(self, commit: str) -> str:
        """The hash of the project folder in a commit; empty if the commit lacks the folder."""
        try:
            path = "" if self.within == Path() else self.within.as_posix()
            return git(self.root, "rev-parse", "--verify", "--quiet", f"{commit}:{path}").strip()
        except GitError:
            return ""

    def stacks(self) -> list[str]:
        """Stacks of the working tree; files that git ignores are the user's own and left out.

        Raises:
            RevisionError: a sparse checkout leaves a stack file out, which would look like a deletion.
        """
        folder = stack_folder(self.root)
        options = ("-t", "-z", "--cached", "--others", "--exclude-standard")
        try:
            files = names(folder, "ls-files", *options, "Pulumi.*.yaml") if folder.is_dir() else []
        except GitError as error:
            raise RevisionError(f"{shown(str(folder))}: {error}") from None
        there: set[str] = set()
        for state, _, file in (file.partition(" ") for file in files):
            if "/" not in file and (folder / file).exists():
                there.add(file)
            elif "/" not in file and state == "S":
                raise RevisionError(
                    f"{shown(file)} is left out of this sparse checkout; `git sparse-checkout disable` brings it back"
                )
        return sorted(file.removeprefix("Pulumi.").removesuffix(".yaml") for file in there)

    def _commit(self, ref: str) -> str:
        try:
            return git(
                self.root, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{ref}^{{commit}}"
            ).strip()
        except GitError:
            return ""

    def _day(self, commit: str) -> date:
        """The date of a commit; today if its clock was ahead."""
        seconds = int(git(self.root, "show", "--no-patch", "--format=%ct", commit).split()[-1])
        now = datetime.now(UTC)
        return min(datetime.fromtimestamp(min(seconds, now.timestamp()), UTC), now).date()
