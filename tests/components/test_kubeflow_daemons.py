"""The daemons that run beside Charmed Kubeflow: where they run, and what they may do there."""

import re
from typing import Any, cast

import pytest
import yaml

from components.arguments.errors import ArgumentsError
from components.kubeflow.prerequisites import KubeflowPrerequisites, KubeflowPrerequisitesArgs
from tests.components import sample_arguments
from tests.components.conftest import Cloud

DAEMONS = ["kf-inotify", "kf-device-plugin"]
UNPRIVILEGED = [("kf-inotify", "pause"), ("kf-device-plugin", "nvidia-device-plugin")]


@pytest.fixture(scope="module", autouse=True)
def prerequisites(cloud: Cloud) -> KubeflowPrerequisites:
    """The prerequisites that tests read unless they make some of their own."""
    return KubeflowPrerequisites("kf", sample_arguments.PREREQUISITES, cloud.opts)


def _containers(body: dict[str, Any]) -> list[dict[str, Any]]:
    pod = body["spec"]["template"]["spec"]
    return [*pod.get("initContainers", []), *pod["containers"]]


def _container(body: dict[str, Any], name: str) -> dict[str, Any]:
    return next(container for container in _containers(body) if container["name"] == name)


def test_kernel_limits_are_only_raised(cloud: Cloud) -> None:
    [container] = cloud.inputs("kf-inotify")["spec"]["template"]["spec"]["initContainers"]
    *_, script = container["command"]
    assert script.splitlines() == [
        f'f=/proc/sys/fs/inotify/{key}; [ "$(cat "$f")" -ge {least} ] || echo {least} > "$f"; '
        f'echo "{key} $(cat "$f")"'
        for key, least in (("max_user_instances", 1280), ("max_user_watches", 655360))
    ]


def test_kernel_limits_are_raised_where_kubeflow_runs_and_nowhere_else(cloud: Cloud) -> None:
    pod = cloud.inputs("kf-inotify")["spec"]["template"]["spec"]
    assert pod["nodeSelector"] == {"kubernetes.io/os": "linux", "kubeflow-aks/workload": "platform"}
    assert "tolerations" not in pod


def test_only_the_container_that_raises_the_limits_is_privileged(cloud: Cloud) -> None:
    pod = cloud.inputs("kf-inotify")["spec"]["template"]["spec"]
    assert [container["securityContext"]["privileged"] for container in pod["initContainers"]] == [True]
    assert ["privileged" in container["securityContext"] for container in pod["containers"]] == [False]


def test_the_device_plugin_runs_on_every_gpu_node_whatever_its_taints(cloud: Cloud) -> None:
    pod = cloud.inputs("kf-device-plugin")["spec"]["template"]["spec"]
    assert pod["tolerations"] == [{"operator": "Exists"}]
    assert pod["nodeSelector"] == {"kubernetes.azure.com/accelerator": "nvidia"}


def test_the_device_plugin_reaches_the_kubelet(cloud: Cloud) -> None:
    pod = cloud.inputs("kf-device-plugin")["spec"]["template"]["spec"]
    [mount], [volume] = pod["containers"][0]["volumeMounts"], pod["volumes"]
    assert mount["mountPath"] == volume["hostPath"]["path"] == "/var/lib/kubelet/device-plugins"
    assert mount["name"] == volume["name"]


@pytest.mark.parametrize("name", ["kf-inotify", "kf-device-plugin"])
def test_a_daemon_selects_its_own_pods(cloud: Cloud, name: str) -> None:
    body = cloud.inputs(name)
    spec = body["spec"]
    # The API server lets nobody change a selector, so it stays what it was in clusters that run.
    assert spec["selector"]["matchLabels"] == {"app.kubernetes.io/name": body["metadata"]["name"]}
    assert spec["selector"]["matchLabels"].items() <= spec["template"]["metadata"]["labels"].items()


@pytest.mark.parametrize("name", ["kf-inotify", "kf-device-plugin"])
def test_the_images_of_a_daemon_are_pinned_to_their_bytes(cloud: Cloud, name: str) -> None:
    for container in _containers(cloud.inputs(name)):
        assert re.fullmatch(r"[a-z0-9./-]+:v?[0-9][0-9.]*@sha256:[0-9a-f]{64}", container["image"])


def test_an_up_does_not_wait_for_the_device_plugin_on_spot_nodes_that_go(cloud: Cloud) -> None:
    assert cloud.inputs("kf-device-plugin")["metadata"]["annotations"] == {"pulumi.com/skipAwait": "true"}


def test_a_node_that_goes_does_not_hold_up_the_device_plugin_on_others(cloud: Cloud) -> None:
    strategy = cloud.inputs("kf-device-plugin")["spec"]["updateStrategy"]
    assert strategy == {"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": "100%"}}


def test_an_up_waits_for_the_kernel_limits_of_kubeflows_home(cloud: Cloud) -> None:
    assert "annotations" not in cloud.inputs("kf-inotify")["metadata"]


@pytest.mark.parametrize("name", DAEMONS)
def test_every_container_says_what_it_needs_and_the_most_memory_it_may_take(cloud: Cloud, name: str) -> None:
    for container in _containers(cloud.inputs(name)):
        assert container["resources"]["requests"].keys() == {"cpu", "memory"}
        # No limit on CPU: it would slow a daemon down while the node has CPU to spare.
        assert container["resources"]["limits"].keys() == {"memory"}


@pytest.mark.parametrize("name", DAEMONS)
def test_no_container_writes_into_its_image_and_all_are_filtered(cloud: Cloud, name: str) -> None:
    body = cloud.inputs(name)
    pod = body["spec"]["template"]["spec"]
    assert pod["securityContext"] == {"seccompProfile": {"type": "RuntimeDefault"}}
    assert [c["securityContext"]["readOnlyRootFilesystem"] for c in _containers(body)] == [True] * len(
        _containers(body)
    )


@pytest.mark.parametrize(("name", "container"), UNPRIVILEGED)
def test_a_container_that_stays_gains_no_rights(cloud: Cloud, name: str, container: str) -> None:
    rights = _container(cloud.inputs(name), container)["securityContext"]
    assert (rights["allowPrivilegeEscalation"], rights["capabilities"]) == (False, {"drop": ["ALL"]})


def test_what_only_waits_is_not_root(cloud: Cloud) -> None:
    rights = _container(cloud.inputs("kf-inotify"), "pause")["securityContext"]
    assert (rights["runAsNonRoot"], rights["runAsUser"], rights["runAsGroup"]) == (True, 65535, 65535)


def _sliced(cloud: Cloud, name: str) -> dict[str, Any]:
    KubeflowPrerequisites(name, {**sample_arguments.PREREQUISITES, "gpu_slices": True}, cloud.opts)
    return cloud.inputs(f"{name}-device-plugin")


def test_whole_gpus_are_seen_without_further_rights(cloud: Cloud) -> None:
    names = [
        variable["name"]
        for variable in _container(cloud.inputs("kf-device-plugin"), "nvidia-device-plugin")["env"]
    ]
    assert names == ["FAIL_ON_INIT_ERROR", "MIG_STRATEGY"]


def test_slices_of_gpus_are_seen_with_the_one_right_that_the_driver_asks_for(cloud: Cloud) -> None:
    plugin = _container(_sliced(cloud, "sliced"), "nvidia-device-plugin")
    assert {"name": "NVIDIA_MIG_MONITOR_DEVICES", "value": "all"} in plugin["env"]
    rights = plugin["securityContext"]
    assert rights["capabilities"] == {"drop": ["ALL"], "add": ["SYS_ADMIN"]}
    # The API server refuses both at once.
    assert "allowPrivilegeEscalation" not in rights


def test_without_daemons_the_namespace_lets_no_pod_in_that_has_rights(cloud: Cloud) -> None:
    less = {"inotify": {"enabled": False}, "device_plugin": False}
    args = cast(KubeflowPrerequisitesArgs, {**sample_arguments.PREREQUISITES, **less})
    KubeflowPrerequisites("bare", args, cloud.opts)
    assert (
        cloud.inputs("bare-namespace")["metadata"]["labels"]["pod-security.kubernetes.io/enforce"]
        == "restricted"
    )


SHARED = {"gpu_time_slices": [4, 8]}


def _shared(cloud: Cloud, name: str) -> None:
    KubeflowPrerequisites(
        name, cast(KubeflowPrerequisitesArgs, {**sample_arguments.PREREQUISITES, **SHARED}), cloud.opts
    )


def test_each_node_has_the_plugin_for_its_number_of_time_slices_and_no_other(cloud: Cloud) -> None:
    _shared(cloud, "shared")
    names = ("shared-device-plugin", "shared-device-plugin-4", "shared-device-plugin-8")
    bodies = [*map(cloud.inputs, names)]
    pods = [body["spec"]["template"]["spec"] for body in bodies]
    label = "kubeflow-aks/gpu-time-slices"
    assert [pod["nodeSelector"].get(label) for pod in pods] == [None, "4", "8"]
    required = pods[0]["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]
    [term] = required["nodeSelectorTerms"]
    assert term == {"matchExpressions": [{"key": label, "operator": "DoesNotExist"}]}
    assert [pod.get("affinity") for pod in pods[1:]] == [None, None]
    assert all(pod["nodeSelector"]["kubernetes.azure.com/accelerator"] == "nvidia" for pod in pods)
    assert all(pod["tolerations"] == [{"operator": "Exists"}] for pod in pods)
    # None of them may take another one's pods for its own.
    selected = [body["spec"]["selector"]["matchLabels"] for body in bodies]
    worn = [body["spec"]["template"]["metadata"]["labels"] for body in bodies]
    assert [[one.items() <= other.items() for other in worn] for one in selected] == [
        [one == other for other in range(3)] for one in range(3)
    ]


def test_the_plugin_reads_its_time_slices_from_a_file(cloud: Cloud) -> None:
    _shared(cloud, "configured")
    names = ("configured-device-plugin-4", "configured-time-slices-4")
    daemon, config = map(cloud.inputs, names)
    plugin = _container(daemon, "nvidia-device-plugin")
    [variable] = [entry for entry in plugin["env"] if entry["name"] == "CONFIG_FILE"]
    [mount] = [entry for entry in plugin["volumeMounts"] if entry["name"] == "config"]
    [volume] = [entry for entry in daemon["spec"]["template"]["spec"]["volumes"] if entry["name"] == "config"]
    assert volume["configMap"] == {"name": config["metadata"]["name"]}
    folder, _, file = variable["value"].rpartition("/")
    assert folder == mount["mountPath"]
    assert yaml.safe_load(config["data"][file]) == {
        "version": "v1",
        "sharing": {
            "timeSlicing": {
                "failRequestsGreaterThanOne": True,
                "resources": [{"name": "nvidia.com/gpu", "replicas": 4}],
            }
        },
    }


@pytest.mark.parametrize(
    ("numbers", "words"),
    [
        ([4, 4], "gpuTimeSlices: 4 is not allowed; expected each number once"),
        ([1], "gpuTimeSlices: 1 is not allowed; expected at least 2"),
        ([49], "gpuTimeSlices: 49 is not allowed; expected at most 48"),
        ([8], r"gpuTimeSlices: \[8\] is not allowed; expected 4 as well, which pool gpus has"),
    ],
)
def test_numbers_of_time_slices_are_judged(numbers: list[int], words: str) -> None:
    pool = sample_arguments.CONTRACT[1] | {"name": "gpus", "gpus": 4}
    pool["labels"] = {"kubeflow-aks/workload": "gpu", "kubeflow-aks/gpu-time-slices": "4"}
    pools = [pool] if numbers == [8] else sample_arguments.CONTRACT
    args = cast(KubeflowPrerequisitesArgs, {"pools": pools, "gpu_time_slices": numbers})
    with pytest.raises(ArgumentsError, match=words):
        KubeflowPrerequisites("refused", args)
