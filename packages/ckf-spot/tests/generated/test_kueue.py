"""Queues of Kueue: flavors that fit the pools, spot first, and quotas that the contract and the user give."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

import pytest

from ckf_spot import PlacementError, Pools
from ckf_spot.generated import kueue
from ckf_spot.generated.kueue import Room

RECORDED: Final = json.loads(Path(__file__).with_name("kueue_recording.json").read_text(encoding="utf-8"))[
    "jobs"
]
"""What the real Kueue made of Jobs in these queues."""
NODES = {"Standard_D8ds_v5": Room("7820m", "27Gi"), "Standard_NC4as_T4_v3": Room("3860m", "24Gi")}


def job(**limits: str) -> dict[str, Any]:
    container = {"name": "main", "resources": {"limits": limits}}
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "spec": {"template": {"spec": {"containers": [container]}}},
    }


def placed_job(pools: Pools, pool: str | None, placing: Any) -> dict[str, Any]:
    """A Job placed on a pool, or left as it is."""
    work = job(**{"nvidia.com/gpu": "1"}) if pool == "gpu" else job()
    return pools[pool].place(work, **placing) if pool else work


def made(pools: Pools, kind: str, *namespaces: str) -> list[dict[str, Any]]:
    objects = kueue.objects(pools, namespaces or ("team-a",), NODES)
    return [item for item in objects if item["kind"] == kind]


def quotas(pools: Pools) -> dict[str, dict[str, str]]:
    """By flavor and resource."""
    [group] = made(pools, "ClusterQueue")[0]["spec"]["resourceGroups"]
    return {
        flavor["name"]: {resource["name"]: resource["nominalQuota"] for resource in flavor["resources"]}
        for flavor in group["flavors"]
    }


def open_to(pools: Pools, placed: dict[str, Any]) -> list[str]:
    """Flavors that Kueue may give a Job, in its order: taints tolerated, and required labels met.

    As Kueue v0.17.0 does it (kubernetes-sigs/kueue, pkg/scheduler/flavorassigner/flavorassigner.go): of a pod's node
    affinity only the keys count that a flavor of the group has among its labels.
    """
    spec = placed["spec"]["template"]["spec"]
    flavors = made(pools, "ResourceFlavor")
    keys = {key for flavor in flavors for key in flavor["spec"]["nodeLabels"]}
    tolerated = {(toleration["key"], toleration["effect"]) for toleration in spec.get("tolerations", [])}
    required = spec.get("affinity", {}).get("nodeAffinity", {}).get(
        "requiredDuringSchedulingIgnoredDuringExecution"
    ) or {"nodeSelectorTerms": [{"matchExpressions": []}]}
    [term] = required["nodeSelectorTerms"]

    def fits(flavor: dict[str, Any]) -> bool:
        labels = flavor["spec"]["nodeLabels"]
        return all(
            (expression["key"] not in labels)
            if expression["operator"] == "DoesNotExist"
            else labels.get(expression["key"]) in expression["values"]
            for expression in term["matchExpressions"]
            if expression["key"] in keys
        ) and all((taint["key"], taint["effect"]) in tolerated for taint in flavor["spec"]["nodeTaints"])

    return [flavor["metadata"]["name"] for flavor in flavors if fits(flavor)]


@pytest.mark.parametrize(
    ("pool", "placing", "flavors"),
    [
        ("cpu", {}, ["cpuspot", "cpuod"]),
        ("cpuspot", {}, ["cpuspot", "cpuod"]),
        ("cpu", {"require": "spot"}, ["cpuspot"]),
        ("cpu", {"require": "on-demand"}, ["cpuod"]),
        ("gpu", {}, ["gpuspot", "gpuod"]),
        ("gpu", {"require": "on-demand"}, ["gpuod"]),
    ],
)
def test_placed_work_finds_its_own_pools_flavors_spot_first(
    pools: Pools, pool: str, placing: Any, flavors: list[str]
) -> None:
    assert open_to(pools, placed_job(pools, pool, placing)) == flavors


@pytest.mark.parametrize("seen", RECORDED, ids=lambda seen: f"{seen['pool']} {seen['wish']}")
def test_kueue_itself_gave_the_first_of_these_and_its_labels(pools: Pools, seen: dict[str, Any]) -> None:
    first = next(iter(open_to(pools, placed_job(pools, seen["pool"], seen["wish"]))), None)
    labels = {
        flavor["metadata"]["name"]: flavor["spec"]["nodeLabels"] for flavor in made(pools, "ResourceFlavor")
    }
    assert (first, labels.get(first or "")) == (seen["flavor"], seen["nodeSelector"])


def test_work_that_nobody_placed_finds_none_and_so_gets_on_no_spot_node(pools: Pools) -> None:
    assert open_to(pools, job()) == []


def test_the_flavors_are_tried_in_the_order_of_the_queue(pools: Pools) -> None:
    assert list(quotas(pools)) == [flavor["metadata"]["name"] for flavor in made(pools, "ResourceFlavor")]
    assert list(quotas(pools)) == ["cpuspot", "cpuod", "gpuspot", "gpuod"]


def test_a_flavor_has_its_pools_taints_tolerates_nothing_and_pins_to_no_pool(pools: Pools) -> None:
    flavors = {flavor["metadata"]["name"]: flavor["spec"] for flavor in made(pools, "ResourceFlavor")}
    for pool in pools.all[1:]:
        taints = [
            f"{taint['key']}={taint['value']}:{taint['effect']}" for taint in flavors[pool.name]["nodeTaints"]
        ]
        assert taints == [f"{taint.key}={taint.value}:{taint.effect}" for taint in pool.taints]
        assert flavors[pool.name]["nodeLabels"] == {"kubeflow-aks/workload": pool.workload}
        assert "tolerations" not in flavors[pool.name]


def test_a_quota_is_that_of_all_nodes_a_pool_may_have(pools: Pools) -> None:
    assert quotas(pools) == {
        "cpuspot": {"cpu": "78200m", "memory": "270Gi", "nvidia.com/gpu": "0"},
        "cpuod": {"cpu": "39100m", "memory": "135Gi", "nvidia.com/gpu": "0"},
        "gpuspot": {"cpu": "15440m", "memory": "96Gi", "nvidia.com/gpu": "4"},
        "gpuod": {"cpu": "7720m", "memory": "48Gi", "nvidia.com/gpu": "2"},
    }


def test_without_gpus_they_are_no_part_of_it(pools: Pools) -> None:
    without = Pools(tuple(pool for pool in pools.all if pool.role != "gpu"))
    nodes = {"Standard_D8ds_v5": NODES["Standard_D8ds_v5"]}
    [queue] = [item for item in kueue.objects(without, ("a",), nodes) if item["kind"] == "ClusterQueue"]
    assert queue["spec"]["resourceGroups"][0]["coveredResources"] == ["cpu", "memory"]


def test_the_namespaces_share_one_queue(pools: Pools) -> None:
    [queue] = made(pools, "ClusterQueue", "team-a", "team-b", "team-a")
    [chosen] = queue["spec"]["namespaceSelector"]["matchExpressions"]
    assert chosen["values"] == ["team-a", "team-b"]
    local = made(pools, "LocalQueue", "team-a", "team-b", "team-a")
    assert [local_queue["metadata"] for local_queue in local] == [
        {"name": "batch", "namespace": "team-a"},
        {"name": "batch", "namespace": "team-b"},
    ]
    assert {local_queue["spec"]["clusterQueue"] for local_queue in local} == {queue["metadata"]["name"]}


def test_every_mistake_is_reported_at_once(pools: Pools) -> None:
    nodes = {"Standard_D8ds_v5": NODES["Standard_D8ds_v5"], "Standard_D8": Room("7", "20Gi")}
    with pytest.raises(PlacementError) as refused:
        kueue.objects(pools, ("kubeflow", "Team A"), nodes, "my queue")
    assert [str(mistake).split("; ")[0] for mistake in refused.value.mistakes] == [
        "--queue: 'my queue' is not allowed",
        "namespace: 'kubeflow' is the platform's, where the cluster's guard refuses pods that tolerate spot nodes",
        "namespace: 'Team A' is not allowed",
        "--node: 'Standard_D8' is not allowed",
        "--node is missing",
    ]
    assert str(refused.value.mistakes[-1]).startswith(
        "--node is missing; expected Standard_NC4as_T4_v3=CPU,MEMORY"
    )


@pytest.mark.parametrize(
    "text", ["", "S", "S=", "S=7", "S=7,", "S=7,27Gi,1", "S=-7,27Gi", "S=7 ,27Gi", "S=0,0"]
)
def test_what_a_node_has_needs_both_quantities(text: str) -> None:
    with pytest.raises(PlacementError, match="expected SIZE=CPU,MEMORY"):
        kueue.rooms([text])


def test_a_size_that_is_given_twice_is_refused() -> None:
    with pytest.raises(PlacementError, match="expected each VM size once"):
        kueue.rooms(["S=7,27Gi", "S=8,30Gi"])


def test_a_cluster_without_pools_for_work_is_refused(pools: Pools) -> None:
    with pytest.raises(PlacementError, match="there is no pool for work"):
        kueue.objects(Pools(pools.all[:1]), ("team-a",), {})
