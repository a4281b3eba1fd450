"""Runs the steps of the scenario: waits for a step's conditions, prints events, and records how long it took."""

import time
from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager
from typing import Final

from kubeflow_aks.events import Kind
from kubeflow_aks.scenario.console import Console
from kubeflow_aks.scenario.contract_pools import ContractPool
from kubeflow_aks.scenario.log import sentences
from kubeflow_aks.scenario.observations import PodRecord, StepRecord
from kubeflow_aks.scenario.watcher import Watcher
from kubeflow_aks.text.numbers import counted

LIMIT_SECONDS: Final = 150.0
"""Wall time for one wait in the demo. Usually a few seconds; a pod that was not drained in time waits a minute for the
real garbage collector, whose clock does not run faster (docs/facts/engine.md#the-eviction-sequence)."""

POLL_SECONDS: Final = 0.05


class StepTimeoutError(Exception):
    """A step's condition was not met in time; the text has the observed state."""


class StepRunner:
    """Runs steps on one cluster."""

    def __init__(
        self,
        watcher: Watcher,
        console: Console,
        check: Callable[[], object],
        *,
        limit_seconds: float = LIMIT_SECONDS,
        poll_seconds: float = POLL_SECONDS,
        simulated: bool = True,
    ) -> None:
        """Reads nothing yet; `check` raises if waiting is useless, limit and poll are of wall time."""
        self._limit_seconds = limit_seconds
        self._poll_seconds = poll_seconds
        self._simulated = simulated
        self.watcher = watcher
        self.steps: list[StepRecord] = []
        self._console = console
        self._check = check

    @contextmanager
    def step(self, key: str, title: str) -> Generator[None]:
        """One step of the scenario; a `StepTimeoutError` passes through and is recorded."""
        self._console.line(f"── {title}")
        began, began_wall, problem = self.watcher.now(), time.monotonic(), ""
        try:
            yield
        except StepTimeoutError as error:
            problem = str(error)
            raise
        finally:
            self.steps.append(
                StepRecord(
                    key=key,
                    title=title,
                    began=began,
                    ended=self.watcher.now(),
                    wall_seconds=round(time.monotonic() - began_wall, 1),
                    problem=problem,
                )
            )

    def say(self, text: str) -> None:
        """Prints a line about the scenario."""
        self._console.line(text)

    def look(self) -> None:
        """Observes the cluster and prints new events."""
        self._check()
        for line in sentences(self.watcher.look(), simulated=self._simulated):
            self.say(line)

    def until(self, condition: Callable[[], bool], state: Callable[[], str]) -> None:
        """Waits until a condition is met; `state` is the observed state for the error.

        Raises:
            StepTimeoutError: it is not met after `limit_seconds` of wall time.
        """
        deadline = time.monotonic() + self._limit_seconds
        self.look()
        while not condition():
            if time.monotonic() > deadline:
                raise StepTimeoutError(f"{state()} after {self._limit_seconds:.0f} s")
            time.sleep(self._poll_seconds)
            self.look()

    def running(self, part: str) -> list[PodRecord]:
        """The part's running pods whose node exists; for a while the API server also shows others."""
        gone = {line["node"] for line in self.watcher.lines if line["kind"] == Kind.NODE_GONE}
        existing = {node.name for node in self.watcher.nodes.values() if node.gone is None} - gone
        return [pod for pod in self.watcher.live(part) if pod.running is not None and pod.node in existing]

    def until_running(self, part: str, count: int, name: str) -> None:
        """Waits until that many pods of a part run, and prints their pools.

        Raises:
            StepTimeoutError: they do not run in time.
        """
        self.until(
            lambda: len(self.running(part)) >= count,
            lambda: f"{name}: {len(self.running(part))} of {count} pods run",
        )
        pools = sorted({pod.pool for pod in self.running(part)})
        self.say(f"{name}: {counted(count, 'pod')} running on {', '.join(pools)}")

    def until_smallest(self, pools: Iterable[ContractPool]) -> None:
        """Waits until the pools for batch work are at their minimum.

        Raises:
            StepTimeoutError: they are not in time.
        """
        elastic = [pool for pool in pools if pool.elastic]

        def too_large() -> list[str]:
            return [pool.name for pool in elastic if self.size(pool) > pool.min_count]

        self.until(lambda: not too_large(), lambda: f"{', '.join(too_large())} still with nodes")

    def size(self, pool: ContractPool) -> int:
        """How many nodes a pool has."""
        return len(self.watcher.nodes_of(pool.name))
