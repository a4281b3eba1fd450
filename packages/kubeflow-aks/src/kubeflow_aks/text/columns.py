"""Text in columns that fit the terminal."""

from collections.abc import Iterable, Sequence
from itertools import zip_longest

GAP = 2
"""Blanks between two columns."""
_NARROWEST = 5


def table(rows: Sequence[Sequence[str]], width: int, numbers: range = range(0)) -> list[list[str]]:
    """The lines of each row, none wider than `width` where that can be; long cells wrap inside their column.

    Args:
        rows: cells by row, all rows of one length.
        width: columns of the terminal.
        numbers: columns whose cells stand flush right.
    """
    widths = _fitted([max(map(len, column)) for column in zip(*rows, strict=True)], width)
    return [_row(row, widths, numbers) for row in rows]


def cut(text: str, width: int) -> str:
    """The text, its end replaced by … where it is longer than `width`."""
    return text if len(text) <= width else text[: max(width - 1, 0)] + "…"


def cut_start(text: str, width: int) -> str:
    """The text, its beginning replaced by … where it is longer than `width`; for names that differ at their end."""
    return text if len(text) <= width else "…" + text[len(text) - max(width - 1, 0) :]


def cut_middle(text: str, width: int) -> str:
    """The text, its middle replaced by … where it is longer than `width`; for ARM ids, which differ at their end."""
    return text if len(text) <= width else f"{text[: width // 2]}…{text[1 - width + width // 2 :]}"


def cut_apart(before: str, after: str, width: int) -> tuple[str, str]:
    """Two texts that differ, each from a little before where they do if one is longer than `width`."""
    if max(len(before), len(after)) <= width:
        return before, after
    pairs = enumerate(zip_longest(before, after))
    same = next((index for index, (one, other) in pairs if one != other), 0)
    start = max(before.rfind("/", 0, same) + 1, same - width // 2)
    mark = "…" if start else ""
    return cut(f"{mark}{before[start:]}", width), cut(f"{mark}{after[start:]}", width)


def _fitted(widths: Iterable[int], width: int) -> list[int]:
    """The widths with the widest made narrower until all fit."""
    fitted = list(widths)
    while sum(fitted) + GAP * (len(fitted) - 1) > width and max(fitted) > _NARROWEST:
        fitted[fitted.index(max(fitted))] -= 1
    return fitted


def _row(row: Sequence[str], widths: Sequence[int], numbers: range) -> list[str]:
    cells = [list(_wrapped(cell, width)) for cell, width in zip(row, widths, strict=True)]
    lines = zip_longest(*cells, fillvalue="")
    gap = " " * GAP
    return [
        gap.join(
            part.rjust(width) if column in numbers else part.ljust(width)
            for column, (part, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    ]


def _wrapped(text: str, width: int) -> Iterable[str]:
    """The text in pieces of at most `width`, cut after a blank, hyphen or underscore where there is one."""
    while len(text) > width:
        end = max(text.rfind(mark, 0, width) for mark in " -_") + 1 or width
        yield text[:end].rstrip()
        text = text[end:]
    yield text
