"""What became of each promise, before it is known how it will be told."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from deployed.errors import StackError
from deployed.outputs import Outputs
from verify.seen import NotSeenError, Seen

_NAMED: Final = 3
"""Names in one sentence; the others are counted."""
_TOLD: Final = 10
"""Mistakes of one check that are told one by one."""


class State(StrEnum):
    """Whether a promise is kept; `unseen` is neither good news nor bad news."""

    KEPT = "kept"
    BROKEN = "broken"
    UNSEEN = "unseen"


@dataclass(frozen=True)
class Told:
    """One sentence of a check.

    Attributes:
        state: whether the promise is kept.
        sentence: what was seen.
        todo: what to do; empty where nothing is.
    """

    state: State
    sentence: str
    todo: str = ""


@dataclass(frozen=True)
class Check:
    """One promise and who judges it.

    Attributes:
        id: in the JSON.
        promise: as a sentence.
        judge: tells what was seen; nothing told means that the promise is kept.
    """

    id: str
    promise: str
    judge: Callable[[Seen, Outputs], Iterable[Told]]


@dataclass(frozen=True)
class Finding:
    """What one check has told."""

    check: str
    promise: str
    told: Told


def judged(checks: Iterable[Check], seen: Seen, outputs: Outputs) -> Iterator[Finding]:
    """What became of each promise; one that can't be judged is `unseen`, with the reason."""
    for check in checks:
        try:
            told = list(check.judge(seen, outputs)) or [kept(check.promise)]
        except (NotSeenError, StackError) as error:
            told = [unseen(f"{check.promise}: can't be seen here: {one_line(error)}")]
        for each in told[:_TOLD]:
            yield Finding(check.id, check.promise, each)
        if (left := len(told) - _TOLD) > 0:
            yield Finding(check.id, check.promise, Told(told[-1].state, f"and {left} more of this kind"))


def kept(sentence: str, todo: str = "") -> Told:
    """The promise is kept."""
    return Told(State.KEPT, one_line(sentence), todo)


def broken(sentence: str, todo: str) -> Told:
    """The promise is broken, and something has to be done."""
    return Told(State.BROKEN, one_line(sentence), todo)


def unseen(sentence: str) -> Told:
    """Nobody can tell from here, and the sentence says why."""
    return Told(State.UNSEEN, one_line(sentence))


def names(found: Iterable[str]) -> str:
    """`a`, `a and b`, `a, b, c and 12 more`."""
    listed = sorted(found)
    if (left := len(listed) - _NAMED) > 0:
        return f"{', '.join(listed[:_NAMED])} and {left} more"
    return " and ".join([", ".join(listed[:-1]), listed[-1]] if len(listed) > 1 else listed)


def pools_named(found: Iterable[str]) -> str:
    """`pool a has`, `each of the pools a and b has`."""
    listed = list(found)
    return f"pool {names(listed)} has" if len(listed) == 1 else f"each of the pools {names(listed)} has"


def one_line(text: object) -> str:
    """A text of others on one line; what steers a terminal is left out."""
    return " ".join("".join(each if each.isprintable() else " " for each in str(text)).split())


def by_first(pairs: Iterable[tuple[str, str]]) -> Mapping[str, Sequence[str]]:
    """Seconds by their first, in order of appearance."""
    grouped: dict[str, list[str]] = {}
    for first, second in pairs:
        grouped.setdefault(first, []).append(second)
    return grouped
