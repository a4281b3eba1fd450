"""The environment of another tree's program, and the end of its output.

The program is untrusted: anybody may propose a change. It gets only the few variables that every program needs, an
empty home folder and no input; only the end of its output is kept.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from kubeflow_aks.revisions import processes
from kubeflow_aks.revisions.bytecode import bytecode

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
"""Seconds to wait for the rest of the output, which another process may hold open."""


class ProgramError(Exception):
    """The program did not run; the text has one line for each mistake."""


def environment(home: Path, mark: str) -> dict[str, str]:
    """The variables of one run: an empty home folder, and the mark by which `processes.end` finds its processes."""
    passed_on = {name: os.environ[name] for name in _PASSED_ON if name in os.environ}
    return passed_on | {
        "HOME": str(home),
        "PYTHONPYCACHEPREFIX": str(bytecode()),
        processes.PROGRAM_MARK: mark,
    }


class OutputTail:
    """The end of a program's output."""

    def __init__(self) -> None:
        self._kept = b""

    @contextmanager
    def captured(self) -> Generator[int]:
        """A descriptor for the output; it is closed at the end of the block."""
        reading, writing = os.pipe()
        reader = threading.Thread(target=self._read, args=(reading,), daemon=True)
        reader.start()
        try:
            yield writing
        finally:
            os.close(writing)
            reader.join(_PATIENCE)

    def text(self) -> str:
        """The output that has been read so far."""
        return self._kept.decode(errors="replace")

    def _read(self, descriptor: int) -> None:
        with os.fdopen(descriptor, "rb", buffering=0) as pipe:
            while piece := pipe.read(_READ_BYTES):
                self._kept = (self._kept + piece)[-_KEPT_BYTES:]
