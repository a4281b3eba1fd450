"""Output on every terminal and into every file: letters that it lacks are replaced, a failure to write is reported."""

import codecs
import io
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import TextIO

_PLAIN = {"├": "|", "│": "|", "└": "`", "─": "-", "–": "-", "…": "~", "≤": "<", "×": "x", "’": "'"}
"""Letters of ASCII, one for one, so that columns stay columns."""


def run(main: Callable[[], int]) -> int:
    """Runs a command whose output may go anywhere.

    Returns:
        what the command returns; 1 where its output could not be written, which is reported on stderr. A reader that
        ends early, as `head` does, is no failure.
    """
    for stream in (sys.stdout, sys.stderr):
        show_something(stream)
    code = 0
    try:
        code = main()
        if sys.stdout:
            sys.stdout.flush()
    except BrokenPipeError:
        pass
    except OSError as error:
        code = 1
        _tell(f"the output could not be written: {error.strerror}")
    with suppress(OSError):
        if sys.stderr:
            sys.stderr.flush()
    return code


def show_something(stream: TextIO | None) -> None:
    """Lets a stream replace what its encoding lacks instead of failing; None is a stream that was closed."""
    if isinstance(stream, io.TextIOWrapper):
        stream.reconfigure(errors=_NAME)


def _tell(line: str) -> None:
    with suppress(OSError):
        print(line, file=sys.stderr)


def _replaced(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    text = error.object[error.start : error.end]
    return "".join(_PLAIN.get(char, "?") for char in text), error.end


_NAME = f"{__name__}.plain"
codecs.register_error(_NAME, _replaced)
