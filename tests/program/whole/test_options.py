"""The options of every resource: what replaces it, what it ignores, whose child it is, what it dies with."""

from typing import Any

import pytest

from kubeflow_aks.recorder.run import Record
from kubeflow_aks.recorder.sdk_types import check_resource
from tests.program.whole.records import CLUSTER, GROUP, POOL, PROVIDER, in_cluster

# What an autoscaler, an operator or a new release changes on a running pool (Azure CLI, `az aks nodepool update`).
CHANGEABLE = {
    "count",
    "enableAutoScaling",
    "maxCount",
    "minCount",
    "mode",
    "nodeLabels",
    "nodeTaints",
    "orchestratorVersion",
    "scaleDownMode",
    "tags",
    "upgradeSettings",
}


def test_what_replaces_a_pool_is_a_property_of_pools(up: Record) -> None:
    for pool in up.of(POOL):
        named = dict.fromkeys(pool.options["replaceOnChanges"])
        assert [
            mistake for mistake in check_resource(POOL, {**pool.inputs, **named}) if "unknown" in mistake
        ] == []


def test_what_aks_changes_on_a_running_pool_does_not_replace_it(up: Record) -> None:
    for pool in up.of(POOL):
        assert CHANGEABLE & set(pool.options["replaceOnChanges"]) == set()


def test_every_other_argument_of_a_pool_replaces_it(up: Record) -> None:
    """Apart from its names, and what the provider replaces it for by itself or nobody can set."""
    names = {"agentPoolName", "resourceName", "resourceGroupName"}
    fixed = {"type", "osSKU"}
    for pool in up.of(POOL):
        settable = set(pool.inputs) - CHANGEABLE - names - fixed - {"vmSize", "gpuInstanceProfile"}
        assert settable <= set(pool.options["replaceOnChanges"])


def test_pools_and_objects_die_with_the_cluster(up: Record) -> None:
    cluster = up.one(CLUSTER)
    for resource in [*up.of(POOL), *in_cluster(up)]:
        assert resource.options["deletedWith"] == cluster.urn


def test_nothing_else_dies_with_another(up: Record) -> None:
    dying = [
        resource
        for resource in up.resources.values()
        if resource.custom and "deletedWith" in resource.options
    ]
    assert {resource.type.split(":")[0] for resource in dying} == {"azure-native", "kubernetes"}
    assert {r.type for r in dying if r.type.startswith("azure")} == {
        POOL,
        "azure-native:containerservice:MaintenanceConfiguration",
    }


@pytest.mark.parametrize(
    ("token", "fields"),
    [
        ("kubernetes:scheduling.k8s.io/v1:PriorityClass", ["value", "preemptionPolicy"]),
        ("kubernetes:storage.k8s.io/v1:StorageClass", ["reclaimPolicy", "volumeBindingMode"]),
    ],
)
def test_an_object_is_replaced_where_the_api_server_cannot_change_it(
    up: Record, token: str, fields: list[str]
) -> None:
    for resource in up.of(token):
        assert resource.options["replaceOnChanges"] == fields
        assert resource.options["deleteBeforeReplace"] is True


def test_the_data_of_the_token_is_secret_in_the_state(up: Record) -> None:
    assert "data" in up.one("kubernetes:core/v1:Secret").options["additionalSecretOutputs"]


def test_every_object_goes_through_our_provider(up: Record) -> None:
    provider = up.one(PROVIDER)
    assert {resource.options["provider"].rpartition("::")[0] for resource in in_cluster(up)} == {provider.urn}


def test_the_provider_changes_config_maps_in_place_and_keeps_its_identity(up: Record) -> None:
    inputs = up.one(PROVIDER).inputs
    assert inputs["enableConfigMapMutable"] == "true"
    assert inputs["clusterIdentifier"].endswith(f"/{up.outputs['clusterName']}")


def test_every_resource_of_a_component_is_its_child(up: Record) -> None:
    top = {resource.type for resource in up.resources.values() if "pulumi:pulumi:Stack" in resource.parent}
    components = {resource.type for resource in up.resources.values() if not resource.custom}
    assert top == components | {GROUP, PROVIDER}


def test_every_component_has_children(up: Record) -> None:
    parents = {resource.parent for resource in up.resources.values()}
    assert {resource.urn for resource in up.resources.values() if not resource.custom} <= parents


def test_no_resource_carries_further_options(up: Record) -> None:
    expected = {
        "protect",
        "ignoreChanges",
        "replaceOnChanges",
        "deleteBeforeReplace",
        "deletedWith",
        "additionalSecretOutputs",
        "provider",
        "version",
    }
    used: set[Any] = {option for resource in up.resources.values() for option in resource.options}
    assert used <= expected


def test_providers_are_of_the_pinned_versions(up: Record) -> None:
    versions = {
        (resource.type.split(":")[0], resource.options["version"])
        for resource in up.resources.values()
        if resource.custom and resource.type != PROVIDER
    }
    assert versions == {("azure-native", "3.29.0"), ("kubernetes", "4.34.2")}
