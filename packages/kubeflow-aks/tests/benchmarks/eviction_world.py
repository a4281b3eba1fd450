"""One eviction of one piece of work, on a clock that goes from event to event.

The handler's own code looks at the node and acts on an API in memory. Simulated as documented, each with its source:
the node problem detector, the kubelet, what the work does at SIGTERM, and when its controller learns that it stopped.
"""

from __future__ import annotations

import heapq
import io
from collections.abc import Callable
from contextlib import redirect_stdout
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import formatdate
from itertools import count
from typing import Any, Final

from components.kubeflow.eviction_script import SAVE, Handler, next_pause
from components.kubeflow.script_client import ApiError, Object
from tests.stepped.memory_cluster import GARBAGE_COLLECTOR_SECONDS

DETECTOR_SECONDS: Final = 2.0
"""AKS's node problem detector queries events every 2 seconds (docs/facts/aks.md#evictions)."""
HANDLER_SECONDS: Final = 0.5
"""From the condition until the handler looks; more than `tests.benchmarks.eviction` measured."""
REPORT_SECONDS: Final = 1.0
"""From the end of a container until the kubelet has reported it: our assumption."""
RAY_SECONDS: Final = 15.0
"""Until Ray gives up a node that does not answer, at the least: 5 checks, one every 3 s
(`src/ray/common/ray_config_def.h`, `health_check_failure_threshold`, `health_check_period_ms`)."""
FILE_SECONDS: Final = 60.0
"""Until a pod has a changed annotation in a file, at the latest: the kubelet syncs a pod once a minute ("Downward API",
"Kubelet configuration", `syncFrequency`)."""
LOOK_SECONDS: Final = 2.0
"""The checkpoint example looks at that file, or at the metadata service, every 2 seconds."""
GRACE: Final = 25
"""What `ckf_spot` sets."""
_NODE: Final = "spot-0"
_START: Final = 1_800_000_000.0


@dataclass(frozen=True, kw_only=True)
class Kind:
    """A kind of work; seconds.

    Attributes:
        length: of work that goes on from its beginning when it is stopped; None for work that keeps checkpoints.
        every: work between two checkpoints.
        saving: what writing one takes.
        workers: nodes whose work is undone together.
        knows: until its controller knows of a VM that vanished.
    """

    name: str
    length: float | None = None
    every: float = 0.0
    saving: float = 0.0
    workers: int = 1
    knows: float = GARBAGE_COLLECTOR_SECONDS

    @property
    def cycle(self) -> float:
        """Seconds after which the same comes again."""
        return self.every + self.saving if self.length is None else self.length

    def unsaved(self, position: float) -> float:
        """Work that is lost if it is stopped so many seconds after it began, or after its last checkpoint."""
        if self.length is None:
            return min(position % self.cycle, self.every)
        return position if position < self.length else 0.0


@dataclass(frozen=True)
class Advice:
    """Azure's advice before an eviction, on which the work saves itself and goes on; seconds.

    Attributes:
        lead: from the advice until the notice.
        delay: from the annotation until the work reads it.
    """

    lead: float
    delay: float


@dataclass(frozen=True)
class Outcome:
    """What an eviction did.

    Attributes:
        lost: seconds of work, of all workers together, that must be done again.
        stood: seconds from the moment at which the work stopped until its controller knows of it; 0 of work that ended.
    """

    lost: float
    stood: float


@dataclass
class World:
    """A node, its pod, and what happens to them; it is the handler's API, too."""

    kind: Kind
    notice: float
    position: float
    """Seconds for which the work has run at the notice, since its beginning or its last checkpoint."""
    advice: Advice | None = None
    now: float = _START
    _queue: list[tuple[float, int, Callable[[], None]]] = field(default_factory=list[Any])
    _numbers: count[int] = field(default_factory=count)
    _there: bool = True
    _terminated: float | None = None
    _saved: bool = False
    _advised_saves: list[float] = field(default_factory=list[float])
    _report_time: float | None = None
    _node: Object = field(init=False)
    _pod: Object = field(init=False)

    def __post_init__(self) -> None:
        self._node = {
            "metadata": {"name": _NODE, "resourceVersion": "1", "annotations": {}},
            "spec": {},
            "status": {"conditions": []},
        }
        self._pod = {
            "metadata": {"name": "work", "namespace": "team", "uid": "1", "annotations": {SAVE: ""}},
            "spec": {"terminationGracePeriodSeconds": GRACE},
            "status": {"phase": "Running"},
        }

    def play(self, *, detector: float, handled: bool) -> Outcome:
        """One eviction.

        Args:
            detector: seconds from the notice until the node problem detector queries next.
            handled: whether there is a handler.
        """
        self._at(self.notice, self._take)
        handler = Handler(self, lambda: self.now, on_advisory="checkpoint")  # pyright: ignore[reportArgumentType] - it has the calls that are made
        if handled and detector < self.notice:
            date = formatdate(_START + self.notice, usegmt=True)
            self._at(detector, lambda: self._announce(handler, f"Preempt Scheduled: {date}."))
        if self.advice and detector < self.advice.lead:
            advice = "SpotRebalanceRecommendation Advisory: . EventId: 1"
            self._at(detector - self.advice.lead, lambda: self._announce(handler, advice))
        with redirect_stdout(io.StringIO()):  # the handler's log
            while self._queue:
                self.now, _, event = heapq.heappop(self._queue)
                event()
        return self._outcome()

    def call(self, method: str, path: str, body: Object | None = None, kind: str = "json") -> Object:  # noqa: ARG002
        """The API server: nodes change, pods are listed and evicted.

        Raises:
            ApiError: the node or the pod is gone.
        """
        if method == "GET" and path.startswith("/api/v1/pods"):
            return {"items": [self._pod] if self._there else []}
        if not self._there:
            raise ApiError(404, "not found")
        assert body is not None
        if path.endswith("/status"):
            self._pod["metadata"]["annotations"] = body["metadata"]["annotations"]
            assert self.advice is not None
            self._at(self.advice.delay, self._save_and_go_on)
            return {}
        if method == "PATCH":
            self._node["spec"] |= body.get("spec", {})
            self._node["metadata"]["annotations"] |= body["metadata"]["annotations"]
            return self._node
        self._terminate(body["deleteOptions"]["gracePeriodSeconds"])
        return {}

    def _at(self, seconds: float, event: Callable[[], None]) -> None:
        heapq.heappush(self._queue, (self.now + seconds, next(self._numbers), event))

    def _announce(self, handler: Handler, message: str) -> None:
        """The condition as AKS's node problem detector writes it."""
        moment = datetime.fromtimestamp(self.now, UTC).isoformat()
        condition = {"type": "PreemptionScheduled", "status": "True", "lastTransitionTime": moment}
        self._node["status"]["conditions"] = [{**condition, "message": message}]
        self._at(HANDLER_SECONDS, lambda: self._look(handler, 1.0))

    def _look(self, handler: Handler, pause: float) -> None:
        if self._there:
            pause = next_pause(pause, again=handler.look(self._node))
            self._at(pause, lambda: self._look(handler, pause))

    def _terminate(self, grace: float) -> None:
        """The kubelet sends SIGTERM: the work saves itself, or ends at once."""
        self._pod["metadata"]["deletionTimestamp"] = formatdate(self.now + grace)
        self._terminated = self.now
        if self.kind.length is None and self.kind.saving <= grace:
            self._at(self.kind.saving, self._save)
        self._at(min(self.kind.saving, grace), self._end)

    def _save_and_go_on(self) -> None:
        if self._there and self._terminated is None and self.kind.length is None:
            self._at(self.kind.saving, self._note_save)

    def _note_save(self) -> None:
        if self._there and self._terminated is None:
            self._advised_saves.append(self.now)

    def _save(self) -> None:
        self._saved = self._there

    def _end(self) -> None:
        if self._there:
            self._at(REPORT_SECONDS, self._report)

    def _report(self) -> None:
        if self._there:
            self._report_time = self.now

    def _take(self) -> None:
        """Azure takes the VM."""
        self._there = False

    def _outcome(self) -> Outcome:
        stopped = _START + self.notice if self._terminated is None else self._terminated
        position = self.position + stopped - _START
        if self.kind.length is not None and position >= self.kind.length:
            return Outcome(0.0, 0.0)
        if self._advised_saves:
            position = stopped - self._advised_saves[-1]
        lost = 0.0 if self._saved else self.kind.unsaved(position)
        lost = (lost + self.kind.saving * len(self._advised_saves)) * self.kind.workers
        report_time = (
            self._report_time if self._report_time is not None else _START + self.notice + self.kind.knows
        )
        return Outcome(lost, report_time - stopped)
