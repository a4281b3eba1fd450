"""A Kubernetes control plane in memory: an API server with the scheduler and the pod garbage collector."""

import itertools
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future
from typing import Any, Final, cast

from kubeflow_aks.local_aks.simulation.autoscaler.drainability import protects
from kubeflow_aks.local_aks.simulation.autoscaler.model import Node, Scheduling
from kubeflow_aks.local_aks.simulation.autoscaler.packing import Bin
from kubeflow_aks.local_aks.simulation.autoscaler.parse import (
    finished,
    parse_budget,
    parse_node,
    parse_pod,
    parse_requirements,
    parse_scheduling,
)
from kubeflow_aks.local_aks.simulation.autoscaler.predicates import labels_match, why_not
from kubeflow_aks.local_aks.simulation.clock import Clock
from kubeflow_aks.local_aks.simulation.live_cluster import Event, LiveCluster, T

GARBAGE_COLLECTOR_SECONDS: Final = 59.0
"""How long a vanished node's pod lives on (recording S6)."""
_UNSCHEDULABLE: Final = {
    "type": "PodScheduled",
    "status": "False",
    "reason": "Unschedulable",
    "message": "no node fits",
}


class MemoryCluster:
    """The control plane that the simulation uses, in memory; `settle` runs the controllers."""

    def __init__(self, clock: Clock) -> None:
        """An empty cluster; `clock` is the simulation's."""
        self.priority_text: str | None = None
        self.events: list[Event] = []
        self.status = ""
        """The autoscaler's last report."""
        self.budgets: list[dict[str, Any]] = []
        self.daemons: list[dict[str, Any]] = []
        self.node_objects: dict[str, dict[str, Any]] = {}
        self.pod_objects: dict[str, dict[str, Any]] = {}
        """Pods by uid."""
        self.deleted_pods: list[dict[str, Any]] = []
        self.changes = 0
        """How often a node or a pod was written so far."""
        self._clock = clock
        self.ready_since: dict[str, float] = {}
        """When each node became ready, in simulated seconds."""
        self._lost: dict[str, float] = {}
        self._uids = itertools.count(1)
        self._uid_of: dict[tuple[str, str], str] = {}
        self._nodes: dict[str, tuple[dict[str, Any], Node]] = {}
        self._scheduling: dict[str, Scheduling] = {}

    def nodes(self) -> Sequence[dict[str, Any]]:
        """All Node objects."""
        return list(self.node_objects.values())

    def pods(self) -> Sequence[dict[str, Any]]:
        """All Pod objects."""
        return list(self.pod_objects.values())

    def take_deleted_pods(self) -> Sequence[dict[str, Any]]:
        """Pods deleted since the last call, as they were at the end."""
        deleted, self.deleted_pods = self.deleted_pods, []
        return deleted

    def daemon_sets(self) -> Sequence[dict[str, Any]]:
        """All DaemonSet objects; their pods are not there."""
        return self.daemons

    def disruption_budgets(self) -> Sequence[dict[str, Any]]:
        """All PodDisruptionBudget objects."""
        return self.budgets

    def priorities(self) -> str | None:
        """The priority expander's text."""
        return self.priority_text

    def create_node(self, node: Mapping[str, Any]) -> None:
        """Create a Node, ready at once."""
        name = node["metadata"]["name"]
        if name not in self.node_objects:
            ready = {"conditions": [{"type": "Ready", "status": "True"}]}
            self.ready_since[name] = self._clock.now()
            self._put_node(name, {**node, "status": {**node["status"], **ready}})

    def delete_node(self, name: str) -> None:
        """Delete a Node; its pods stay until the garbage collector comes."""
        self.changes += self.node_objects.pop(name, None) is not None

    def taint_node(self, name: str, taints: Sequence[Mapping[str, str]], *, cordon: bool = False) -> None:
        """Add taints, or replace those of the same key; `cordon` also makes the node unschedulable."""
        node = self.node_objects[name]
        keys = {taint["key"] for taint in taints}
        kept = [taint for taint in node["spec"]["taints"] if taint["key"] not in keys]
        spec = {**node["spec"], "taints": [*kept, *taints]} | ({"unschedulable": True} if cordon else {})
        self._put_node(name, {**node, "spec": spec})

    def untaint_node(self, name: str, keys: Sequence[str]) -> None:
        """Remove the taints of these keys."""
        node = self.node_objects[name]
        kept = [taint for taint in node["spec"]["taints"] if taint["key"] not in keys]
        self._put_node(name, {**node, "spec": {**node["spec"], "taints": kept}})

    def label_node(self, name: str, labels: Mapping[str, str | None]) -> None:
        """Set labels; None removes one."""
        node = self.node_objects[name]
        merged = {**node["metadata"]["labels"], **labels}
        kept = {key: value for key, value in merged.items() if value is not None}
        self._put_node(name, {**node, "metadata": {**node["metadata"], "labels": kept}})

    def set_resources(self, name: str, capacity: Mapping[str, str], allocatable: Mapping[str, str]) -> None:
        """Set what a node has, and what of it pods may have, as quantities."""
        node = self.node_objects[name]
        offered = {"capacity": dict(capacity), "allocatable": dict(allocatable)}
        self._put_node(name, {**node, "status": {**node["status"], **offered}})

    def set_condition(self, name: str, condition: Mapping[str, str]) -> None:
        """Set a condition of a Node's status, by its `type`."""
        node = self.node_objects[name]
        kept = [entry for entry in node["status"]["conditions"] if entry["type"] != condition["type"]]
        self._put_node(name, {**node, "status": {**node["status"], "conditions": [*kept, condition]}})

    def evict(self, namespace: str, name: str, uid: str) -> bool:
        """Evict a pod unless a PodDisruptionBudget refuses; it is gone at once."""
        pod = self.pod(name, namespace)
        if pod is None or pod["metadata"]["uid"] != uid:
            return True
        if self.budgets and not self._allowed(pod):
            return False
        self.delete_pod(name, namespace)
        return True

    def record(self, event: Event) -> None:
        """Keep an event."""
        self.events.append(event)

    def write_status(self, text: str, moment: str) -> None:  # noqa: ARG002 - as declared
        """Keep the autoscaler's report."""
        self.status = text

    def submit(self, work: Callable[[], T]) -> Future[T]:
        """Do it at once."""
        future: Future[T] = Future()
        future.set_result(work())
        return future

    def together(self, work: Iterable[Callable[[], object]]) -> None:
        """Do it one after the other."""
        for call in work:
            call()

    def pod(self, name: str, namespace: str = "default") -> dict[str, Any] | None:
        """The Pod of that name."""
        return self.pod_objects.get(self._uid_of.get((namespace, name), ""))

    def create_pod(
        self,
        name: str,
        spec: Mapping[str, Any],
        *,
        namespace: str = "default",
        owner: str = "Job",
        **metadata: Any,
    ) -> str:
        """Create a pod that a controller of kind `owner` has, if any, and return its uid."""
        uid = f"uid-{next(self._uids)}"
        owners = [{"kind": owner, "controller": True}] if owner else []
        fixed = {"uid": uid, "name": name, "namespace": namespace, "ownerReferences": owners}
        self._uid_of[namespace, name] = uid
        self._put_pod(
            uid, {"metadata": {**fixed, **metadata}, "spec": dict(spec), "status": {"phase": "Pending"}}
        )
        return uid

    def delete_pod(self, name: str, namespace: str = "default") -> None:
        """Delete a pod, and tell its controller.

        Raises:
            KeyError: there is none of that name.
        """
        uid = self._uid_of.pop((namespace, name))
        pod = self.pod_objects.pop(uid)
        self._scheduling.pop(uid, None)
        self.deleted_pods.append(pod)
        self.changes += 1
        self.ended(pod)

    def finish_pod(self, name: str, namespace: str = "default") -> None:
        """Let a pod succeed, and delete it at once as a workflow's clean-up does."""
        uid = self._uid_of[namespace, name]
        self._put_pod(uid, {**self.pod_objects[uid], "status": {"phase": "Succeeded"}})
        self.delete_pod(name, namespace)

    def placed(self, pod: Mapping[str, Any]) -> None:
        """Called when a pod was bound to a node, where it runs at once."""

    def ended(self, pod: Mapping[str, Any]) -> None:
        """Called when a pod was deleted, with its last state."""

    def settle(self) -> None:
        """Run the pod garbage collector and the scheduler."""
        self._collect()
        self._schedule()

    def next_at(self) -> float:
        """Simulated second at which the garbage collector takes a pod next; `inf` for never."""
        return min(self._lost.values(), default=math.inf) + GARBAGE_COLLECTOR_SECONDS

    def _put_node(self, name: str, node: dict[str, Any]) -> None:
        self.node_objects[name] = node
        self.changes += 1

    def _put_pod(self, uid: str, pod: dict[str, Any]) -> None:
        self.pod_objects[uid] = pod
        self.changes += 1

    def _allowed(self, pod: dict[str, Any]) -> bool:
        """Whether the budgets allow the pod's eviction, which then counts."""
        parsed = parse_pod(pod, 0.0)
        protecting = [
            (index, budget)
            for index, budget in enumerate(self.budgets)
            if protects(parse_budget(budget), parsed)
        ]
        if len(protecting) > 1:
            return False
        for index, budget in protecting:
            if budget["status"]["disruptionsAllowed"] < 1:
                return False
            left = budget["status"]["disruptionsAllowed"] - 1
            self.budgets[index] = {**budget, "status": {"disruptionsAllowed": left}}
        return True

    def _collect(self) -> None:
        now = self._clock.now()
        bound = {pod["spec"]["nodeName"] for pod in self.pod_objects.values() if "nodeName" in pod["spec"]}
        self._lost = {node: self._lost.get(node, now) for node in bound - self.node_objects.keys()}
        over = {node for node, since in self._lost.items() if now - since >= GARBAGE_COLLECTOR_SECONDS}
        if over:
            for pod in self.pods():
                if pod["spec"].get("nodeName") in over:
                    self.delete_pod(pod["metadata"]["name"], pod["metadata"]["namespace"])
            self._lost = {node: since for node, since in self._lost.items() if node not in over}

    def _schedule(self) -> None:
        pending = {uid: pod for uid, pod in self.pod_objects.items() if "nodeName" not in pod["spec"]}
        if not pending:
            return
        bins = self._bins()
        hopeless: set[tuple[int, Scheduling]] = set()
        for uid, pod in sorted(pending.items(), key=lambda entry: -_priority(entry[1])):
            scheduling, priority = self._scheduling_of(uid, pod), _priority(pod)
            fits = (
                []
                if (priority, scheduling) in hopeless
                else [box for box in bins.values() if why_not(scheduling, box.node, box.free) is None]
                or self._preempted(priority, scheduling, bins)
            )
            if fits:
                box = max(fits, key=lambda box: (_preference(pod, box.node.labels), box.free["cpu"]))
                box.take(scheduling)
                spec = {**pod["spec"], "nodeName": box.node.name}
                bound = {**pod, "spec": spec, "status": {"phase": "Running"}}
                self._put_pod(uid, bound)
                self.placed(bound)
                continue
            hopeless.add((priority, scheduling))
            if "conditions" not in pod["status"]:
                self._put_pod(uid, {**pod, "status": {**pod["status"], "conditions": [_UNSCHEDULABLE]}})

    def _preempted(self, priority: int, scheduling: Scheduling, bins: dict[str, Bin]) -> list[Bin]:
        """A node on which a pod fits once all of a lower priority have ended there, which they do at once."""
        bound = [pod for pod in self.pods() if pod["spec"].get("nodeName") in bins and not finished(pod)]
        for name in dict.fromkeys(pod["spec"]["nodeName"] for pod in bound if _priority(pod) < priority):
            here = [pod for pod in bound if pod["spec"]["nodeName"] == name]
            staying = [pod for pod in here if _priority(pod) >= priority]
            box = Bin(bins[name].node, (self._scheduling_of(pod["metadata"]["uid"], pod) for pod in staying))
            if why_not(scheduling, box.node, box.free) is None:
                for pod in here:
                    if pod not in staying:
                        self.delete_pod(pod["metadata"]["name"], pod["metadata"]["namespace"])
                bins[name] = box
                return [box]
        return []

    def _bins(self) -> dict[str, Bin]:
        """Every node with what its pods leave free."""
        bins = {name: Bin(self._parsed(name, node)) for name, node in self.node_objects.items()}
        for uid, pod in self.pod_objects.items():
            box = bins.get(pod["spec"].get("nodeName", ""))
            if box is not None and not finished(pod):
                box.take(self._scheduling_of(uid, pod))
        return bins

    def _parsed(self, name: str, node: dict[str, Any]) -> Node:
        parsed = self._nodes.get(name)
        if parsed is None or parsed[0] is not node:
            self._nodes = {name: entry for name, entry in self._nodes.items() if name in self.node_objects}
            parsed = self._nodes[name] = (node, parse_node(node))
        return parsed[1]

    def _scheduling_of(self, uid: str, pod: dict[str, Any]) -> Scheduling:
        if uid not in self._scheduling:
            self._scheduling[uid] = parse_scheduling(pod["spec"])
        return self._scheduling[uid]


def _priority(pod: Mapping[str, Any]) -> int:
    return pod["spec"].get("priority", 0)


def _preference(pod: Mapping[str, Any], labels: Mapping[str, str]) -> int:
    """Weight of the terms of its node affinity that prefer a node of these labels."""
    affinity = pod["spec"].get("affinity", {}).get("nodeAffinity", {})
    return sum(
        term["weight"]
        for term in affinity.get("preferredDuringSchedulingIgnoredDuringExecution", ())
        if labels_match(parse_requirements(term["preference"]["matchExpressions"]), labels)
    )


def as_live(cluster: MemoryCluster) -> LiveCluster:
    """The cluster for a simulation, which uses no more of a real one than is here (`test_memory_cluster.py`)."""
    return cast("LiveCluster", cluster)
