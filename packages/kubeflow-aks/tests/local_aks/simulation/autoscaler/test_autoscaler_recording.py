"""The simulated autoscaler decides as the real one did in every scenario of its recording.

Times may differ from the recorded ones by one scan interval (2 s) and 1 s of sampling: the real loop and ours
start at different moments of the interval.
"""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from kubeflow_aks.local_aks.simulation.market import MarketEvent, Reclaim, Supply
from tests.local_aks.simulation.simulated import World, pod_spec, pool

RECORDING = json.loads((Path(__file__).parent / "data" / "cluster-autoscaler-recording.json").read_text())
SCENARIOS: dict[str, dict[str, Any]] = {scenario["id"]: scenario for scenario in RECORDING["scenarios"]}
TOLERANCE_SECONDS = 3.0
FOLLOWS = {"S8": "S2", "S8b": "S2"}
"""Scenarios recorded on a cluster that another scenario had just left behind."""
TOLD_APART = {"S6", "S8", "S12", "S13"}
"""Scenarios that are no new pod, or no single outcome: a test of their own each."""
PROFILE = {
    "expander": "priority",
    "scanInterval": "2s",
    "scaleDownUnneededTime": "20s",
    "scaleDownDelayAfterAdd": "20s",
    "maxNodeProvisionTime": "60s",
}


def world_of(scenario: dict[str, Any], *, seed: int = 0, **profile: str) -> World:
    """The recording's pools, with the two general nodes outside every group, a little after a scan."""
    pools = [pool("general", enableAutoScaling=False, count=2)]
    for recorded in RECORDING["pools"]:
        values = {key: value for key, value in recorded.items() if key != "agentPoolName"}
        pools.append(pool(recorded["agentPoolName"], **values))
    world = World(pools, profile=PROFILE | profile, priorities=scenario.get("priorities"), seed=seed)
    world.run(10.5)
    return world


def set_market(world: World, market: dict[str, str]) -> None:
    """Set the supply of every pool; those not named have VMs."""
    for recorded in RECORDING["pools"]:
        supply = Supply(market.get(recorded["agentPoolName"], "available"))
        world.market.add(MarketEvent(world.clock.now(), supply, recorded["agentPoolName"]))


def start(world: World, scenario: dict[str, Any], name: str = "work") -> None:
    """Set the market and create the scenario's pod."""
    set_market(world, scenario["market"])
    pod = scenario["pod"]
    spec = pod_spec(cpu=pod["cpu"], gpu=pod["gpu"], selector=pod["nodeSelector"], tolerates=pod["tolerates"])
    if "affinity" in pod:
        assert pod["affinity"] == "preferred: scalesetpriority DoesNotExist, weight 100"
        expression = {"key": "kubernetes.azure.com/scalesetpriority", "operator": "DoesNotExist"}
        preference = {"weight": 100, "preference": {"matchExpressions": [expression]}}
        spec["affinity"] = {"nodeAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": [preference]}}
    world.cluster.create_pod(name, spec)


def decisions(world: World, since: float) -> list[str]:
    """Scale-ups and deletions in the recording's words, with the pool of each."""
    names = {"scale-up": "scale-up {} +1", "instance-deleted": "{} instance deleted"}
    return [
        names[line["kind"]].format(line["pool"])
        for line in world.journal("scale-up", "instance-deleted")
        if line["time"] >= since
    ]


def expected_decisions(scenario: dict[str, Any]) -> list[str]:
    """The recording's decisions without their times; a deletion is of the pool scaled up before it."""
    expected: list[str] = []
    for text in scenario["decisions"]:
        if matched := re.match(r"scale-up (\w+) \+1", text):
            expected.append(matched[0])
        elif "instance deleted" in text:
            expected.append(f"{expected[-1].split()[1]} instance deleted")
    return expected


def test_every_scenario_of_the_recording_is_tested() -> None:
    assert len(SCENARIOS) == 15
    assert SCENARIOS.keys() > TOLD_APART


@pytest.mark.parametrize("name", [name for name in SCENARIOS if name not in TOLD_APART])
def test_decisions_and_outcome_are_the_recorded_ones(name: str) -> None:
    scenario = SCENARIOS[name]
    world = world_of(scenario)
    if name in FOLLOWS:
        start(world, SCENARIOS[FOLLOWS[name]], "before")
        world.run_until_running("before")
        fill_up(world)
    since = world.clock.now()
    start(world, scenario)
    outcome = scenario["outcome"]
    if outcome.startswith("pending"):
        world.run(40)
        set_market(world, {})
        world.run(150)
        assert world.pool_of("work") is None
        reasons = re.search(r"pending: '(.*)'", outcome)
        assert reasons is not None
        assert reasons[1] in world.journal("not-triggered")[-1]["detail"]
    else:
        took = world.run_until_running("work")
        world.run(30)
        expected_pool = re.match(r"(?:running on )?(\w+)", outcome)
        assert expected_pool is not None
        assert world.pool_of("work") == expected_pool[1]
        if seconds := re.search(r"([\d.]+) s after creation", outcome):
            assert took == pytest.approx(float(seconds[1]), abs=TOLERANCE_SECONDS)
    assert decisions(world, since) == expected_decisions(scenario)


def fill_up(world: World) -> None:
    """Leave no room on nodes there are, so that the next pod needs a new one."""
    for index, node in enumerate(list(world.cluster.node_objects)):
        selector = {"kubernetes.io/hostname": node}
        tolerates = ("spot", "fallback", "gpu")
        world.cluster.create_pod(
            f"filler-{index}", pod_spec(cpu="6500m", selector=selector, tolerates=tolerates)
        )
    world.run(1)


@pytest.mark.parametrize("name", ["S2", "S4b"])
def test_the_fallback_is_scaled_up_in_the_loop_that_deletes_the_failed_instance(name: str) -> None:
    world = world_of(SCENARIOS[name])
    start(world, SCENARIOS[name])
    world.run_until_running("work")
    deleted, *_ = world.journal("instance-deleted")
    sold_out, *_ = world.journal("sold-out")
    assert world.journal("scale-up")[-1]["time"] == deleted["time"]
    assert deleted["time"] - sold_out["time"] <= 2


@pytest.mark.parametrize(("name", "seconds"), [("S4", 30), ("S4b", 30), ("S1", 2)])
def test_a_scale_up_waits_as_long_as_recorded(name: str, seconds: float) -> None:
    world = world_of(SCENARIOS[name])
    since = world.clock.now()
    start(world, SCENARIOS[name])
    world.run_until_running("work")
    assert 0 <= world.journal("scale-up")[0]["time"] - since - seconds <= 2


def test_s7_a_silent_instance_is_given_up_after_the_provision_time() -> None:
    world = world_of(SCENARIOS["S7"])
    start(world, SCENARIOS["S7"])
    world.run_until_running("work")
    requested, fallback = world.journal("scale-up")
    deleted, *_ = world.journal("instance-deleted")
    assert deleted["time"] - requested["time"] == pytest.approx(63, abs=TOLERANCE_SECONDS)
    assert fallback["time"] == deleted["time"]


def test_s6_a_vanished_vm_costs_the_garbage_collectors_minute() -> None:
    scenario = SCENARIOS["S6"]
    world = world_of(scenario)
    start(world, scenario)
    world.run_until_running("work")
    vanished = world.clock.now()
    world.market.add(MarketEvent(vanished, Reclaim.VANISH, "cpuspot"))
    world.run(1)
    took = world.run_until_running("work")
    gone, *_ = world.journal("pod-gone")
    again = world.journal("scale-up")[-1]
    assert gone["time"] - vanished == pytest.approx(59, abs=TOLERANCE_SECONDS)
    assert again["pool"] == "cpuspot"
    assert again["time"] - gone["time"] == pytest.approx(3, abs=TOLERANCE_SECONDS)
    assert took == pytest.approx(66, abs=TOLERANCE_SECONDS)


def test_s8_running_work_does_not_move_back_to_spot() -> None:
    world = world_of(SCENARIOS["S2"])
    start(world, SCENARIOS["S2"])
    world.run_until_running("work")
    since = world.clock.now()
    set_market(world, {})
    world.run(400)
    assert world.pool_of("work") == "cpuod"
    assert decisions(world, since) == SCENARIOS["S8"]["decisions"] == []


def test_s12_empty_nodes_of_all_groups_are_deleted_25_to_28_seconds_after_their_pods_went() -> None:
    world = world_of(SCENARIOS["S12"])
    pools = [recorded["agentPoolName"] for recorded in RECORDING["pools"]]
    for name in pools:
        gpu = int(name.startswith("gpu"))
        selector = {"kubernetes.azure.com/agentpool": name}
        world.cluster.create_pod(
            name, pod_spec(gpu=gpu, selector=selector, tolerates=("spot", "fallback", "gpu"))
        )
    for name in pools:
        world.run_until_running(name)
    world.run(30)
    since = world.clock.now()
    for name in pools:
        world.cluster.delete_pod(name, recreate=False)
    world.run(40)
    gone = world.journal("node-gone")
    assert sorted(line["pool"] for line in gone) == sorted(pools)
    assert [node for name in pools for node in world.nodes_of(name)] == []
    assert all(25 - 1 <= line["time"] - since <= 28 + 1 for line in gone)
    assert len(world.nodes_of("general")) == 2


def test_s13_without_the_priority_map_the_choice_is_random() -> None:
    chosen: list[str] = []
    for seed in range(12):
        world = world_of(SCENARIOS["S13"], seed=seed)
        start(world, SCENARIOS["S13"])
        world.run_until_running("work")
        chosen.append(world.pool_of("work") or "")
    assert set(chosen) == {"cpuspot", "cpuod"}
