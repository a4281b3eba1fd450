"""What the program of another tree gets of this process: a few variables, an empty home folder, a mark."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

from revisions import processes
from revisions.bytecode import bytecode

_PASSED_ON: Final = (
    "PATH",
    "LD_LIBRARY_PATH",
    "LANG",
    "LC_ALL",
    "LC_CTYPE",
    "TMPDIR",
    "TZ",
    "SSL_CERT_FILE",
    processes.MARK,
)
"""Variables that every program needs."""


class ProgramError(Exception):
    """The program did not run; the text has one line for each mistake."""


def environment(home: Path, mark: str) -> dict[str, str]:
    """The variables of one run.

    Args:
        home: its empty home folder.
        mark: by which it and all that it starts are found again (`processes.end`).
    """
    passed_on = {name: os.environ[name] for name in _PASSED_ON if name in os.environ}
    return passed_on | {
        "HOME": str(home),
        "PYTHONPYCACHEPREFIX": str(bytecode()),
        processes.PROGRAM_MARK: mark,
    }
