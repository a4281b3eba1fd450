"""Text of others in a comment on GitHub, so that nothing in it comes alive.

Whatever is not a plain word or a small number stands in a code span. There GitHub reads no Markdown, HTML, entity or
address ("GitHub Flavored Markdown Spec", code spans); and afterwards it looks for mentions, issues, commits, emoji and
formulas in the text outside of code alone (autolinked-references-and-urls.md, mention_filter.rb). Backticks and pipes
are written as escapes, so that nothing ends a span or the cell of a table; and so is what a reader would not see.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from typing import Final

from kubeflow_aks.text.columns import cut, cut_middle

LONGEST_VALUE: Final = 200
"""Characters of one value that are shown."""
LONGEST_TEXT: Final = 1500
"""Characters of one sentence that are shown; the document has all of it."""
_UNSEEN = {"Cc", "Cf", "Cn", "Co", "Cs", "Me", "Mn", "Zl", "Zp", "Zs"}
"""Categories of Unicode for what has no look of its own: controls, marks of direction, joiners, odd blanks."""
_BLANK_LETTERS = frozenset("\u115f\u1160\u2800\u3164\uffa0")
"""Letters and symbols that are drawn as nothing."""
_SHORT = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}
_VALUE = re.compile("`([^`]+)`")
_WORD = r"(?!(?:[a-z]*(?:www|mailto|xmpp)|[a-f]{7,})\b)[a-z]+"
"""Letters; but none that GitHub could take for a commit or for the start of an address."""
_PLAIN = re.compile(rf"{_WORD}(?:[-'’]{_WORD})*|[0-9]{{1,6}}%?|[→–—% ]?", re.ASCII | re.IGNORECASE)
"""Words, with hyphens or apostrophes in them, and numbers."""


def visible(text: str) -> str:
    """The text on one line, with escapes, as `U+202E` in Python, for what a reader would not see."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(map(_seen, text))


def shortened(text: str, most: int = LONGEST_VALUE) -> str:
    """The text, its end replaced by … where it is longer than `most`."""
    return cut(text, most)


def code(text: str) -> str:
    """A value as a code span."""
    shown = (
        _unmarked(visible(cut_middle(text, LONGEST_VALUE))).replace("`", "\\u{60}").replace("|", "\\u{7c}")
    )
    return f"`{shown}`" if shown else "(empty)"


def inline(text: str, longest: int = LONGEST_TEXT, *, in_cell: bool = False) -> str:
    """A sentence: plain words as they are; values in backticks, and all that is no plain word, as code spans.

    Args:
        text: the sentence.
        longest: characters that are shown.
        in_cell: whether it stands in a table's cell, where a number first does not start a list.
    """
    shown = ""
    for number, part in enumerate(_VALUE.split(shortened(" ".join(text.split()), longest))):
        for token in [part] if number % 2 else re.split("( )", part):
            piece = (
                code(token)
                if number % 2 or (not shown and not in_cell and token[:1].isdigit())
                else _token(token)
            )
            # A number first in a line may start a list; two spans side by side would be one of other content.
            shown += f" {piece}" if shown.endswith("`") and piece.startswith("`") else piece
    return shown or "(empty)"  # an empty item under a line makes a heading of the line


def fence(lines: Iterable[str], language: str, longest: int = LONGEST_TEXT) -> Iterator[str]:
    """Lines as a fenced block; each line must start with one or two characters of ours, as those of a diff do."""
    yield f"```{language}"
    for line in lines:
        yield _unmarked(visible(shortened(line, longest))).replace("```", "\\u{60}" * 3)
    yield "```"


def _unmarked(text: str) -> str:
    """The text with nothing that looks like a hidden marker, by which comments are found again."""
    return text.replace("<!--", "\\u{3c}!--")


def _token(token: str) -> str:
    core = token.lstrip("(").rstrip(").,;:")
    if _PLAIN.fullmatch(core):
        return token
    start = token.index(core)
    return f"{token[:start]}{code(core)}{token[start + len(core) :]}"


def _seen(char: str) -> str:
    if char == " " or (unicodedata.category(char) not in _UNSEEN and char not in _BLANK_LETTERS):
        return char
    return _SHORT.get(char) or f"\\u{{{ord(char):x}}}"
