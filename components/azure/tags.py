"""Rules of Azure's tags ("Tags of Azure resources", limitations). Pure: planning calls the same without the SDKs."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Final
from unicodedata import category

from ..arguments.mistakes import Mistake

_MAX_TAGS: Final = 50
_MAX_NAME: Final = 512
MAX_NAME_OF_STORAGE: Final = 128
_MAX_VALUE: Final = 256
_FORBIDDEN: Final = "<>%&\\?/"
"""Characters that are refused beside control characters (coreos/tectonic-installer#596)."""
_RESERVED: Final = ("microsoft", "azure", "windows")
"""Beginnings of names that Azure keeps ("Tags REST API"; microsoft/vscode-azureresourcegroups#1164)."""


def tag_mistakes(tags: Mapping[str, str], *, longest: int = _MAX_NAME) -> Iterator[Mistake]:
    """Number, names and values of the tags are what Azure accepts.

    Args:
        tags: of one resource.
        longest: characters of a name; a storage account takes `MAX_NAME_OF_STORAGE`.
    """
    if len(tags) > _MAX_TAGS:
        yield Mistake("tags", len(tags), f"at most {_MAX_TAGS} tags on a resource")
    for name, value in tags.items():
        yield from _name_mistakes(name, longest)
        if len(value) > _MAX_VALUE:
            yield Mistake(f"tags.{name}", value, f"at most {_MAX_VALUE} characters, not {len(value)}")
    for spellings in _same_names(tags):
        yield Mistake(
            f"tags.{spellings[-1]}",
            spellings[-1],
            f"a name that differs from {spellings[0]!r} in more than case",
        )


def _name_mistakes(name: str, longest: int) -> Iterator[Mistake]:
    if not name.strip():
        yield Mistake("tags", name, "a name for every tag; this one is empty")
    elif name.lower().startswith(_RESERVED):
        expected = f"a name that does not begin with {', '.join(_RESERVED)}; Azure keeps these for itself"
        yield Mistake(f"tags.{name}", name, expected)
    if len(name) > longest or any(sign in _FORBIDDEN or category(sign) == "Cc" for sign in name):
        signs = " ".join(_FORBIDDEN)
        expected = f"a name of at most {longest} characters without {signs} and control characters"
        yield Mistake(f"tags.{name}", name, expected)


def _same_names(tags: Mapping[str, str]) -> Iterator[list[str]]:
    """Names that differ in case only."""
    spellings: dict[str, list[str]] = defaultdict(list)
    for name in tags:
        spellings[name.lower()].append(name)
    return (names for names in spellings.values() if len(names) > 1)
