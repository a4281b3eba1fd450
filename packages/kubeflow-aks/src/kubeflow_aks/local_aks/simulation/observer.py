"""Looks at the control plane: parsed objects for the simulation, and the pods' story for the journal."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from kubeflow_aks.clients.kubernetes.objects import at
from kubeflow_aks.events import Kind
from kubeflow_aks.local_aks.simulation.autoscaler.model import DisruptionBudget, Node, Pod, Scheduling
from kubeflow_aks.local_aks.simulation.autoscaler.parse import (
    finished,
    parse_budget,
    parse_daemon_set,
    parse_node,
    parse_pod,
)
from kubeflow_aks.local_aks.simulation.autoscaler.reading import MalformedObjectError
from kubeflow_aks.local_aks.simulation.journal import Journal, Source
from kubeflow_aks.local_aks.simulation.live_cluster import LiveCluster

T = TypeVar("T")


@dataclass(frozen=True)
class View:
    """The control plane at one moment; finished pods are left out."""

    nodes: tuple[Node, ...]
    pods: tuple[Pod, ...]
    pods_on: Mapping[str, Sequence[Pod]]
    """Pods by the node they are bound to."""


@dataclass(frozen=True)
class _PodRecord:
    """A pod's last object; `pod` is None if it could not be parsed."""

    raw: dict[str, Any]
    pod: Pod | None
    finished: bool


class Observer:
    """Parses only what changed since the last look: an unchanged API object is the same Python object.

    An object that makes no sense is left out, and the journal has one error that names it.
    """

    def __init__(self, cluster: LiveCluster, journal: Journal) -> None:
        self._cluster = cluster
        self._journal = journal
        self._nodes: dict[str, tuple[dict[str, Any], Node | None]] = {}
        self._pods: dict[str, _PodRecord] = {}
        self._pool_of: dict[str, str] = {}
        cluster.take_deleted_pods()  # they went before anybody looked

    def look(self, now: float) -> View:
        """The state at simulated second `now`; what happened to pods since the last look goes to the journal."""
        self._nodes = {
            name: self._node(name, node) for node in self._cluster.nodes() for name in [_name(node)]
        }
        pods = {_uid(pod): pod for pod in self._cluster.pods()}
        for pod in self._cluster.take_deleted_pods():
            uid = _uid(pod)
            pods.pop(uid, None)  # it was listed a moment before it went
            self._pods[uid] = self._pod(uid, pod, now)
        for uid in self._pods.keys() - pods.keys():
            record = self._pods[uid]
            if record.pod is not None and not record.finished:
                self._write(Kind.POD_GONE, record.pod)
        self._pods = {uid: self._pod(uid, pod, now) for uid, pod in pods.items()}
        live = tuple(record.pod for record in self._pods.values() if record.pod and not record.finished)
        pods_on: dict[str, list[Pod]] = {}
        for pod in live:
            if pod.node is not None:
                pods_on.setdefault(pod.node, []).append(pod)
        return View(tuple(node for _, node in self._nodes.values() if node), live, pods_on)

    def daemon_sets(self) -> tuple[Scheduling, ...]:
        """What decides where each DaemonSet has pods."""
        return self._all("DaemonSet", self._cluster.daemon_sets(), parse_daemon_set)

    def budgets(self) -> tuple[DisruptionBudget, ...]:
        """All PodDisruptionBudgets."""
        return self._all("PodDisruptionBudget", self._cluster.disruption_budgets(), parse_budget)

    def priorities(self) -> str | None:
        """The priority expander's text, as `LiveCluster.priorities` gives it."""
        return self._cluster.priorities()

    def _node(self, name: str, node: dict[str, Any]) -> tuple[dict[str, Any], Node | None]:
        last = self._nodes.get(name)
        if last is not None and last[0] is node:
            return last
        parsed = self._parsed("Node", node, parse_node)
        if parsed is not None:
            self._pool_of[name] = parsed.labels.get("kubernetes.azure.com/agentpool", "")
        return node, parsed

    def _pod(self, uid: str, pod: dict[str, Any], now: float) -> _PodRecord:
        last = self._pods.get(uid)
        if last is not None and last.raw is pod:
            return last
        first_observed = last.pod.first_observed if last and last.pod else now
        parsed = self._parsed("Pod", pod, lambda obj: parse_pod(obj, first_observed))
        record = _PodRecord(pod, parsed, finished=parsed is not None and finished(pod))
        self._write_changes(last, record)
        return record

    def _all(
        self, kind: str, objects: Iterable[dict[str, Any]], parse: Callable[[dict[str, Any]], T]
    ) -> tuple[T, ...]:
        parsed = (self._parsed(kind, obj, parse) for obj in objects)
        return tuple(result for result in parsed if result is not None)

    def _parsed(self, kind: str, obj: dict[str, Any], parse: Callable[[dict[str, Any]], T]) -> T | None:
        try:
            return parse(obj)
        except MalformedObjectError as error:
            self._journal.error_once(f"{kind} {_name(obj)}: {error}; the simulation leaves it out")
            return None

    def _write_changes(self, last: _PodRecord | None, record: _PodRecord) -> None:
        before, pod = last.pod if last else None, record.pod
        if pod is None:
            return
        if pod.unschedulable and not (before and before.unschedulable):
            self._write(Kind.POD_PENDING, pod, detail=_unschedulable_message(record.raw))
        if pod.node is not None and not (before and before.node):
            self._write(Kind.POD_PLACED, pod)
        if pod.running and not (before and before.running):
            self._write(Kind.POD_RUNNING, pod)
        if record.finished and not (last and last.finished):
            self._write(Kind.POD_FINISHED, pod, phase=record.raw["status"]["phase"])

    def _write(self, kind: Kind, pod: Pod, *, detail: str = "", **more: str) -> None:
        node = pod.node or ""
        pool = self._pool_of.get(node, "")
        self._journal.write(
            kind, Source.CONTROL_PLANE, pool=pool, node=node, pod=pod.key, detail=detail, **more
        )


def _name(obj: dict[str, Any]) -> str:
    """`namespace/name`, or `name` without a namespace; whatever the object has in their places."""
    parts = (at(obj, "metadata", "namespace"), at(obj, "metadata", "name"))
    return "/".join(str(part) for part in parts if part)


def _uid(obj: dict[str, Any]) -> str:
    return str(at(obj, "metadata", "uid"))


def _unschedulable_message(pod: dict[str, Any]) -> str:
    """The scheduler's message on a pod that parsed."""
    conditions: Sequence[dict[str, Any]] = pod["status"].get("conditions") or ()
    return next(
        (str(entry.get("message", "")) for entry in conditions if entry["type"] == "PodScheduled"), ""
    )
