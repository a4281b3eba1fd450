"""The top of a document for a terminal."""

from pull_request.telling.document import ChangeDocument
from pull_request.telling.page import page
from writing import terminal as written


def terminal(document: ChangeDocument, width: int) -> list[str]:
    """What stands above the fold of the comment, as lines of at most `width` columns."""
    shown = page(document)
    lines = written.terminal(shown, width)
    if shown.sections:
        more = ", ".join(section.title for section in shown.sections)
        lines += written.wrapped(f"The comment has more: {more}.", width)
    return lines
