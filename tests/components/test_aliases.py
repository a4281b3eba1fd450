"""Aliases: those of a program stay, so that renaming is no replacement; those of the SDK go."""

from collections.abc import Callable
from typing import Any

import pulumi
import pytest
from pulumi_azure_native import containerservice as aks

from components.azure.aliases import of_child, without_version_aliases
from components.data_store.data_store import DataStore, DataStoreArgs
from components.registry.container_registry import ContainerRegistry, ContainerRegistryArgs
from kubeflow_aks.recorder.monitor import Resource
from kubeflow_aks.recorder.run import record

POOL = "azure-native:containerservice:AgentPool"


class Pools(pulumi.ComponentResource):
    """A component with one child."""

    def __init__(self, name: str, child: str, *aliases: pulumi.Input[str | pulumi.Alias]) -> None:
        super().__init__("test:index:Pools", name, {})
        aks.AgentPool(
            child,
            resource_group_name="group",
            resource_name_="aks",
            opts=pulumi.ResourceOptions(parent=self, aliases=list(aliases)),
        )


def planned(make: Callable[[], object]) -> Resource:
    """The pool of a program that drops version aliases as ours does."""

    def program() -> None:
        pulumi.runtime.register_stack_transformation(without_version_aliases)
        make()

    return record("dev", program=program).one(POOL)


def test_a_renamed_child_is_planned_as_the_resource_it_was() -> None:
    before = planned(lambda: Pools("pools", "old"))
    after = planned(lambda: Pools("pools", "new", pulumi.Alias(name="old")))
    assert after.options["aliases"] == [before.urn]


def test_an_alias_given_as_a_urn_stays() -> None:
    before = planned(lambda: Pools("pools", "old"))
    after = planned(lambda: Pools("pools", "new", before.urn))
    assert after.options["aliases"] == [before.urn]


def test_a_child_that_moved_into_a_component_is_planned_as_the_resource_it_was() -> None:
    def alone() -> object:
        return aks.AgentPool("pool", resource_group_name="group", resource_name_="aks")

    before = planned(alone)
    after = planned(lambda: Pools("pools", "pool", pulumi.Alias(parent=pulumi.ROOT_STACK_RESOURCE)))
    assert after.options["aliases"] == [before.urn]


@pytest.mark.parametrize(
    ("alias", "stays"),
    [
        (pulumi.Alias(type_="azure-native:containerservice/v20250901:AgentPool"), False),
        (pulumi.Alias(type_="azure-native:containerservice/v20260102preview:AgentPool"), False),
        (pulumi.Alias(type_="azure-native:containerservice/v20250901:AgentPool", name="old"), True),
        (pulumi.Alias(type_="azure-native:containerservice:Pool"), True),
        (pulumi.Alias(name="old"), True),
        ("urn:pulumi:dev::kubeflow-aks::azure-native:containerservice/v20250901:AgentPool::pool", True),
    ],
)
def test_only_what_says_nothing_but_a_version_goes(alias: Any, stays: bool) -> None:
    args = pulumi.ResourceTransformationArgs(
        resource=None,  # pyright: ignore[reportArgumentType] - the transformation does not look at it
        type_=POOL,
        name="pool",
        props={},
        opts=pulumi.ResourceOptions(aliases=[alias]),
    )
    result = without_version_aliases(args)
    assert result
    assert result.opts.aliases == ([alias] if stays else None)


def test_a_resource_without_aliases_of_the_program_has_none() -> None:
    assert "aliases" not in planned(lambda: Pools("pools", "pool")).options


def test_resources_of_other_providers_are_left_alone() -> None:
    args = pulumi.ResourceTransformationArgs(
        resource=None,  # pyright: ignore[reportArgumentType]
        type_="kubernetes:core/v1:ConfigMap",
        name="map",
        props={},
        opts=pulumi.ResourceOptions(aliases=[pulumi.Alias(name="old")]),
    )
    assert without_version_aliases(args) is None


@pytest.mark.parametrize(
    "alias",
    [
        pulumi.Alias(name="team-one"),
        pulumi.Alias(name="team-one", parent=pulumi.ROOT_STACK_RESOURCE),
        "urn:pulumi:dev::team::kubeflow-aks:index:ContainerRegistry::team-one",
    ],
)
def test_a_child_named_in_its_own_way_follows_its_renamed_component(alias: Any) -> None:
    [child] = of_child(pulumi.ResourceOptions(aliases=[alias]), lambda name: name.replace("-", ""))
    assert isinstance(child, pulumi.Alias)
    assert child.name == "teamone"


def test_a_child_of_a_component_that_kept_its_name_has_no_alias() -> None:
    moved = pulumi.ResourceOptions(aliases=[pulumi.Alias(parent=pulumi.ROOT_STACK_RESOURCE)])
    assert of_child(moved, str.lower) == of_child(None, str.lower) == []


def registry(name: str, opts: pulumi.ResourceOptions) -> object:
    """A registry, whose own name has no hyphens."""
    args = ContainerRegistryArgs(resource_group_name="group", location="westeurope", puller_object_id="id")
    return ContainerRegistry(name, args, opts)


def store(name: str, opts: pulumi.ResourceOptions) -> object:
    """A store, whose account's name has no hyphens."""
    args = DataStoreArgs(resource_group_name="group", location="westeurope", oidc_issuer="https://issuer")
    return DataStore(name, args, opts)


@pytest.mark.parametrize(
    ("kind", "make"),
    [("azure-native:containerregistry:Registry", registry), ("azure-native:storage:StorageAccount", store)],
)
def test_a_renamed_component_keeps_what_is_named_in_letters_alone(
    kind: str, make: Callable[[str, pulumi.ResourceOptions], object]
) -> None:
    def made(name: str, *old: str) -> Resource:
        opts = pulumi.ResourceOptions(aliases=[pulumi.Alias(name=alias) for alias in old])
        return record("dev", program=lambda: make(name, opts)).one(kind)

    assert made("old-one").urn in made("new-one", "old-one").options["aliases"]
