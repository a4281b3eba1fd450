"""Watches the API server and the journal, and records the observations."""

import json
import re
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final, Protocol

from kubeflow_aks.clients.kubernetes.objects import (
    Object,
    at,
    condition,
    fields,
    is_true,
    items,
    name_of,
    namespace_of,
)
from kubeflow_aks.events import Kind
from kubeflow_aks.scenario.contract_pools import POOL_LABEL
from kubeflow_aks.scenario.observations import NodeRecord, PodRecord
from kubeflow_aks.scenario.workloads.platform_and_jobs import PART, TASK_LABEL

HANDLED: Final = "kubeflow-aks/cordoned-by"
"""Annotation of a node that the eviction handler cordons (components/kubeflow/eviction_script.py)."""
ADVISED: Final = "kubeflow-aks/advised"
"""And of one that it cordons on an advisory; its notice takes this one away."""
_ENDED = frozenset({"Succeeded", "Failed"})
_STEP = "workflows.argoproj.io/node-name"
_REPLICA_TYPE = "training.kubeflow.org/replica-type"
_REPLICA_INDEX = "training.kubeflow.org/replica-index"


Line = dict[str, Any]
"""One line of a journal (`kubeflow_aks.events`)."""


class JournalTail:
    """Follows a journal file from its present end."""

    def __init__(self, path: Path) -> None:
        path.touch()
        self._path = path
        self._offset = path.stat().st_size

    def read(self) -> list[Line]:
        """The lines that were completed since the last call."""
        with self._path.open("rb") as file:
            file.seek(self._offset)
            complete, _, _ = file.read().rpartition(b"\n")
        if not complete:
            return []
        self._offset += len(complete) + 1
        return [json.loads(line) for line in complete.splitlines()]


class SimulatedTime:
    """The service's simulated clock, computed from a line of its journal and counted from the scenario's beginning."""

    def __init__(self, line: Mapping[str, Any], speed: float, wall: Callable[[], float] = time.time) -> None:
        """`line` is any line of the journal: it has both clocks; `wall` is the wall clock (seconds since the epoch)."""
        self._speed = speed
        self._wall = wall
        self._offset = line["time"] - line["wall"] * speed
        self._start = wall()
        self._first = self._start * speed + self._offset

    def now(self) -> float:
        """Simulated seconds since the scenario began."""
        return round((self._wall() - self._start) * self._speed, 1)

    def of(self, line: Line) -> Line:
        """A journal line with its `time` counted from the scenario's beginning."""
        return {**line, "time": round(line["time"] - self._first, 1)}


class Journal(Protocol):
    """A source of journal lines."""

    def read(self) -> list[Line]:
        """The lines since the last call."""
        ...


class Objects(Protocol):
    """The API server's objects as they are now; an object that did not change is the same object as before."""

    def nodes(self) -> Sequence[Object]:
        """All Node objects."""
        ...

    def pods(self) -> Sequence[Object]:
        """All Pod objects."""
        ...


class Watcher:
    """All observations so far; `look` adds new ones."""

    def __init__(self, cluster: Objects, journal: Journal, clock: SimulatedTime) -> None:
        self._cluster = cluster
        self._journal = journal
        self._clock = clock
        self._raw: dict[str, Object] = {}
        self.lines: list[Line] = []
        self.pods: dict[str, PodRecord] = {}
        self.nodes: dict[str, NodeRecord] = {}

    def look(self) -> list[Line]:
        """Records changes, and returns the journal's new lines.

        Raises:
            UnavailableError: the API server does not answer.
        """
        now = self._clock.now()
        self._look_at_nodes(now)
        self._look_at_pods(now)
        new = [self._clock.of(line) for line in self._journal.read()]
        self.lines += new
        return new

    def now(self) -> float:
        """Simulated seconds since the scenario began."""
        return self._clock.now()

    def live(self, part: str) -> list[PodRecord]:
        """The pods of a part that have not ended."""
        return [pod for pod in self.pods.values() if pod.part == part and pod.ended is None]

    def nodes_of(self, pool: str) -> list[NodeRecord]:
        """The pool's existing nodes."""
        return [node for node in self.nodes.values() if node.pool == pool and node.gone is None]

    def idle(self, pool: str) -> list[str]:
        """The pool's VMs without work of the demo, also those that still boot."""
        busy = {
            pod.node
            for pod in self.pods.values()
            if pod.part and pod.running is not None and pod.ended is None
        }
        requested = {
            line["node"] for line in self.lines if line["kind"] == Kind.NODE_CREATING and line["pool"] == pool
        }
        over = {line["node"] for line in self.lines if line["kind"] == Kind.NODE_GONE}
        return sorted((requested | {node.name for node in self.nodes_of(pool)}) - over - busy)

    def _look_at_nodes(self, now: float) -> None:
        present: set[str] = set()
        for node in self._cluster.nodes():
            name = name_of(node)
            present.add(name)
            record = self.nodes.get(name)
            if record is None or record.gone is not None:
                pool = str(at(node, "metadata", "labels", POOL_LABEL) or "")
                record = NodeRecord(name=name, pool=pool, appeared=now, ready=None, gone=None)
            if record.ready is None and is_true(node, "Ready"):
                record = replace(record, ready=now)
            annotations = fields(at(node, "metadata", "annotations"))
            if record.handled is None and HANDLED in annotations and ADVISED not in annotations:
                record = replace(record, handled=now)
            self.nodes[name] = record
        for name, node in self.nodes.items():
            if node.gone is None and name not in present:
                self.nodes[name] = replace(node, gone=now)

    def _look_at_pods(self, now: float) -> None:
        present = {str(pod["metadata"]["uid"]): pod for pod in self._cluster.pods()}
        for uid, pod in present.items():
            if self._raw.get(uid) is not pod:
                self._raw[uid] = pod
                self.pods[uid] = self._updated(self.pods.get(uid) or _new_record(pod, now), pod, now)
        for uid, pod in self.pods.items():
            if uid not in present and pod.ended is None:
                self.pods[uid] = replace(pod, ended=now)

    def _updated(self, record: PodRecord, pod: Object, now: float) -> PodRecord:
        phase = str(at(pod, "status", "phase") or "")
        node = str(at(pod, "spec", "nodeName") or "")
        ended = phase in _ENDED or bool(at(pod, "metadata", "deletionTimestamp"))
        target = condition(pod, "DisruptionTarget")
        return replace(
            record,
            node=node,
            pool=self.nodes[node].pool if node in self.nodes else record.pool,
            running=now if record.running is None and phase in {"Running", "Succeeded"} else record.running,
            ended=now if record.ended is None and ended else record.ended,
            phase=phase,
            disruption=str(target.get("reason") or "") if target.get("status") == "True" else "",
        )


def _new_record(pod: Object, now: float) -> PodRecord:
    owners = [fields(ref) for ref in items(at(pod, "metadata", "ownerReferences")) if at(ref, "controller")]
    owner = owners[0] if owners else Object()
    labels = fields(at(pod, "metadata", "labels"))
    return PodRecord(
        namespace=namespace_of(pod),
        name=name_of(pod),
        part=str(labels.get(PART) or ""),
        owner=str(owner.get("kind") or ""),
        task=_task(pod, str(owner.get("name"))),
        pool="",
        node="",
        created=now,
        running=None,
        ended=None,
        phase="",
        disruption="",
    )


def _task(pod: Object, owner: str) -> str:
    """What a pod works on: a Job's task, a workflow's step, a training job's replica, or itself."""
    labels, annotations = fields(at(pod, "metadata", "labels")), fields(at(pod, "metadata", "annotations"))
    if TASK_LABEL in labels:
        return f"{owner}, task {labels[TASK_LABEL]}"
    if _STEP in annotations:  # <workflow>.root.<step>.executor, each perhaps with the number of an attempt
        step = re.sub(r"\(\d+\)$", "", str(annotations[_STEP]).split(".")[-2])
        return f"{owner}, {step}"
    if _REPLICA_TYPE in labels:
        return f"{owner}, {labels[_REPLICA_TYPE]} {labels.get(_REPLICA_INDEX)}"
    return name_of(pod)
