"""What comes to the plugin from a program in another language, as a component takes it."""

from collections.abc import Callable
from typing import Any

import pulumi
import pytest

from components.package import Package
from tests.components.conftest import value

Arguments = Callable[[str, dict[str, Any]], Any]


@pytest.fixture(scope="module")
def arguments(package: Package) -> Arguments:
    """What a component's class takes, of its name and what the engine sends."""
    definitions = vars(package)["_component_defs"]
    return lambda component, inputs: package.map_inputs(inputs, definitions[component])


def test_names_are_pythons_and_whole_numbers_integers(arguments: Arguments) -> None:
    inputs = {
        "resourceGroupName": "group",
        "resourceGroupId": "id",
        "location": "westeurope",
        "kubernetes": {"maintenance": {"durationHours": 5.0, "day": "Sunday"}},
        "autoscaler": {"scaleDownUtilizationThreshold": 1.0},
        "systemPool": None,
    }
    taken = arguments("AksCluster", inputs)
    assert taken == {
        "resource_group_name": "group",
        "resource_group_id": "id",
        "location": "westeurope",
        "kubernetes": {"maintenance": {"duration_hours": 5, "day": "Sunday"}},
        "autoscaler": {"scale_down_utilization_threshold": 1.0},
    }
    assert isinstance(taken["kubernetes"]["maintenance"]["duration_hours"], int)


def test_labels_keep_their_names(arguments: Arguments) -> None:
    [pool] = arguments("AgentPools", pools(labels={"teamName": "a"}))["pools"]
    assert pool == {"name": "a", "vm_size": "D8", "max_count": 3, "labels": {"teamName": "a"}}


def test_outputs_stay_outputs_of_pythons_values(arguments: Arguments) -> None:
    count = pulumi.Output.from_input(3.0)
    [pool] = arguments(
        "AgentPools", pools(maxCount=count, evictionPolicy=pulumi.Output.from_input("Delete"))
    )["pools"]
    assert isinstance(pool["eviction_policy"], pulumi.Output)
    pool = value(pulumi.Output.from_input(pool))
    assert pool == {"name": "a", "vm_size": "D8", "max_count": 3, "eviction_policy": "Delete"}
    assert isinstance(pool["max_count"], int)


def test_an_output_of_a_whole_object_is_no_empty_one(arguments: Arguments) -> None:
    inputs = {"resourceGroupName": "g", "resourceGroupId": "id", "location": "l"}
    network = pulumi.Output.from_input({"podCidr": "10.0.0.0/8"})
    network_args = arguments("AksCluster", {**inputs, "network": network})["network"]
    assert value(network_args) == {"pod_cidr": "10.0.0.0/8"}


def test_all_that_is_missing_is_named_at_once(arguments: Arguments) -> None:
    with pytest.raises(pulumi.InputPropertiesError) as refusal:
        arguments("AgentPools", {"cluster": "a", "pools": [{"name": "a", "vmSize": "D8"}, {"name": "b"}]})
    assert refusal.value.errors == [
        {"property_path": path, "reason": "missing"}
        for path in ("resourceGroupName", "pools[0].maxCount", "pools[1].vmSize", "pools[1].maxCount")
    ]


def test_a_key_that_the_schema_lacks_is_refused_with_the_schemas_keys(arguments: Arguments) -> None:
    with pytest.raises(pulumi.InputPropertiesError) as refusal:
        arguments("AgentPools", {**pools(maxcount=4.0, osDisk={"sizeGb": 64.0}), "osSKU": "Ubuntu"})
    reasons = {error["property_path"]: error["reason"] for error in refusal.value.errors or ()}
    assert list(reasons) == ["osSKU", "pools[0].maxcount", "pools[0].osDisk.sizeGb"]
    assert reasons["pools[0].maxcount"].endswith("did you mean maxCount?")
    assert reasons["pools[0].osDisk.sizeGb"] == (
        "64 is not allowed; expected one of the keys type, sizeGib; did you mean sizeGib?"
    )


def pools(**fields: Any) -> dict[str, Any]:
    pool = {"name": "a", "vmSize": "D8", "maxCount": 3.0, **fields}
    return {"resourceGroupName": "group", "cluster": "cluster", "pools": [pool]}
