"""A simulation without a control plane: an API server in memory with the controllers that matter here."""
# ruff: noqa: D102 - most methods are those of `Cluster` and `Azure`, and documented there

import io
import itertools
import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from typing import Any

from local_aks.simulation.autoscaler.drainability import protects
from local_aks.simulation.autoscaler.packing import Bin
from local_aks.simulation.autoscaler.parse import (
    finished,
    parse_budget,
    parse_node,
    parse_pod,
    parse_scheduling,
)
from local_aks.simulation.autoscaler.predicates import why_not
from local_aks.simulation.clock import ManualClock
from local_aks.simulation.cluster import Event, T
from local_aks.simulation.journal import Journal
from local_aks.simulation.loop import Simulation
from local_aks.simulation.market import Market
from local_aks.simulation.vms.scale_sets import Timings

GARBAGE_COLLECTOR_SECONDS = 59.0
"""How long the recording saw a vanished node's pod live on (recording S6)."""

TOLERATIONS: dict[str, dict[str, str]] = {
    "spot": {"key": "kubernetes.azure.com/scalesetpriority", "value": "spot", "effect": "NoSchedule"},
    "fallback": {"key": "ckf/fallback", "operator": "Exists"},
    "gpu": {"key": "nvidia.com/gpu", "operator": "Exists"},
}


def pool(name: str, **values: Any) -> dict[str, Any]:
    """An agent pool as the Azure stand-in gives it; autoscaled from 0 to 5 unless told otherwise."""
    return {
        "name": name,
        "vmSize": "Standard_D8s_v5",
        "mode": "User",
        "enableAutoScaling": True,
        "minCount": 0,
        "maxCount": 5,
        "count": 0,
        "maxPods": 110,
        "osDiskType": "Managed",
        "osDiskSizeGB": 128,
        "clusterName": "aks",
        "clusterId": "/subscriptions/s/resourceGroups/rg/providers/Microsoft.ContainerService/managedClusters/aks",
        "location": "westeurope",
        "nodeResourceGroup": "MC_rg_aks_westeurope",
        "currentOrchestratorVersion": "1.34.4",
        **values,
    }


def pod_spec(
    *,
    cpu: str = "1",
    gpu: int = 0,
    selector: Mapping[str, str] | None = None,
    tolerates: Sequence[str] = (),
    **more: Any,
) -> dict[str, Any]:
    """A pod spec; `tolerates` names entries of `TOLERATIONS`."""
    limits = {"nvidia.com/gpu": str(gpu)} if gpu else {}
    return {
        "nodeSelector": dict(selector or {}),
        "tolerations": [TOLERATIONS[name] for name in tolerates],
        "containers": [{"name": "main", "resources": {"requests": {"cpu": cpu}, "limits": limits}}],
        **more,
    }


class FakeAzure:
    """The pools of one cluster."""

    def __init__(self, pools: Sequence[dict[str, Any]], profile: Mapping[str, Any] | None = None) -> None:
        self.pools = list(pools)
        self.profile = dict(profile or {})
        self._instances: dict[str, Iterator[int]] = defaultdict(itertools.count)

    def agent_pools(self) -> list[dict[str, Any]]:
        return [dict(entry) for entry in self.pools]

    def set_count(self, cluster_id: str, pool_name: str, count: int) -> None:
        for entry in self.pools:
            if (entry["clusterId"], entry["name"]) == (cluster_id, pool_name):
                entry["count"] = count
                return
        raise LookupError(pool_name)

    def claim_instances(self, scale_set: str, count: int) -> list[int]:
        return [next(self._instances[scale_set]) for _ in range(count)]

    def autoscaler_profile(self, cluster_id: str) -> dict[str, Any]:
        assert any(entry["clusterId"] == cluster_id for entry in self.pools)
        return self.profile


class FakeCluster:
    """An API server in memory; `settle` lets the controllers do their work."""

    def __init__(self, clock: ManualClock) -> None:
        self.priority_text: str | None = None
        self.events: list[Event] = []
        self.budgets: list[dict[str, Any]] = []
        self.daemons: list[dict[str, Any]] = []
        self.node_objects: dict[str, dict[str, Any]] = {}
        self.pod_objects: dict[str, dict[str, Any]] = {}
        self._clock = clock
        self.deleted_pods: list[dict[str, Any]] = []
        self._lost: dict[str, float] = {}
        self._uids = itertools.count(1)

    def nodes(self) -> Sequence[dict[str, Any]]:
        return list(self.node_objects.values())

    def pods(self) -> Sequence[dict[str, Any]]:
        return list(self.pod_objects.values())

    def take_deleted_pods(self) -> Sequence[dict[str, Any]]:
        deleted, self.deleted_pods = self.deleted_pods, []
        return deleted

    def daemon_sets(self) -> Sequence[dict[str, Any]]:
        return self.daemons

    def disruption_budgets(self) -> Sequence[dict[str, Any]]:
        return self.budgets

    def priorities(self) -> str | None:
        return self.priority_text

    def create_node(self, node: Mapping[str, Any]) -> None:
        ready = {"conditions": [{"type": "Ready", "status": "True"}]}
        name = node["metadata"]["name"]
        self.node_objects.setdefault(name, {**node, "status": {**node["status"], **ready}})

    def delete_node(self, name: str) -> None:
        self.node_objects.pop(name, None)

    def taint_node(self, name: str, taints: Sequence[Mapping[str, str]], *, cordon: bool = False) -> None:
        node = self.node_objects[name]
        keys = {taint["key"] for taint in taints}
        kept = [taint for taint in node["spec"]["taints"] if taint["key"] not in keys]
        spec = {**node["spec"], "taints": [*kept, *taints]} | ({"unschedulable": True} if cordon else {})
        self.node_objects[name] = {**node, "spec": spec}

    def untaint_node(self, name: str, keys: Sequence[str]) -> None:
        node = self.node_objects[name]
        kept = [taint for taint in node["spec"]["taints"] if taint["key"] not in keys]
        self.node_objects[name] = {**node, "spec": {**node["spec"], "taints": kept}}

    def label_node(self, name: str, labels: Mapping[str, str | None]) -> None:
        node = self.node_objects[name]
        merged = {**node["metadata"]["labels"], **labels}
        kept = {key: value for key, value in merged.items() if value is not None}
        self.node_objects[name] = {**node, "metadata": {**node["metadata"], "labels": kept}}

    def set_condition(self, name: str, condition: Mapping[str, str]) -> None:
        node = self.node_objects[name]
        kept = [entry for entry in node["status"]["conditions"] if entry["type"] != condition["type"]]
        status = {**node["status"], "conditions": [*kept, condition]}
        self.node_objects[name] = {**node, "status": status}

    def evict(self, namespace: str, name: str, uid: str) -> bool:
        pod = self.pod(name, namespace)
        if pod is None or pod["metadata"]["uid"] != uid:
            return True
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
        self.delete_pod(name, namespace)
        return True

    def record(self, event: Event) -> None:
        self.events.append(event)

    def submit(self, work: Callable[[], T]) -> Future[T]:
        future: Future[T] = Future()
        future.set_result(work())
        return future

    def together(self, work: Iterable[Callable[[], object]]) -> None:
        for call in work:
            call()

    def pod(self, name: str, namespace: str = "default") -> dict[str, Any] | None:
        wanted = (namespace, name)
        return next(
            (
                pod
                for pod in self.pod_objects.values()
                if (pod["metadata"]["namespace"], pod["metadata"]["name"]) == wanted
            ),
            None,
        )

    def create_pod(
        self,
        name: str,
        spec: Mapping[str, Any],
        *,
        namespace: str = "default",
        owner: str = "Job",
        **metadata: Any,
    ) -> None:
        """Create a pod; one owned by a Job comes back under the same name when it is evicted or collected."""
        uid = f"uid-{next(self._uids)}"
        owners = [{"kind": owner, "controller": True}] if owner else []
        self.pod_objects[uid] = {
            "metadata": {
                "uid": uid,
                "name": name,
                "namespace": namespace,
                "ownerReferences": owners,
                **metadata,
            },
            "spec": dict(spec),
            "status": {"phase": "Pending"},
        }

    def delete_pod(self, name: str, namespace: str = "default", *, recreate: bool = True) -> None:
        pod = self.pod(name, namespace)
        assert pod is not None
        metadata, spec = pod["metadata"], pod["spec"]
        self.deleted_pods.append(self.pod_objects.pop(metadata["uid"]))
        if recreate and any(owner["kind"] == "Job" for owner in metadata["ownerReferences"]):
            more = {key: metadata[key] for key in ("labels", "annotations") if key in metadata}
            fresh = {key: value for key, value in spec.items() if key != "nodeName"}
            self.create_pod(name, fresh, namespace=namespace, **more)

    def settle(self) -> None:
        """Run the pod garbage collector and the scheduler."""
        self._collect()
        self._schedule()

    def _collect(self) -> None:
        now = self._clock.now()
        bound = {pod["spec"]["nodeName"] for pod in self.pods() if "nodeName" in pod["spec"]}
        self._lost = {node: self._lost.get(node, now) for node in bound - self.node_objects.keys()}
        for pod in self.pods():
            lost = self._lost.get(pod["spec"].get("nodeName", ""))
            if lost is not None and now - lost >= GARBAGE_COLLECTOR_SECONDS:
                self.delete_pod(pod["metadata"]["name"], pod["metadata"]["namespace"])

    def _schedule(self) -> None:
        bins = [
            Bin(
                parse_node(node),
                [
                    parse_scheduling(pod["spec"])
                    for pod in self.pods()
                    if pod["spec"].get("nodeName") == node["metadata"]["name"] and not finished(pod)
                ],
            )
            for node in self.nodes()
        ]
        for uid, pod in list(self.pod_objects.items()):
            if "nodeName" in pod["spec"]:
                continue
            scheduling = parse_scheduling(pod["spec"])
            fits = [box for box in bins if why_not(scheduling, box.node, box.free) is None]
            if fits:
                box = max(fits, key=lambda box: box.free["cpu"])
                box.take(scheduling)
                spec = {**pod["spec"], "nodeName": box.node.name}
                self.pod_objects[uid] = {**pod, "spec": spec, "status": {"phase": "Running"}}
            elif "conditions" not in pod["status"]:
                condition = {
                    "type": "PodScheduled",
                    "status": "False",
                    "reason": "Unschedulable",
                    "message": "no",
                }
                self.pod_objects[uid] = {**pod, "status": {**pod["status"], "conditions": [condition]}}


class World:
    """A simulation on a manual clock against the fakes."""

    def __init__(
        self,
        pools: Sequence[dict[str, Any]],
        *,
        profile: Mapping[str, Any] | None = None,
        priorities: str | None = None,
        timings: Timings | None = None,
        seed: int = 0,
    ) -> None:
        self.tick = 0.5
        self.clock = ManualClock()
        self.azure = FakeAzure(pools, profile)
        self.cluster = FakeCluster(self.clock)
        self.cluster.priority_text = priorities
        self.market = Market()
        self.sink = io.StringIO()
        self.timings = timings or Timings(boot=3, allocation_error=3)
        self.simulation = self.restart(seed=seed)

    def restart(self, *, seed: int = 0) -> Simulation:
        """A new simulation against the same Azure and control plane."""
        journal = Journal(self.sink, self.clock)
        self.simulation = Simulation(
            self.azure, self.cluster, self.clock, self.market, journal, timings=self.timings, seed=seed
        )
        return self.simulation

    def run(self, seconds: float) -> None:
        """Let simulated time pass."""
        until = self.clock.now() + seconds
        while self.clock.now() < until:
            self.cluster.settle()
            self.simulation.step()
            self.clock.advance(self.tick)

    def run_until_running(self, pod: str, *, limit: float = 300) -> float:
        """Let time pass until the pod runs; returns how long that took, or fails after `limit` seconds."""
        started = self.clock.now()
        while self.pool_of(pod) is None:
            assert self.clock.now() - started <= limit, f"{pod} does not run after {limit} s"
            self.run(self.tick)
        return self.clock.now() - started

    def pool_of(self, pod: str) -> str | None:
        """The pool of the node on which a pod runs."""
        found = self.cluster.pod(pod)
        node = self.cluster.node_objects.get(found["spec"].get("nodeName", "")) if found else None
        return node["metadata"]["labels"]["kubernetes.azure.com/agentpool"] if node else None

    def nodes_of(self, pool: str) -> list[str]:
        """Names of a pool's nodes."""
        return sorted(
            name
            for name, node in self.cluster.node_objects.items()
            if node["metadata"]["labels"]["kubernetes.azure.com/agentpool"] == pool
        )

    def journal(self, *kinds: str) -> list[dict[str, Any]]:
        """The journal's lines, of some kinds only if any are named."""
        lines = [json.loads(line) for line in self.sink.getvalue().splitlines()]
        return [line for line in lines if not kinds or line["kind"] in kinds]
