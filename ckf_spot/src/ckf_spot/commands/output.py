"""Where a command's result goes: a file, whole or not at all, or the terminal."""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path
from typing import Final

from ckf_spot.errors import PlacementError

STANDARD: Final = "-"
"""Standard input or output in place of a file's name."""


def read(name: str) -> str:
    """The text of a file, or of standard input.

    Raises:
        PlacementError: it can't be read.
    """
    try:
        return sys.stdin.read() if name == STANDARD else Path(name).read_text(encoding="utf-8")
    except OSError as error:
        raise PlacementError(f"{name}: can't be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise PlacementError(f"{name}: can't be read: it is no text") from None


def write(text: str, name: str) -> None:
    """Writes a text to a file, or to standard output; a file is replaced in one step.

    Raises:
        PlacementError: it can't be written.
    """
    if name == STANDARD:
        sys.stdout.write(text)
        return
    target = Path(name)
    try:
        handle, draft = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                file.write(text)
            mode = target.stat().st_mode if target.exists() else 0o666 & ~_umask()
            Path(draft).chmod(mode)
            Path(draft).replace(target)
        except BaseException:
            Path(draft).unlink(missing_ok=True)
            raise
    except OSError as error:
        raise PlacementError(f"{name}: can't be written: {error.strerror}") from None


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
