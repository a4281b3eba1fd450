"""Git, asked so that it changes nothing of the user's, runs nothing of the repository's and never uses a network."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Final

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
"""Settings that keep hooks, foreign programs, downloads and part of a tree out of the way."""


_LAST_LINES: Final = 2


class GitError(Exception):
    """Git refused; the text is what it said last, of which the last line alone may lack the reason."""


def git(folder: Path, *arguments: str | Path) -> str:
    """What git prints.

    Raises:
        GitError: it failed, or there is none.
    """
    settings = (word for setting in _NOT_RUN for word in ("-c", setting))
    try:
        done = subprocess.run(  # noqa: S603 - our own words
            ["git", *settings, *arguments],  # noqa: S607 - the user's own git
            cwd=folder,
            env=_environment(),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="surrogateescape",
            check=False,
        )
    except OSError as error:
        raise GitError(f"git: {error.strerror}") from None
    if done.returncode:
        said = [line.removeprefix("fatal: ") for line in done.stderr.splitlines() if line.strip()]
        raise GitError("; ".join(said[-_LAST_LINES:]) or f"git {arguments[0]} failed")
    return done.stdout


def names(folder: Path, *arguments: str | Path) -> list[str]:
    """The same where git prints names with a zero byte behind each."""
    return [name for name in git(folder, *arguments).split("\0") if name]


def _environment() -> dict[str, str]:
    """This process's, without what names another repository, as a hook has it; nothing asks and nothing is fetched."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("GIT_") or (name.startswith("GIT_CONFIG_") and name != "GIT_CONFIG_PARAMETERS")
    }
    told = {"GIT_TERMINAL_PROMPT": "0", "GIT_OPTIONAL_LOCKS": "0", "GIT_NO_LAZY_FETCH": "1"}
    return {**kept, **told, "GIT_LFS_SKIP_SMUDGE": "1", "LC_ALL": "C"}
