"""Charmed Kubeflow's prerequisites, on their own: every object but the spot guard."""

# pyright: reportUntypedFunctionDecorator=false, reportUnknownMemberType=false

import json
from typing import Any, cast

import pulumi
import pytest

from components.kubeflow.prerequisites import KubeflowPrerequisites, KubeflowPrerequisitesArgs
from components.pools.pool_contract import priorities
from kubeflow_aks.recorder.answers import JUJU_TOKEN
from tests.components import given
from tests.components.conftest import Cloud


@pytest.fixture(scope="module", autouse=True)
def prerequisites(cloud: Cloud) -> KubeflowPrerequisites:
    """The prerequisites that tests read unless they make some of their own."""
    return cloud.build(lambda: KubeflowPrerequisites("kf", given.PREREQUISITES, cloud.opts))


@pulumi.runtime.test
def test_our_namespace_admits_the_privileged_daemon(cloud: Cloud) -> Any:
    def check(body: dict[str, Any]) -> None:
        assert body["metadata"]["name"] == "kubeflow-aks"
        assert body["metadata"]["labels"]["pod-security.kubernetes.io/enforce"] == "privileged"

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
def test_the_token_is_an_output_decoded(prerequisites: KubeflowPrerequisites) -> Any:
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
        assert body["metadata"]["name"] == "ckf-zrs"
        assert "annotations" not in body["metadata"]

    return cloud.request("kf-storage").apply(check)


@pulumi.runtime.test
def test_juju_gets_the_name_of_the_storage_class(prerequisites: KubeflowPrerequisites) -> Any:
    def check(name: str) -> None:
        assert name == "ckf-zrs"

    return prerequisites.storage_class.apply(check)


@pulumi.runtime.test
def test_the_autoscaler_finds_its_priorities(cloud: Cloud) -> Any:
    def check(body: dict[str, Any]) -> None:
        place = (body["metadata"]["name"], body["metadata"]["namespace"])
        assert place == ("cluster-autoscaler-priority-expander", "kube-system")
        assert body["data"] == {"priorities": priorities(given.CONTRACT)}

    return cloud.request("kf-expander").apply(check)


@pulumi.runtime.test
def test_tools_find_the_pool_contract(cloud: Cloud) -> Any:
    def check(body: dict[str, Any]) -> None:
        assert body["metadata"]["name"] == "agent-pools"
        assert json.loads(body["data"]["pools.json"]) == [
            {**given.CONTRACT[0], "pool": None},
            {**given.CONTRACT[1], "fallback": None, "pool": None},
        ]

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


@pytest.mark.parametrize(
    ("left_out", "gone"),
    [
        ({"inotify": {"enabled": False}}, {"inotify"}),
        ({"device_plugin": False}, {"device-plugin"}),
        ({"guards": False}, {"guard", "guard-binding"}),
        (
            {"eviction_handler": False},
            {
                "eviction-handler",
                *(f"eviction-handler-{part}" for part in ("account", "binding", "role", "script")),
            },
        ),
    ],
)
@pulumi.runtime.test
def test_what_is_not_requested_is_not_made(cloud: Cloud, left_out: Any, gone: set[str]) -> None:
    less = "-".join(["without", *left_out])
    args = cast(KubeflowPrerequisitesArgs, {**given.PREREQUISITES, **left_out})
    KubeflowPrerequisites(less, args, cloud.opts)
    every = {name.removeprefix("kf") for name in cloud.names("kf")}
    made = {name.removeprefix(less) for name in cloud.names(less)}
    assert every - made == {f"-{name}" for name in gone}


@pytest.mark.parametrize("name", ["kf-namespace", "kf-juju-token", "kf-inotify", "kf-agent-pools"])
@pulumi.runtime.test
def test_an_object_is_deleted_itself_unless_the_program_says_otherwise(cloud: Cloud, name: str) -> Any:
    def check(options: Any) -> None:
        assert not options.deletedWith

    return cloud.options(name).apply(check)


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


@pulumi.runtime.test
def test_every_object_says_whose_it_is_and_what_for(cloud: Cloud) -> Any:
    def check(bodies: list[dict[str, Any]]) -> None:
        for body in bodies:
            labels = body["metadata"]["labels"]
            assert labels["app.kubernetes.io/part-of"] == "kubeflow-aks"
            assert labels["app.kubernetes.io/managed-by"] == "pulumi"
            assert labels["app.kubernetes.io/name"]
            assert labels["app.kubernetes.io/component"]

    names = [name for name in cloud.names("kf") if name != "kf"]
    assert len(names) > 10
    return pulumi.Output.all(*map(cloud.request, names)).apply(check)


@pulumi.runtime.test
def test_our_pods_talk_to_nobody_where_something_sees_to_it(cloud: Cloud) -> Any:
    def check(body: dict[str, Any]) -> None:
        assert body["metadata"]["namespace"] == "kubeflow-aks"
        assert body["spec"] == {"podSelector": {}, "policyTypes": ["Ingress", "Egress"]}

    KubeflowPrerequisites("isolated", {**given.PREREQUISITES, "network_policies": True}, cloud.opts)
    return cloud.request("isolated-no-traffic").apply(check)


def test_without_an_engine_no_network_policy_promises_what_nothing_keeps(cloud: Cloud) -> None:
    assert "kf-no-traffic" not in cloud.names("kf")
