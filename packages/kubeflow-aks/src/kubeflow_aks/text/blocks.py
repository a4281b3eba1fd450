"""What a text is made of, before it is known how it will be written."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Paragraph:
    """One sentence or more."""

    text: str


@dataclass(frozen=True)
class Alert:
    """What must not be missed; `danger` is for what cannot be undone."""

    danger: bool
    items: tuple[str, ...]


@dataclass(frozen=True)
class Items:
    """A list."""

    items: tuple[str, ...]


@dataclass(frozen=True)
class Table:
    """Rows of cells under a head of ours; `numbers` are the columns that stand flush right."""

    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    numbers: range = range(0)


@dataclass(frozen=True)
class Lines:
    """Lines of text as they are; each starts with two characters of ours, as those of a diff do."""

    lines: tuple[str, ...]
    diff: bool = False


@dataclass(frozen=True)
class Picture:
    """Lines of mermaid with nothing in them that others wrote but plain names."""

    lines: tuple[str, ...]


Block = Paragraph | Alert | Items | Table | Lines | Picture


@dataclass(frozen=True)
class Section:
    """What is folded away under a title of ours."""

    title: str
    blocks: Iterable[Block]
    unfolded: bool = False


@dataclass(frozen=True)
class Page:
    """Everything; the sections by importance, for the last ones go first where there is too much."""

    headline: str
    top: Sequence[Block]
    sections: Sequence[Section]

    @property
    def quiet(self) -> bool:
        """Whether one line is all of it."""
        return not self.top and not self.sections
