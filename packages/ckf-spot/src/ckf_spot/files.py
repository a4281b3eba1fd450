"""Reads text files; an error of a file is one line."""

from __future__ import annotations

import codecs
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from ckf_spot.errors import ABSENT, PlacementError, refusal


def read(name: str | Path) -> str:
    """The text of a file.

    Raises:
        PlacementError: it can't be read.
    """
    with readable_errors(str(name), "read"):
        return decoded(Path(name).read_bytes())


def decoded(data: bytes) -> str:
    """The text in UTF-8, or in UTF-16 with its mark, which PowerShell's `>` writes.

    Raises:
        UnicodeDecodeError: it is no text.
    """
    wide = data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    return data.decode("utf-16" if wide else "utf-8-sig")


@contextmanager
def readable_errors(name: str, done: str) -> Generator[None]:
    """Turns what goes wrong with a file into one line.

    Args:
        name: of the file.
        done: `read` or `written`.

    Raises:
        PlacementError: instead of an OSError or a UnicodeError.
    """
    try:
        yield
    except OSError as error:
        raise _unusable(name, done, error.strerror or str(error)) from None
    except UnicodeEncodeError as error:
        raise _unusable(name, done, f"{error.encoding} has no {error.object[error.start]!r}") from None
    except UnicodeDecodeError:
        raise _unusable(name, done, "it is no text") from None
    except ValueError as error:  # a NUL in the name
        raise _unusable(name, done, str(error)) from None


def _unusable(name: str, done: str, reason: str) -> PlacementError:
    return refusal(name or "''", ABSENT, "", f"can't be {done}: {reason}")
