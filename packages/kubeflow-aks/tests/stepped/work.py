"""Batch work in steps, as a workflow submits it: each step is one pod, or a gang of them, and each takes one node."""

import heapq
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from tests.stepped.memory_cluster import MemoryCluster

_STOP: Final = 0
_START: Final = 1
_END: Final = 2


@dataclass(frozen=True, kw_only=True)
class Kind:
    """One kind of step; all times in seconds.

    Attributes:
        pod: the pod spec.
        seconds: useful work of a step, more than none.
        restart: what each start after the first takes on its nodes before the work goes on: image, data, checkpoint.
        load: what the first start takes on a node on which no step ran yet: image, data.
        wait: from the end of a start until the next pod is created.
        retries: starts after the first.
        every: useful work between two checkpoints, none after the last bit of work; None without checkpoints.
        writing: what writing one takes.
        nodes: pods of a step, which works once all of them run; when one is lost, all end and start again.
        labels: of its pods.
    """

    pod: Mapping[str, Any]
    seconds: float
    restart: float = 0.0
    load: float = 0.0
    wait: float = 0.0
    retries: int = 1_000_000
    every: float | None = None
    writing: float = 0.0
    nodes: int = 1
    labels: Mapping[str, str] = field(default_factory=dict[str, str])


@dataclass
class _Step:
    kind: Kind
    submitted: float
    saved: float = 0.0
    """Useful seconds in the last checkpoint."""
    starts: int = 0
    running_since: float | None = None
    overhead: float = 0.0
    """Seconds of this start before the work goes on."""
    placed: dict[str, str] = field(default_factory=dict[str, str])
    """Nodes by pod."""
    stopped: bool = False
    """Whether it waits for its next start."""


@dataclass
class Done:
    """What became of the work; hours.

    Attributes:
        finished: steps.
        failed: steps that used up their retries.
        evicted: starts that ended before their work.
        ran: node hours of steps.
        lost: node hours of work and half-written checkpoints that an eviction undid.
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
        self._stopping = False
        self._steps: dict[str, _Step] = {}
        self._step_of: dict[str, str] = {}
        """Steps by pod."""
        self._used: set[str] = set()
        """Nodes on which a step ran."""
        self._due: list[tuple[float, str, int, int]] = []
        """A heap of what is due when: at which step, after how many starts, and what (`_STOP`, `_START`, `_END`)."""

    def submit_steps(self, kind: Kind, at: Sequence[float]) -> None:
        """Submit one step at each of these simulated seconds, whole ones."""
        for moment in at:
            name = f"step-{len(self._steps)}"
            self._steps[name] = _Step(kind, moment)
            heapq.heappush(self._due, (moment, name, 0, _START))

    @property
    def left(self) -> int:
        """Number of steps that did not end yet."""
        return len(self._steps) - self.done.finished - self.done.failed

    def advance(self, now: float) -> None:
        """Create the pods that are due, and let those end whose work is done."""
        while self._due and self._due[0][0] <= now:
            _, name, start, what = heapq.heappop(self._due)
            step = self._steps[name]
            if what == _STOP:
                for pod in _pods(name, step):
                    if self.pod(pod) is not None:
                        self.delete_pod(pod)
            elif what == _START:
                step.stopped = False
                for pod in _pods(name, step):
                    self._step_of[pod] = name
                    self.create_pod(pod, step.kind.pod, labels=dict(step.kind.labels))
            elif (
                start == step.starts
                and step.running_since is not None
                and self.node_objects.keys() >= set(step.placed.values())
            ):
                self._finish(name, step, now)

    def stop(self) -> None:
        """End all running pods, as a stop of the cluster does; their steps go on when it starts again."""
        self._stopping = True
        for pod in self.pods():
            if "nodeName" in pod["spec"] and self.pod(pod["metadata"]["name"]) is not None:
                self.delete_pod(pod["metadata"]["name"])
        self._stopping = False

    def next_at(self) -> float:
        """Simulated second at which something is due next; `inf` for never."""
        return min(super().next_at(), self._due[0][0] if self._due else math.inf)

    def placed(self, pod: Mapping[str, Any]) -> None:
        """The step's work begins with its last pod."""
        name = self._step_of.get(pod["metadata"]["name"])
        if name is None:
            return
        step = self._steps[name]
        step.placed[pod["metadata"]["name"]] = pod["spec"]["nodeName"]
        if len(step.placed) == step.kind.nodes:
            nodes = set(step.placed.values())
            step.running_since = self._clock.now()
            step.starts += 1
            first = step.kind.load if nodes - self._used else 0.0
            step.overhead = step.kind.restart if step.starts > 1 else first
            self._used |= nodes
            ends = step.running_since + step.overhead + _left(step)
            heapq.heappush(self._due, (math.ceil(ends), name, step.starts, _END))

    def ended(self, pod: Mapping[str, Any]) -> None:
        """The step was evicted: what no checkpoint kept is lost, and it is tried again."""
        name = self._step_of.get(pod["metadata"]["name"])
        if name is None or pod["status"]["phase"] == "Succeeded":
            return
        step, now = self._steps[name], self._clock.now()
        step.placed.pop(pod["metadata"]["name"], None)
        if step.stopped:
            return
        step.stopped = True
        if step.running_since is not None:
            ran = now - step.running_since
            kept, lost = _kept(step, ran)
            self.done.ran += ran * step.kind.nodes / 3600
            step.saved += kept
            self.done.lost += lost * step.kind.nodes / 3600
            self.done.evicted += 1
            step.running_since = None
        if step.kind.nodes > 1:
            heapq.heappush(self._due, (now, name, step.starts, _STOP))
        if step.starts > step.kind.retries:
            self.done.failed += 1
            self.done.latest.append((now - step.submitted) / 3600)
        else:
            wait = 0.0 if self._stopping else step.kind.wait
            heapq.heappush(self._due, (math.ceil(now + wait), name, step.starts, _START))

    def _finish(self, name: str, step: _Step, now: float) -> None:
        self.done.finished += 1
        self.done.latest.append((now - step.submitted) / 3600)
        if step.running_since is not None:
            self.done.ran += (now - step.running_since) * step.kind.nodes / 3600
        step.running_since = None
        for pod in _pods(name, step):
            self.finish_pod(pod)


def _pods(name: str, step: _Step) -> list[str]:
    return [name] if step.kind.nodes == 1 else [f"{name}-{number}" for number in range(step.kind.nodes)]


def _left(step: _Step) -> float:
    """What the rest of the work takes, checkpoints included."""
    useful = step.kind.seconds - step.saved
    every = step.kind.every
    return useful if every is None else useful + (math.ceil(useful / every) - 1) * step.kind.writing


def _kept(step: _Step, ran: float) -> tuple[float, float]:
    """Useful seconds that the checkpoints of a start of `ran` seconds kept, and seconds of work that are lost."""
    every = step.kind.every
    worked = max(0.0, ran - step.overhead)
    if every is None:
        return 0.0, worked
    block = every + step.kind.writing
    blocks = min(math.floor(worked / block), math.ceil((step.kind.seconds - step.saved) / every) - 1)
    return blocks * every, worked - blocks * block
