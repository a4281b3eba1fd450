"""When, where and by how much the simulated autoscaler scales up."""

from dataclasses import replace

from kubeflow_aks.local_aks.simulation.autoscaler.core import Autoscaler
from kubeflow_aks.local_aks.simulation.autoscaler.decisions import (
    BackOff,
    DeleteInstance,
    Notice,
    NotTriggered,
    ScaleUp,
)
from kubeflow_aks.local_aks.simulation.autoscaler.model import Instance, Snapshot
from kubeflow_aks.local_aks.simulation.autoscaler.parse import parse_scheduling
from kubeflow_aks.local_aks.simulation.autoscaler.profile import Profile
from kubeflow_aks.local_aks.simulation.autoscaler.scale_up import pods_to_help
from tests.local_aks.simulation.autoscaler.builders import (
    a_group,
    a_node,
    a_pod,
    a_pool,
    a_snapshot,
    group_with,
)
from tests.local_aks.simulation.simulated import pod_spec

POOL = a_pool("cpu")
BIG = pod_spec(cpu="4")
"""One of these fits a node of 7.82 allocatable cores."""


def ups(snapshot: Snapshot, **options: int) -> list[tuple[str, int, int]]:
    decisions = Autoscaler(**options).decide(snapshot)
    return [(up.pool, up.current, up.target) for up in decisions if isinstance(up, ScaleUp)]


def test_pods_are_packed_onto_new_nodes() -> None:
    pods = tuple(a_pod(f"p{i}", spec=pod_spec(cpu="2")) for i in range(7))
    assert ups(a_snapshot(groups=(a_group(POOL),), pods=pods)) == [("cpu", 0, 3)]


def test_large_pods_are_packed_first() -> None:
    sizes = ["1", "1", "1", "1", "1", "1", "5", "5"]
    pods = tuple(a_pod(f"p{i}", spec=pod_spec(cpu=cpu)) for i, cpu in enumerate(sizes))
    assert ups(a_snapshot(groups=(a_group(POOL),), pods=pods)) == [("cpu", 0, 3)]


def test_a_group_never_grows_beyond_its_maximum() -> None:
    pods = tuple(a_pod(f"p{i}", spec=BIG) for i in range(9))
    snapshot = a_snapshot(groups=(a_group(POOL),), pods=pods)
    decision, *_ = [up for up in Autoscaler().decide(snapshot) if isinstance(up, ScaleUp)]
    assert (decision.target, len(decision.pods)) == (5, 5)


def test_the_cluster_never_grows_beyond_its_total() -> None:
    pods = tuple(a_pod(f"p{i}", spec=BIG) for i in range(4))
    snapshot = a_snapshot(groups=(a_group(POOL),), pods=pods)
    assert ups(snapshot, max_nodes_total=3) == [("cpu", 0, 3)]
    assert ups(replace(snapshot, nodes=(a_node(a_pool("general")),)), max_nodes_total=1) == []


def test_only_pods_the_scheduler_gave_up_on_count() -> None:
    pod = a_pod(status={"phase": "Pending"})
    assert ups(a_snapshot(groups=(a_group(POOL),), pods=(pod,))) == []


def test_pods_waiting_for_a_preemption_do_not_count() -> None:
    unschedulable = {"type": "PodScheduled", "status": "False", "reason": "Unschedulable"}
    pod = a_pod(status={"phase": "Pending", "nominatedNodeName": "n", "conditions": [unschedulable]})
    assert ups(a_snapshot(groups=(a_group(POOL),), pods=(pod,))) == []


def test_expendable_pods_neither_trigger_nor_hold_room() -> None:
    node = a_node(POOL)
    low = a_pod("low", spec=pod_spec(cpu="7", priority=-11))
    assert ups(a_snapshot(groups=(a_group(POOL),), pods=(low,))) == []
    holder = a_pod("holder", on=node, spec=pod_spec(cpu="7", priority=-11))
    snapshot = a_snapshot(groups=(group_with(POOL, node),), nodes=(node,), pods=(holder, a_pod(spec=BIG)))
    assert pods_to_help(snapshot) == []


def test_priority_minus_ten_still_triggers() -> None:
    pod = a_pod(spec=pod_spec(priority=-10))
    assert ups(a_snapshot(groups=(a_group(POOL),), pods=(pod,))) == [("cpu", 0, 1)]


def test_free_room_on_a_node_is_used_first() -> None:
    node = a_node(POOL)
    assert ups(a_snapshot(groups=(group_with(POOL, node),), nodes=(node,), pods=(a_pod(spec=BIG),))) == []


def test_upcoming_nodes_count_as_room() -> None:
    pods = (a_pod("p0", spec=BIG), a_pod("p1", spec=BIG))
    assert ups(a_snapshot(groups=(a_group(POOL, Instance("coming")),), pods=pods)) == [("cpu", 1, 2)]
    full = a_group(POOL, Instance("coming"), Instance("coming-too"))
    assert ups(a_snapshot(groups=(full,), pods=pods)) == []


def test_daemon_sets_take_their_share_of_new_nodes() -> None:
    daemon = parse_scheduling(pod_spec(cpu="1", selector={"agentpool": "cpu"}))
    elsewhere = parse_scheduling(pod_spec(cpu="7", selector={"agentpool": "other"}))
    pods = tuple(a_pod(f"p{i}", spec=pod_spec(cpu="3500m")) for i in range(2))
    snapshot = a_snapshot(groups=(a_group(POOL),), pods=pods, daemon_sets=(elsewhere,))
    assert ups(snapshot) == [("cpu", 0, 1)]
    assert ups(replace(snapshot, daemon_sets=(daemon,))) == [("cpu", 0, 2)]


def test_very_new_pods_wait_two_seconds_and_gpu_pods_thirty() -> None:
    gpu = a_pool("gpu", vmSize="Standard_NC4as_T4_v3")
    on_cpu, on_gpu = a_pod("c", first_observed=0), a_pod("g", first_observed=0, spec=pod_spec(gpu=1))
    assert ups(a_snapshot(now=1.9, groups=(a_group(POOL),), pods=(on_cpu,))) == []
    assert ups(a_snapshot(now=2.1, groups=(a_group(POOL),), pods=(on_cpu,))) == [("cpu", 0, 1)]
    assert ups(a_snapshot(now=29.9, groups=(a_group(gpu),), pods=(on_gpu,))) == []
    assert ups(a_snapshot(now=30.1, groups=(a_group(gpu),), pods=(on_gpu,))) == [("gpu", 0, 1)]


SLICED = {"vmSize": "Standard_NC24ads_A100_v4", "gpuInstanceProfile": "MIG1g"}
TAGGED = {**SLICED, "tags": {"k8s.io_cluster-autoscaler_node-template_resources_nvidia.com_gpu": "7"}}


def test_slices_start_a_node_only_where_the_autoscaler_knows_of_them() -> None:
    pod = a_pod(spec=pod_spec(gpu=3))
    assert ups(a_snapshot(groups=(a_group(a_pool("gpu", **SLICED)),), pods=(pod,))) == []
    assert ups(a_snapshot(groups=(a_group(a_pool("gpu", **TAGGED)),), pods=(pod,))) == [("gpu", 0, 1)]


def test_pods_share_the_slices_of_a_node_only_where_the_autoscaler_knows_of_them() -> None:
    pods = tuple(a_pod(f"p{i}", spec=pod_spec(gpu=1)) for i in range(4))
    assert ups(a_snapshot(groups=(a_group(a_pool("gpu", **SLICED)),), pods=pods)) == [("gpu", 0, 4)]
    assert ups(a_snapshot(groups=(a_group(a_pool("gpu", **TAGGED)),), pods=pods)) == [("gpu", 0, 1)]


def test_one_new_gpu_pod_holds_up_the_scale_up_of_the_others() -> None:
    gpu = a_pool("gpu", vmSize="Standard_NC4as_T4_v3")
    pods = (a_pod("c", first_observed=0, spec=BIG), a_pod("g", first_observed=0, spec=pod_spec(gpu=1)))
    assert ups(a_snapshot(now=29.9, groups=(a_group(POOL), a_group(gpu)), pods=pods)) == []


def test_the_profiles_delay_for_new_pods_is_kept() -> None:
    profile = Profile(new_pod_scale_up_delay=60)
    snapshot = a_snapshot(now=60, profile=profile, groups=(a_group(POOL),), pods=(a_pod(first_observed=0),))
    assert ups(snapshot) == []
    assert ups(replace(snapshot, now=60.5)) == [("cpu", 0, 1)]


def test_a_pod_no_group_can_help_gets_the_reason_once() -> None:
    full = a_pool("full", maxCount=0)
    tainted = a_pool("tainted", nodeTaints=["a=b:NoSchedule"])
    pod = a_pod(spec=pod_spec(cpu="99"))
    snapshot = a_snapshot(groups=(a_group(full), a_group(tainted), a_group(POOL)), pods=(pod,))
    autoscaler = Autoscaler()
    reasons = "1 Insufficient cpu, 1 max node group size reached, 1 node(s) had untolerated taint(s)"
    assert autoscaler.decide(snapshot) == [NotTriggered("default/work", reasons)]
    assert autoscaler.decide(replace(snapshot, now=1010)) == []


def test_a_group_below_its_minimum_is_restored() -> None:
    pool = a_pool("kept", minCount=2)
    assert ups(a_snapshot(groups=(a_group(pool),))) == [("kept", 0, 2)]


def test_one_group_is_scaled_up_in_each_loop() -> None:
    other = a_pool("other", nodeTaints=["a=b:NoSchedule"])
    tolerant = pod_spec(selector={"agentpool": "other"}, tolerations=[{"operator": "Exists"}])
    pods = (a_pod("p0", spec=pod_spec(selector={"agentpool": "cpu"})), a_pod("p1", spec=tolerant))
    assert len(ups(a_snapshot(groups=(a_group(POOL), a_group(other)), pods=pods))) == 1


def test_an_unhealthy_cluster_is_left_alone() -> None:
    nodes = tuple(replace(a_node(POOL, i), ready=False) for i in range(4))
    snapshot = a_snapshot(groups=(group_with(POOL, *nodes),), nodes=nodes, pods=(a_pod(spec=BIG),))
    assert Autoscaler().decide(snapshot) == [Notice("ClusterUnhealthy", "Cluster is unhealthy")]


def test_an_unregistered_instance_is_kept_while_the_group_is_at_its_minimum() -> None:
    pool = a_pool("kept", minCount=1)
    autoscaler = Autoscaler()
    snapshot = a_snapshot(groups=(a_group(pool, Instance("vm")),))
    autoscaler.decide(snapshot)
    assert autoscaler.decide(replace(snapshot, now=5000)) == []
    spare = replace(snapshot, now=5000, groups=(a_group(POOL, Instance("vm")),))
    assert autoscaler.decide(spare) == [DeleteInstance("cpu", "vm", "NotRegisteredInTime")]


def back_off_of_a_second_failure(*, after_success: bool) -> float:
    """A scale-up fails, the next one succeeds or fails later, and then the length of that last back-off."""
    autoscaler = Autoscaler()
    before = a_snapshot(groups=(a_group(POOL),), pods=(a_pod(spec=BIG),))
    failed = replace(before, groups=(a_group(POOL, Instance("first", "sold out")),))
    autoscaler.decide(before)
    autoscaler.decide(replace(failed, now=1010))
    autoscaler.decide(replace(before, now=1400))
    if after_success:
        node = a_node(POOL)
        autoscaler.decide(replace(before, now=1410, groups=(group_with(POOL, node),), nodes=(node,)))
        autoscaler.decide(replace(before, now=1420))
    again = replace(failed, now=1430, groups=(a_group(POOL, Instance("second", "sold out")),))
    (back_off,) = [made for made in autoscaler.decide(again) if isinstance(made, BackOff)]
    return back_off.seconds


def test_a_second_failure_doubles_the_back_off() -> None:
    assert back_off_of_a_second_failure(after_success=False) == 600


def test_a_finished_scale_up_makes_the_next_failure_a_first_one() -> None:
    assert back_off_of_a_second_failure(after_success=True) == 300
