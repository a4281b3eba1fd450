"""The autoscaler's report has the form of the real one's, and shows what the last loop saw."""

from typing import Any

import pytest
import yaml

from kubeflow_aks.local_aks.simulation import autoscaling
from kubeflow_aks.local_aks.simulation.market import MarketEvent, Supply
from tests.local_aks.simulation.simulated import World, pod_spec, pool

JOB = pod_spec(selector={"kubernetes.azure.com/agentpool": "cpuspot"}, tolerates=["spot"])


@pytest.fixture
def world(monkeypatch: pytest.MonkeyPatch) -> World:
    """A platform pool of one node and an empty spot pool; a report after each loop."""
    monkeypatch.setattr(autoscaling, "_STATUS_SECONDS", 0.0)
    return World([pool("general", minCount=1), pool("cpuspot", scaleSetPriority="Spot", minCount=0)])


def _report(world: World) -> dict[str, Any]:
    return yaml.safe_load(world.cluster.status)


def _group(world: World, name: str) -> dict[str, Any]:
    [group] = [g for g in _report(world)["nodeGroups"] if g["name"].startswith(f"aks-{name}-")]
    return group


def test_it_runs_and_counts_the_nodes_of_each_group(world: World) -> None:
    world.run(30)
    report = _report(world)
    assert list(report) == ["time", "autoscalerStatus", "clusterWide", "nodeGroups"]
    assert report["autoscalerStatus"] == "Running"
    assert report["clusterWide"]["health"]["status"] == "Healthy"
    assert report["clusterWide"]["health"]["nodeCounts"]["registered"]["ready"] == 1
    assert report["clusterWide"]["scaleUp"]["status"] == "NoActivity"
    general, spot = _group(world, "general"), _group(world, "cpuspot")
    assert general["health"]["cloudProviderTarget"] == general["health"]["minSize"] == 1
    assert general["health"]["nodeCounts"]["registered"]["total"] == 1
    assert spot["health"]["cloudProviderTarget"] == 0
    assert spot["scaleDown"]["status"] == "NoCandidates"


def test_a_scale_up_is_in_progress_until_its_nodes_are_there(world: World) -> None:
    world.timings = type(world.timings)(boot=60)
    world.restart()
    world.cluster.create_pod("job", JOB)
    world.run(30)
    spot = _group(world, "cpuspot")
    assert spot["scaleUp"]["status"] == "InProgress"
    assert spot["health"]["nodeCounts"]["unregistered"] == 1
    assert _report(world)["clusterWide"]["scaleUp"]["status"] == "InProgress"
    world.run(90)
    assert _group(world, "cpuspot")["scaleUp"]["status"] == "NoActivity"


def test_a_group_that_is_sold_out_is_in_back_off_with_the_reason(world: World) -> None:
    world.market.add(MarketEvent(0, Supply.SOLD_OUT, "cpuspot"))
    world.cluster.create_pod("job", JOB)
    world.run(40)
    scale_up = _group(world, "cpuspot")["scaleUp"]
    assert scale_up["status"] == "Backoff"
    assert scale_up["backoffInfo"] == {"errorCode": "AllocationFailed"}


def test_a_node_that_is_not_needed_is_a_candidate(world: World) -> None:
    world.cluster.create_pod("job", JOB)
    world.run_until_running("job")
    world.cluster.delete_pod("job", recreate=False)
    world.run(30)
    assert _group(world, "cpuspot")["scaleDown"]["candidates"] == 1
    assert _report(world)["clusterWide"]["scaleDown"]["status"] == "CandidatesPresent"


def test_a_condition_keeps_the_time_since_when_it_holds(world: World) -> None:
    world.run(30)
    before = _group(world, "general")["health"]
    world.run(30)
    after = _group(world, "general")["health"]
    assert after["lastTransitionTime"] == before["lastTransitionTime"]
    assert after["lastProbeTime"] > before["lastProbeTime"]


def test_it_is_not_written_more_often_than_the_real_one_does(monkeypatch: pytest.MonkeyPatch) -> None:
    world = World([pool("general", minCount=1)])
    written: list[str] = []

    def write_status(text: str, _moment: str) -> None:
        written.append(text)

    monkeypatch.setattr(world.cluster, "write_status", write_status)
    world.run(600)
    assert len(written) == 1


def test_a_pool_that_comes_is_reported_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    world = World([pool("general", minCount=1)])
    written: list[str] = []

    def write_status(text: str, _moment: str) -> None:
        written.append(text)

    monkeypatch.setattr(world.cluster, "write_status", write_status)
    world.run(60)
    world.azure.pools.append(pool("cpuspot", minCount=0))
    world.run(60)
    assert ["aks-cpuspot-" in text for text in written] == [False, True]
