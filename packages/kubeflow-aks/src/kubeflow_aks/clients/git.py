"""Git, run so that it executes nothing of the repository and never uses a network."""

import os
from pathlib import Path
from typing import Final

from kubeflow_aks.clients import programs
from kubeflow_aks.clients.programs import ProgramError

_NOT_RUN: Final = (
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "core.sparseCheckout=false",
    "protocol.allow=never",
    "submodule.recurse=false",
    "filter.lfs.smudge=",
    "filter.lfs.process=",
    "filter.lfs.required=false",
)
"""Settings that switch off hooks, other programs, downloads and sparse checkouts."""
_SECONDS: Final = 300.0
"""Our choice: many times what a checkout of a large tree takes."""


class GitError(ProgramError):
    """Git is missing, took too long or failed; the text is its last lines."""


def git(folder: Path, *arguments: str | Path) -> str:
    """What git prints; bytes that are not UTF-8 are surrogates.

    Raises:
        GitError: it is missing, takes too long or fails.
    """
    settings = (word for setting in _NOT_RUN for word in ("-c", setting))
    code, out, err = programs.run(
        ["git", *settings, *map(str, arguments)],
        error=GitError,
        cwd=folder,
        environment=_environment(),
        seconds=_SECONDS,
        undecodable="surrogateescape",
    )
    if code:
        reason = "\n".join(line.removeprefix("fatal: ") for line in err.splitlines())
        raise GitError(programs.reason_of(code, reason))
    return out


def names(folder: Path, *arguments: str | Path) -> list[str]:
    """What git prints with `-z`: names that end with a zero byte."""
    return [name for name in git(folder, *arguments).split("\0") if name]


def _environment() -> dict[str, str]:
    """This process's, without variables that name another repository, as a hook has; no prompts, no downloads."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("GIT_") or (name.startswith("GIT_CONFIG_") and name != "GIT_CONFIG_PARAMETERS")
    }
    fixed = {"GIT_TERMINAL_PROMPT": "0", "GIT_OPTIONAL_LOCKS": "0", "GIT_NO_LAZY_FETCH": "1"}
    return {**kept, **fixed, "GIT_LFS_SKIP_SMUDGE": "1", "LC_ALL": "C"}
