"""Lists and foreign texts inside a sentence."""

from collections.abc import Iterable, Sequence
from typing import Final

from kubeflow_aks.text.columns import cut_middle

_MOST_NAMES: Final = 3
_LONGEST_NAME: Final = 100


def listed(names: Iterable[str], most: int = _MOST_NAMES) -> str:
    """Names in order: `a`, `a and b`, `a, b, c and 12 more`."""
    ordered = sorted(names)
    if (left := len(ordered) - most) > 0:
        return f"{', '.join(ordered[:most])} and {left} more"
    return " and ".join([", ".join(ordered[:-1]), ordered[-1]] if len(ordered) > 1 else ordered)


def first_of(texts: Sequence[str], most: int) -> str:
    """The first texts, in their order: `a, b`, or `a, b and 12 more`."""
    more = f" and {len(texts) - most} more" if len(texts) > most else ""
    return f"{', '.join(texts[:most])}{more}"


def shown(text: str) -> str:
    """A name that the user or a file gave: at most 100 characters, in ASCII if it cannot be printed."""
    short = cut_middle(text, _LONGEST_NAME)
    return short if short.isprintable() else ascii(short)


def code(value: object) -> str:
    """A value in backticks, which it cannot end by its own."""
    return f"`{str(value).replace('`', chr(0x2018))}`"


def printable(text: str) -> str:
    """A text with its control characters escaped."""
    return "".join(char if char.isprintable() else repr(char)[1:-1] for char in text)


def one_line(text: object, longest: int | None = None) -> str:
    """A text from elsewhere on one line: white space folded, control characters escaped.

    More than `longest` characters end with `…`.
    """
    line = printable(" ".join(str(text).split()))
    return line if longest is None or len(line) <= longest else f"{line[: longest - 1]}…"


def last_lines(text: str, most: int = 2) -> str:
    """The last lines of a program's output that are not empty, on one line: `first | second`."""
    return " | ".join([line.strip() for line in text.splitlines() if line.strip()][-most:])
