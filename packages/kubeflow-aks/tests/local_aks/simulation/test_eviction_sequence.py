"""Spot VMs are taken as AKS takes them."""

from typing import Any

from kubeflow_aks.local_aks.simulation.market import ALL, MarketEvent, Reclaim
from tests.local_aks.simulation.simulated import World, pod_spec, pool

SPEC = pod_spec(tolerates=("spot",), selector={"agentpool": "cpuspot"})


def a_world(**spot: Any) -> World:
    """Two spot nodes with a pod on one of them."""
    world = World([pool("cpuspot", scaleSetPriority="Spot", count=2, minCount=0, **spot), pool("cpuod")])
    world.run(10)
    world.cluster.create_pod("work", SPEC, labels={"app": "work"})
    world.run(1)
    return world


def take(world: World, what: Reclaim = Reclaim.EVICT, count: int = ALL, pool: str = "cpuspot") -> None:
    world.market.add(MarketEvent(world.clock.now(), what, pool, count))
    world.run(world.tick)


def test_the_notice_is_an_event_a_condition_a_taint_and_a_cordon() -> None:
    world = a_world()
    take(world)
    for name in world.nodes_of("cpuspot"):
        node = world.cluster.node_objects[name]
        assert node["spec"]["unschedulable"] is True
        assert {"key": "remediator.kubernetes.azure.com/unschedulable", "effect": "NoSchedule"} in node[
            "spec"
        ]["taints"]
        announced = {
            (entry["type"], entry["reason"], entry["status"])
            for entry in node["status"]["conditions"]
            if entry.get("message", "").startswith("Preempt Scheduled: ")
        }
        assert announced == {
            ("VMEventScheduled", "VMEventScheduled", "True"),
            ("PreemptionScheduled", "SpotEvictionIncoming", "True"),
        }
    events = [event for event in world.cluster.events if event.reason == "PreemptScheduled"]
    assert len(events) == 2
    assert all("simulated" in event.message and "simulated" in event.component for event in events)


def vm_conditions(world: World) -> set[tuple[str, str, str]]:
    return {
        (entry["type"], entry["status"], entry["message"].partition(".")[0])
        for name in world.nodes_of("cpuspot")
        for entry in world.cluster.node_objects[name]["status"]["conditions"]
        if entry["type"] in {"VMEventScheduled", "PreemptionScheduled"}
    }


def test_advice_is_a_condition_alone_and_ends_when_nothing_is_taken() -> None:
    world = a_world()
    take(world, Reclaim.ADVISE)
    world.run(1)
    assert vm_conditions(world) == {("PreemptionScheduled", "True", "SpotRebalanceRecommendation Advisory: ")}
    assert not any(node["spec"].get("unschedulable") for node in world.cluster.node_objects.values())
    world.run(902)
    assert vm_conditions(world) == {("PreemptionScheduled", "False", "VM has no scheduled event")}
    assert (
        len(world.journal("advisory-over")) == 1
    )  # of the node with work; the autoscaler removed the other one
    assert world.journal("eviction") == []


def test_the_vm_is_gone_thirty_seconds_after_the_notice() -> None:
    world = a_world()
    doomed = set(world.nodes_of("cpuspot"))
    take(world)
    world.run(29)
    assert doomed <= world.cluster.node_objects.keys()
    world.run(2)
    assert not doomed & world.cluster.node_objects.keys()
    notice, *_ = world.journal("eviction-notice")
    gone, *_ = world.journal("eviction")
    assert gone["time"] - notice["time"] == 30


def test_pods_are_drained_before_the_vm_goes() -> None:
    world = a_world()
    before = world.cluster.pod("work")
    take(world)
    world.run(2)
    after = world.cluster.pod("work")
    assert before is not None
    assert after is not None
    assert before["metadata"]["uid"] != after["metadata"]["uid"]
    assert "nodeName" not in after["spec"]


def test_a_disruption_budget_delays_the_drain_but_not_the_eviction() -> None:
    world = a_world()
    budget: dict[str, Any] = {
        "metadata": {"namespace": "default"},
        "spec": {"selector": {"matchLabels": {"app": "work"}}},
        "status": {"disruptionsAllowed": 0},
    }
    world.cluster.budgets = [budget]
    take(world)
    world.run(20)
    assert world.pool_of("work") == "cpuspot"
    world.run(12)
    assert world.nodes_of("cpuspot") == []
    assert sum(line["pods"] for line in world.journal("eviction")) == 1


def test_a_refused_drain_is_tried_again() -> None:
    world = a_world()
    budget: dict[str, Any] = {
        "metadata": {"namespace": "default"},
        "spec": {"selector": {"matchLabels": {"app": "work"}}},
        "status": {"disruptionsAllowed": 0},
    }
    world.cluster.budgets = [budget]
    take(world)
    world.run(3)
    world.cluster.budgets = []
    world.run(6)
    assert world.pool_of("work") is None


def test_daemon_set_pods_are_not_evicted() -> None:
    world = a_world()
    world.cluster.create_pod("agent", SPEC, owner="DaemonSet")
    world.run(1)
    take(world)
    world.run(10)
    assert world.pool_of("agent") == "cpuspot"


def test_a_vm_can_vanish_without_notice() -> None:
    world = a_world()
    take(world, Reclaim.VANISH)
    assert world.nodes_of("cpuspot") == []
    assert world.journal("eviction-notice") == []
    assert [line["notice"] for line in world.journal("eviction")] == [False, False]
    assert world.cluster.pod("work") is not None


def test_the_requested_number_of_nodes_is_taken() -> None:
    world = a_world()
    take(world, count=1)
    world.run(31)
    assert len(world.nodes_of("cpuspot")) == 1


def test_a_node_is_not_taken_twice() -> None:
    world = a_world()
    take(world)
    take(world)
    assert len(world.journal("eviction-notice")) == 2


def test_evicted_vms_leave_the_pools_count() -> None:
    world = a_world(enableAutoScaling=False)
    take(world, count=1)
    world.run(60)
    assert world.azure.pools[0]["count"] == 1
    assert len(world.nodes_of("cpuspot")) == 1


def test_the_autoscaler_restores_the_minimum_of_an_evicted_pool() -> None:
    world = World([pool("cpuspot", scaleSetPriority="Spot", count=2, minCount=2)])
    world.run(10)
    take(world)
    world.run(60)
    assert len(world.nodes_of("cpuspot")) == 2
    assert world.azure.pools[0]["count"] == 2


def test_regular_nodes_are_never_taken() -> None:
    world = World([pool("cpuod", count=1)])
    world.run(10)
    take(world, pool="cpuod")
    assert len(world.nodes_of("cpuod")) == 1
    (error,) = world.journal("error")
    assert error["detail"] == "pool: 'cpuod' is not allowed; expected a spot pool: none"


def test_an_eviction_under_way_goes_on_after_a_restart() -> None:
    world = a_world()
    doomed = set(world.nodes_of("cpuspot"))
    take(world)
    world.run(5)
    world.restart()
    world.run(31)
    assert not doomed & world.cluster.node_objects.keys()
