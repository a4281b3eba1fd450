"""Differences as azure-native computes them."""

from typing import Any

import pytest

from kubeflow_aks.local_aks.azure.arm import normal_location
from kubeflow_aks.local_aks.azure.diff import detailed, refreshed
from kubeflow_aks.local_aks.azure.state import AGENT_POOL, MANAGED_CLUSTER
from kubeflow_aks.local_aks.azure.types import TYPES
from kubeflow_aks.local_aks.protocol.diff import Change, PropertyChange
from kubeflow_aks.local_aks.protocol.wire import UNKNOWN

Json = dict[str, Any]

ADD, DELETE, UPDATE = (
    PropertyChange(Change.ADD, replaces=False),
    PropertyChange(Change.DELETE, replaces=False),
    PropertyChange(Change.UPDATE, replaces=False),
)
REPLACE = PropertyChange(Change.UPDATE, replaces=True)


def changes(old: Json, new: Json, *replacing: str, outputs: Json | None = None) -> dict[str, PropertyChange]:
    return detailed(old, new, outputs or {}, frozenset(replacing))


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ({"a": 1}, {"a": 1}, {}),
        ({"a": 1}, {"a": 2}, {"a": UPDATE}),
        ({"a": 1}, {}, {"a": DELETE}),
        ({}, {"a": 1}, {"a": ADD}),
        ({"a": {"b": 1, "c": 2}}, {"a": {"b": 1, "d": 2}}, {"a.c": DELETE, "a.d": ADD}),
        ({"a": [1, 2]}, {"a": [1, 3, 4]}, {"a[1]": UPDATE, "a[2]": ADD}),
        ({"a": [1, 2]}, {"a": [1]}, {"a[1]": DELETE}),
        ({"a": [{"n": "x", "c": 1}]}, {"a": [{"n": "x", "c": 2}]}, {"a[0].c": UPDATE}),
        ({"a": {"b": 1}}, {"a": "b"}, {"a": UPDATE}),
        ({"a": 1}, {"a": UNKNOWN}, {"a": UPDATE}),
        ({"__createBeforeDelete": True, "a": 1}, {"a": 1}, {}),
        ({"location": "West Europe"}, {"location": "westeurope"}, {}),
        ({"resourceGroupName": "RG"}, {"resourceGroupName": "rg"}, {}),
        ({"sku": {"name": "Basic", "tier": "Paid"}}, {"sku": {"name": "Base", "tier": "Standard"}}, {}),
        (
            {"sku": {"name": "Base", "tier": "Free"}},
            {"sku": {"name": "Base", "tier": "Standard"}},
            {"sku.tier": UPDATE},
        ),
    ],
)
def test_differences_are_reported_by_path(old: Json, new: Json, expected: dict[str, PropertyChange]) -> None:
    assert changes(old, new) == expected


def test_a_property_that_forces_replacement_replaces_by_any_change_of_a_value() -> None:
    assert changes({"a": 1}, {"a": 2}, "a") == {"a": REPLACE}
    assert changes({"a": 1}, {}, "a") == {"a": PropertyChange(Change.DELETE, replaces=True)}
    assert changes({"a": {"b": 1}}, {"a": {"b": 2}}, "a") == {"a.b": REPLACE}
    assert changes({"a": {"b": 1}}, {"a": {"b": 2}}, "a.b") == {"a.b": REPLACE}
    assert changes({"a": [{"b": 1}]}, {"a": [{"b": 2}]}, "a[].b") == {"a[0].b": REPLACE}


def test_an_addition_inside_a_property_that_forces_replacement_is_an_update() -> None:
    assert changes({"a": {}}, {"a": {"b": 2}}, "a") == {"a.b": ADD}


def test_stating_what_azure_has_already_replaces_nothing() -> None:
    assert changes({}, {"a": 1}, "a", outputs={"a": 1}) == {"a": ADD}
    assert changes({}, {"a": 2}, "a", outputs={"a": 1}) == {"a": PropertyChange(Change.ADD, replaces=True)}


@pytest.mark.parametrize(
    ("token", "replaced", "updated"),
    [
        (
            AGENT_POOL,
            {"vmSize", "gpuInstanceProfile", "agentPoolName", "resourceName"},
            {"osDiskSizeGB", "maxPods"},
        ),
        (
            MANAGED_CLUSTER,
            {"dnsPrefix", "linuxProfile", "networkProfile.outboundType"},
            {"kubernetesVersion", "tags"},
        ),
    ],
)
def test_types_know_what_replaces_them(token: str, replaced: set[str], updated: set[str]) -> None:
    assert replaced <= TYPES[token].replacing
    assert not updated & TYPES[token].replacing


@pytest.mark.parametrize(
    ("inputs", "before", "now", "expected"),
    [
        ({"a": 1}, {"a": 1, "b": 2}, {"a": 1, "b": 2}, {"a": 1}),
        ({"a": 1}, {"a": 1}, {"a": 5}, {"a": 5}),
        ({"a": 1}, {"a": 1, "b": 2}, {"a": 1, "b": 3}, {"a": 1, "b": 3}),
        ({"a": 1}, {"a": 1}, {"a": 1, "b": 2}, {"a": 1, "b": 2}),
        ({"a": 1, "b": 2}, {"a": 1, "b": 2}, {"b": 2}, {"b": 2}),
        ({"a": {"x": 1}}, {"a": {"x": 1, "y": 2}}, {"a": {"x": 9, "y": 2}}, {"a": {"x": 9}}),
        (
            {"a": [{"x": 1}]},
            {"a": [{"x": 1, "y": 2}]},
            {"a": [{"x": 3, "y": 2}, {"x": 4}]},
            {"a": [{"x": 3}, {"x": 4}]},
        ),
        ({"group": "g", "a": 1}, {"a": 1}, {"a": 1}, {"group": "g", "a": 1}),
    ],
)
def test_refresh_applies_to_the_inputs_what_changed_in_azure_and_no_default(
    inputs: Json, before: Json, now: Json, expected: Json
) -> None:
    assert refreshed(inputs, before, now) == expected


def test_spellings_of_a_region_are_equal() -> None:
    assert normal_location("West Europe") == normal_location("westeurope")
