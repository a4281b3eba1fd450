"""Charmed Kubeflow's prerequisites, on their own: every object the cluster is asked for but the spot guard."""

# pyright: reportUntypedFunctionDecorator=false, reportUnknownMemberType=false

from typing import Any, cast

import pulumi
import pytest
from pulumi_azure_native import containerservice as aks

from components.kubeflow.prerequisites import KubeflowPrerequisites, KubeflowPrerequisitesArgs
from recorder.answers import JUJU_TOKEN
from tests.components import given
from tests.components.conftest import Cloud


@pytest.fixture(scope="module", autouse=True)
def prerequisites(cloud: Cloud, home: aks.ManagedCluster) -> KubeflowPrerequisites:
    """The prerequisites that tests read unless they make some of their own."""
    return cloud.build(lambda: KubeflowPrerequisites("kf", given.prerequisites(home), cloud.opts))


@pulumi.runtime.test
def test_our_namespace_admits_the_privileged_daemon(cloud: Cloud) -> Any:
    def check(body: dict[str, Any]) -> None:
        assert body["metadata"]["name"] == "kubeflow-aks"
        assert body["metadata"]["labels"] == {"pod-security.kubernetes.io/enforce": "privileged"}

    return cloud.request("kf-namespace").apply(check)


@pytest.mark.parametrize(
    "name", ["kf-juju", "kf-juju-token", "kf-inotify", "kf-device-plugin", "kf-agent-pools"]
)
@pulumi.runtime.test
def test_an_object_of_ours_stands_in_our_namespace(cloud: Cloud, name: str) -> Any:
    def check(body: dict[str, Any]) -> None:
        assert body["metadata"]["namespace"] == "kubeflow-aks"

    return cloud.request(name).apply(check)


@pulumi.runtime.test
def test_jujus_account_is_a_cluster_admin(cloud: Cloud) -> Any:
    def check(body: dict[str, Any]) -> None:
        assert (body["roleRef"]["kind"], body["roleRef"]["name"]) == ("ClusterRole", "cluster-admin")
        assert body["subjects"] == [{"kind": "ServiceAccount", "name": "juju", "namespace": "kubeflow-aks"}]

    return cloud.request("kf-juju-admin").apply(check)


@pulumi.runtime.test
def test_jujus_token_is_that_of_its_account(cloud: Cloud) -> Any:
    def check(body: dict[str, Any]) -> None:
        assert body["type"] == "kubernetes.io/service-account-token"
        assert body["metadata"]["annotations"] == {"kubernetes.io/service-account.name": "juju"}

    return cloud.request("kf-juju-token").apply(check)


@pulumi.runtime.test
def test_the_token_is_told_decoded(prerequisites: KubeflowPrerequisites) -> Any:
    def check(token: str) -> None:
        assert token == JUJU_TOKEN

    return prerequisites.juju_token.apply(check)


@pulumi.runtime.test
def test_the_token_is_a_secret(prerequisites: KubeflowPrerequisites) -> Any:
    def check(secret: bool) -> None:  # noqa: FBT001 - what a future holds
        assert secret

    return pulumi.Output.from_input(prerequisites.juju_token.is_secret()).apply(check)


@pulumi.runtime.test
def test_disks_are_made_where_the_pod_is_and_may_grow(cloud: Cloud) -> Any:
    def check(body: dict[str, Any]) -> None:
        keys = ("provisioner", "volumeBindingMode", "allowVolumeExpansion", "reclaimPolicy", "parameters")
        disk = {"skuName": "StandardSSD_ZRS"}
        assert [body[key] for key in keys] == [
            "disk.csi.azure.com",
            "WaitForFirstConsumer",
            True,
            "Delete",
            disk,
        ]

    return cloud.request("kf-storage").apply(check)


@pulumi.runtime.test
def test_the_storage_class_is_not_the_clusters_default(cloud: Cloud) -> Any:
    def check(body: dict[str, Any]) -> None:
        assert body["metadata"] == {"name": "ckf-zrs"}

    return cloud.request("kf-storage").apply(check)


@pulumi.runtime.test
def test_juju_is_told_the_name_of_the_storage_class(prerequisites: KubeflowPrerequisites) -> Any:
    def check(name: str) -> None:
        assert name == "ckf-zrs"

    return prerequisites.storage_class.apply(check)


@pulumi.runtime.test
def test_the_autoscaler_finds_its_priorities(cloud: Cloud) -> Any:
    def check(body: dict[str, Any]) -> None:
        place = {"name": "cluster-autoscaler-priority-expander", "namespace": "kube-system"}
        assert (body["metadata"], body["data"]) == (place, {"priorities": "1:\n  - .*\n"})

    return cloud.request("kf-expander").apply(check)


@pulumi.runtime.test
def test_tools_find_the_pool_contract(cloud: Cloud) -> Any:
    def check(body: dict[str, Any]) -> None:
        assert (body["metadata"]["name"], body["data"]) == ("agent-pools", {"pools.json": "[]"})

    return cloud.request("kf-agent-pools").apply(check)


@pulumi.runtime.test
def test_whoever_is_signed_in_may_read_the_pool_contract_and_nothing_else(cloud: Cloud) -> Any:
    def check(bodies: list[dict[str, Any]]) -> None:
        role, binding = bodies
        rule = {
            "apiGroups": [""],
            "resources": ["configmaps"],
            "resourceNames": ["agent-pools"],
            "verbs": ["get"],
        }
        assert role["rules"] == [rule]
        assert binding["roleRef"]["name"] == role["metadata"]["name"]
        assert [subject["name"] for subject in binding["subjects"]] == ["system:authenticated"]

    requests = map(cloud.request, ("kf-agent-pools-reader", "kf-agent-pools-reader-binding"))
    return pulumi.Output.all(*requests).apply(check)


@pulumi.runtime.test
def test_batch_yields_but_still_makes_the_autoscaler_add_nodes(cloud: Cloud) -> Any:
    def check(body: dict[str, Any]) -> None:
        # Below -10 the autoscaler adds no node (its FAQ, pod priority); below 0 everything else goes first.
        assert -10 <= body["value"] < 0
        assert body["preemptionPolicy"] == "Never"

    return cloud.request("kf-batch").apply(check)


@pytest.mark.parametrize("name", ["kf-batch", "kf-interactive"])
@pulumi.runtime.test
def test_a_priority_class_is_nobodys_default(cloud: Cloud, name: str) -> Any:
    def check(body: dict[str, Any]) -> None:
        assert not body.get("globalDefault")

    return cloud.request(name).apply(check)


@pulumi.runtime.test
def test_interactive_work_goes_before_batch(cloud: Cloud) -> Any:
    def check(bodies: list[dict[str, Any]]) -> None:
        interactive, batch = bodies
        assert interactive["value"] > batch["value"]

    return pulumi.Output.all(cloud.request("kf-interactive"), cloud.request("kf-batch")).apply(check)


@pulumi.runtime.test
def test_kernel_limits_are_only_raised(cloud: Cloud) -> Any:
    def check(body: dict[str, Any]) -> None:
        [container] = body["spec"]["template"]["spec"]["initContainers"]
        *_, script = container["command"]
        assert script.splitlines() == [
            f'f=/proc/sys/fs/inotify/{key}; [ "$(cat "$f")" -ge {least} ] || echo {least} > "$f"'
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
        assert [container.get("securityContext") for container in pod["containers"]] == [None]

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
        assert spec["selector"]["matchLabels"] == spec["template"]["metadata"]["labels"]

    return cloud.request(name).apply(check)


@pytest.mark.parametrize("name", ["kf-inotify", "kf-device-plugin"])
@pulumi.runtime.test
def test_the_images_of_a_daemon_are_pinned(cloud: Cloud, name: str) -> Any:
    def check(body: dict[str, Any]) -> None:
        pod = body["spec"]["template"]["spec"]
        versions = [
            c["image"].rpartition(":")[2] for c in [*pod.get("initContainers", []), *pod["containers"]]
        ]
        assert all(version[:1].isdigit() or version[:2].removeprefix("v").isdigit() for version in versions)

    return cloud.request(name).apply(check)


@pytest.mark.parametrize(
    ("left_out", "gone"),
    [
        ({"inotify": {"enabled": False}}, {"inotify"}),
        ({"device_plugin": False}, {"device-plugin"}),
        ({"guards": False}, {"guard", "guard-binding"}),
    ],
)
@pulumi.runtime.test
def test_what_is_not_asked_for_is_not_made(
    cloud: Cloud, home: aks.ManagedCluster, left_out: Any, gone: set[str]
) -> None:
    less = "-".join(["without", *left_out])
    asked = cast(KubeflowPrerequisitesArgs, {**given.prerequisites(home), **left_out})
    KubeflowPrerequisites(less, asked, cloud.opts)
    every = {name.removeprefix("kf") for name in cloud.names("kf")}
    made = {name.removeprefix(less) for name in cloud.names(less)}
    assert every - made == {f"-{name}" for name in gone}


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


@pytest.mark.parametrize("name", ["kf-namespace", "kf-juju-token", "kf-inotify", "kf-agent-pools"])
@pulumi.runtime.test
def test_an_object_goes_with_the_cluster(cloud: Cloud, home: aks.ManagedCluster, name: str) -> Any:
    def check(values: list[Any]) -> None:
        cluster, options = values
        assert options.deletedWith == cluster

    return pulumi.Output.all(home.urn, cloud.options(name)).apply(check)


@pulumi.runtime.test
def test_only_the_contract_is_protected_and_it_waits_for_all_else(cloud: Cloud) -> Any:
    def check(values: list[Any]) -> None:
        protected = {options.name for options in values if options.protect}
        assert protected == {"kf-agent-pools"}
        contract = next(options for options in values if options.name == "kf-agent-pools")
        later = {urn.rpartition("::")[2] for urn in contract.dependencies}
        assert later == {options.name for options in values} - {"kf-agent-pools"}

    names = [name for name in cloud.names("kf") if name != "kf"]
    return pulumi.Output.all(*map(cloud.options, names)).apply(check)
