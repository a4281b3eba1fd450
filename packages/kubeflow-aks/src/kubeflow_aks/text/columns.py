"""Text in columns that fit the terminal."""

import re
from collections.abc import Iterable, Sequence
from itertools import zip_longest
from typing import Final

GAP = 2
"""Blanks between two columns."""
_NARROWEST: Final = 5
_MARKS: Final = (" ", " /=:", " /=:-_")


def table(rows: Sequence[Sequence[str]], width: int, numbers: range = range(0)) -> list[list[str]]:
    """The lines of each row, none wider than `width` where that can be; long cells wrap inside their column.

    They wrap at blanks; where that is not enough in ids and labels too, then in names, and then anywhere.

    Args:
        rows: cells by row, all rows of one length.
        width: columns of the terminal.
        numbers: columns whose cells stand flush right.
    """
    marks = next((marks for marks in _MARKS if narrowest(rows, marks) <= width), "")
    natural = [max(map(len, column)) for column in zip(*rows, strict=True)]
    widths = _fitted(natural, _least(rows, marks) if marks else [_NARROWEST] * len(natural), width)
    return [_row(row, widths, numbers, marks or _MARKS[-1]) for row in rows]


def narrowest(rows: Sequence[Sequence[str]], marks: str = " ") -> int:
    """Columns that a table needs whose cells wrap after these characters only."""
    least = _least(rows, marks)
    return sum(least) + GAP * (len(least) - 1)


def _least(rows: Sequence[Sequence[str]], marks: str) -> list[int]:
    after = re.compile(f"(?<=[{re.escape(marks)}])")
    return [
        max(len(part.rstrip()) for cell in column for part in after.split(cell))
        for column in zip(*rows, strict=True)
    ]


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


def _fitted(widths: Sequence[int], least: Sequence[int], width: int) -> list[int]:
    """The widths with the widest made narrower until all fit, none narrower than its least."""
    fitted = list(widths)
    while sum(fitted) + GAP * (len(fitted) - 1) > width:
        wide = [column for column, now in enumerate(fitted) if now > least[column]]
        if not wide:
            break
        fitted[max(wide, key=lambda column: fitted[column])] -= 1
    return fitted


def _row(row: Sequence[str], widths: Sequence[int], numbers: range, marks: str) -> list[str]:
    cells = [list(_wrapped(cell, width, marks)) for cell, width in zip(row, widths, strict=True)]
    lines = zip_longest(*cells, fillvalue="")
    gap = " " * GAP
    return [
        gap.join(
            part.rjust(width) if column in numbers else part.ljust(width)
            for column, (part, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    ]


def _wrapped(text: str, width: int, marks: str) -> Iterable[str]:
    """The text in pieces of at most `width`, cut after one of the marks, else anywhere."""
    while len(text) > width:
        end = max(text.rfind(mark, 0, width + (mark == " ")) for mark in marks) + 1 or width
        yield text[:end].rstrip()
        text = text[end:]
    yield text
