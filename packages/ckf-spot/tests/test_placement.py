"""Where a pod may run, in the form that Kubernetes wants."""

from __future__ import annotations

import kubernetes_validate
import pytest

from ckf_spot import Placement, PlacementError, Pools

POOLS = Pools.sample()
TERMS = "requiredDuringSchedulingIgnoredDuringExecution"
WISHES = "preferredDuringSchedulingIgnoredDuringExecution"


@pytest.mark.parametrize(
    "placement",
    [
        POOLS["gpu"].placement(),
        POOLS["gpu"].placement(require="spot"),
        POOLS["gpu"].placement(require="on-demand"),
        POOLS["gpuspot"].placement(),
    ],
)
def test_a_pod_with_it_is_a_valid_pod(placement: Placement) -> None:
    pod = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "work"},
        "spec": {
            "containers": [{"name": "work", "image": "python:3.11-slim"}],
            "tolerations": placement.tolerations,
            "affinity": {"nodeAffinity": placement.node_affinity},
        },
    }
    kubernetes_validate.validate(pod, "1.33", strict=True)


def test_a_preference_is_one_required_term_and_one_wish_of_the_largest_weight() -> None:
    affinity = POOLS["cpu"].placement(prefer="spot").node_affinity
    assert len(affinity[TERMS]["nodeSelectorTerms"]) == 1
    assert [request["weight"] for request in affinity[WISHES]] == [100]


@pytest.mark.parametrize("require", ["spot", "on-demand"])
def test_a_requirement_is_one_term_and_no_wish(require: str) -> None:
    affinity = POOLS["cpu"].placement(require=require).node_affinity  # pyright: ignore[reportArgumentType]
    assert len(affinity[TERMS]["nodeSelectorTerms"]) == 1
    assert WISHES not in affinity


def test_a_taint_that_pools_share_is_tolerated_once() -> None:
    keys = [toleration["key"] for toleration in POOLS["gpu"].placement().tolerations]
    assert sorted(keys) == [
        "kubeflow-aks/fallback",
        "kubernetes.azure.com/scalesetpriority",
        "nvidia.com/gpu",
    ]


def test_on_demand_work_does_not_tolerate_spot() -> None:
    tolerations = POOLS["cpu"].placement(require="on-demand").tolerations
    assert [toleration["key"] for toleration in tolerations] == ["kubeflow-aks/fallback"]


def test_the_platforms_pool_needs_no_toleration() -> None:
    assert POOLS["platform"].placement(require="on-demand").tolerations == []


def test_a_node_selector_names_the_workload() -> None:
    assert POOLS["cpu"].placement().node_selector == {"kubeflow-aks/workload": "cpu"}


def test_a_node_selector_names_the_only_pool() -> None:
    assert POOLS["cpuspot"].placement(require="spot").node_selector == {
        "kubernetes.azure.com/agentpool": "cpuspot"
    }


def test_a_node_selector_can_not_name_two_pools() -> None:
    with pytest.raises(PlacementError, match="these are several pools: cpuspot, cpuod; name one of them"):
        _ = POOLS["cpuspot"].placement().node_selector


def test_a_preference_and_a_requirement_contradict_each_other() -> None:
    with pytest.raises(PlacementError, match="prefer='spot' and require='on-demand' contradict each other"):
        POOLS["cpu"].placement(prefer="spot", require="on-demand")


def test_a_capacity_that_there_is_not() -> None:
    with pytest.raises(PlacementError) as error:
        POOLS["general"].placement(require="spot")
    assert str(error.value) == "require='spot': 'general' has no spot pool; its pools: general (on-demand)"
