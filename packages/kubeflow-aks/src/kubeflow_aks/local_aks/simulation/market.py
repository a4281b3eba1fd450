"""The simulated spot market: which pools can get VMs, and when VMs are taken away.

The same schedule plays out the same way.
"""

import math
import random
import threading
from collections.abc import Iterable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from kubeflow_aks.exit_codes import CommandError

ALL: Final = 0
"""A `count` that stands for every node of the pool."""


class Supply(StrEnum):
    """What Azure does with a request for a VM."""

    AVAILABLE = "available"
    SOLD_OUT = "soldout"
    """It answers with an allocation error after a while."""
    SILENT = "silent"
    """It answers nothing and no VM ever boots (docs/facts/aks.md#shortage-and-fallback)."""

    @property
    def means(self) -> str:
        """A sentence for people, without its subject: a pool."""
        return {
            Supply.AVAILABLE: "Azure has VMs for it",
            Supply.SOLD_OUT: "Azure answers every request for a VM with an allocation error",
            Supply.SILENT: "Azure does not answer requests for a VM, and none boots",
        }[self]


class Reclaim(StrEnum):
    """How Azure takes a spot VM back, or advises that it may."""

    EVICT = "evict"
    """A scheduled event Preempt comes at least 30 s before (docs/facts/engine.md#the-eviction-sequence)."""
    VANISH = "vanish"
    """No notice comes before."""
    ADVISE = "advise"
    """It only advises that it may; true advice is followed by one of the others."""


class MarketError(CommandError):
    """A requested market event did not happen; the text is meant for the user."""


class MarketRefusedError(MarketError):
    """It is not possible."""


class MarketUnansweredError(MarketError):
    """The service did not answer in time."""


def not_allowed(key: str, value: object, allowed: str) -> str:
    """A line that refuses a value of a request."""
    return f"{key}: {value!r} is not allowed; expected {allowed}"


def no_spot_pool(pool: object, spot: Iterable[str]) -> str:
    """A line that refuses a pool of which Azure takes no VM back; `spot` names those of which it does."""
    return not_allowed("pool", pool, f"a spot pool: {', '.join(spot) or 'none'}")


def no_such_node(node: str, pool: str, here: Sequence[str]) -> str:
    """A line that refuses a node which can't be taken; `here` names the pool's nodes that can."""
    expected = f"a node of {pool} that is not being taken already: {', '.join(here) or 'none'}"
    return not_allowed("node", node, expected)


@dataclass(frozen=True)
class MarketEvent:
    """One thing that happens to a pool, at simulated second `at`."""

    at: float
    what: Supply | Reclaim
    pool: str
    count: int = 1
    """How many nodes are taken; `ALL` for every one. No meaning for a change of supply."""
    node: str = ""
    """The one node that is taken, which is refused when it is gone already; empty where the market chooses."""
    outcome: Future[str] = field(default_factory=Future[str], compare=False, repr=False)
    """A sentence about what came of it once it has happened, or a `MarketRefusedError`."""


class Market:
    """Plays a schedule; events can be added while it runs, from any thread."""

    def __init__(self, schedule: Iterable[MarketEvent] = (), *, seed: int = 0) -> None:
        """`seed` chooses the nodes to take."""
        self._waiting = sorted(schedule, key=_order)
        self._supply: dict[str, Supply] = {}
        self._rng = random.Random(seed)  # noqa: S311 - repeatable on purpose
        self._lock = threading.Lock()

    def add(self, *events: MarketEvent) -> None:
        """Put more events into the schedule; those of the past happen at the next step."""
        with self._lock:
            self._waiting = sorted([*self._waiting, *events], key=_order)

    def due(self, now: float) -> list[MarketEvent]:
        """The events up to the simulated second `now` that were not returned before, in order."""
        with self._lock:
            due = [event for event in self._waiting if event.at <= now]
            self._waiting = self._waiting[len(due) :]
            for event in due:
                if isinstance(event.what, Supply):
                    self._supply[event.pool] = event.what
        return due

    def next_at(self) -> float:
        """Simulated second of the next event; `inf` where none is left."""
        with self._lock:
            return self._waiting[0].at if self._waiting else math.inf

    def supply(self, pool: str) -> Supply:
        """What a request for a VM of the pool gets now."""
        return self._supply.get(pool, Supply.AVAILABLE)

    def pick(self, nodes: Sequence[str], count: int) -> list[str]:
        """Which nodes an event takes: `count` of them, or every one for `ALL` or when there are fewer."""
        if count == ALL or count >= len(nodes):
            return list(nodes)
        return self._rng.sample(sorted(nodes), count)


def _order(event: MarketEvent) -> tuple[float, str, str]:
    return (event.at, event.pool, event.what)
