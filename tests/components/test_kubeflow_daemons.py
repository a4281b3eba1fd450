"""The daemons that run beside Charmed Kubeflow: where they run, and what they may do there."""

# pyright: reportUntypedFunctionDecorator=false, reportUnknownMemberType=false

import re
from typing import Any, cast

import pulumi
import pytest
import yaml

from components.arguments.errors import ArgumentsError
from components.kubeflow.prerequisites import KubeflowPrerequisites, KubeflowPrerequisitesArgs
from tests.components import given
from tests.components.conftest import Cloud

DAEMONS = ["kf-inotify", "kf-device-plugin"]
UNPRIVILEGED = [("kf-inotify", "pause"), ("kf-device-plugin", "nvidia-device-plugin")]


@pytest.fixture(scope="module", autouse=True)
def prerequisites(cloud: Cloud) -> KubeflowPrerequisites:
    """The prerequisites that tests read unless they make some of their own."""
    return cloud.build(lambda: KubeflowPrerequisites("kf", given.PREREQUISITES, cloud.opts))


def _containers(body: dict[str, Any]) -> list[dict[str, Any]]:
    pod = body["spec"]["template"]["spec"]
    return [*pod.get("initContainers", []), *pod["containers"]]


def _container(body: dict[str, Any], name: str) -> dict[str, Any]:
    return next(container for container in _containers(body) if container["name"] == name)


@pulumi.runtime.test
def test_kernel_limits_are_only_raised(cloud: Cloud) -> Any:
    def check(body: dict[str, Any]) -> None:
        [container] = body["spec"]["template"]["spec"]["initContainers"]
        *_, script = container["command"]
        assert script.splitlines() == [
            f'f=/proc/sys/fs/inotify/{key}; [ "$(cat "$f")" -ge {least} ] || echo {least} > "$f"; '
            f'echo "{key} $(cat "$f")"'
            for key, least in (("max_user_instances", 1280), ("max_user_watches", 655360))
        ]

    return cloud.request("kf-inotify").apply(check)


@pulumi.runtime.test
def test_kernel_limits_are_raised_where_kubeflow_runs_and_nowhere_else(cloud: Cloud) -> Any:
    def check(body: dict[str, Any]) -> None:
        pod = body["spec"]["template"]["spec"]
        assert pod["nodeSelector"] == {"kubernetes.io/os": "linux", "kubeflow-aks/workload": "platform"}
        assert "tolerations" not in pod

    return cloud.request("kf-inotify").apply(check)


@pulumi.runtime.test
def test_only_the_container_that_raises_the_limits_is_privileged(cloud: Cloud) -> Any:
    def check(body: dict[str, Any]) -> None:
        pod = body["spec"]["template"]["spec"]
        assert [container["securityContext"]["privileged"] for container in pod["initContainers"]] == [True]
        assert ["privileged" in container["securityContext"] for container in pod["containers"]] == [False]

    return cloud.request("kf-inotify").apply(check)


@pulumi.runtime.test
def test_the_device_plugin_runs_on_every_gpu_node_whatever_its_taints(cloud: Cloud) -> Any:
    def check(body: dict[str, Any]) -> None:
        pod = body["spec"]["template"]["spec"]
        assert pod["tolerations"] == [{"operator": "Exists"}]
        assert pod["nodeSelector"] == {"kubernetes.azure.com/accelerator": "nvidia"}

    return cloud.request("kf-device-plugin").apply(check)


@pulumi.runtime.test
def test_the_device_plugin_reaches_the_kubelet(cloud: Cloud) -> Any:
    def check(body: dict[str, Any]) -> None:
        pod = body["spec"]["template"]["spec"]
        [mount], [volume] = pod["containers"][0]["volumeMounts"], pod["volumes"]
        assert mount["mountPath"] == volume["hostPath"]["path"] == "/var/lib/kubelet/device-plugins"
        assert mount["name"] == volume["name"]

    return cloud.request("kf-device-plugin").apply(check)


@pytest.mark.parametrize("name", ["kf-inotify", "kf-device-plugin"])
@pulumi.runtime.test
def test_a_daemon_selects_its_own_pods(cloud: Cloud, name: str) -> Any:
    def check(body: dict[str, Any]) -> None:
        spec = body["spec"]
        # The API server lets nobody change a selector, so it stays what it was in clusters that run.
        assert spec["selector"]["matchLabels"] == {"app.kubernetes.io/name": body["metadata"]["name"]}
        assert spec["selector"]["matchLabels"].items() <= spec["template"]["metadata"]["labels"].items()

    return cloud.request(name).apply(check)


@pytest.mark.parametrize("name", ["kf-inotify", "kf-device-plugin"])
@pulumi.runtime.test
def test_the_images_of_a_daemon_are_pinned_to_their_bytes(cloud: Cloud, name: str) -> Any:
    def check(body: dict[str, Any]) -> None:
        for container in _containers(body):
            assert re.fullmatch(r"[a-z0-9./-]+:v?[0-9][0-9.]*@sha256:[0-9a-f]{64}", container["image"])

    return cloud.request(name).apply(check)


@pulumi.runtime.test
def test_an_up_does_not_wait_for_the_device_plugin_on_spot_nodes_that_go(cloud: Cloud) -> Any:
    def check(body: dict[str, Any]) -> None:
        assert body["metadata"]["annotations"] == {"pulumi.com/skipAwait": "true"}

    return cloud.request("kf-device-plugin").apply(check)


@pulumi.runtime.test
def test_a_node_that_goes_does_not_hold_up_the_device_plugin_on_others(cloud: Cloud) -> Any:
    def check(body: dict[str, Any]) -> None:
        strategy = body["spec"]["updateStrategy"]
        assert strategy == {"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": "100%"}}

    return cloud.request("kf-device-plugin").apply(check)


@pulumi.runtime.test
def test_an_up_waits_for_the_kernel_limits_of_kubeflows_home(cloud: Cloud) -> Any:
    def check(body: dict[str, Any]) -> None:
        assert "annotations" not in body["metadata"]

    return cloud.request("kf-inotify").apply(check)


@pytest.mark.parametrize("name", DAEMONS)
@pulumi.runtime.test
def test_every_container_says_what_it_needs_and_the_most_memory_it_may_take(cloud: Cloud, name: str) -> Any:
    def check(body: dict[str, Any]) -> None:
        for container in _containers(body):
            assert container["resources"]["requests"].keys() == {"cpu", "memory"}
            # No limit on CPU: it would slow a daemon down while the node has CPU to spare.
            assert container["resources"]["limits"].keys() == {"memory"}

    return cloud.request(name).apply(check)


@pytest.mark.parametrize("name", DAEMONS)
@pulumi.runtime.test
def test_no_container_writes_into_its_image_and_all_are_filtered(cloud: Cloud, name: str) -> Any:
    def check(body: dict[str, Any]) -> None:
        pod = body["spec"]["template"]["spec"]
        assert pod["securityContext"] == {"seccompProfile": {"type": "RuntimeDefault"}}
        assert [c["securityContext"]["readOnlyRootFilesystem"] for c in _containers(body)] == [True] * len(
            _containers(body)
        )

    return cloud.request(name).apply(check)


@pytest.mark.parametrize(("name", "container"), UNPRIVILEGED)
@pulumi.runtime.test
def test_a_container_that_stays_gains_no_rights(cloud: Cloud, name: str, container: str) -> Any:
    def check(body: dict[str, Any]) -> None:
        rights = _container(body, container)["securityContext"]
        assert (rights["allowPrivilegeEscalation"], rights["capabilities"]) == (False, {"drop": ["ALL"]})

    return cloud.request(name).apply(check)


@pulumi.runtime.test
def test_what_only_waits_is_not_root(cloud: Cloud) -> Any:
    def check(body: dict[str, Any]) -> None:
        rights = _container(body, "pause")["securityContext"]
        assert (rights["runAsNonRoot"], rights["runAsUser"], rights["runAsGroup"]) == (True, 65535, 65535)

    return cloud.request("kf-inotify").apply(check)


def _sliced(cloud: Cloud, name: str) -> pulumi.Output[dict[str, Any]]:
    KubeflowPrerequisites(name, {**given.PREREQUISITES, "gpu_slices": True}, cloud.opts)
    return cloud.request(f"{name}-device-plugin")


@pulumi.runtime.test
def test_whole_gpus_are_seen_without_further_rights(cloud: Cloud) -> Any:
    def check(body: dict[str, Any]) -> None:
        names = [variable["name"] for variable in _container(body, "nvidia-device-plugin")["env"]]
        assert names == ["FAIL_ON_INIT_ERROR", "MIG_STRATEGY"]

    return cloud.request("kf-device-plugin").apply(check)


@pulumi.runtime.test
def test_slices_of_gpus_are_seen_with_the_one_right_that_the_driver_asks_for(cloud: Cloud) -> Any:
    def check(body: dict[str, Any]) -> None:
        plugin = _container(body, "nvidia-device-plugin")
        assert {"name": "NVIDIA_MIG_MONITOR_DEVICES", "value": "all"} in plugin["env"]
        rights = plugin["securityContext"]
        assert rights["capabilities"] == {"drop": ["ALL"], "add": ["SYS_ADMIN"]}
        # The API server refuses both at once.
        assert "allowPrivilegeEscalation" not in rights

    return _sliced(cloud, "sliced").apply(check)


@pulumi.runtime.test
def test_without_daemons_the_namespace_lets_no_pod_in_that_has_rights(cloud: Cloud) -> Any:
    def check(body: dict[str, Any]) -> None:
        assert body["metadata"]["labels"]["pod-security.kubernetes.io/enforce"] == "restricted"

    less = {"inotify": {"enabled": False}, "device_plugin": False}
    args = cast(KubeflowPrerequisitesArgs, {**given.PREREQUISITES, **less})
    KubeflowPrerequisites("bare", args, cloud.opts)
    return cloud.request("bare-namespace").apply(check)


SHARED = {"gpu_time_slices": [4, 8]}


def _shared(cloud: Cloud, name: str) -> None:
    KubeflowPrerequisites(
        name, cast(KubeflowPrerequisitesArgs, {**given.PREREQUISITES, **SHARED}), cloud.opts
    )


@pulumi.runtime.test
def test_each_node_has_the_plugin_for_its_number_of_time_slices_and_no_other(cloud: Cloud) -> Any:
    def check(bodies: list[dict[str, Any]]) -> None:
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

    _shared(cloud, "shared")
    names = ("shared-device-plugin", "shared-device-plugin-4", "shared-device-plugin-8")
    return pulumi.Output.all(*map(cloud.request, names)).apply(check)


@pulumi.runtime.test
def test_the_plugin_reads_its_time_slices_from_a_file(cloud: Cloud) -> Any:
    def check(bodies: list[dict[str, Any]]) -> None:
        daemon, config = bodies
        plugin = _container(daemon, "nvidia-device-plugin")
        [variable] = [entry for entry in plugin["env"] if entry["name"] == "CONFIG_FILE"]
        [mount] = [entry for entry in plugin["volumeMounts"] if entry["name"] == "config"]
        [volume] = [
            entry for entry in daemon["spec"]["template"]["spec"]["volumes"] if entry["name"] == "config"
        ]
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

    _shared(cloud, "configured")
    names = ("configured-device-plugin-4", "configured-time-slices-4")
    return pulumi.Output.all(*map(cloud.request, names)).apply(check)


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
    pool = given.CONTRACT[1] | {"name": "gpus", "gpus": 4}
    pool["labels"] = {"kubeflow-aks/workload": "gpu", "kubeflow-aks/gpu-time-slices": "4"}
    pools = [pool] if numbers == [8] else given.CONTRACT
    args = cast(KubeflowPrerequisitesArgs, {"pools": pools, "gpu_time_slices": numbers})
    with pytest.raises(ArgumentsError, match=words):
        KubeflowPrerequisites("refused", args)
