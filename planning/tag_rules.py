"""Rules of Azure's tags ("Tags of Azure resources", limitations)."""

from collections import defaultdict
from collections.abc import Iterator
from typing import Final

from settings import Problem, Settings

_MAX_TAGS: Final = 50
_MAX_NAME: Final = 512
_MAX_VALUE: Final = 256
_FORBIDDEN: Final = "<>%&\\?/"


def tag_problems(settings: Settings) -> Iterator[Problem]:
    """Number, names and values of the tags are what every Azure resource accepts."""
    tags = settings.tags.as_dict()
    if len(tags) > _MAX_TAGS:
        yield Problem("tags", len(tags), f"at most {_MAX_TAGS} tags on a resource")
    for name, value in tags.items():
        if len(name) > _MAX_NAME or any(sign in name for sign in _FORBIDDEN):
            yield Problem(
                f"tags.{name}",
                name,
                f"a name of at most {_MAX_NAME} characters without {' '.join(_FORBIDDEN)}",
            )
        if len(value) > _MAX_VALUE:
            yield Problem(f"tags.{name}", value, f"at most {_MAX_VALUE} characters, not {len(value)}")
    for spellings in _same_names(tags):
        yield Problem(
            f"tags.{spellings[-1]}",
            spellings[-1],
            f"a name that differs from {spellings[0]!r} in more than case",
        )


def _same_names(tags: dict[str, str]) -> Iterator[list[str]]:
    """Names that differ in case only."""
    spellings: dict[str, list[str]] = defaultdict(list)
    for name in tags:
        spellings[name.lower()].append(name)
    return (names for names in spellings.values() if len(names) > 1)
