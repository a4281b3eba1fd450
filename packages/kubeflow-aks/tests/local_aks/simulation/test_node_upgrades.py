"""Nodes follow their pool's Kubernetes version: surge and drain on demand, notice and no drain on spot."""

from typing import Any

import pytest

from tests.local_aks.simulation.simulated import World, pod_spec, pool

FIXED: dict[str, Any] = {"enableAutoScaling": False}
NEW = {"currentOrchestratorVersion": "1.35.1"}


def kubelets(world: World, name: str) -> list[str]:
    return [
        world.cluster.node_objects[node]["status"]["nodeInfo"]["kubeletVersion"]
        for node in world.nodes_of(name)
    ]


def upgraded(world: World) -> list[str]:
    """The nodes that made room, in order."""
    return [line["node"] for line in world.journal("upgrade")]


@pytest.mark.parametrize("scaled", [{}, {"minCount": 3, "maxCount": 3, "enableAutoScaling": True}])
def test_on_demand_one_node_after_the_other_makes_room_for_a_new_one(scaled: dict[str, Any]) -> None:
    world = World([pool("general", **{**FIXED, "count": 3, **scaled})])
    world.run(10)
    before = world.nodes_of("general")
    world.azure.pools[0] |= NEW
    sizes: set[int] = set()
    for _ in range(120):
        world.run(1)
        sizes.add(len(world.nodes_of("general")))
    assert sizes == {3, 4}
    assert kubelets(world, "general") == ["v1.35.1"] * 3
    assert upgraded(world) == before
    assert world.azure.pools[0]["count"] == 3


def test_without_a_surge_no_node_is_added_and_pods_are_drained_all_the_same() -> None:
    world = World(
        [pool("general", count=2, upgradeSettings={"maxSurge": "0", "maxUnavailable": "1"}, **FIXED)]
    )
    world.run(10)
    before = world.nodes_of("general")
    world.cluster.create_pod("server", pod_spec(), labels={"app": "server"})
    world.run(2)
    world.azure.pools[0] |= NEW
    sizes: set[int] = set()
    for _ in range(120):
        world.run(1)
        sizes.add(len(world.nodes_of("general")))
    assert sizes == {1, 2}
    assert kubelets(world, "general") == ["v1.35.1"] * 2
    assert upgraded(world) == before
    server = world.cluster.pod("server")
    assert server
    assert server["spec"]["nodeName"] in world.nodes_of("general")


def test_a_drain_waits_for_a_budget_as_long_as_it_takes() -> None:
    world = World([pool("general", count=1, **FIXED)])
    world.run(10)
    world.cluster.create_pod("server", pod_spec(), labels={"app": "server"})
    world.run(2)
    world.cluster.budgets = [
        {
            "metadata": {"name": "keep", "namespace": "default"},
            "spec": {"selector": {"matchLabels": {"app": "server"}}},
            "status": {"disruptionsAllowed": 0},
        }
    ]
    world.azure.pools[0] |= NEW
    world.run(900)
    assert sorted(kubelets(world, "general")) == ["v1.34.4", "v1.35.1"]
    world.cluster.budgets = []
    world.run(30)
    assert kubelets(world, "general") == ["v1.35.1"]
    server = world.cluster.pod("server")
    assert server
    assert server["spec"]["nodeName"] in world.nodes_of("general")


def test_a_spot_node_goes_after_its_notice_with_what_runs_on_it() -> None:
    world = World([pool("cpuspot", scaleSetPriority="Spot", count=1)])
    world.run(10)
    (node,) = world.nodes_of("cpuspot")
    world.cluster.create_pod("work", pod_spec(tolerates=["spot"]))
    world.run(2)
    bound = world.cluster.pod("work")
    world.azure.pools[0] |= NEW
    world.run(25)
    assert world.cluster.pod("work") == bound
    assert world.cluster.node_objects[node]["spec"]["unschedulable"] is True
    assert world.nodes_of("cpuspot") == [node]
    world.run(15)
    assert kubelets(world, "cpuspot") == ["v1.35.1"]
    assert [line["cause"] for line in world.journal("node-gone")] == ["upgraded"]


def test_a_restarted_simulation_goes_on_with_the_nodes_that_are_behind() -> None:
    world = World([pool("general", count=2, **FIXED)])
    world.run(10)
    world.azure.pools[0] |= NEW
    world.run(8)
    world.restart()
    world.run(120)
    assert set(kubelets(world, "general")) == {"v1.35.1"}


def test_a_pool_without_nodes_has_the_new_version_on_its_next_one() -> None:
    world = World([pool("cpu")])
    world.run(5)
    world.azure.pools[0] |= NEW
    world.cluster.create_pod("work", pod_spec())
    world.run(60)
    assert kubelets(world, "cpu") == ["v1.35.1"]
    assert upgraded(world) == []
