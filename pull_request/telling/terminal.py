"""The top of a document for a terminal."""

import textwrap
from collections.abc import Iterator

from preview.columns import cut, table
from pull_request.telling.blocks import Alert, Block, Items, Lines, Paragraph, Picture, Table
from pull_request.telling.document import ChangeDocument
from pull_request.telling.escape import visible
from pull_request.telling.page import page

_NARROWEST = 40


def terminal(document: ChangeDocument, width: int) -> list[str]:
    """What stands above the fold of the comment, as lines of at most `width` columns."""
    shown = page(document)
    width = max(width, _NARROWEST)
    lines = list(_wrapped(shown.headline, width))
    for block in shown.top:
        lines += _lines(block, width)
    if shown.sections:
        lines += _wrapped(
            f"The comment has more: {', '.join(section.title for section in shown.sections)}.", width
        )
    return lines


def _lines(block: Block, width: int) -> Iterator[str]:
    match block:
        case Paragraph(text):
            yield from _wrapped(text, width)
        case Items(items):
            for item in items:
                yield from _wrapped(item, width, "- ")
        case Alert(danger, items):
            for item in items:
                yield from _wrapped(item, width, "!! " if danger else "! ")
        case Table(head, rows):
            plain = [[visible(cell).replace("`", "") for cell in row] for row in (head, *rows)]
            for row in table(plain, width):
                yield from row
        case Lines(lines):
            yield from (cut(visible(line), width) for line in lines)
        case Picture():
            pass


def _wrapped(text: str, width: int, mark: str = "") -> Iterator[str]:
    shown = visible(" ".join(text.split())).replace("`", "")
    yield from textwrap.wrap(
        shown,
        width,
        initial_indent=mark,
        subsequent_indent=" " * len(mark),
        break_on_hyphens=False,
    )
