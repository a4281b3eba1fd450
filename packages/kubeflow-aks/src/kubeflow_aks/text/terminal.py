"""The top of a page for a terminal."""

import shutil
import textwrap
from collections.abc import Iterator, Sequence

from kubeflow_aks.text.blocks import Alert, Block, Items, Lines, Page, Paragraph, Picture, Table
from kubeflow_aks.text.columns import narrowest, table
from kubeflow_aks.text.escape import visible

_NARROWEST = 40
_NARROWEST_TABLES = 60
_USUAL = (110, 24)


def terminal_width() -> int:
    """Columns of the terminal, at least what a table of pools needs; 110 where there is no terminal."""
    return max(shutil.get_terminal_size(_USUAL).columns, _NARROWEST_TABLES)


def terminal(shown: Page, width: int) -> list[str]:
    """What stands above the fold, as lines of at most `width` columns."""
    width = max(width, _NARROWEST)
    lines = list(wrapped(shown.headline, width))
    for block in shown.top:
        lines += _lines(block, width)
    return lines


def _lines(block: Block, width: int) -> Iterator[str]:
    match block:
        case Paragraph(text):
            yield from wrapped(text, width)
        case Items(items):
            for item in items:
                yield from wrapped(item, width, "- ")
        case Alert(danger, items):
            for item in items:
                yield from wrapped(item, width, "!! " if danger else "! ")
        case Table(head, rows, numbers):
            plain = [[visible(cell).replace("`", "") for cell in row] for row in (head, *rows)]
            if narrowest(plain) > width:
                yield from _records(plain, width)
                return
            for row in table(plain, width, numbers):
                yield from row
        case Lines(lines):
            for line in map(visible, lines):
                indent = line[: len(line) - len(line.lstrip())]
                yield from textwrap.wrap(
                    line.lstrip(),
                    width,
                    initial_indent=indent,
                    subsequent_indent=indent,
                    break_on_hyphens=False,
                )
        case Picture():
            pass


def _records(rows: Sequence[Sequence[str]], width: int) -> Iterator[str]:
    """The rows one below the other, for a terminal on which a table would break words."""
    head, *others = rows
    for first, *cells in others:
        yield from wrapped(first, width)
        values = (f"{name}: {cell}" for name, cell in zip(head[1:], cells, strict=True) if cell)
        yield from (f"  {line}" for line in wrapped("; ".join(values), width - 2))


def wrapped(text: str, width: int, mark: str = "") -> Iterator[str]:
    """A sentence as lines of at most `width` columns, the first with `mark` in front."""
    shown = visible(" ".join(text.split())).replace("`", "")
    yield from textwrap.wrap(
        shown,
        width,
        initial_indent=mark,
        subsequent_indent=" " * len(mark),
        break_on_hyphens=False,
        break_long_words=False,
    )
