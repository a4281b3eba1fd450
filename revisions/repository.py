"""Which two trees are compared: the commit that a change started from, and the tree as it lies."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Final

from revisions.git import GitError, git, names

_STACK: Final = re.compile(r"[A-Za-z0-9_.-]{1,100}")
"""What Pulumi takes as a stack's name: sdk/go/common/tokens/stack_name.go."""
_LONGEST: Final = 200
"""Characters of what a message repeats."""
_NAMED: Final = 3
"""Files that a message names."""


class RevisionError(Exception):
    """The two trees can't be had; the text is one line for the user."""


@dataclass(frozen=True)
class Revision:
    """One of the two trees.

    Attributes:
        ref: what the user called it, such as `origin/main`; empty for the tree as it lies.
        commit: its hash; the last commit's where edits lie on top of it.
        day: the day on which the program is judged: the commit's for the base, today for the head.
        edited: whether there are edits that are not committed.
    """

    ref: str
    commit: str
    day: date
    edited: bool = False


def is_stack_name(text: str) -> bool:
    """Whether Pulumi takes a text as the name of a stack; one that begins with a hyphen is an option to it."""
    return bool(_STACK.fullmatch(text)) and not text.startswith(("-", "."))


def shown(text: str) -> str:
    """What a user or a file's name says, on one line."""
    short = text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
    return short if short.isprintable() else ascii(short)


@dataclass(frozen=True)
class Repository:
    """The git repository of a project.

    Attributes:
        root: the project folder.
        within: its path inside the repository; empty where it is the repository's own folder.
    """

    root: Path
    within: Path

    @classmethod
    def of(cls, root: Path) -> Repository:
        """The repository that a project folder lies in.

        Raises:
            RevisionError: it lies in none, or git refuses to read it.
        """
        try:
            return cls(root, Path(git(root, "rev-parse", "--show-prefix").rstrip("\n")))
        except GitError as error:
            raise RevisionError(f"{root} is no working tree of git: {error}") from None

    def base(self, ref: str) -> Revision:
        """The last commit that this branch has in common with `ref`.

        A branch that lags behind does not show what is new there as taken back, and for a merge of both, as a CI checks
        it out, it is `ref` itself.

        Raises:
            RevisionError: there is no such commit, or nothing in common is known here.
        """
        known = self.commit(ref, "BASE")
        try:
            commit = git(self.root, "merge-base", "HEAD", known.commit).split()[0]
        except GitError:
            shallow = git(self.root, "rev-parse", "--is-shallow-repository").strip() == "true"
            way = "; this clone is shallow, `git fetch --unshallow` gets the rest" if shallow else ""
            raise RevisionError(
                f"BASE: {shown(ref)} is not allowed; expected one with a commit in common with this branch{way}"
            ) from None
        return Revision(ref, commit, self._day(commit))

    def commit(self, ref: str, asked: str) -> Revision:
        """The commit that a branch, a tag or a hash names.

        Args:
            ref: its name.
            asked: what the user gave it as, for the message.

        Raises:
            RevisionError: there is no such commit.
        """
        commit = self._commit(ref)
        if not commit:
            raise RevisionError(
                f"{asked}: {shown(ref)} is not allowed; expected a branch, tag or commit that is here "
                f"(`git fetch origin` gets the branches of origin)"
            )
        return Revision(ref, commit, self._day(commit))

    def head(self) -> Revision:
        """The tree as it lies, edits included.

        Raises:
            RevisionError: there is no commit yet, or a merge is not finished.
        """
        commit = self._commit("HEAD")
        if not commit:
            raise RevisionError("there is no commit yet, so nothing to compare with")
        unmerged = sorted({line.partition("\t")[2] for line in names(self.root, "ls-files", "-u", "-z")})
        if unmerged:
            named = ", ".join(map(shown, unmerged[:_NAMED]))
            more = f" and {len(unmerged) - _NAMED} more" if len(unmerged) > _NAMED else ""
            raise RevisionError(
                f"a merge is not finished: {named}{more}; resolve it, `git add` and try again"
            )
        edited = bool(git(self.root, "status", "--porcelain", "-z", "--ignore-submodules", "--", "."))
        return Revision("", commit, datetime.now(UTC).date(), edited)

    def tree(self, commit: str) -> str:
        """What the project folder holds in a commit, as a hash; empty where the commit has no such folder."""
        try:
            path = "" if self.within == Path() else self.within.as_posix()
            return git(self.root, "rev-parse", "--verify", "--quiet", f"{commit}:{path}").strip()
        except GitError:
            return ""

    def stacks(self) -> list[str]:
        """Stacks of the tree as it lies; files that git ignores are the user's own and left out.

        Raises:
            RevisionError: a sparse checkout leaves one out, which would look as if it were deleted.
        """
        files = names(
            self.root, "ls-files", "-t", "-z", "--cached", "--others", "--exclude-standard", "Pulumi.*.yaml"
        )
        there: set[str] = set()
        for state, _, file in (file.partition(" ") for file in files):
            if "/" not in file and (self.root / file).exists():
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
        """The day of a commit, or today where its clock was ahead."""
        seconds = int(git(self.root, "show", "--no-patch", "--format=%ct", commit).split()[-1])
        now = datetime.now(UTC)
        return min(datetime.fromtimestamp(min(seconds, now.timestamp()), UTC), now).date()
