"""Which nodes a drill takes, and what it writes down of them, on a cluster of plain objects."""

from __future__ import annotations

from functools import partial
from typing import Any, cast

import pytest

from components.kubeflow.images import BUSYBOX
from kubeflow_aks.clients.kubernetes.objects import Object
from kubeflow_aks.drill.cluster_events import ClusterEvents
from kubeflow_aks.drill.cluster_view import ClusterView
from kubeflow_aks.drill.errors import DrillError
from kubeflow_aks.drill.play import AzureSpotEvictor
from kubeflow_aks.drill.scale_sets import ScaleSets, Vm
from kubeflow_aks.drill.stage import IMAGE, NAMESPACE
from kubeflow_aks.events import Kind

POOL = "cpuspot"


class Cluster(ClusterView):
    """A view of objects that a test changes."""

    def __init__(self) -> None:
        self.listed: dict[str, list[Object]] = {"nodes": [], "pods": [], "events": []}
        for kind in self.listed:
            setattr(self, f"_{kind}", _List(self.listed[kind]))

    def node(self, name: str, group: str = "MC_g", pool: str = POOL) -> Object:
        """A node more."""
        made: Object = {
            "metadata": {
                "name": name,
                "labels": {"kubernetes.azure.com/agentpool": pool, "kubernetes.azure.com/cluster": "mc_G"},
            },
            "spec": {
                "providerID": f"azure:///subscriptions/s/resourceGroups/{group}/providers/Microsoft.Compute/"
                f"virtualMachineScaleSets/aks-{pool}-1-vmss/virtualMachines/{name}"
            },
            "status": {"conditions": [{"type": "Ready", "status": "True"}]},
        }
        self.listed["nodes"].append(made)
        return made

    def pod(self, node: str, namespace: str = NAMESPACE, owner: str = "Job", phase: str = "Running") -> None:
        """A pod more."""
        name = f"{namespace}-{owner}-{len(self.listed['pods'])}".lower()
        owners = [{"kind": owner, "controller": True}]
        metadata = {"name": name, "namespace": namespace, "ownerReferences": owners}
        self.listed["pods"].append(
            {"metadata": metadata, "spec": {"nodeName": node}, "status": {"phase": phase}}
        )

    def event(self, reason: str, kind: str, name: str, namespace: str, message: str = "") -> None:
        """An event more."""
        about = {"kind": kind, "name": name, "namespace": namespace}
        metadata = {"uid": str(len(self.listed["events"])), "resourceVersion": "1"}
        event: Object = {"metadata": metadata, "reason": reason, "message": message, "involvedObject": about}
        self.listed["events"].append(event)


class _List:
    def __init__(self, objects: list[Object]) -> None:
        self._objects = objects

    def objects(self) -> list[Object]:
        """As they are now."""
        return list(self._objects)


class Azure:
    """Takes every VM, and keeps which."""

    def __init__(self) -> None:
        self.taken: list[str] = []

    def check_spot(self, vm: Vm, pool: str) -> None:
        """Everything is spot."""

    def evict(self, vm: Vm) -> bool:
        """Done."""
        self.taken.append(vm.instance)
        return True


@pytest.fixture
def cluster() -> Cluster:
    return Cluster()


@pytest.fixture
def azure() -> Azure:
    return Azure()


def evictor(cluster: Cluster, azure: Azure, *, any_node: bool = False) -> AzureSpotEvictor:
    return AzureSpotEvictor(cluster, cast(ScaleSets, azure), ClusterEvents(cluster), any_node=any_node)


def test_only_nodes_with_nobody_elses_pods_are_taken(cluster: Cluster, azure: Azure) -> None:
    for name in ("idle", "shared", "mine", "done"):
        cluster.node(name)
    cluster.pod("shared")
    cluster.pod("shared", "team-b", "StatefulSet")
    cluster.pod("mine")
    cluster.pod("mine", "kube-system", "DaemonSet")
    cluster.pod("mine", "kube-system", "Node")
    cluster.pod("mine", "kubeflow-aks-headroom", "ReplicaSet")
    cluster.pod("mine", "team-b", phase="Succeeded")
    cluster.pod("done", phase="Succeeded")
    evictor(cluster, azure).evict(POOL, None)
    assert azure.taken == ["mine"]


def test_where_there_is_none_it_says_whose_they_are(cluster: Cluster, azure: Azure) -> None:
    cluster.node("shared")
    with pytest.raises(DrillError, match="cpuspot: no node can be evicted: none runs work of the drill"):
        evictor(cluster, azure).evict(POOL, 1)
    cluster.pod("shared")
    for _ in range(5):
        cluster.pod("shared", "team-b", "StatefulSet")
    with pytest.raises(DrillError, match=r"team-b/\S+, team-b/\S+, team-b/\S+ and 2 more\).*--any-node"):
        evictor(cluster, azure).evict(POOL, 1)
    assert azure.taken == []
    evictor(cluster, azure, any_node=True).evict(POOL, 1)
    assert azure.taken == ["shared"]


def test_no_vm_of_another_resource_group_is_taken(cluster: Cluster, azure: Azure) -> None:
    cluster.node("odd", group="production")
    cluster.pod("odd")
    with pytest.raises(DrillError, match="in resource group production, not in the cluster's own"):
        evictor(cluster, azure).evict(POOL, 1)
    assert azure.taken == []


def test_nobody_can_sell_out_azure(cluster: Cluster, azure: Azure) -> None:
    mine = evictor(cluster, azure)
    assert not mine.sells_out
    for call in (mine.sell_out, partial(mine.sell_out, over=True)):
        with pytest.raises(DrillError, match="Azure cannot be made to sell out"):
            call(POOL)


def kinds(cluster_events: ClusterEvents) -> list[str]:
    return [line["kind"] for line in cluster_events.read()]


def _event(cluster: Cluster, node: Object) -> None:
    cluster.event("PreemptScheduled", "Node", node["metadata"]["name"], "")


def _condition(type_: str, message: str, _: Cluster, node: Object) -> None:
    node["status"]["conditions"].append({"type": type_, "status": "True", "message": message})


_NOTICE = "Preempt Scheduled: Mon, 03 Aug 2026 08:18:16 GMT. DurationInSeconds: -1."


def _taint(_: Cluster, node: Object) -> None:
    node["spec"]["taints"] = [
        {"key": "remediator.kubernetes.azure.com/unschedulable", "effect": "NoSchedule"}
    ]


@pytest.mark.parametrize(
    "sign",
    [
        _event,
        partial(_condition, "VMEventScheduled", _NOTICE),
        partial(_condition, "PreemptionScheduled", "Preempt Started: . DurationInSeconds: -1."),
        _taint,
    ],
)
def test_a_notice_is_written_down_once_and_the_end_as_an_eviction(cluster: Cluster, sign: Any) -> None:
    node = cluster.node("n")
    cluster.pod("n")
    cluster_events = ClusterEvents(cluster)
    assert kinds(cluster_events) == []
    sign(cluster, node)
    assert kinds(cluster_events) == [Kind.EVICTION_NOTICE]
    assert kinds(cluster_events) == []
    cluster.listed["nodes"].remove(node)
    taken, gone = cluster_events.read()
    assert (taken["kind"], taken["notice"], taken["pods"], taken["pool"]) == (Kind.EVICTION, True, 1, POOL)
    assert (gone["kind"], gone["cause"]) == (Kind.NODE_GONE, "evicted")


@pytest.mark.parametrize("event", ["SpotRebalanceRecommendation Advisory: .", "Freeze Scheduled: ."])
@pytest.mark.parametrize("type_", ["VMEventScheduled", "PreemptionScheduled"])
def test_advice_and_events_that_keep_the_vm_are_no_notice(cluster: Cluster, type_: str, event: str) -> None:
    node, cluster_events = cluster.node("n"), ClusterEvents(cluster)
    _condition(type_, event, cluster, node)
    cluster.event(type_, "Node", "n", "")
    assert kinds(cluster_events) == []
    cluster.listed["nodes"].remove(node)
    [gone] = cluster_events.read()
    assert gone["cause"] == "removed"


def test_a_node_that_vanishes_without_notice_was_evicted_if_azure_had_the_request(cluster: Cluster) -> None:
    cluster_events, removed, evicted = (
        ClusterEvents(cluster),
        cluster.node("removed"),
        cluster.node("evicted"),
    )
    cluster_events.read()
    cluster_events.evicting("evicted")
    cluster.listed["nodes"][:] = []
    lines = {line["node"]: line for line in cluster_events.read()}
    assert lines[evicted["metadata"]["name"]]["cause"] == "evicted"
    assert lines[removed["metadata"]["name"]]["cause"] == "removed"


def test_a_scale_up_is_one_line_whoever_requested_it(cluster: Cluster) -> None:
    cluster_events = ClusterEvents(cluster)
    message = "pod triggered scale-up: [{aks-cpuspot-123-vmss 0->2 (max: 10)}]"
    for pod in ("a", "b"):
        cluster.event("TriggeredScaleUp", "Pod", pod, NAMESPACE, message)
    cluster.event("TriggeredScaleUp", "Pod", "c", "team-b", "pod triggered scale-up: [{x 0->9 (max: 9)}]")
    [line] = cluster_events.read()
    assert (line["pool"], line["from"], line["to"], line["maximum"]) == (POOL, 0, 2, 10)
    cluster.node("new")
    assert kinds(cluster_events) == [Kind.NODE_CREATING, Kind.NODE_REGISTERED, Kind.NODE_READY]


def test_the_image_is_the_one_of_the_programs_own_pods() -> None:
    assert IMAGE == BUSYBOX
