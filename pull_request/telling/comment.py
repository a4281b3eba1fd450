"""A document as a comment on GitHub."""

from collections.abc import Iterable, Iterator
from typing import Final
from urllib.parse import quote

from pull_request.telling.document import ChangeDocument
from pull_request.telling.escape import fence, inline
from pull_request.telling.page import Alert, Block, Items, Lines, Page, Paragraph, Section, Table, page

LONGEST: Final = 60_000
"""Bytes of a comment in UTF-8. GitHub takes 65,536 characters, so it does whatever it counts as one."""
_ROOM = 1_000
"""Bytes kept for naming what is left out."""


def marker(stack: str) -> str:
    """The hidden first line of a stack's comment, by which it is found again."""
    return f"<!-- kubeflow-aks preview: {quote(stack, safe='', errors='surrogatepass')} -->"


def markdown(document: ChangeDocument) -> str:
    """The comment: a pure function of the document, and safe whoever wrote it, as long as it has the schema's form."""
    return _within(page(document), document["stack"])


def _within(shown: Page, stack: str) -> str:
    """Sections that are too long are left out as a whole, and named."""
    text = "\n".join([marker(stack), inline(shown.headline), "", *_blocks(shown.top)])
    left_out: list[str] = []
    for section in shown.sections:
        written = _section(section, LONGEST - _ROOM - len(text.encode()))
        if written is None:
            left_out.append(section.title)
        else:
            text += written
    if left_out:
        text += f"\nLeft out, because a comment has an end: {', '.join(left_out)}.\n"
    return text


def _section(section: Section, room: int) -> str | None:
    lines = ["", "<details>", f"<summary>{section.title}</summary>", ""]
    size = 0
    for block in section.blocks:
        more = list(_block(block))
        size += sum(len(line.encode()) + 1 for line in more)
        if size > room:
            return None
        lines += more
    return "\n".join([*lines, "</details>", ""])


def _blocks(blocks: Iterable[Block]) -> Iterator[str]:
    for block in blocks:
        yield from _block(block)


def _block(block: Block) -> Iterator[str]:
    """The lines of a block and an empty one after it."""
    match block:
        case Paragraph(text):
            yield inline(text)
        case Items(items):
            yield from (f"- {inline(item)}" for item in items)
        case Alert(loss, items):
            yield f"> [!{'CAUTION' if loss else 'WARNING'}]"
            yield from (f"> - {inline(item)}" for item in items)
        case Table(head, rows):
            yield f"| {' | '.join(head)} |"
            yield f"|{' --- |' * len(head)}"
            yield from (f"| {' | '.join(map(inline, row))} |" for row in rows)
        case Lines(lines, diff):
            yield from fence(lines, "diff" if diff else "text")
    yield ""
