"""What only a real API server can show: field ownership, readiness by real controllers, deletion."""

import uuid

import pytest
from pulumi.runtime import rpc as pulumi_rpc

from kubeflow_aks.clients.kubernetes.api import ApiServer
from kubeflow_aks.clients.kubernetes.errors import ApiError
from kubeflow_aks.clients.kubernetes.objects import Object, at, identity, put
from kubeflow_aks.local_aks.kubernetes_provider.waiting import Waiter
from tests.local.commands import PATIENCE_SECONDS
from tests.local.kubectl import eventually
from tests.local.kubernetes.resources import (
    Resource,
    by_hand,
    changed,
    config_map,
    manifest,
    workload_manifest,
)
from tests.local_aks.kubernetes_provider.engine import Engine, RefusedError


def _observed(obj: Object) -> bool:
    """Whether the object's controller has observed its current generation."""
    return at(obj, "status", "observedGeneration") == at(obj, "metadata", "generation")


def test_a_second_up_finds_no_difference(engine: Engine, namespace: str) -> None:
    deployment = Resource(engine, "apps/v1:Deployment", workload_manifest("Deployment", namespace, 0))
    deployment.create()
    assert deployment.diff() == {"changes": "DIFF_NONE", "hasDetailedDiff": True}
    assert deployment.refresh()
    assert deployment.diff() == {"changes": "DIFF_NONE", "hasDetailedDiff": True}


def test_a_hand_edit_shows_after_a_refresh_and_an_update_undoes_it(
    engine: Engine, api: ApiServer, namespace: str
) -> None:
    conf = Resource(engine, "core/v1:ConfigMap", config_map(namespace, k="v"))
    conf.create()
    by_hand(api, conf.inputs, "kubectl-edit", "/data/k", "by hand")
    assert conf.diff()["changes"] == "DIFF_NONE"
    conf.refresh()
    assert conf.diff()["detailedDiff"] == {"data.k": {"kind": "UPDATE"}}
    conf.update(conf.inputs)
    assert api.get(conf.inputs)["data"] == {"k": "v"}


def test_an_update_removes_what_the_program_no_longer_has(
    engine: Engine, api: ApiServer, namespace: str
) -> None:
    conf = Resource(engine, "core/v1:ConfigMap", config_map(namespace, a="1", b="2"))
    conf.create()
    conf.update(config_map(namespace, a="1"))
    assert api.get(conf.inputs)["data"] == {"a": "1"}


def test_a_preview_of_an_update_changes_nothing(engine: Engine, api: ApiServer, namespace: str) -> None:
    conf = Resource(engine, "core/v1:ConfigMap", config_map(namespace, k="v"))
    conf.create()
    conf.update(config_map(namespace, k="new"), preview=True)
    assert api.get(conf.inputs)["data"] == {"k": "v"}


def test_a_field_that_another_manager_applied_is_a_conflict(
    engine: Engine, api: ApiServer, namespace: str
) -> None:
    conf = Resource(engine, "core/v1:ConfigMap", config_map(namespace, k="v"))
    conf.create()
    api.apply(config_map(namespace, k="theirs"), "someone", force=True)
    with pytest.raises(RefusedError, match=r'conflict with "someone": \.data\.k') as refusal:
        conf.update(config_map(namespace, k="new"))
    assert refusal.value.partial is not None
    assert refusal.value.partial["properties"]["data"] == {"k": "theirs"}


def test_patch_force_takes_the_field(engine: Engine, api: ApiServer, namespace: str) -> None:
    conf = Resource(engine, "core/v1:ConfigMap", config_map(namespace, k="v"))
    conf.create()
    api.apply(config_map(namespace, k="theirs"), "someone", force=True)
    conf.update(
        changed(config_map(namespace, k="new"), {"pulumi.com/patchForce": "true"}, "metadata", "annotations")
    )
    assert api.get(conf.inputs)["data"] == {"k": "new"}


def test_an_ignored_field_stays_with_its_controller(engine: Engine, api: ApiServer, namespace: str) -> None:
    deployment = Resource(
        engine, "apps/v1:Deployment", workload_manifest("Deployment", namespace, 0, paused=True)
    )
    deployment.inputs["metadata"]["annotations"] = {"pulumi.com/skipAwait": "true"}
    deployment.create()
    by_hand(api, deployment.inputs, "an-autoscaler", "/spec/replicas", 3)
    eventually(lambda: _observed(api.get(deployment.inputs)))  # or its controller writes meanwhile
    deployment.update(
        changed(deployment.inputs, 5, "spec", "revisionHistoryLimit"), ignoreChanges=["spec.replicas"]
    )
    assert at(api.get(deployment.inputs), "spec", "replicas") == 3


def test_a_patch_sets_and_removes_only_its_own_fields(engine: Engine, api: ApiServer, namespace: str) -> None:
    api.apply(config_map(namespace, theirs="1"), "someone", force=False)
    patch = Resource(engine, "core/v1:ConfigMapPatch", config_map(namespace, ours="2"))
    patch.create()
    assert api.get(patch.inputs)["data"] == {"ours": "2", "theirs": "1"}
    patch.update(config_map(namespace, ours="3"))
    assert api.get(patch.inputs)["data"] == {"ours": "3", "theirs": "1"}
    patch.delete()
    assert api.get(patch.inputs)["data"] == {"theirs": "1"}


def test_a_patch_of_a_required_field_cannot_be_removed(engine: Engine, namespace: str) -> None:
    patch = Resource(engine, "apps/v1:DeploymentPatch", workload_manifest("Deployment", namespace, 0))
    patch.create(timeout=PATIENCE_SECONDS)
    with pytest.raises(RefusedError, match="currently managing a required field"):
        patch.delete()


def test_a_namespace_patch_labels_and_unlabels(engine: Engine, api: ApiServer, namespace: str) -> None:
    inputs = {
        "apiVersion": "v1",
        "kind": "Namespace",
        "metadata": {"name": namespace, "labels": {"team": "a"}},
    }
    patch = Resource(engine, "core/v1:NamespacePatch", inputs)
    patch.create()
    assert at(api.get(inputs), "metadata", "labels", "team") == "a"
    patch.delete()
    assert at(api.get(inputs), "metadata", "labels", "team") is None


def test_string_data_reaches_the_server_and_shows_no_difference(engine: Engine, namespace: str) -> None:
    secret = Resource(engine, "core/v1:Secret", manifest("v1", "Secret", namespace, data={"k": "dg=="}))
    secret.create()
    assert pulumi_rpc.is_rpc_secret(secret.state["data"])
    assert secret.diff(manifest("v1", "Secret", namespace, stringData={"k": "v"}))["changes"] == "DIFF_NONE"


@pytest.mark.parametrize(
    ("kind", "ready"),
    [("Deployment", "readyReplicas"), ("StatefulSet", "readyReplicas"), ("DaemonSet", "numberReady")],
)
def test_a_workload_is_ready_when_its_pods_run(
    engine: Engine, api: ApiServer, namespace: str, node: str, *, kind: str, ready: str
) -> None:
    inputs = workload_manifest(kind, namespace, 1)
    put(inputs, {"kubernetes.io/hostname": node}, "spec", "template", "spec", "nodeSelector")
    if kind == "DaemonSet":
        del inputs["spec"]["replicas"]
    workload = Resource(engine, f"apps/v1:{kind}", inputs)
    workload.create(timeout=PATIENCE_SECONDS)
    assert at(workload.state, "status", ready) == 1
    assert workload.diff()["changes"] == "DIFF_NONE"
    workload.update(
        changed(inputs, "y", "spec", "template", "metadata", "annotations", "roll"), timeout=PATIENCE_SECONDS
    )
    rolling = (
        {1, 2} if kind == "Deployment" else {1}
    )  # one that was ready is not waited for: both its pods may run
    assert at(workload.state, "status", ready) in rolling
    eventually(lambda: _observed(api.get(inputs)) and at(api.get(inputs), "status", ready) == 1)
    workload.delete()
    assert not workload.refresh()


def test_a_job_is_ready_when_it_completed(engine: Engine, namespace: str, node: str) -> None:
    pod: Object = {"containers": [{"name": "c", "image": "x"}], "restartPolicy": "Never"}
    pod["nodeSelector"] = {"kubernetes.io/hostname": node}
    template = {"metadata": {"annotations": {"local-aks/run-seconds": "0"}}, "spec": pod}
    job = Resource(
        engine, "batch/v1:Job", manifest("batch/v1", "Job", namespace, spec={"template": template})
    )
    job.create(timeout=PATIENCE_SECONDS)
    assert at(job.state, "status", "succeeded") == 1


def test_a_service_is_ready_when_it_has_endpoints(engine: Engine, namespace: str, node: str) -> None:
    placed = {"containers": [{"name": "c", "image": "x"}], "nodeSelector": {"kubernetes.io/hostname": node}}
    pod = manifest("v1", "Pod", namespace, spec=placed)
    pod["metadata"]["labels"] = {"app": "x"}
    Resource(engine, "core/v1:Pod", pod).create(timeout=PATIENCE_SECONDS)
    spec = {"selector": {"app": "x"}, "ports": [{"port": 80}]}
    service = Resource(engine, "core/v1:Service", manifest("v1", "Service", namespace, spec=spec))
    service.create(timeout=PATIENCE_SECONDS)
    assert service.diff()["changes"] == "DIFF_NONE"


def test_a_deployment_without_room_gives_the_reason(engine: Engine, namespace: str) -> None:
    impossible = {"nodeSelector": {"nowhere": "at-all"}, "containers": [{"name": "c", "image": "x"}]}
    inputs = changed(workload_manifest("Deployment", namespace, 1), impossible, "spec", "template", "spec")
    with pytest.raises(RefusedError, match="'x' timed out waiting to be Ready") as refusal:
        Resource(engine, "apps/v1:Deployment", inputs).create(
            timeout=10
        )  # its controller looks at it meanwhile
    assert refusal.value.partial is not None
    assert "Minimum number of live Pods was not attained" in refusal.value.partial["reasons"]


def test_a_load_balancer_waits_for_its_address(engine: Engine, namespace: str) -> None:
    spec = {"type": "LoadBalancer", "ports": [{"port": 80}]}
    with pytest.raises(RefusedError, match="'x' timed out waiting to be Ready") as refusal:
        Resource(engine, "core/v1:Service", manifest("v1", "Service", namespace, spec=spec)).create(timeout=1)
    assert refusal.value.partial is not None
    assert any("was not allocated an IP address" in reason for reason in refusal.value.partial["reasons"])


def test_a_lazy_claim_is_ready_while_it_waits_for_its_consumer(
    engine: Engine, api: ApiServer, namespace: str
) -> None:
    name = f"lazy-{namespace}"
    storage: Object = {
        "apiVersion": "storage.k8s.io/v1",
        "kind": "StorageClass",
        "metadata": {"name": name},
        "provisioner": "none",
        "volumeBindingMode": "WaitForFirstConsumer",
    }
    api.create(storage, "test")
    claim = {
        "accessModes": ["ReadWriteOnce"],
        "storageClassName": name,
        "resources": {"requests": {"storage": "1Gi"}},
    }
    resource = Resource(
        engine,
        "core/v1:PersistentVolumeClaim",
        manifest("v1", "PersistentVolumeClaim", namespace, spec=claim),
    )
    resource.create(timeout=PATIENCE_SECONDS)
    api.delete(storage, "Background")
    assert at(resource.state, "status", "phase") == "Pending"


def test_a_deleted_namespace_is_gone_with_all_in_it(engine: Engine, api: ApiServer) -> None:
    name = f"test-{uuid.uuid4().hex[:8]}"
    inputs: Object = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}
    namespace = Resource(engine, "core/v1:Namespace", inputs)
    namespace.create()
    api.create(config_map(name, k="v"), "test")
    namespace.delete()
    with pytest.raises(ApiError, match="not found"):
        api.get(identity(inputs))


def test_an_object_held_by_a_finalizer_is_reported_and_kept(
    engine: Engine, api: ApiServer, namespace: str
) -> None:
    inputs = changed(config_map(namespace), ["example.com/hold"], "metadata", "finalizers")
    conf = Resource(engine, "core/v1:ConfigMap", inputs)
    conf.create()
    with pytest.raises(RefusedError, match="timed out waiting for the condition") as refusal:
        conf.delete(timeout=1)
    assert refusal.value.partial is not None
    api.patch(inputs, "test", [{"op": "remove", "path": "/metadata/finalizers"}])
    Waiter().gone(api, inputs, inputs, timeout=PATIENCE_SECONDS)
    assert not conf.refresh()
