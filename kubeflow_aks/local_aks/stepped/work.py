"""Batch work in steps, as a workflow submits it: each step is one pod, and takes one node."""

import heapq
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from kubeflow_aks.local_aks.stepped.memory_cluster import MemoryCluster


@dataclass(frozen=True, kw_only=True)
class Kind:
    """One kind of step; all times in seconds.

    Attributes:
        pod: the pod spec.
        seconds: useful work of a step, more than none.
        restart: what each start after the first takes on its node before the work goes on: image, data, checkpoint.
        wait: from the end of a start until the next pod is created.
        retries: starts after the first.
        every: useful work between two checkpoints, none after the last bit of work; None without checkpoints.
        writing: what writing one takes.
    """

    pod: Mapping[str, Any]
    seconds: float
    restart: float = 0.0
    wait: float = 0.0
    retries: int = 1_000_000
    every: float | None = None
    writing: float = 0.0


@dataclass
class _Step:
    kind: Kind
    submitted: float
    saved: float = 0.0
    """Useful seconds in the last checkpoint."""
    starts: int = 0
    running_since: float | None = None
    node: str = ""


@dataclass
class Done:
    """What became of the work; hours.

    Attributes:
        finished: steps.
        failed: steps that used up their retries.
        evicted: starts that ended before their work.
        ran: node hours of pods.
        lost: those of work and half-written checkpoints that an eviction undid.
        latest: from a step's submission to its end, one entry each.
    """

    finished: int = 0
    failed: int = 0
    evicted: int = 0
    ran: float = 0.0
    lost: float = 0.0
    latest: list[float] = field(default_factory=list[float])


class Jobs(MemoryCluster):
    """A control plane whose job controller runs steps: it submits, retries and ends them."""

    def __init__(self, clock: Any) -> None:
        """Nothing is submitted yet."""
        super().__init__(clock)
        self.done = Done()
        self._steps: dict[str, _Step] = {}
        self._due: list[tuple[float, str, int, bool]] = []
        """A heap of when which step's pod is created or its work ends: after how many starts, and whether it ends."""

    def submit_steps(self, kind: Kind, at: Sequence[float]) -> None:
        """Submit one step at each of these simulated seconds, whole ones."""
        for moment in at:
            name = f"step-{len(self._steps)}"
            self._steps[name] = _Step(kind, moment)
            heapq.heappush(self._due, (moment, name, 0, False))

    @property
    def left(self) -> int:
        """Number of steps that did not end yet."""
        return len(self._steps) - self.done.finished - self.done.failed

    def advance(self, now: float) -> None:
        """Create the pods that are due, and let those end whose work is done."""
        while self._due and self._due[0][0] <= now:
            _, name, start, ends = heapq.heappop(self._due)
            step = self._steps[name]
            if not ends:
                self.create_pod(name, step.kind.pod)
            elif start == step.starts and step.running_since is not None and step.node in self.node_objects:
                self._finish(name, step, now)

    def next_at(self) -> float:
        """Simulated second at which something is due next; `inf` for never."""
        return min(super().next_at(), self._due[0][0] if self._due else math.inf)

    def placed(self, pod: Mapping[str, Any]) -> None:
        """The step's work begins."""
        name = pod["metadata"]["name"]
        if name in self._steps:
            step = self._steps[name]
            step.running_since, step.node = self._clock.now(), pod["spec"]["nodeName"]
            step.starts += 1
            ends = step.running_since + _overhead(step) + _left(step)
            heapq.heappush(self._due, (math.ceil(ends), name, step.starts, True))

    def ended(self, pod: Mapping[str, Any]) -> None:
        """The step was evicted: what no checkpoint kept is lost, and it is tried again."""
        name = pod["metadata"]["name"]
        step = self._steps.get(name)
        if step is None or pod["status"]["phase"] == "Succeeded":
            return
        now = self._clock.now()
        if step.running_since is not None:
            ran = now - step.running_since
            kept, lost = _kept(step, ran)
            self.done.ran += ran / 3600
            step.saved += kept
            self.done.lost += lost / 3600
            self.done.evicted += 1
            step.running_since = None
        if step.starts > step.kind.retries:
            self.done.failed += 1
            self.done.latest.append((now - step.submitted) / 3600)
        else:
            heapq.heappush(self._due, (math.ceil(now + step.kind.wait), name, step.starts, False))

    def _finish(self, name: str, step: _Step, now: float) -> None:
        self.done.finished += 1
        self.done.latest.append((now - step.submitted) / 3600)
        if step.running_since is not None:
            self.done.ran += (now - step.running_since) / 3600
        step.running_since = None
        self.finish_pod(name)


def _overhead(step: _Step) -> float:
    return step.kind.restart if step.starts > 1 else 0.0


def _left(step: _Step) -> float:
    """What the rest of the work takes, checkpoints included."""
    useful = step.kind.seconds - step.saved
    every = step.kind.every
    return useful if every is None else useful + (math.ceil(useful / every) - 1) * step.kind.writing


def _kept(step: _Step, ran: float) -> tuple[float, float]:
    """Of a start of `ran` seconds: useful seconds that its checkpoints kept, and seconds of work that are lost."""
    every = step.kind.every
    worked = max(0.0, ran - _overhead(step))
    if every is None:
        return 0.0, worked
    block = every + step.kind.writing
    blocks = min(math.floor(worked / block), math.ceil((step.kind.seconds - step.saved) / every) - 1)
    return blocks * every, worked - blocks * block
