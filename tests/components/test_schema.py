"""Every component is fit for a Pulumi package: its schema can be inferred, and says what every input is."""

import json
from typing import Any

import pulumi
import pytest
from pulumi.provider.experimental.component import ComponentProvider

import components

NAMES = components.__all__


@pytest.fixture(scope="module")
def schema() -> dict[str, Any]:
    found: list[type[pulumi.ComponentResource]] = [getattr(components, name) for name in NAMES]
    return json.loads(ComponentProvider(found, "kubeflow-aks").schema or "")


def test_every_component_is_inferred(schema: dict[str, Any]) -> None:
    assert set(schema["resources"]) == {f"kubeflow-aks:index:{name}" for name in NAMES}


@pytest.mark.parametrize("name", NAMES)
def test_a_component_says_what_it_is(schema: dict[str, Any], name: str) -> None:
    assert schema["resources"][f"kubeflow-aks:index:{name}"]["description"]


@pytest.mark.parametrize("name", NAMES)
def test_every_input_says_what_it_is(schema: dict[str, Any], name: str) -> None:
    inputs: dict[str, Any] = schema["resources"][f"kubeflow-aks:index:{name}"]["inputProperties"]
    assert inputs
    assert [key for key, declared in inputs.items() if not declared.get("description")] == []


def test_every_field_of_every_nested_type_says_what_it_is(schema: dict[str, Any]) -> None:
    types: dict[str, dict[str, Any]] = schema["types"]
    silent = [
        f"{token}.{key}"
        for token, declared in types.items()
        for key, field in declared["properties"].items()
        if not field.get("description")
    ]
    assert types
    assert silent == []


def test_what_may_be_left_out_is_not_required(schema: dict[str, Any]) -> None:
    required: list[str] = schema["resources"]["kubeflow-aks:index:ContainerRegistry"]["requiredInputs"]
    assert set(required) == {"resourceGroupName", "location", "pullerObjectId", "tags"}
