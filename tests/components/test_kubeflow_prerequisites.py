"""Charmed Kubeflow's prerequisites, on their own: every object but the spot guard."""

import json
from typing import Any, cast

import pulumi
import pytest

from ckf_spot.doctor.namespace import KEEP_OFF, KEPT_OFF
from ckf_spot.pods.fit import PRIORITY_CLASSES
from components.kubeflow.prerequisites import KubeflowPrerequisites, KubeflowPrerequisitesArgs
from components.pools.pool_contract import priorities
from kubeflow_aks.recorder.answers import JUJU_TOKEN
from tests.components import sample_arguments
from tests.components.conftest import Cloud, value


@pytest.fixture(scope="module", autouse=True)
def prerequisites(cloud: Cloud) -> KubeflowPrerequisites:
    """The prerequisites that tests read unless they make some of their own."""
    return KubeflowPrerequisites("kf", sample_arguments.PREREQUISITES, cloud.opts)


def test_our_namespace_admits_the_privileged_daemon(cloud: Cloud) -> None:
    body = cloud.inputs("kf-namespace")
    assert body["metadata"]["name"] == "kubeflow-aks"
    assert body["metadata"]["labels"]["pod-security.kubernetes.io/enforce"] == "privileged"


@pytest.mark.parametrize(
    "name", ["kf-juju", "kf-juju-token", "kf-inotify", "kf-device-plugin", "kf-agent-pools"]
)
def test_an_object_of_ours_stands_in_our_namespace(cloud: Cloud, name: str) -> None:
    assert cloud.inputs(name)["metadata"]["namespace"] == "kubeflow-aks"


def test_jujus_account_is_a_cluster_admin(cloud: Cloud) -> None:
    body = cloud.inputs("kf-juju-admin")
    assert (body["roleRef"]["kind"], body["roleRef"]["name"]) == ("ClusterRole", "cluster-admin")
    assert body["subjects"] == [{"kind": "ServiceAccount", "name": "juju", "namespace": "kubeflow-aks"}]


def test_jujus_token_is_that_of_its_account(cloud: Cloud) -> None:
    body = cloud.inputs("kf-juju-token")
    assert body["type"] == "kubernetes.io/service-account-token"
    assert body["metadata"]["annotations"] == {"kubernetes.io/service-account.name": "juju"}


def test_the_token_is_an_output_decoded(prerequisites: KubeflowPrerequisites) -> None:
    assert value(prerequisites.juju_token) == JUJU_TOKEN


def test_the_token_is_a_secret(prerequisites: KubeflowPrerequisites) -> None:
    assert value(pulumi.Output.from_input(prerequisites.juju_token.is_secret()))


def test_disks_are_made_where_the_pod_is_and_may_grow(cloud: Cloud) -> None:
    body = cloud.inputs("kf-storage")
    keys = ("provisioner", "volumeBindingMode", "allowVolumeExpansion", "reclaimPolicy", "parameters")
    disk = {"skuName": "StandardSSD_ZRS"}
    assert [body[key] for key in keys] == ["disk.csi.azure.com", "WaitForFirstConsumer", True, "Delete", disk]


def test_the_storage_class_is_not_the_clusters_default(cloud: Cloud) -> None:
    body = cloud.inputs("kf-storage")
    assert body["metadata"]["name"] == "ckf-zrs"
    assert "annotations" not in body["metadata"]


def test_juju_gets_the_name_of_the_storage_class(prerequisites: KubeflowPrerequisites) -> None:
    assert value(prerequisites.storage_class) == "ckf-zrs"


def test_the_autoscaler_finds_its_priorities(cloud: Cloud) -> None:
    body = cloud.inputs("kf-expander")
    place = (body["metadata"]["name"], body["metadata"]["namespace"])
    assert place == ("cluster-autoscaler-priority-expander", "kube-system")
    assert body["data"] == {"priorities": priorities(sample_arguments.CONTRACT)}


def test_the_package_of_data_scientists_has_the_names_of_the_priority_classes(cloud: Cloud) -> None:
    names = {cloud.inputs(f"kf-{name}")["metadata"]["name"] for name in ("batch", "interactive")}
    assert names == {name for name in PRIORITY_CLASSES if not name.startswith("system-")}


def test_tools_find_the_pool_contract(cloud: Cloud) -> None:
    body = cloud.inputs("kf-agent-pools")
    assert body["metadata"]["name"] == "agent-pools"
    assert json.loads(body["data"]["pools.json"]) == [
        {**sample_arguments.UNSAID, **sample_arguments.CONTRACT[0]},
        {**sample_arguments.UNSAID, **sample_arguments.CONTRACT[1], "fallback": None},
    ]


def test_whoever_is_signed_in_may_read_the_pool_contract_and_nothing_else(cloud: Cloud) -> None:
    role, binding = map(cloud.inputs, ("kf-agent-pools-reader", "kf-agent-pools-reader-binding"))
    rule = {
        "apiGroups": [""],
        "resources": ["configmaps"],
        "resourceNames": ["agent-pools"],
        "verbs": ["get"],
    }
    assert role["rules"] == [rule]
    assert binding["roleRef"]["name"] == role["metadata"]["name"]
    assert [subject["name"] for subject in binding["subjects"]] == ["system:authenticated"]


def test_batch_yields_but_still_makes_the_autoscaler_add_nodes(cloud: Cloud) -> None:
    body = cloud.inputs("kf-batch")
    assert -10 <= body["value"] < 0
    assert body["preemptionPolicy"] == "Never"


@pytest.mark.parametrize("name", ["kf-batch", "kf-interactive"])
def test_a_priority_class_is_nobodys_default(cloud: Cloud, name: str) -> None:
    assert not cloud.inputs(name).get("globalDefault")


def test_interactive_work_goes_before_batch(cloud: Cloud) -> None:
    interactive, batch = cloud.inputs("kf-interactive"), cloud.inputs("kf-batch")
    assert interactive["value"] > batch["value"]


@pytest.mark.parametrize(
    ("left_out", "gone"),
    [
        ({"inotify": {"enabled": False}}, {"inotify"}),
        ({"device_plugin": False}, {"device-plugin"}),
        (
            {"guards": False},
            {"guard", "guard-binding", "profile-guard", "profile-guard-binding", "profile-guard-warn"},
        ),
        (
            {"eviction_handler": False},
            {
                "eviction-handler",
                *(f"eviction-handler-{part}" for part in ("account", "binding", "role", "script")),
            },
        ),
    ],
)
def test_what_is_not_requested_is_not_made(cloud: Cloud, left_out: Any, gone: set[str]) -> None:
    less = "-".join(["without", *left_out])
    args = cast(KubeflowPrerequisitesArgs, {**sample_arguments.PREREQUISITES, **left_out})
    KubeflowPrerequisites(less, args, cloud.opts)
    every = {name.removeprefix("kf") for name in cloud.names("kf")}
    made = {name.removeprefix(less) for name in cloud.names(less)}
    assert every - made == {f"-{name}" for name in gone}


def test_the_doctor_looks_for_the_guard_of_profiles_by_its_names(cloud: Cloud) -> None:
    bindings = {"Deny": "kf-profile-guard-binding", "Warn": "kf-profile-guard-warn"}
    for action, name in bindings.items():
        made = cloud.inputs(name)
        assert made["metadata"]["name"] == KEPT_OFF[action]
        assert made["spec"]["policyName"] == KEPT_OFF["Deny"]
        assert made["spec"]["validationActions"] == [action]
        assert KEEP_OFF in str(made["spec"]["matchResources"])


@pytest.mark.parametrize("name", ["kf-namespace", "kf-juju-token", "kf-inotify", "kf-agent-pools"])
def test_an_object_is_deleted_itself_unless_the_program_says_otherwise(cloud: Cloud, name: str) -> None:
    assert not cloud.options(name).deletedWith


def test_only_the_contract_is_protected_and_it_waits_for_all_else(cloud: Cloud) -> None:
    names = [name for name in cloud.names("kf") if name != "kf"]
    values = [*map(cloud.options, names)]
    protected = {options.name for options in values if options.protect}
    assert protected == {"kf-agent-pools"}
    contract = next(options for options in values if options.name == "kf-agent-pools")
    later = {urn.rpartition("::")[2] for urn in contract.dependencies}
    assert later == {options.name for options in values} - {"kf-agent-pools"}


def test_every_object_says_whose_it_is_and_what_for(cloud: Cloud) -> None:
    names = [name for name in cloud.names("kf") if name != "kf"]
    assert len(names) > 10
    for body in map(cloud.inputs, names):
        labels = body["metadata"]["labels"]
        assert labels["app.kubernetes.io/part-of"] == "kubeflow-aks"
        assert labels["app.kubernetes.io/managed-by"] == "pulumi"
        assert labels["app.kubernetes.io/name"]
        assert labels["app.kubernetes.io/component"]


def test_our_pods_talk_to_nobody_where_something_sees_to_it(cloud: Cloud) -> None:
    KubeflowPrerequisites(
        "isolated", {**sample_arguments.PREREQUISITES, "network_policies": True}, cloud.opts
    )
    body = cloud.inputs("isolated-no-traffic")
    assert body["metadata"]["namespace"] == "kubeflow-aks"
    assert body["spec"] == {"podSelector": {}, "policyTypes": ["Ingress", "Egress"]}


def test_without_an_engine_no_network_policy_promises_what_nothing_keeps(cloud: Cloud) -> None:
    assert "kf-no-traffic" not in cloud.names("kf")
