"""A page as a comment on GitHub."""

from collections.abc import Iterable, Iterator
from typing import Final

from kubeflow_aks.text.blocks import Alert, Block, Items, Lines, Page, Paragraph, Picture, Section, Table
from kubeflow_aks.text.escape import LONGEST_TEXT, fence, inline

LONGEST: Final = 60_000
"""Bytes of a comment in UTF-8: fewer than the 65,536 characters that GitHub takes, whatever it counts as one.

Source: telia-oss/github-pr-resource#259.
"""
_NAMING = 1_000
"""Bytes kept for naming what is left out."""
_TOP_SHARE = 5 / 6
"""Share of the room that is for what stands above the folds; the rest is for the notes at least."""
_SHORTER = (LONGEST_TEXT, 400, 100, 40)
"""Characters of one text above the folds, tried one after the other."""


def markdown(shown: Page, first: str) -> str:
    """A comment with one page, safe whoever wrote its texts; its first line stays as it is, such as a hidden marker."""
    return f"{first}\n{page_text(shown, LONGEST - len(first.encode()))}"


def page_text(shown: Page, room: int, heading: str = "###") -> str:
    """A page as a part of a comment, in about `room` bytes.

    The texts of the top are shortened until it fits; sections that are too long are left out as a whole, and named.

    Args:
        shown: the page.
        room: bytes in UTF-8; a headline takes what it needs.
        heading: marks of the headline.
    """
    text = ""
    for longest in _SHORTER:
        text = "\n".join(_top(shown, heading, longest))
        if len(text.encode()) <= room * _TOP_SHARE:
            break
    else:
        return (
            f"{heading} {inline(shown.headline, _SHORTER[-1])}\n\nLeft out, because a comment has an end.\n"
        )
    naming = min(_NAMING, room // 6)
    left_out: list[str] = []
    for section in shown.sections:
        written = _section(section, room - naming - len(text.encode()))
        if written is None:
            left_out.append(section.title)
        else:
            text += written
    if left_out:
        names = ", ".join(left_out)
        text += (
            f"\nLeft out, because a comment has an end: {names if len(names) < naming else len(left_out)}.\n"
        )
    return text


def blocks_text(blocks: Iterable[Block]) -> str:
    """Blocks that stand by themselves in a comment."""
    return "\n".join(line for block in blocks for line in _block(block, LONGEST_TEXT))


def _top(shown: Page, heading: str, longest: int) -> Iterator[str]:
    yield f"{'' if shown.quiet else f'{heading} '}{inline(shown.headline, longest)}"
    yield ""
    for block in shown.top:
        yield from _block(block, longest)


def _section(section: Section, room: int) -> str | None:
    """A folded section; None where it needs more room, in bytes."""
    lines: list[str] = []
    for line in _section_lines(section):
        room -= len(line.encode()) + 1
        if room < 0:
            return None
        lines.append(line)
    return "\n".join(lines)


def _section_lines(section: Section) -> Iterator[str]:
    yield ""
    yield f"<details{' open' if section.unfolded else ''}>"
    yield f"<summary>{section.title}</summary>"
    yield ""
    for block in section.blocks:
        yield from _block(block, LONGEST_TEXT)
    yield "</details>"
    yield ""


def _block(block: Block, longest: int) -> Iterator[str]:
    """The lines of a block and an empty one after it."""
    match block:
        case Paragraph(text):
            yield inline(text, longest)
        case Items(items):
            yield from (f"- {inline(item, longest)}" for item in items)
        case Alert(danger, items):
            yield f"> [!{'CAUTION' if danger else 'WARNING'}]"
            yield from (f"> - {inline(item, longest)}" for item in items)
        case Table(head, rows, numbers):
            yield f"| {' | '.join(head)} |"
            yield f"|{''.join(' --: |' if column in numbers else ' --- |' for column in range(len(head)))}"
            yield from (f"| {' | '.join(_cell(cell, longest) for cell in row)} |" for row in rows)
        case Lines(lines, diff):
            yield from fence(lines, "diff" if diff else "text", longest)
        case Picture(lines):
            yield from ("```mermaid", *lines, "```")
    yield ""


def _cell(text: str, longest: int) -> str:
    return inline(text, longest, in_cell=True) if text else ""
