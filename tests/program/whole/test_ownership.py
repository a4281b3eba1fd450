"""Nothing is made that Juju or AKS owns (docs/facts/charmed-kubeflow.md#what-juju-owns)."""

import re

from kubeflow_aks.recorder.run import Record, record
from tests.program.whole.records import AS_OF, CLUSTER, CONFIG_MAP, in_cluster, recorded, without_gpus

OURS = "kubeflow-aks"
JUJUS = re.compile(r"kubeflow|controller-.*|knative-.*|istio-.*|iam|iam-core|admin")


def test_the_only_namespace_made_is_ours(up: Record) -> None:
    made = [namespace.inputs["metadata"]["name"] for namespace in up.of("kubernetes:core/v1:Namespace")]
    assert made == [OURS]
    assert not JUJUS.fullmatch(OURS)


def test_every_object_stands_in_our_namespace_but_the_priority_map(up: Record) -> None:
    elsewhere = {
        (resource.type, resource.inputs["metadata"]["namespace"], resource.inputs["metadata"]["name"])
        for resource in in_cluster(up)
        if resource.inputs["metadata"].get("namespace", OURS) != OURS
    }
    assert elsewhere == {(CONFIG_MAP, "kube-system", "cluster-autoscaler-priority-expander")}


def test_an_object_of_the_whole_cluster_carries_our_name(up: Record) -> None:
    names = {
        resource.inputs["metadata"]["name"]
        for resource in in_cluster(up)
        if "namespace" not in resource.inputs["metadata"] and not resource.type.endswith(":StorageClass")
    }
    assert {name for name in names if not name.startswith(OURS)} == set()


def test_no_custom_resources_webhooks_charts_or_patches_are_made(up: Record) -> None:
    kinds = {resource.type.rpartition(":")[2] for resource in in_cluster(up)}
    assert kinds <= {
        "ClusterRole",
        "ClusterRoleBinding",
        "ConfigMap",
        "DaemonSet",
        "Deployment",
        "Namespace",
        "NetworkPolicy",
        "PriorityClass",
        "Role",
        "RoleBinding",
        "Secret",
        "ServiceAccount",
        "StorageClass",
        "ValidatingAdmissionPolicy",
        "ValidatingAdmissionPolicyBinding",
    }


def test_no_object_carries_the_label_that_akss_admissions_enforcer_looks_for(up: Record) -> None:
    assert [r.urn for r in in_cluster(up) if "control-plane" in r.inputs["metadata"].get("labels", {})] == []


def test_no_storage_class_takes_the_place_of_the_clusters_default(up: Record) -> None:
    for storage in up.of("kubernetes:storage.k8s.io/v1:StorageClass"):
        assert "storageclass.kubernetes.io/is-default-class" not in storage.inputs["metadata"].get(
            "annotations", {}
        )


def test_no_second_istio_is_turned_on(up: Record) -> None:
    assert {"serviceMeshProfile", "ingressProfile"} & set(up.one(CLUSTER).inputs) == set()


def test_a_stack_isolates_our_namespace_where_an_engine_sees_to_it(up: Record) -> None:
    enforced = up.one(CLUSTER).inputs["networkProfile"].get("networkPolicy")
    policies = [
        policy.inputs["metadata"] for policy in up.of("kubernetes:networking.k8s.io/v1:NetworkPolicy")
    ]
    namespaced = {(policy["namespace"], policy["name"]) for policy in policies}
    assert namespaced == ({(OURS, "deny-all"), (OURS, "eviction-handler")} if enforced else set())


def test_production_has_an_engine_for_network_policies() -> None:
    network = recorded("prod").one(CLUSTER).inputs["networkProfile"]
    assert (network["networkDataplane"], network["networkPolicy"]) == ("cilium", "cilium")


def test_a_stack_without_gpu_pools_runs_no_device_plugin() -> None:
    daemons = without_gpus().of("kubernetes:apps/v1:DaemonSet")
    assert [daemon.inputs["metadata"]["name"] for daemon in daemons] == ["inotify-limits"]


def test_a_stack_that_leaves_gpus_to_the_operator_runs_no_device_plugin() -> None:
    recording = record("dev", extra={"gpu": {"driver": "None", "plugin": "none"}, "asOf": AS_OF})
    assert "nvidia-device-plugin" not in {r.inputs["metadata"]["name"] for r in in_cluster(recording)}
