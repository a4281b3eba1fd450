"""The two trees of a comparison, each with the Python of its own environment."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from kubeflow_aks.exit_codes import InconclusiveError
from kubeflow_aks.project import PROJECT_ROOT
from kubeflow_aks.revisions.programs import ProgramError
from kubeflow_aks.revisions.repository import Revision
from kubeflow_aks.tools.environments import environment, is_installed
from kubeflow_aks.tools.errors import BuildError

_LOCK: Final = "requirements.txt"
Report = Callable[[str], None]


class MissingEnvironmentError(InconclusiveError):
    """The packages of a tree can't be had, so its program is not judged; the text is one line for the user."""


@dataclass(frozen=True)
class Tree:
    """One of the two trees.

    Attributes:
        hash: git's hash of its content; empty for the working tree.
        name: base or head, for messages.
    """

    root: Path
    revision: Revision
    hash: str
    name: str

    def lock(self) -> bytes:
        """The lock file.

        Raises:
            ProgramError: it is missing.
        """
        try:
            content = (self.root / _LOCK).read_bytes()
        except OSError as error:
            raise ProgramError(
                f"{_LOCK}: {error.strerror}; without it the program's packages are not known"
            ) from None
        return content.replace(b"\r\n", b"\n")  # as git checks it out where `core.autocrlf` is set

    def python(self, report: Report) -> Path:
        """The Python of an environment with the lock file's packages.

        It is this process's if both lock files are the same and that one was set up from it.

        Raises:
            ProgramError: the lock file is missing.
            MissingEnvironmentError: a package cannot be installed.
        """
        lock = self.lock()
        if is_installed(lock) and lock == replace(self, root=PROJECT_ROOT).lock():
            return Path(sys.executable)
        try:
            return environment(lock, f"the {self.name}", report)
        except BuildError as error:
            raise MissingEnvironmentError(str(error)) from error
