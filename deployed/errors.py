"""What can go wrong with a deployed stack before anything is asked of it."""

from __future__ import annotations

from typing import Final

_LONGEST: Final = 600


class StackError(Exception):
    """The stack can't be worked with; the text is one line for the user, with what to do.

    It is one line whatever was put into it: a server's page, another program's words, a value of somebody's file.
    """

    def __init__(self, text: str) -> None:
        super().__init__(_line(text))


def _line(text: str) -> str:
    """One line of printable letters, and no page of them."""
    words = " ".join(text.split())
    line = "".join(char if char.isprintable() else repr(char)[1:-1] for char in words)
    return line if len(line) <= _LONGEST else f"{line[: _LONGEST - 1]}…"
