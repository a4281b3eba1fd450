"""Nodes that are kept warm: what placeholders hold and where, what pushes them aside, and what scales them."""

from typing import Any, cast

import pytest

from components.kubeflow.headroom_script import scale
from components.kubeflow.prerequisites import KubeflowPrerequisites, KubeflowPrerequisitesArgs
from components.kubeflow.script_client import Api, ApiError
from tests.components import sample_arguments
from tests.components.conftest import Cloud

SPOT = sample_arguments.CONTRACT[0]
CPU = {**SPOT, "allocatable": {"cpu": "7820m", "memory": "30418Mi"}}
LARGER = {**CPU, "name": "batchlarge", "pool": "batch", "allocatable": {"cpu": "15.74", "memory": "61Gi"}}
GPU = {
    **SPOT,
    "name": "gpu",
    "role": "gpu",
    "gpus": 4,
    "taints": ["nvidia.com/gpu=present:NoSchedule", "a:NoExecute"],
}
HOURS = {"time_zone": "Europe/London", "days": ["Monday", "Sunday"], "opens": "08:30", "closes": "18:00"}


@pytest.fixture(scope="module", autouse=True)
def prerequisites(cloud: Cloud) -> KubeflowPrerequisites:
    """Two sizes of a CPU pool, kept warm at hours with an image, and GPUs at all times."""
    specs = [
        {"pool": "batch", "nodes": 2, "images": ["team.azurecr.io/train:1.4"], "hours": HOURS},
        {"pool": "gpu"},
    ]
    others = {
        "pools": [{**CPU, "pool": "batch"}, LARGER, sample_arguments.CONTRACT[1], GPU],
        "headroom": specs,
    }
    args = {**sample_arguments.PREREQUISITES, "network_policies": True, **others}
    return KubeflowPrerequisites("kf", cast(KubeflowPrerequisitesArgs, args), cloud.opts)


def pod(cloud: Cloud, pool: str) -> dict[str, Any]:
    return cloud.inputs(f"kf-headroom-{pool}")["spec"]["template"]["spec"]


def placed(cloud: Cloud, pool: str) -> list[str]:
    [term] = pod(cloud, pool)["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"][
        "nodeSelectorTerms"
    ]
    [on_pool] = term["matchExpressions"]
    assert (on_pool["key"], on_pool["operator"]) == ("kubernetes.azure.com/agentpool", "In")
    return on_pool["values"]


def test_a_placeholder_holds_a_node_of_each_size_and_none_on_demand(cloud: Cloud) -> None:
    [container] = pod(cloud, "batch")["containers"]
    assert placed(cloud, "batch") == ["batch", "batchlarge"]
    assert container["resources"]["requests"]["cpu"] == "7070m"
    assert pod(cloud, "batch")["tolerations"] == [
        {
            "key": "kubernetes.azure.com/scalesetpriority",
            "operator": "Equal",
            "value": "spot",
            "effect": "NoSchedule",
        }
    ]


def test_a_placeholder_holds_all_gpus_of_a_node(cloud: Cloud) -> None:
    [container] = pod(cloud, "gpu")["containers"]
    assert container["resources"] == {
        "requests": {"memory": "8Mi", "cpu": "1m", "nvidia.com/gpu": "4"},
        "limits": {"memory": "16Mi", "nvidia.com/gpu": "4"},
    }
    assert pod(cloud, "gpu")["tolerations"][1] == {
        "key": "a",
        "operator": "Equal",
        "value": "",
        "effect": "NoExecute",
    }


def test_the_autoscaler_makes_nodes_for_placeholders_and_all_work_pushes_them_aside(cloud: Cloud) -> None:
    placeholders, batch = cloud.inputs("kf-headroom-class"), cloud.inputs("kf-batch")
    assert pod(cloud, "batch")["priorityClassName"] == placeholders["metadata"]["name"]
    assert (placeholders["value"], placeholders["preemptionPolicy"]) == (-10, "Never")
    assert (batch["value"], batch["preemptionPolicy"]) == (-1, "PreemptLowerPriority")
    assert pod(cloud, "batch")["terminationGracePeriodSeconds"] == 0


def test_images_are_pulled_one_after_the_other_before_the_placeholder_runs(cloud: Cloud) -> None:
    [pull] = pod(cloud, "batch")["initContainers"]
    assert (pull["image"], pull["command"]) == ("team.azurecr.io/train:1.4", ["/bin/sh", "-c", "exit 0"])
    assert not pod(cloud, "gpu").get("initContainers")


def test_the_number_is_that_of_the_argument_or_left_to_the_hours(cloud: Cloud) -> None:
    assert cloud.inputs("kf-headroom-gpu")["spec"]["replicas"] == 1
    assert "replicas" not in cloud.inputs("kf-headroom-batch")["spec"]


def test_hours_set_the_number_in_local_time_with_a_right_to_nothing_else(cloud: Cloud) -> None:
    role = cloud.inputs("kf-headroom-role")
    for turn, schedule, replicas in (("open", "30 8 * * mon,sun", "2"), ("close", "0 18 * * mon,sun", "0")):
        job = cloud.inputs(f"kf-headroom-batch-{turn}")
        assert (job["spec"]["schedule"], job["spec"]["timeZone"]) == (schedule, "Europe/London")
        [container] = job["spec"]["jobTemplate"]["spec"]["template"]["spec"]["containers"]
        assert {entry["name"]: entry["value"] for entry in container["env"]} == {
            "NAMESPACE": "kubeflow-aks-headroom",
            "DEPLOYMENT": "headroom-batch",
            "REPLICAS": replicas,
        }
    assert role["rules"] == [
        {
            "apiGroups": ["apps"],
            "resources": ["deployments/scale"],
            "resourceNames": ["headroom-batch"],
            "verbs": ["patch"],
        }
    ]


def test_placeholders_are_where_no_privileged_pod_is_admitted_and_have_no_traffic(cloud: Cloud) -> None:
    namespace, closed = cloud.inputs("kf-headroom-namespace"), cloud.inputs("kf-headroom-no-traffic")
    assert namespace["metadata"]["labels"]["pod-security.kubernetes.io/enforce"] == "restricted"
    assert closed["metadata"]["namespace"] == namespace["metadata"]["name"] == "kubeflow-aks-headroom"
    traffic = cloud.inputs("kf-headroom-traffic")["spec"]
    assert traffic["podSelector"] == {"matchLabels": {"app.kubernetes.io/name": "headroom"}}
    assert not traffic.get("ingress")


def test_the_script_sets_the_number_and_nothing_else_and_fails_where_it_is_refused() -> None:
    requests: list[tuple[Any, ...]] = []

    class Server:
        def call(self, *request: Any) -> None:
            requests.append(request)
            if request[1].startswith("/apis/apps/v1/namespaces/gone/"):
                raise ApiError(404, "deployments.apps not found")

    settings = {"NAMESPACE": "ours-headroom", "DEPLOYMENT": "headroom-batch", "REPLICAS": "2"}
    scale(cast(Api, Server()), settings)
    path = "/apis/apps/v1/namespaces/ours-headroom/deployments/headroom-batch/scale"
    assert requests == [("PATCH", path, {"spec": {"replicas": 2}}, "merge-patch+json")]
    with pytest.raises(ApiError):
        scale(cast(Api, Server()), {**settings, "NAMESPACE": "gone"})
