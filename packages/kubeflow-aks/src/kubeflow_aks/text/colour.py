"""Colour on a terminal: headings are bold, and the mark at the beginning of a line has a colour.

Bad is red, to be looked at is yellow, good is green.

A file, a pipe, `TERM=dumb` and NO_COLOR (https://no-color.org) get the text as it is.
"""

import os
import re
import sys
from collections.abc import Collection, Iterable, Iterator
from typing import Final, TextIO

_BOLD, _DIM, _RED, _GREEN, _YELLOW = "1", "2", "31", "32", "33"
_MARKS: Final = {
    "✔": _GREEN,
    "✘": _RED,
    "–": _DIM,
    "!!": _RED,
    "!": _YELLOW,
    "error:": _RED,
    "warning:": _YELLOW,
    "satisfied": _GREEN,
    "violated": _RED,
    "mandatory": _RED,
    "exception": _YELLOW,
    "advisory": _YELLOW,
    "undecided": _YELLOW,
    "stale:": _RED,
    "+": _GREEN,
}
_BELOW_A_RULE: Final = {"mandatory:": _RED, "advisory:": _YELLOW, "undecided:": _YELLOW}
_MARK: Final = re.compile(rf"^( ?)({'|'.join(map(re.escape, _MARKS))})(?= )")
_INDENTED: Final = re.compile(rf"^( +)({'|'.join(_BELOW_A_RULE)})(?= )")
_HEADING: Final = re.compile(r"^\S.*:$|^= ")


def show(lines: Iterable[str]) -> None:
    """Prints lines to stdout, in colour where stdout is a terminal; the first is the headline."""
    for line in coloured(lines):
        print(line)


def coloured(lines: Iterable[str], headings: Collection[str] = ()) -> Iterator[str]:
    """Lines for stdout, in colour where it is a terminal; the first, `headings` and those with a colon are headings."""
    colour = has_colour(sys.stdout)
    for number, line in enumerate(lines):
        yield painted(line, headline=number == 0 or line in headings) if colour else line


def has_colour(stream: TextIO | None) -> bool:
    """Whether a stream is a terminal that shows colours to a user who has not switched them off."""
    if stream is None or os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return False
    shows = os.name != "nt" or "WT_SESSION" in os.environ  # older consoles of Windows print the codes
    return shows and stream.isatty()


def painted(line: str, *, headline: bool = False) -> str:
    """A line with a bold heading or a coloured mark; without its codes it is the same text."""
    for pattern, colours in ((_MARK, _MARKS), (_INDENTED, _BELOW_A_RULE)):
        if match := pattern.match(line):
            return match[1] + _in(colours[match[2]], match[2]) + line[match.end() :]
    return _in(_BOLD, line) if line and (headline or _HEADING.match(line)) else line


def _in(code: str, text: str) -> str:
    return f"\x1b[{code}m{text}\x1b[0m"
