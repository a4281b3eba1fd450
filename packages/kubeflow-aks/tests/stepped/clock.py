"""A simulation that goes from one moment at which something can happen to the next."""

import math
from typing import Any, Final, Protocol

from kubeflow_aks.events import Kind
from kubeflow_aks.local_aks.simulation.clock import Clock
from kubeflow_aks.local_aks.simulation.journal import Journal, Source
from kubeflow_aks.local_aks.simulation.loop import Simulation
from tests.stepped.manual_clock import ManualClock
from tests.stepped.memory_cluster import MemoryCluster

TICK_SECONDS: Final = 1.0
"""Events take effect at the next whole tick, as in a simulation that polls."""


class MemoryJournal(Journal):
    """A journal in memory, as objects."""

    def __init__(self, clock: Clock) -> None:
        """It starts empty."""
        self._clock = clock
        self._errors: set[str] = set()
        self.lines: list[dict[str, Any]] = []

    def write(self, kind: Kind, source: Source, **fields: object) -> None:
        """Add one line, without `wall`."""
        kept = {key: value for key, value in fields.items() if value != ""}
        self.lines.append({"time": self._clock.now(), "kind": kind, "source": source, **kept})


class Workload(Protocol):
    """Whoever creates pods and lets them end."""

    def advance(self, now: float) -> None:
        """Do what is due at simulated second `now`."""
        ...

    def next_at(self) -> float:
        """Simulated second at which something is due next; `inf` for never."""
        ...


class Steps:
    """Steps a simulation whenever a step could do something, and at no other tick.

    After a step that changed something comes the next tick; after one that changed nothing, the first tick at which
    time alone brings something about. So the same happens as at every tick, which `skip=False` plays.
    """

    def __init__(
        self,
        simulation: Simulation,
        cluster: MemoryCluster,
        clock: ManualClock,
        journal: MemoryJournal,
        work: Workload,
        *,
        skip: bool = True,
    ) -> None:
        """All of them share the clock."""
        self._simulation = simulation
        self._cluster = cluster
        self._clock = clock
        self._journal = journal
        self._work = work
        self._skip = skip
        self._unseen = True
        self.taken = 0
        """Number of steps so far."""

    def step(self, until: float) -> None:
        """Do all that is due now, and go on to the next tick at which there is something to do, at most `until`."""
        now, before = self._clock.now(), self._changes()
        scan = self._simulation.next_scan
        self._work.advance(now)
        self._cluster.settle()
        self._simulation.step()
        self.taken += 1
        changed = self._changes() != before
        self._unseen = changed or (self._unseen and scan == self._simulation.next_scan)
        following = now + TICK_SECONDS
        if self._skip and not changed:
            following = max(following, min(_tick(self._next_at()), until))
            self._simulation.pass_scans(following)
        self._clock.advance(following - now)

    def _next_at(self) -> float:
        return min(
            self._work.next_at(), self._cluster.next_at(), self._simulation.next_at(unseen=self._unseen)
        )

    def _changes(self) -> tuple[int, int]:
        return self._cluster.changes, len(self._journal.lines)


def _tick(at: float) -> float:
    """The first tick from then on."""
    return math.ceil(at / TICK_SECONDS) * TICK_SECONDS if math.isfinite(at) else at
