"""One thing that a change means."""

from typing import Any, Literal, TypedDict

from kubeflow_aks.pull_request.observed import SECRET, UNKNOWN
from kubeflow_aks.text.sentences import code, first_of

Level = Literal["danger", "caution", "news"]


class Impact(TypedDict):
    """One thing that a change means.

    `level` is `danger` if it cannot be undone or opens the cluster to others, `caution` if running work notices it,
    else `news`. `text` is one sentence or more, with values in backticks.
    """

    kind: str
    level: Level
    subject: str
    text: str


def impact(kind: str, level: Level, subject: str, text: str) -> Impact:
    """The entry of the document."""
    return {"kind": kind, "level": level, "subject": subject, "text": text}


def quoted(value: Any) -> str:
    """A value in a sentence."""
    if value in (SECRET, UNKNOWN):
        return str(value).strip("[]")
    return code(value)


def listed(values: list[str], most: int = 8) -> str:
    """Values in a sentence, the first `most` of them."""
    return first_of([*map(quoted, values)], most)


def added_and_removed(added: list[str], removed: list[str]) -> str:
    """`a added; b removed`; empty if there is neither."""
    return "; ".join(
        f"{listed(values)} {verb}" for values, verb in ((added, "added"), (removed, "removed")) if values
    )
