"""The check against the SDK's own types finds what mocks, type checkers and the provider let pass."""

import os
import subprocess
import sys
import textwrap
from typing import Any

import pytest
from pulumi import _types  # pyright: ignore[reportPrivateUsage]
from pulumi.runtime import rpc
from pulumi_azure_native.containerservice import OSSKU

from kubeflow_aks.project import IMPORT_PATH
from kubeflow_aks.recorder.sdk_types import check_resource

CLUSTER = "azure-native:containerservice:ManagedCluster"
POOL = "azure-native:containerservice:AgentPool"
NAMESPACE = "kubernetes:core/v1:Namespace"


def in_pool(**fields: Any) -> list[str]:
    inputs = {"resourceGroupName": "g", "agentPoolProfiles": [{"name": "system", **fields}]}
    return check_resource(CLUSTER, inputs)


def test_inputs_the_sdk_knows_have_no_mistakes() -> None:
    assert in_pool(mode="System", count=3, enableAutoScaling=True, nodeTaints=["a=b:NoSchedule"]) == []


def test_an_unknown_property_is_found_at_any_depth() -> None:
    assert in_pool(vmsize="x") == ["ManagedCluster.agentPoolProfiles[0].vmsize: unknown property"]
    assert check_resource(POOL, {"resourceGroupName": "g", "resourceName": "c", "sizes": 1}) == [
        "AgentPool.sizes: unknown property"
    ]


def test_a_required_property_is_missed() -> None:
    assert "ManagedCluster.resourceGroupName: required" in check_resource(CLUSTER, {})
    inner = check_resource(CLUSTER, {"resourceGroupName": "g", "agentPoolProfiles": [{}]})
    assert inner == ["ManagedCluster.agentPoolProfiles[0].name: required"]


def test_a_value_outside_an_enum_is_found() -> None:
    [mistake] = in_pool(mode="Sytem")
    assert mistake.startswith(
        "ManagedCluster.agentPoolProfiles[0].mode: 'Sytem' is not one of ['System', 'User'"
    )


def test_a_value_that_only_newer_apis_have_may_be_passed_on() -> None:
    assert in_pool(osSKU="Ubuntu2404") == []
    assert len(in_pool(osSKU="Ubuntu2604")) == 1


def test_the_locked_sdk_lacks_what_only_newer_apis_have() -> None:
    """When this fails, `Ubuntu2404` becomes the system of long-term support, and its warning goes."""
    assert "Ubuntu2404" not in {item.value for item in OSSKU}


@pytest.mark.parametrize(
    "field",
    [{"count": "3"}, {"count": True}, {"nodeTaints": "a=b:NoSchedule"}, {"enableAutoScaling": "true"}],
)
def test_a_value_of_another_type_is_found(field: dict[str, Any]) -> None:
    [mistake] = in_pool(**field)
    assert "does not fit" in mistake


def test_a_value_of_another_type_is_found_in_a_map() -> None:
    inputs = {"resourceGroupName": "g", "resourceName": "c", "nodeLabels": {"a": 1}}
    [mistake] = check_resource(POOL, inputs)
    assert mistake.startswith("AgentPool.nodeLabels.a: 1 does not fit")


@pytest.mark.parametrize("value", [None, rpc.UNKNOWN])
def test_what_only_an_up_knows_passes(value: str | None) -> None:
    assert in_pool(count=value) == []


def test_a_whole_number_is_a_number() -> None:
    inputs = {"resourceGroupName": "g", "resourceName": "c", "spotMaxPrice": -1}
    assert check_resource(POOL, inputs) == []


def test_kubernetes_objects_are_checked_as_well() -> None:
    metadata = {"name": "x", "labels": {"a": "b"}}
    assert check_resource(NAMESPACE, {"metadata": metadata}) == []
    assert check_resource(NAMESPACE, {"metadata": {**metadata, "lables": {}}}) == [
        "Namespace.metadata.lables: unknown property"
    ]


def test_a_constant_of_a_kubernetes_object_is_checked() -> None:
    assert check_resource(NAMESPACE, {"apiVersion": "v1", "kind": "Namespace", "metadata": {}}) == []
    [mistake] = check_resource(NAMESPACE, {"kind": "Namespaces", "metadata": {}})
    assert mistake.startswith("Namespace.kind: 'Namespaces' does not fit")


@pytest.mark.parametrize(
    "token",
    ["azure-native:containerservice:AgentPol", "azure-native:containers:AgentPool", "kubernetes:core/v9:Pod"],
)
def test_any_other_resource_is_unknown(token: str) -> None:
    with pytest.raises(LookupError):
        check_resource(token, {})


def test_the_private_names_of_the_sdk_are_still_there() -> None:
    assert {"_raw_return_hints", "_py_to_pulumi_names_from_py_properties", "is_input_type"} <= set(
        vars(_types)
    )
    assert isinstance(vars(rpc)["_RESOURCE_MODULES"], dict)


def test_many_threads_may_be_the_first_to_need_a_module() -> None:
    """In a process of its own, for a module is loaded once."""
    first = """
        from concurrent.futures import ThreadPoolExecutor
        from threading import Barrier
        from kubeflow_aks.recorder import sdk_types
        together = Barrier(8)
        def find(_):
            together.wait()
            return sdk_types.input_class("azure-native:network:VirtualNetwork")
        with ThreadPoolExecutor(8) as threads:
            assert len({*threads.map(find, range(8))}) == 1
    """
    code = textwrap.dedent(first)
    environment = {**os.environ, "PYTHONPATH": IMPORT_PATH}
    subprocess.run([sys.executable, "-P", "-c", code], env=environment, check=True)
