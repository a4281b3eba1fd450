"""Rules of Azure's tags ("Tags of Azure resources", limitations)."""

from collections import defaultdict
from collections.abc import Iterator
from typing import Final
from unicodedata import category

from components.mistakes import Mistake, shown_key
from program.settings import Settings

_MAX_TAGS: Final = 50
_MAX_TAGS_OF_DNS: Final = 15
_MAX_NAME: Final = 512
_MAX_NAME_OF_STORAGE: Final = 128
_MAX_VALUE: Final = 256
_FORBIDDEN: Final = "<>%&\\?/"
"""Beside control characters (coreos/tectonic-installer#596)."""
_RESERVED: Final = ("microsoft", "azure", "windows")
"""Beginnings of names that Azure keeps ("Tags REST API"; microsoft/vscode-azureresourcegroups#1164)."""


def tag_problems(settings: Settings) -> Iterator[Mistake]:
    """Number, names and values of the tags are what every Azure resource accepts."""
    tags = settings.tags.as_dict()
    longest = _MAX_NAME_OF_STORAGE if settings.data.store else _MAX_NAME
    if len(tags) > _MAX_TAGS:
        yield Mistake("tags", len(tags), f"at most {_MAX_TAGS} tags on a resource")
    for name, value in tags.items():
        if not name.strip():
            yield Mistake("tags", name, "a name for every tag; this one is empty")
        elif name.lower().startswith(_RESERVED):
            yield Mistake(
                f"tags.{name}",
                name,
                f"a name that does not begin with {', '.join(_RESERVED)}; Azure keeps these for itself",
            )
        if len(name) > longest or any(sign in _FORBIDDEN or category(sign) == "Cc" for sign in name):
            yield Mistake(
                f"tags.{name}",
                name,
                f"a name of at most {longest} characters without {' '.join(_FORBIDDEN)} and control characters",
            )
        if len(value) > _MAX_VALUE:
            yield Mistake(f"tags.{name}", value, f"at most {_MAX_VALUE} characters, not {len(value)}")
    for spellings in _same_names(tags):
        yield Mistake(
            f"tags.{spellings[-1]}",
            spellings[-1],
            f"a name that differs from {spellings[0]!r} in more than case",
        )


def tag_warnings(settings: Settings) -> Iterator[str]:
    """Line breaks and the like, and more tags than the DNS zone takes on which AKS puts the cluster's (use-tags.md)."""
    for name, value in settings.tags.as_dict().items():
        if controls := sorted({repr(sign)[1:-1] for sign in value if category(sign) == "Cc"}):
            yield (
                f"{shown_key(f'tags.{name}')} has control characters ({', '.join(controls)}): no page of Azure says "
                "that a value may; write it in one line, without `|` before it"
            )
    tags = len(settings.tags.as_dict())
    if settings.api_access.private_cluster and tags > _MAX_TAGS_OF_DNS:
        yield (
            f"tags are {tags} while apiAccess.privateCluster is true: AKS puts them on the cluster's private DNS zone, "
            f"which takes {_MAX_TAGS_OF_DNS}; leave some out"
        )


def _same_names(tags: dict[str, str]) -> Iterator[list[str]]:
    """Names that differ in case only."""
    spellings: dict[str, list[str]] = defaultdict(list)
    for name in tags:
        spellings[name.lower()].append(name)
    return (names for names in spellings.values() if len(names) > 1)
