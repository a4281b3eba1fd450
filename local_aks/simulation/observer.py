"""Looks at the control plane: parsed nodes and pods for the simulation, and the pods' story for the journal."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from local_aks.simulation.autoscaler.model import Node, Pod
from local_aks.simulation.autoscaler.parse import child, finished, parse_node, parse_pod
from local_aks.simulation.cluster import Cluster
from local_aks.simulation.journal import Journal, Kind, Source


@dataclass(frozen=True)
class View:
    """The control plane at one moment; finished pods are left out."""

    nodes: tuple[Node, ...]
    pods: tuple[Pod, ...]
    pods_on: Mapping[str, Sequence[Pod]]
    """Pods by the node they are bound to."""


class Observer:
    """Parses only what changed since the last look: an unchanged API object is the same Python object."""

    def __init__(self, cluster: Cluster, journal: Journal) -> None:
        self._cluster = cluster
        self._journal = journal
        self._nodes: dict[str, tuple[dict[str, Any], Node]] = {}
        self._pods: dict[str, tuple[dict[str, Any], Pod]] = {}
        self._pool_of: dict[str, str] = {}
        cluster.take_deleted_pods()  # they went before anybody looked

    def look(self, now: float) -> View:
        """The state at simulated second `now`; what happened to pods since the last look goes to the journal."""
        self._nodes = {
            name: self._node(name, node)
            for node in self._cluster.nodes()
            for name in [str(node["metadata"]["name"])]
        }
        pods = {str(pod["metadata"]["uid"]): pod for pod in self._cluster.pods()}
        for pod in self._cluster.take_deleted_pods():
            uid = str(pod["metadata"]["uid"])
            pods.pop(uid, None)  # it was listed a moment before it went
            self._pods[uid] = self._pod(uid, pod, now)
        for uid in self._pods.keys() - pods.keys():
            self._gone(*self._pods[uid])
        self._pods = {uid: self._pod(uid, pod, now) for uid, pod in pods.items()}
        live = tuple(parsed for raw, parsed in self._pods.values() if not finished(raw))
        pods_on: dict[str, list[Pod]] = {}
        for pod in live:
            if pod.node is not None:
                pods_on.setdefault(pod.node, []).append(pod)
        return View(tuple(node for _, node in self._nodes.values()), live, pods_on)

    def _node(self, name: str, node: dict[str, Any]) -> tuple[dict[str, Any], Node]:
        known = self._nodes.get(name)
        if known is not None and known[0] is node:
            return known
        parsed = parse_node(node)
        self._pool_of[name] = parsed.labels.get("kubernetes.azure.com/agentpool", "")
        return node, parsed

    def _pod(self, uid: str, pod: dict[str, Any], now: float) -> tuple[dict[str, Any], Pod]:
        known = self._pods.get(uid)
        if known is not None and known[0] is pod:
            return known
        parsed = parse_pod(pod, known[1].first_seen if known else now)
        self._tell(known, pod, parsed)
        return pod, parsed

    def _tell(self, known: tuple[dict[str, Any], Pod] | None, raw: dict[str, Any], pod: Pod) -> None:
        before = known[1] if known else None
        if pod.unschedulable and not (before and before.unschedulable):
            self._write(Kind.POD_PENDING, pod, detail=_unschedulable_message(raw))
        if pod.node is not None and not (before and before.node):
            self._write(Kind.POD_PLACED, pod)
        if pod.running and not (before and before.running):
            self._write(Kind.POD_RUNNING, pod)
        if finished(raw) and not (known and finished(known[0])):
            self._write(Kind.POD_FINISHED, pod, phase=raw["status"]["phase"])

    def _gone(self, raw: dict[str, Any], pod: Pod) -> None:
        if not finished(raw):
            self._write(Kind.POD_GONE, pod)

    def _write(self, kind: Kind, pod: Pod, *, detail: str = "", **more: str) -> None:
        node = pod.node or ""
        pool = self._pool_of.get(node, "")
        self._journal.write(
            kind, Source.CONTROL_PLANE, pool=pool, node=node, pod=pod.key, detail=detail, **more
        )


def _unschedulable_message(pod: dict[str, Any]) -> str:
    conditions: Sequence[dict[str, Any]] = child(pod, "status").get("conditions") or ()
    return next(
        (str(entry.get("message", "")) for entry in conditions if entry["type"] == "PodScheduled"), ""
    )
