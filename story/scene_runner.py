"""Runs the scenes of the story: waits for what a scene needs to see, prints it, and notes how long the scene took."""

import time
from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager
from typing import Final

from story.console import Console
from story.contract_pools import ContractPool
from story.formatting import counted
from story.happenings import Kind
from story.narration import sentences
from story.observations import PodRecord, SceneRecord
from story.watcher import Watcher

LIMIT_SECONDS: Final = 150.0
"""Wall time for one wait in the demo. Usually a few seconds; a pod that was not drained in time waits a minute for the
real garbage collector, whose clock does not run faster (docs/facts/engine.md#the-eviction-sequence)."""

POLL_SECONDS: Final = 0.05


class NotSeenError(Exception):
    """What a scene waits for was not seen in time; the text says what was seen instead."""


class SceneRunner:
    """Runs scenes on one cluster."""

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
        """Nothing is looked at yet.

        Args:
            watcher: sees what happens.
            console: takes lines for people.
            check: raises when there is nothing to wait for any more.
            limit_seconds: wall time for one wait.
            poll_seconds: wall time from one look to the next.
            simulated: whether the journal's seconds are.
        """
        self._limit_seconds = limit_seconds
        self._poll_seconds = poll_seconds
        self._simulated = simulated
        self.watcher = watcher
        self.scenes: list[SceneRecord] = []
        self._console = console
        self._check = check

    @contextmanager
    def scene(self, key: str, title: str) -> Generator[None]:
        """A part of the story; `NotSeenError` passes through it and is noted."""
        self._console.line(f"── {title}")
        began, began_wall, problem = self.watcher.now(), time.monotonic(), ""
        try:
            yield
        except NotSeenError as error:
            problem = str(error)
            raise
        finally:
            self.scenes.append(
                SceneRecord(
                    key=key,
                    title=title,
                    began=began,
                    ended=self.watcher.now(),
                    wall_seconds=round(time.monotonic() - began_wall, 1),
                    problem=problem,
                )
            )

    def say(self, text: str) -> None:
        """Tell what the story did or saw."""
        self._console.line(text)

    def look(self) -> None:
        """Look at the cluster, and tell what happened."""
        self._check()
        for line in sentences(self.watcher.look(), simulated=self._simulated):
            self.say(line)

    def until(self, seen: Callable[[], bool], instead: Callable[[], str]) -> None:
        """Waits until something is seen.

        Args:
            seen: whether it is there.
            instead: what is there, for the error.

        Raises:
            NotSeenError: it is not there after `limit_seconds` of wall time.
        """
        deadline = time.monotonic() + self._limit_seconds
        self.look()
        while not seen():
            if time.monotonic() > deadline:
                raise NotSeenError(f"{instead()} after {self._limit_seconds:.0f} s")
            time.sleep(self._poll_seconds)
            self.look()

    def running(self, part: str) -> list[PodRecord]:
        """The part's pods that run on a node that exists; for a while the API server also shows others."""
        taken = {line["node"] for line in self.watcher.lines if line["kind"] == Kind.NODE_GONE}
        there = {node.name for node in self.watcher.nodes.values() if node.gone is None} - taken
        return [pod for pod in self.watcher.live(part) if pod.running is not None and pod.node in there]

    def until_running(self, part: str, count: int, name: str) -> None:
        """Waits until that many pods of a part run, and says where.

        Raises:
            NotSeenError: they don't.
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
            NotSeenError: they aren't.
        """
        elastic = [pool for pool in pools if pool.elastic]

        def too_large() -> list[str]:
            return [pool.name for pool in elastic if self.size(pool) > pool.min_count]

        self.until(lambda: not too_large(), lambda: f"{', '.join(too_large())} still with nodes")

    def size(self, pool: ContractPool) -> int:
        """How many nodes a pool has."""
        return len(self.watcher.nodes_of(pool.name))
