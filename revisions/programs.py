"""What the program of another tree gets of this process, and what is kept of its words.

It is somebody's who asks for a change. It gets no variable but the few that every program needs, an empty home folder
and no input; what it prints is read and forgotten but for the end of it.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Generator
from contextlib import contextmanager
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
_KEPT_BYTES: Final = 16_384
_READ_BYTES: Final = 65_536
_PATIENCE: Final = 10.0
"""Seconds in which the rest of a text is read; what holds its pipe open longer is not waited for."""


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


class LastWords:
    """The end of what a program prints."""

    def __init__(self) -> None:
        self._kept = b""

    @contextmanager
    def heard(self) -> Generator[int]:
        """A descriptor to print to; it is closed in the end."""
        reading, writing = os.pipe()
        reader = threading.Thread(target=self._read, args=(reading,), daemon=True)
        reader.start()
        try:
            yield writing
        finally:
            os.close(writing)
            reader.join(_PATIENCE)

    def text(self) -> str:
        """As far as it has been read."""
        return self._kept.decode(errors="replace")

    def _read(self, descriptor: int) -> None:
        with os.fdopen(descriptor, "rb", buffering=0) as pipe:
            while piece := pipe.read(_READ_BYTES):
                self._kept = (self._kept + piece)[-_KEPT_BYTES:]
