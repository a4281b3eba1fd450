"""A page as a comment on GitHub."""

from collections.abc import Iterator
from typing import Final

from kubeflow_aks.text.blocks import Alert, Block, Items, Lines, Page, Paragraph, Picture, Section, Table
from kubeflow_aks.text.escape import LONGEST_TEXT, fence, inline

LONGEST: Final = 60_000
"""Bytes of a comment in UTF-8: fewer than the 65,536 characters that GitHub takes, whatever it counts as one.

Source: telia-oss/github-pr-resource#259.
"""
_ROOM = 1_000
"""Bytes kept for naming what is left out."""
_LONGEST_TOP = 50_000
"""Bytes above the fold; the rest is for the notes at least."""
_SHORTER = (LONGEST_TEXT, 400, 100, 40)
"""Characters of one text above the fold, tried one after the other; the last always fits."""


def markdown(shown: Page, first: str) -> str:
    """The comment: safe whoever wrote the page's texts.

    The texts of the top are shortened until it fits; sections that are too long are left out as a whole, and named.

    Args:
        shown: the page.
        first: its first line as it is, such as a hidden marker.
    """
    text = ""
    for longest in _SHORTER:
        text = "\n".join([first, *_top(shown, longest)])
        if len(text.encode()) <= _LONGEST_TOP:
            break
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


def _top(shown: Page, longest: int) -> Iterator[str]:
    yield f"{'' if shown.quiet else '### '}{inline(shown.headline, longest)}"
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
    return inline(text, longest) if text else ""
