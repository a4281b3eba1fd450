"""The simulation as a whole, on a manual clock: it logs its steps, survives outages and is repeatable."""

import threading
from collections.abc import Sequence
from contextlib import suppress
from io import StringIO
from typing import Any

import pytest

from kubeflow_aks.clients.kubernetes.errors import UnavailableError
from kubeflow_aks.local_aks.simulation.azure_reader import SeveralClustersError
from kubeflow_aks.local_aks.simulation.journal import Journal
from kubeflow_aks.local_aks.simulation.market import MarketEvent, Reclaim, Supply
from kubeflow_aks.local_aks.simulation.observer import Observer
from tests.local_aks.simulation.simulated import FakeCluster, World, pod_spec, pool
from tests.local_aks.simulation.weather import Weather, seeded
from tests.stepped.memory_cluster import as_live

PRIORITIES = "20:\n- cpuspot\n10:\n- cpuod\n"
BATCH = pod_spec(cpu="3", selector={"workload": "cpu"}, tolerates=("spot", "fallback"))
QUICK = {"expander": "priority", "scaleDownUnneededTime": "60s", "scaleDownDelayAfterAdd": "60s"}


def a_world(**profile: str) -> World:
    """A spot pool and its on-demand fallback, both at zero."""
    pools = [
        pool("cpuspot", scaleSetPriority="Spot", nodeLabels={"workload": "cpu"}),
        pool("cpuod", nodeLabels={"workload": "cpu"}, nodeTaints=["ckf/fallback=true:NoSchedule"]),
    ]
    world = World(pools, profile=QUICK | profile, priorities=PRIORITIES)
    world.run(1)
    return world


def going(world: World, tick: float = 0.5) -> str:
    """An empty spot node whose removal was just decided; steps take `tick` seconds from then on."""
    world.cluster.create_pod("work", BATCH)
    world.run_until_running("work")
    world.cluster.delete_pod("work", recreate=False)
    world.tick = tick
    while not world.journal("scale-down"):
        world.run(world.tick)
    [node] = world.nodes_of("cpuspot")
    return node


def test_a_fallback_is_reported_with_the_pool_it_stands_in_for() -> None:
    world = a_world()
    world.market.add(MarketEvent(0, Supply.SOLD_OUT, "cpuspot"))
    world.cluster.create_pod("work", BATCH)
    world.run_until_running("work")
    (fallback,) = world.journal("fallback")
    assert (fallback["pool"], fallback["insteadOf"]) == ("cpuod", ["cpuspot"])


def test_events_of_the_autoscaler_say_that_it_is_simulated() -> None:
    world = a_world()
    world.cluster.create_pod("work", BATCH)
    world.cluster.create_pod("never", pod_spec(cpu="99"))
    world.run(60)
    reasons = {event.reason for event in world.cluster.events}
    assert reasons == {"TriggeredScaleUp", "NotTriggerScaleUp"}
    assert all(
        "simulated" in event.message and "simulated" in event.component for event in world.cluster.events
    )


def test_a_bad_priority_map_is_warned_about_on_the_config_map() -> None:
    world = a_world()
    world.cluster.priority_text = "nonsense"
    world.cluster.create_pod("work", BATCH)
    world.run_until_running("work")
    (event,) = [event for event in world.cluster.events if event.reason == "PriorityConfigMapInvalid"]
    assert (event.kind, event.namespace, event.warning) == ("ConfigMap", "kube-system", True)


def test_the_journal_follows_a_pod() -> None:
    world = a_world()
    world.cluster.create_pod("work", BATCH)
    world.run_until_running("work")
    world.cluster.delete_pod("work", recreate=False)
    world.run(1)
    kinds = [line["kind"] for line in world.journal() if line.get("pod") == "default/work"]
    assert kinds == ["pod-pending", "pod-placed", "pod-running", "pod-gone"]
    (placed,) = world.journal("pod-placed")
    assert placed["pool"] == "cpuspot"


def test_a_pod_that_ended_and_went_between_two_looks_is_reported_as_finished() -> None:
    world = a_world()
    world.cluster.create_pod("work", BATCH)
    world.run_until_running("work")
    [pod] = world.cluster.pods()
    world.cluster.pod_objects[pod["metadata"]["uid"]] = {**pod, "status": {"phase": "Succeeded"}}
    world.cluster.delete_pod("work", recreate=False)
    world.run(1)
    assert [line["phase"] for line in world.journal("pod-finished")] == ["Succeeded"]
    assert world.journal("pod-gone") == []


def test_deletions_before_the_first_look_are_not_reported() -> None:
    world = a_world()
    world.cluster.create_pod("work", BATCH)
    world.run_until_running("work")
    world.cluster.delete_pod("work", recreate=False)
    again = Observer(as_live(world.cluster), Journal(sink := StringIO(), world.clock))
    again.look(world.clock.now())
    assert sink.getvalue() == ""


def test_scale_down_drains_an_underused_node() -> None:
    world = a_world()
    for name in ("a", "b", "c"):
        world.cluster.create_pod(name, BATCH)
    world.run(40)
    assert len(world.nodes_of("cpuspot")) == 2
    world.cluster.delete_pod("a", recreate=False)
    world.run(150)
    assert len(world.nodes_of("cpuspot")) == 1
    assert [world.pool_of(name) for name in ("b", "c")] == ["cpuspot", "cpuspot"]
    assert "empty" in world.journal("scale-down")[0]


def test_a_scale_down_that_a_budget_stops_is_given_up() -> None:
    world = a_world()
    world.cluster.create_pod("a", BATCH, labels={"app": "a"})
    world.cluster.create_pod("b", BATCH, labels={"app": "b"})
    world.cluster.create_pod("c", BATCH, labels={"app": "c"})
    world.run(40)
    world.cluster.delete_pod("a", recreate=False)
    spec = {"selector": {"matchExpressions": [{"key": "app", "operator": "Exists"}]}}
    budget: dict[str, Any] = {
        "metadata": {"namespace": "default"},
        "spec": spec,
        "status": {"disruptionsAllowed": 1},
    }
    world.cluster.budgets = [budget]
    while not world.journal("scale-down"):
        world.run(world.tick)
    world.cluster.budgets = [{**budget, "status": {"disruptionsAllowed": 0}}]
    world.run(130)
    assert len(world.journal("scale-down-failed")) == 1
    assert len(world.nodes_of("cpuspot")) == 2
    taints = [taint["key"] for node in world.cluster.nodes() for taint in node["spec"]["taints"]]
    assert "ToBeDeletedByClusterAutoscaler" not in taints


def test_a_pod_that_comes_before_the_taint_keeps_an_empty_node() -> None:
    """The real autoscaler looks again after the taint: `failed to delete empty node, new pods scheduled`."""
    world = a_world()
    node = going(world)
    world.cluster.create_pod("late", {**BATCH, "nodeName": node})
    late = world.cluster.pod("late")
    world.run(10)
    assert world.nodes_of("cpuspot") == [node]
    assert world.cluster.pod("late") == late
    assert len(world.journal("scale-down-failed")) == 1
    taints = [taint["key"] for node in world.cluster.nodes() for taint in node["spec"]["taints"]]
    assert "ToBeDeletedByClusterAutoscaler" not in taints


@pytest.mark.parametrize("tick", [0.5, 12.0])
def test_a_pod_that_was_placed_while_the_taint_came_keeps_an_empty_node(tick: float) -> None:
    """What the real scheduler had decided before it saw the taint; 12 s is a step of the demo."""
    world = a_world()
    node = going(world, tick)
    world.run(world.tick)
    assert "ToBeDeletedByClusterAutoscaler" in str(world.cluster.nodes())
    world.cluster.create_pod("late", {**BATCH, "nodeName": node})
    late = world.cluster.pod("late")
    world.run(30)
    assert world.cluster.pod("late") == late
    assert world.nodes_of("cpuspot") == [node]


def test_a_pod_that_was_placed_just_before_the_vm_goes_keeps_it() -> None:
    world = a_world()
    node = going(world, 12)
    world.run(2 * world.tick)
    world.cluster.create_pod("late", {**BATCH, "nodeName": node})
    late = world.cluster.pod("late")
    world.run(30)
    assert world.cluster.pod("late") == late
    assert len(world.journal("scale-down-failed")) == 1


def test_a_scale_down_is_decided_once_though_its_taint_takes_a_step() -> None:
    world = a_world()
    going(world, 12)
    world.run(60)
    assert world.nodes_of("cpuspot") == []
    assert len(world.journal("scale-down")) == 1


def test_a_restart_undoes_a_scale_down_under_way() -> None:
    world = a_world()
    world.cluster.create_pod("work", BATCH)
    world.run_until_running("work")
    (node,) = world.nodes_of("cpuspot")
    world.cluster.taint_node(node, [{"key": "ToBeDeletedByClusterAutoscaler", "effect": "NoSchedule"}])
    world.restart()
    world.run(1)
    taints = [taint["key"] for taint in world.cluster.node_objects[node]["spec"]["taints"]]
    assert taints == ["kubernetes.azure.com/scalesetpriority"]


def test_two_clusters_are_refused() -> None:
    other = f"{pool('a')['clusterId']}2"
    world = World([pool("a"), pool("b", clusterId=other)])
    with pytest.raises(SeveralClustersError, match=other):
        world.simulation.step()


class Flaky(FakeCluster):
    """A control plane that does not answer for some reads and refuses to delete for some writes."""

    outages = 0
    failed_deletions = 0

    def nodes(self) -> Sequence[dict[str, Any]]:
        """All nodes, or no answer."""
        if self.outages:
            self.outages -= 1
            raise UnavailableError("no answer")
        return super().nodes()

    def delete_node(self, name: str) -> None:
        """A node deleted, or no answer."""
        if self.failed_deletions:
            self.failed_deletions -= 1
            raise UnavailableError("no answer")
        super().delete_node(name)


def test_an_outage_of_the_control_plane_is_waited_for_and_reported_once() -> None:
    world = World([pool("general", enableAutoScaling=False, count=1)])
    flaky = Flaky(world.clock)
    flaky.outages = 3
    world.cluster = flaky
    simulation, stop = world.restart(), threading.Event()
    thread = threading.Thread(target=simulation.run, args=(stop,))
    thread.start()
    while not flaky.node_objects:
        assert thread.is_alive()
    stop.set()
    thread.join()
    assert [line["detail"] for line in world.journal("error")] == ["no answer"]


def test_a_stopped_cluster_that_does_not_answer_is_no_outage() -> None:
    """Azure has no pools of it then."""
    world = World([])
    flaky = Flaky(world.clock)
    flaky.outages = 3
    world.cluster = flaky
    simulation, stop = world.restart(), threading.Event()
    thread = threading.Thread(target=simulation.run, args=(stop,))
    thread.start()
    while flaky.outages:
        assert thread.is_alive()
    stop.set()
    thread.join()
    assert world.journal("error") == []


@pytest.mark.parametrize("how", [Reclaim.EVICT, Reclaim.VANISH])
def test_an_outage_loses_no_eviction(how: Reclaim) -> None:
    world = World([pool("cpuspot", scaleSetPriority="Spot", enableAutoScaling=False, count=1)])
    flaky = world.cluster = Flaky(world.clock)
    world.restart()
    world.run(10)
    flaky.failed_deletions = 2
    world.market.add(MarketEvent(world.clock.now(), how, "cpuspot"))
    for _ in range(100):
        with suppress(UnavailableError):
            world.run(world.tick)
        world.clock.advance(world.tick)
    assert flaky.failed_deletions == 0
    assert [line["notice"] for line in world.journal("eviction")] == [how is Reclaim.EVICT]


def storm(seed: int) -> World:
    """Six pods through a rough simulated hour, and some calm minutes."""
    world = a_world(maxNodeProvisionTime="5m")
    weather = Weather(evictions_per_hour=120, shortages_per_hour=2, silent_share=0.3, vanish_share=0.3)
    world.market.add(*seeded(seed, ["cpuspot"], 3600, weather))
    for index in range(6):
        world.cluster.create_pod(f"work-{index}", BATCH)
    world.tick = 5.0
    world.run(3600 + 600)
    return world


def test_a_seeded_storm_of_evictions_loses_no_pod_and_repeats_itself() -> None:
    first, second = storm(2), storm(2)
    assert len(first.journal("eviction")) >= 20
    assert all(first.pool_of(f"work-{index}") for index in range(6))
    assert first.journal("fallback")

    def story(world: World) -> list[dict[str, Any]]:
        return [{key: value for key, value in line.items() if key != "wall"} for line in world.journal()]

    assert story(first) == story(second)
