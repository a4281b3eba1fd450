"""The pod that returns work to spot: what it may do and where, and what it is given."""

import json
from typing import Any, cast

import pytest

from components.kubeflow.prerequisites import KubeflowPrerequisites, KubeflowPrerequisitesArgs
from tests.components import sample_arguments
from tests.components.conftest import Cloud

NAME = "return-to-spot"


@pytest.fixture(scope="module", autouse=True)
def prerequisites(cloud: Cloud) -> KubeflowPrerequisites:
    """The return in a cluster with an engine for network policies, and with prices of its nodes."""
    others = {"network_policies": True, NAME.replace("-", "_"): True, "node_prices": {"b": 0.5, "a": 0.1}}
    args = cast(KubeflowPrerequisitesArgs, {**sample_arguments.PREREQUISITES, **others})
    return KubeflowPrerequisites("kf", args, cloud.opts)


def rights(body: dict[str, Any]) -> dict[str, set[str]]:
    return {resource: set(rule["verbs"]) for rule in body["rules"] for resource in rule["resources"]}


def test_its_rights_are_those_of_its_requests(cloud: Cloud) -> None:
    everywhere, inside = map(cloud.inputs, (f"kf-{NAME}-role", f"kf-{NAME}-inside"))
    assert rights(everywhere) == {"nodes": {"get"}, "pods": {"list"}, "pods/eviction": {"create"}}
    assert rights(inside) == {"pods": {"get", "create", "delete"}, "configmaps": {"get", "create", "update"}}


def test_it_creates_pods_only_where_no_privileged_one_is_admitted(cloud: Cloud) -> None:
    names = (f"kf-{NAME}-namespace", "kf-namespace", f"kf-{NAME}-inside", f"kf-{NAME}-inside-binding")
    namespace, ours, role, binding = map(cloud.inputs, names)
    there = namespace["metadata"]["name"]
    assert there == "kubeflow-aks-return-to-spot"
    assert namespace["metadata"]["labels"]["pod-security.kubernetes.io/enforce"] == "restricted"
    assert ours["metadata"]["labels"]["pod-security.kubernetes.io/enforce"] == "privileged"
    assert {body["metadata"]["namespace"] for body in (role, binding)} == {there}
    assert binding["subjects"] == [{"kind": "ServiceAccount", "name": NAME, "namespace": "kubeflow-aks"}]


def test_placeholders_have_no_traffic_and_the_pod_reaches_the_api_server(cloud: Cloud) -> None:
    names = (f"kf-{NAME}-no-traffic", f"kf-{NAME}-traffic")
    closed, open_to_api = map(cloud.inputs, names)
    assert closed["metadata"]["namespace"] == "kubeflow-aks-return-to-spot"
    assert closed["spec"] == {"podSelector": {}, "policyTypes": ["Ingress", "Egress"]}
    assert open_to_api["metadata"]["namespace"] == "kubeflow-aks"
    assert open_to_api["spec"]["egress"] == [{"ports": [{"port": 443, "protocol": "TCP"}]}]


def test_its_script_is_given_namespaces_image_and_prices(cloud: Cloud) -> None:
    names = (f"kf-{NAME}-script", f"kf-{NAME}")
    script, deployment = map(cloud.inputs, names)
    assert set(script["data"]) == {
        *("script_client.py", "script_metrics.py"),
        *("return_memory.py", "return_script.py"),
    }
    [container] = deployment["spec"]["template"]["spec"]["containers"]
    assert container["command"][-1] == "scripts.return_script"
    settings = {variable["name"]: variable["value"] for variable in container["env"]}
    assert json.loads(settings.pop("PRICES")) == {"a": 0.1, "b": 0.5}
    assert settings.pop("IMAGE").startswith("mcr.microsoft.com/oss/v2/kubernetes/pause:")
    assert settings == {
        "NAMESPACE": "kubeflow-aks",
        "PLACEHOLDERS": "kubeflow-aks-return-to-spot",
        "REPORT": "/dev/termination-log",
        "METRICS": "0.0.0.0:9464",
    }
