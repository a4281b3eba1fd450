"""The queues that the package makes, against Kueue's real custom resources, down to their own rules."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from ckf_spot import Pools
from ckf_spot.generated import kueue
from ckf_spot.generated.kueue import Room
from kubeflow_aks.clients.kubernetes.errors import ApiError
from tests.local.custom_resources import CustomResources

NODES = {"Standard_D8ds_v5": Room("7820m", "27Gi"), "Standard_NC4as_T4_v3": Room("3860m", "24Gi")}


@pytest.fixture(scope="module")
def made(crds: CustomResources) -> list[dict[str, Any]]:
    crds.install("kueue")
    pools = Pools.sample()
    return kueue.objects(pools, ("default",), NODES)


def test_the_api_server_takes_every_object_as_it_is(
    crds: CustomResources, made: list[dict[str, Any]]
) -> None:
    taken = crds.accept(*made)
    assert [item["kind"] for item in taken] == [*["ResourceFlavor"] * 4, "ClusterQueue", "LocalQueue"]
    for ours, theirs in zip(made, taken, strict=True):
        assert theirs["spec"].items() >= ours["spec"].items(), "it stores the object as sent"


def test_they_can_be_made(crds: CustomResources, made: list[dict[str, Any]]) -> None:
    crds.kubectl.apply(*made)
    [queue] = crds.kubectl.items("clusterqueues.kueue.x-k8s.io")
    assert queue["apiVersion"] == kueue.API_VERSION, "the version that is stored"
    crds.kubectl.apply(*made)  # again, after a change of the pools
    kinds = ("resourceflavors.kueue.x-k8s.io", "clusterqueues.kueue.x-k8s.io", "localqueues.kueue.x-k8s.io")
    crds.kubectl.run("delete", ",".join(kinds), "--all")


def test_a_flavor_without_all_quotas_is_refused(crds: CustomResources, made: list[dict[str, Any]]) -> None:
    """What the objects would get away with if nobody were strict."""
    queue = copy.deepcopy(made[-2])
    queue["spec"]["resourceGroups"][0]["flavors"][0]["resources"].pop()
    with pytest.raises(ApiError, match="flavors must have the same number of resources"):
        crds.accept(queue)


def test_a_field_that_kueue_does_not_know_is_refused(
    crds: CustomResources, made: list[dict[str, Any]]
) -> None:
    flavor = copy.deepcopy(made[0])
    flavor["spec"]["nodeLabel"] = flavor["spec"].pop("nodeLabels")
    with pytest.raises(ApiError, match="unknown field"):
        crds.accept(flavor)
