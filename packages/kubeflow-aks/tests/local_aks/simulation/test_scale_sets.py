"""Pools become nodes, and follow Azure's settings."""

from typing import Any

import pytest

from kubeflow_aks.local_aks.simulation.market import ALL, MarketEvent, Reclaim, Supply
from kubeflow_aks.local_aks.simulation.vms.scale_sets import Timings
from tests.local_aks.simulation.simulated import World, pod_spec, pool

FIXED: dict[str, Any] = {"enableAutoScaling": False}


def test_a_pool_without_autoscaling_is_kept_at_its_count() -> None:
    world = World([pool("general", count=2, **FIXED)])
    world.run(10)
    assert len(world.nodes_of("general")) == 2
    world.azure.pools[0]["count"] = 3
    world.run(10)
    assert len(world.nodes_of("general")) == 3
    world.azure.pools[0]["count"] = 1
    world.run(20)
    assert [name[-1] for name in world.nodes_of("general")] == ["0"]


def test_a_new_autoscaled_pool_starts_with_its_count_and_at_least_its_minimum() -> None:
    world = World([pool("a", count=0, minCount=2), pool("b", count=3, minCount=1)])
    world.run(10)
    assert (len(world.nodes_of("a")), len(world.nodes_of("b"))) == (2, 3)
    assert [entry["count"] for entry in world.azure.pools] == [2, 3]


def test_nodes_come_after_the_boot_delay() -> None:
    world = World([pool("general", count=1, **FIXED)], timings=Timings(boot=60))
    world.run(59)
    assert world.nodes_of("general") == []
    world.run(3)
    assert len(world.nodes_of("general")) == 1
    ready, *_ = world.journal("node-ready")
    assert ready["seconds"] == pytest.approx(60, abs=1)


def test_the_autoscaler_alone_sizes_an_autoscaled_pool() -> None:
    world = World([pool("cpu", count=1)])
    world.run(10)
    world.azure.pools[0]["count"] = 4
    world.run(10)
    assert len(world.nodes_of("cpu")) == 1


def test_nodes_of_a_deleted_pool_are_removed() -> None:
    world = World([pool("keep", count=1, **FIXED), pool("gone", count=2, **FIXED)])
    world.run(10)
    del world.azure.pools[1]
    world.run(20)
    assert (len(world.nodes_of("keep")), world.nodes_of("gone")) == (1, [])
    assert [line["pool"] for line in world.journal("pool-removed")] == ["gone"]


def test_a_deleted_pools_pods_are_drained_first() -> None:
    world = World([pool("keep", count=1, **FIXED), pool("gone", count=1, **FIXED)])
    world.run(10)
    world.cluster.create_pod("work", pod_spec(selector={"agentpool": "gone"}))
    world.run(2)
    bound = world.cluster.pod("work")
    del world.azure.pools[1]
    world.run(20)
    again = world.cluster.pod("work")
    assert bound is not None
    assert again is not None
    assert again["metadata"]["uid"] != bound["metadata"]["uid"]


def test_other_machines_replace_the_nodes() -> None:
    world = World([pool("general", count=1, **FIXED)])
    world.run(10)
    (before,) = world.nodes_of("general")
    world.azure.pools[0]["vmSize"] = "Standard_D16s_v5"
    world.run(20)
    (after,) = world.nodes_of("general")
    assert after != before
    assert world.cluster.node_objects[after]["status"]["capacity"]["cpu"] == "16"


def test_changed_labels_and_taints_reach_the_nodes_there_are() -> None:
    changed = {
        "nodeLabels": {"old": "1", "kept": "1"},
        "nodeTaints": ["old=1:NoSchedule", "kept=1:NoSchedule"],
    }
    world = World([pool("general", count=1, **FIXED, **changed)])
    world.run(10)
    (name,) = world.nodes_of("general")
    world.cluster.taint_node(name, [{"key": "foreign", "effect": "NoSchedule"}])
    world.azure.pools[0] |= {
        "nodeLabels": {"kept": "2"},
        "nodeTaints": ["kept=2:NoSchedule", "new:NoSchedule"],
    }
    world.run(2)
    node = world.cluster.node_objects[name]
    labels = node["metadata"]["labels"]
    assert ("old" in labels, labels["kept"]) == (False, "2")
    assert labels["kubernetes.azure.com/agentpool"] == "general"
    taints = {entry["key"]: entry.get("value") for entry in node["spec"]["taints"]}
    assert taints == {"foreign": None, "kept": "2", "new": None}


def test_nodes_take_another_number_of_time_slices_while_they_run() -> None:
    gpu = {"vmSize": "Standard_NC4as_T4_v3", "nodeLabels": {"kubeflow-aks/gpu-time-slices": "4"}}
    world = World([pool("gpu", count=1, **FIXED, **gpu)])
    world.run(10)
    (name,) = world.nodes_of("gpu")
    for labels, expected in (({"kubeflow-aks/gpu-time-slices": "8"}, "8"), ({}, "1")):
        world.azure.pools[0] |= {"nodeLabels": labels}
        world.run(2)
        status = world.cluster.node_objects[name]["status"]
        offered = [status[key]["nvidia.com/gpu"] for key in ("capacity", "allocatable")]
        assert offered == [expected, expected]


def test_a_restarted_simulation_adopts_the_nodes_there_are() -> None:
    world = World([pool("general", count=2, **FIXED), pool("cpu", count=1)])
    world.run(10)
    before = list(world.cluster.node_objects)
    world.restart()
    world.run(10)
    assert list(world.cluster.node_objects) == before
    world.azure.pools[0]["count"] = 3
    world.run(10)
    assert [name[-1] for name in world.nodes_of("general")] == ["0", "1", "2"]


def test_no_vm_gets_the_name_of_one_that_is_gone_not_even_after_a_restart() -> None:
    world = World([pool("cpuspot", scaleSetPriority="Spot", count=2, **FIXED)])
    world.run(10)
    assert [name[-1] for name in world.nodes_of("cpuspot")] == ["0", "1"]
    world.market.add(MarketEvent(world.clock.now(), Reclaim.VANISH, "cpuspot", ALL))
    world.run(1)
    world.restart()
    world.azure.pools[0]["count"] = 1
    world.run(10)
    assert [name[-1] for name in world.nodes_of("cpuspot")] == ["2"]


def test_a_restarted_simulation_requests_vms_again_that_were_still_booting() -> None:
    world = World([pool("cpu", count=2)])
    world.run(1)
    assert world.nodes_of("cpu") == []
    world.restart()
    world.run(10)
    assert len(world.nodes_of("cpu")) == 2


def test_a_sold_out_vm_of_a_fixed_pool_fails_and_stays_failed() -> None:
    world = World([pool("cpuspot", scaleSetPriority="Spot", count=0, **FIXED)])
    world.market.add(MarketEvent(0, Supply.SOLD_OUT, "cpuspot"))
    world.run(5)
    world.azure.pools[0]["count"] = 1
    world.run(30)
    assert world.nodes_of("cpuspot") == []
    assert [line["error"] for line in world.journal("sold-out")] == ["OutOfResources.AllocationFailed"]


def test_without_an_autoscaled_pool_the_autoscaler_does_nothing() -> None:
    world = World([pool("general", count=1, **FIXED)])
    world.cluster.create_pod("work", pod_spec(cpu="99"))
    world.run(60)
    assert [line for line in world.journal() if line["source"] == "simulated autoscaler"] == []


def test_a_pool_of_unknown_machines_is_an_error_and_the_others_go_on() -> None:
    world = World([pool("odd", vmSize="Standard_X1", count=1, **FIXED), pool("general", count=1, **FIXED)])
    world.run(10)
    assert len(world.nodes_of("general")) == 1
    (error,) = world.journal("error")
    assert "Standard_X1" in error["detail"]
