"""Which nodes the simulated autoscaler removes, and which it leaves alone."""

from dataclasses import replace
from typing import Any

import pytest

from kubeflow_aks.local_aks.simulation.autoscaler.core import Autoscaler
from kubeflow_aks.local_aks.simulation.autoscaler.decisions import ScaleDown
from kubeflow_aks.local_aks.simulation.autoscaler.model import DisruptionBudget, Node, Pod, Snapshot
from kubeflow_aks.local_aks.simulation.autoscaler.profile import Profile
from tests.local_aks.simulation.autoscaler.builders import (
    a_node,
    a_pod,
    a_pool,
    a_snapshot,
    group_with,
)
from tests.local_aks.simulation.simulated import pod_spec

POOL = a_pool("cpu")
NODES = tuple(a_node(POOL, index) for index in range(2))
PROFILE = Profile(scale_down_unneeded_time=60, scale_down_delay_after_add=0)
SMALL, LARGE = pod_spec(cpu="1"), pod_spec(cpu="5")


def snapshot(
    *pods: Pod, nodes: tuple[Node, ...] = NODES, profile: Profile = PROFILE, **values: Any
) -> Snapshot:
    return a_snapshot(profile=profile, groups=(group_with(POOL, *nodes),), nodes=nodes, pods=pods, **values)


def removed(state: Snapshot, autoscaler: Autoscaler | None = None) -> list[tuple[str, bool]]:
    """Nodes removed once they have been unneeded for the profile's time."""
    autoscaler = autoscaler or Autoscaler()
    autoscaler.decide(state)
    decisions = autoscaler.decide(replace(state, now=state.now + 61))
    return [(made.node, made.empty) for made in decisions if isinstance(made, ScaleDown)]


def test_empty_nodes_go_all_at_once() -> None:
    assert removed(snapshot()) == [(NODES[0].name, True), (NODES[1].name, True)]


def test_a_node_must_be_unneeded_for_the_whole_time() -> None:
    autoscaler = Autoscaler()
    autoscaler.decide(snapshot())
    assert autoscaler.decide(replace(snapshot(), now=1060)) == []
    busy = snapshot(*(a_pod(f"p{i}", on=node, spec=LARGE) for i, node in enumerate(NODES)))
    autoscaler.decide(replace(busy, now=1061))
    assert autoscaler.decide(replace(snapshot(), now=1062)) == []


def test_a_pool_keeps_its_minimum() -> None:
    pool = a_pool("cpu", minCount=1)
    state = replace(snapshot(), groups=(group_with(pool, *NODES),))
    assert len(removed(state)) == 1


def test_the_bulk_of_empty_nodes_is_limited() -> None:
    assert len(removed(snapshot(profile=replace(PROFILE, max_empty_bulk_delete=1)))) == 1


def test_nothing_goes_for_a_while_after_a_scale_up() -> None:
    profile = replace(PROFILE, scale_down_delay_after_add=600)
    pending = a_pod("pending", spec=pod_spec(selector={"agentpool": "cpu"}, cpu="7900m"))
    autoscaler = Autoscaler()
    fits = replace(pending, scheduling=a_pod(spec=pod_spec(cpu="7")).scheduling)
    busy = [a_pod(f"p{i}", on=node, spec=LARGE) for i, node in enumerate(NODES)]
    autoscaler.decide(snapshot(fits, *busy, profile=profile))
    assert removed(snapshot(profile=profile), autoscaler) == []
    assert len(removed(replace(snapshot(profile=profile), now=1600), autoscaler)) == 2


def test_a_failed_drain_delays_the_next_try() -> None:
    autoscaler = Autoscaler()
    autoscaler.scale_down_failed(1000)
    assert removed(snapshot(), autoscaler) == []
    assert len(removed(replace(snapshot(), now=1181), autoscaler)) == 2


def test_an_underused_node_goes_when_its_pods_fit_elsewhere() -> None:
    state = snapshot(a_pod("small", on=NODES[0], spec=SMALL), a_pod("large", on=NODES[1], spec=LARGE))
    assert removed(state) == [(NODES[0].name, False)]


def test_a_busy_node_stays() -> None:
    state = snapshot(*(a_pod(f"p{i}", on=node, spec=LARGE) for i, node in enumerate(NODES)))
    assert removed(state) == []


def test_an_underused_node_stays_when_its_pods_fit_nowhere_else() -> None:
    pods = (a_pod("small", on=NODES[0], spec=pod_spec(cpu="3")), a_pod("large", on=NODES[1], spec=LARGE))
    assert removed(snapshot(*pods)) == []


def test_two_underused_nodes_do_not_both_move_onto_each_other() -> None:
    state = snapshot(*(a_pod(f"p{i}", on=node, spec=SMALL) for i, node in enumerate(NODES)))
    assert removed(state) == [(NODES[0].name, False)]


def test_one_node_at_a_time_is_drained() -> None:
    nodes = tuple(a_node(POOL, index) for index in range(4))
    pods = [a_pod(f"p{i}", on=node, spec=SMALL) for i, node in enumerate(nodes)]
    assert len(removed(snapshot(*pods, nodes=nodes))) == 1


def test_empty_nodes_go_before_nodes_that_need_a_drain() -> None:
    nodes = tuple(a_node(POOL, index) for index in range(3))
    pods = (a_pod("small", on=nodes[0], spec=SMALL), a_pod("large", on=nodes[1], spec=LARGE))
    assert removed(snapshot(*pods, nodes=nodes)) == [(nodes[2].name, True)]


def test_nodes_outside_every_group_stay() -> None:
    outside = a_node(a_pool("general"))
    state = replace(snapshot(), nodes=(*NODES, outside))
    assert outside.name not in [name for name, _ in removed(state)]


def test_daemon_set_pods_do_not_hold_a_node() -> None:
    daemon = a_pod("daemon", on=NODES[0], owner="DaemonSet", spec=LARGE)
    assert (NODES[0].name, True) in removed(snapshot(daemon))


def test_daemon_set_pods_count_as_utilization_unless_ignored() -> None:
    pods = (
        a_pod("daemon", on=NODES[0], owner="DaemonSet", spec=LARGE),
        a_pod("small", on=NODES[0], spec=SMALL),
    )
    busy = a_pod("busy", on=NODES[1], spec=LARGE)
    assert removed(snapshot(*pods, busy)) == []
    ignoring = replace(PROFILE, ignore_daemonsets_utilization=True)
    assert removed(snapshot(*pods, busy, profile=ignoring)) == [(NODES[0].name, False)]


def drains(pod: Pod, *budgets: DisruptionBudget, profile: Profile = PROFILE) -> bool:
    """Whether the first node, with this small pod on it, goes."""
    state = snapshot(pod, a_pod("large", on=NODES[1], spec=LARGE), profile=profile, budgets=budgets)
    return bool(removed(state))


@pytest.mark.parametrize(
    ("owner", "annotation", "goes"),
    [
        ("Job", None, True),
        ("ReplicaSet", None, True),
        ("Job", "false", False),
        ("", None, False),
        ("", "true", True),
        ("Workflow", None, False),
        ("Workflow", "true", True),
    ],
)
def test_who_may_be_moved(owner: str, annotation: str | None, *, goes: bool) -> None:
    annotations = {"cluster-autoscaler.kubernetes.io/safe-to-evict": annotation} if annotation else {}
    assert drains(a_pod("small", on=NODES[0], owner=owner, spec=SMALL, annotations=annotations)) is goes


def test_a_disruption_budget_without_room_holds_the_node() -> None:
    pod = a_pod("small", on=NODES[0], spec=SMALL, labels={"app": "db"})
    assert not drains(pod, DisruptionBudget("default", (("app", "db"),), (), 0))
    assert drains(pod, DisruptionBudget("default", (("app", "db"),), (), 1))
    assert drains(pod, DisruptionBudget("other", (("app", "db"),), (), 0))
    assert drains(pod, DisruptionBudget("default", (("app", "web"),), (), 0))


def test_system_pods_hold_a_node_unless_a_budget_covers_them_or_the_profile_disables_it() -> None:
    pod = a_pod("small", on=NODES[0], spec=SMALL, namespace="kube-system", labels={"k8s-app": "dns"})
    assert not drains(pod)
    assert drains(pod, DisruptionBudget("kube-system", (("k8s-app", "dns"),), (), 1))
    assert drains(pod, profile=replace(PROFILE, skip_nodes_with_system_pods=False))


def test_local_storage_holds_a_node_only_where_the_profile_sets_it() -> None:
    pod = a_pod("small", on=NODES[0], spec={**SMALL, "volumes": [{"name": "v", "emptyDir": {}}]})
    assert drains(pod)
    assert not drains(pod, profile=replace(PROFILE, skip_nodes_with_local_storage=True))


def test_a_gpu_nodes_utilization_is_its_gpus_alone() -> None:
    pool = a_pool("gpu", vmSize="Standard_NC4as_T4_v3")
    nodes = tuple(a_node(pool, index) for index in range(2))
    pods = (
        a_pod("a", on=nodes[0], spec=pod_spec(cpu="100m", gpu=1)),
        a_pod("b", on=nodes[1], spec=pod_spec(cpu="3")),
    )
    state = a_snapshot(profile=PROFILE, groups=(group_with(pool, *nodes),), nodes=nodes, pods=pods)
    assert removed(state) == [(nodes[1].name, False)]


def test_the_annotation_keeps_a_node() -> None:
    kept = replace(NODES[0], scale_down_disabled=True)
    assert removed(snapshot(nodes=(kept, NODES[1]))) == [(NODES[1].name, True)]
