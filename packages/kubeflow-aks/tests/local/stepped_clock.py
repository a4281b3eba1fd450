"""Simulated time that waits for the real control plane: a test fails on a busy machine no more than on an idle one."""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator
from concurrent.futures import Future, wait
from contextlib import contextmanager
from typing import Any, Final, TypeVar, cast

from kubeflow_aks.local_aks.simulation.live_cluster import LiveCluster

Value = TypeVar("Value")

_PAUSE_SECONDS: Final = 0.1
_PATIENCE_SECONDS: Final = 10.0
"""Longer than any call takes; nobody waits for a control plane that does not answer at all."""


class SteppedClock:
    """Simulated time that moves by `step` seconds with each step of the simulation, however long that takes.

    A step is over when all is done that it began on other threads: a busy machine slows the simulation down together
    with the real controllers, and no interval is missed.

    Attributes:
        step: simulated seconds of each step to come.
    """

    def __init__(self, step: float) -> None:
        self.step = step
        self._now = 0.0
        self._begun: list[Future[Any]] = []

    def now(self) -> float:
        """Simulated seconds since the clock started."""
        return self._now

    def wait(self, stop: threading.Event) -> None:
        """Leave the real controllers a moment, and what was begun the time it takes, then go on."""
        stop.wait(_PAUSE_SECONDS)
        begun, self._begun = self._begun, []
        wait(begun, timeout=_PATIENCE_SECONDS)
        self._now += self.step

    def await_too(self, work: Future[Any]) -> None:
        """Work that belongs to the step under way."""
        self._begun.append(work)

    @contextmanager
    def held(self) -> Generator[None]:
        """What is done in the block belongs to the step under way."""
        done: Future[None] = Future()
        self.await_too(done)
        try:
            yield
        finally:
            done.set_result(None)


class _SteppedCluster:
    """A cluster whose clock knows what goes on beside the simulation's steps."""

    def __init__(self, cluster: LiveCluster, clock: SteppedClock) -> None:
        self._cluster = cluster
        self._clock = clock

    def __getattr__(self, name: str) -> Any:
        return getattr(self._cluster, name)

    def submit(self, work: Callable[[], Value]) -> Future[Value]:
        future = self._cluster.submit(work)
        self._clock.await_too(future)
        return future


def on_stepped_clock(cluster: LiveCluster, clock: SteppedClock) -> LiveCluster:
    """The cluster as a simulation on that clock is given it."""
    return cast("LiveCluster", _SteppedCluster(cluster, clock))
