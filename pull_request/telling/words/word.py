"""One thing that a change means."""

from typing import Any, Literal, TypedDict

from pull_request.observed import SECRET, UNKNOWN

Level = Literal["danger", "caution", "news"]


class Word(TypedDict):
    """One thing that a change means.

    `level` is `danger` for what cannot be undone or opens the cluster to others, `caution` for what running work
    notices, `news` for the rest. `text` is a sentence or more, values in backticks.
    """

    kind: str
    level: Level
    subject: str
    text: str


def quoted(value: Any) -> str:
    """A value in a sentence."""
    if value in (SECRET, UNKNOWN):
        return str(value).strip("[]")
    return f"`{str(value).replace('`', chr(0x2018))}`"


def listed(values: list[str], most: int = 8) -> str:
    """Values in a sentence, the first `most` of them."""
    more = f" and {len(values) - most} more" if len(values) > most else ""
    return ", ".join(map(quoted, values[:most])) + more


def counted(number: int | None, what: str) -> str:
    """A number of things, such as `1 node`."""
    return f"{'?' if number is None else number} {what}{'' if number == 1 else 's'}"
