"""The two trees that are compared, each with the Python of its own environment."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from recorder.run import PROJECT_ROOT
from revisions.programs import ProgramError
from revisions.repository import Revision
from tools.environments import environment
from tools.errors import BuildError

_LOCK: Final = "requirements.txt"
Report = Callable[[str], None]


@dataclass(frozen=True)
class Tree:
    """One of the two trees.

    Attributes:
        root: the project folder in it.
        revision: which one it is.
        hash: what git calls its content; empty for a tree as it lies.
        what: what the user calls it: base or head.
    """

    root: Path
    revision: Revision
    hash: str
    what: str

    def lock(self) -> bytes:
        """The lock file.

        Raises:
            ProgramError: there is none.
        """
        try:
            content = (self.root / _LOCK).read_bytes()
        except OSError as error:
            raise ProgramError(f"{_LOCK}: {error.strerror}, so nobody knows what the program needs") from None
        return content.replace(b"\r\n", b"\n")  # as git checks it out where `core.autocrlf` is set

    def python(self, report: Report) -> Path:
        """The Python of an environment that has what the lock file lists: this one's, if it lists the same.

        Raises:
            ProgramError: there is no lock file, or a package of it can't be had.
        """
        lock = self.lock()
        if lock == replace(self, root=PROJECT_ROOT).lock():
            return Path(sys.executable)
        try:
            return environment(lock, f"the {self.what}", report)
        except BuildError as error:
            raise ProgramError(str(error)) from error
