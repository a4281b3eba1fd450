"""The journal of a simulation: what happened to pools, nodes and pods, one JSON object a line.

Every line has `time` (simulated seconds since the clock started), `wall` (seconds since the epoch), `kind`
(a `Kind`), `source` (a `Source`), and, where they apply, `pool`, `node`, `pod` (`namespace/name`) and `detail`
(a sentence for people). The other keys of a kind are named in its docstring.
"""

import json
import threading
import time
from collections.abc import Iterable
from enum import StrEnum
from pathlib import Path
from typing import Any, TextIO

from local_aks.simulation.clock import Clock


class Kind(StrEnum):
    """What a line of the journal tells."""

    POOL_ADDED = "pool-added"
    """A pool of the Azure stand-in came into sight. Keys: `spot` (bool), `vmSize`, `minCount`, `maxCount`,
    `autoscaled`."""
    POOL_REMOVED = "pool-removed"
    """A pool is gone from the Azure stand-in; its nodes follow."""
    NODE_CREATING = "node-creating"
    """A VM was asked for; its node does not exist yet."""
    NODE_REGISTERED = "node-registered"
    """The VM booted: the Node object was created."""
    NODE_READY = "node-ready"
    """The control plane shows the node Ready. Keys: `seconds` since `node-creating`, absent for adopted nodes."""
    NODE_GONE = "node-gone"
    """The VM and its Node object are gone. Keys: `cause`."""
    UPGRADE = "upgrade"
    """A node begins to make room for one of its pool's new Kubernetes version. Keys: `to`."""
    SOLD_OUT = "sold-out"
    """Azure answered a VM request with an allocation error. Keys: `error`."""
    SUPPLY = "supply"
    """The market of a pool changed. Keys: `supply` (available, soldout or silent)."""
    EVICTION_NOTICE = "eviction-notice"
    """A spot VM will be gone in `seconds`: event, condition, taint and cordon; the drain begins."""
    EVICTION = "eviction"
    """A spot VM is taken away. Keys: `notice` (bool: was there one), `pods` (how many were still bound to it)."""
    SCALE_UP = "scale-up"
    """The autoscaler asks for more VMs. Keys: `from`, `to`, `maximum`, `pods` (names; empty: minimum restored)."""
    FALLBACK = "fallback"
    """That scale-up went to an on-demand pool because spot pools that fit are in back-off. Keys: `insteadOf`."""
    INSTANCE_DELETED = "instance-deleted"
    """The autoscaler gives up a VM that failed or did not register in time. Keys: `cause`."""
    BACK_OFF = "back-off"
    """The autoscaler leaves a pool alone. Keys: `seconds`, `cause`."""
    NOT_TRIGGERED = "not-triggered"
    """No pool can help a pending pod."""
    SCALE_DOWN = "scale-down"
    """The autoscaler removes a node. Keys: `empty` (bool)."""
    SCALE_DOWN_FAILED = "scale-down-failed"
    """A node could not be drained and stays."""
    POD_PENDING = "pod-pending"
    """The real scheduler found no node for a pod."""
    POD_PLACED = "pod-placed"
    """The real scheduler bound a pod to a node."""
    POD_RUNNING = "pod-running"
    """The pod runs."""
    POD_FINISHED = "pod-finished"
    """The pod ended by itself. Keys: `phase` (Succeeded or Failed)."""
    POD_GONE = "pod-gone"
    """The pod object disappeared."""
    WARNING = "warning"
    """The real autoscaler would have warned so. Keys: `reason`."""
    ERROR = "error"
    """Something the simulation can't do; it carries on with the rest."""


class Source(StrEnum):
    """Who did what a line tells; whatever is not the real control plane says that it is simulated."""

    CONTROL_PLANE = "control plane"
    SCALE_SET = "simulated scale set"
    MARKET = "simulated spot market"
    AUTOSCALER = "simulated autoscaler"
    SIMULATION = "simulation"


class Journal:
    """Writes lines as they happen; safe for several threads."""

    def __init__(self, sink: TextIO, clock: Clock) -> None:
        """`sink` is flushed after each line and stays open."""
        self._sink = sink
        self._clock = clock
        self._lock = threading.Lock()
        self._errors: set[str] = set()

    def error_once(self, problem: str) -> None:
        """Add an error of the simulation's own, unless the same was written before."""
        if problem not in self._errors:
            self._errors.add(problem)
            self.write(Kind.ERROR, Source.SIMULATION, detail=problem)

    def write(self, kind: Kind, source: Source, **fields: object) -> None:
        """Add one line; fields that are empty text are left out."""
        line: dict[str, object] = {
            "time": round(self._clock.now(), 3),
            "wall": round(time.time(), 3),
            "kind": kind,
            "source": source,
            **{key: value for key, value in fields.items() if value != ""},
        }
        with self._lock:
            self._sink.write(json.dumps(line, ensure_ascii=False) + "\n")
            self._sink.flush()


def read(path: Path) -> Iterable[dict[str, Any]]:
    """The lines of a journal file so far; a line still being written is left for the next reading."""
    for line in path.read_text(encoding="utf-8").splitlines(keepends=True):
        if line.endswith("\n"):
            yield json.loads(line)
