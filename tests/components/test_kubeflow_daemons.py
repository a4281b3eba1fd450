"""The daemons that run beside Charmed Kubeflow: where they run, and what they may do there."""

# pyright: reportUntypedFunctionDecorator=false, reportUnknownMemberType=false

import re
from typing import Any, cast

import pulumi
import pytest

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
