"""What was looked at, each in one line."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Final, Literal

from ckf_spot.cluster import ForbiddenError
from ckf_spot.errors import PlacementError

State = Literal["right", "wrong", "note", "unknown"]
"""`note`: worth knowing; `unknown`: it could not be looked at, which is neither good news nor bad news."""
_SIGNS: Final[Mapping[State, str]] = {"right": "✔", "wrong": "✘", "note": "!", "unknown": "?"}


@dataclass(frozen=True)
class Finding:
    """The result of one look.

    Attributes:
        what: was looked at.
        text: how it is.
        advice: what to do, empty where nothing is to be done.
    """

    state: State
    what: str
    text: str
    advice: str = ""

    def __str__(self) -> str:
        line = f"{_SIGNS[self.state]} {self.what}: {self.text}"
        return f"{line}; {self.advice}" if self.advice else line


def right(what: str, text: str) -> Finding:
    """All is as it should be."""
    return Finding("right", what, text)


def wrong(what: str, text: str, advice: str = "") -> Finding:
    """Something has to be done."""
    return Finding("wrong", what, text, advice)


def unknown(what: str, why: str) -> Finding:
    """It cannot be known, and why."""
    return Finding("unknown", what, f"not checked, because {why}")


def looked(what: str, look: Callable[[], Iterable[Finding]]) -> list[Finding]:
    """What a look found; that it is not allowed, or that the cluster answers something else, is a finding too."""
    try:
        return list(look())
    except ForbiddenError as error:
        return [unknown(what, line(error))]
    except PlacementError as error:
        return [wrong(what, line(error))]


def line(error: PlacementError) -> str:
    """An error's text in one line."""
    return "; ".join(map(str, error.mistakes))
