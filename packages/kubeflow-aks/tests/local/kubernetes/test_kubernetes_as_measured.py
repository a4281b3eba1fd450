"""Measured behaviour of the real provider that its documents lack or contradict (docs/facts/engine.md)."""

from pathlib import Path
from typing import Any

import pytest
from kubernetes import config
from kubernetes.client import CoreV1Api

from kubeflow_aks.clients.kubernetes.api import ApiServer
from kubeflow_aks.clients.kubernetes.objects import Object, at, put
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

NO_OWNERS: list[Object] = [{}]
"""What removes all entries of an object's managedFields."""


def test_a_patch_given_up_after_its_object_leaves_an_empty_one(
    engine: Engine, api: ApiServer, namespace: str
) -> None:
    patch = Resource(engine, "core/v1:ConfigMapPatch", config_map(namespace, ours="2"))
    patch.create()
    api.delete(patch.inputs, "Background")
    patch.delete()
    assert "data" not in api.get(patch.inputs)


def test_a_patch_given_up_after_its_namespace_fails_every_time_until_a_refresh(engine: Engine) -> None:
    patch = Resource(engine, "core/v1:ConfigMapPatch", config_map("default", ours="2"))
    patch.create()
    patch.delete()
    patch.move("never-there")
    for _ in range(2):
        with pytest.raises(RefusedError, match='namespaces "never-there" not found'):
            patch.delete()
    assert not patch.refresh()


def test_an_object_without_owners_of_its_fields_is_taken(
    engine: Engine, api: ApiServer, namespace: str
) -> None:
    conf = Resource(engine, "core/v1:ConfigMap", config_map(namespace, k="v"))
    conf.create()
    by_hand(api, conf.inputs, "a-migration", "/metadata/managedFields", NO_OWNERS)
    conf.update(config_map(namespace, k="new"), preview=True)
    conf.update(config_map(namespace, k="new"))
    assert api.get(conf.inputs)["data"] == {"k": "new"}


def test_a_created_object_belongs_to_the_provider_and_an_updated_one_to_its_resource(
    engine: Engine, api: ApiServer, namespace: str
) -> None:
    conf = Resource(engine, "core/v1:ConfigMap", config_map(namespace, k="v"))
    conf.create()
    assert _owners(api, conf.inputs) == {("pulumi-kubernetes", "Update")}
    conf.update(config_map(namespace, k="new"))
    assert _owners(api, conf.inputs) == {(conf.state["__fieldManager"], "Apply")}


def test_a_failed_bare_pod_is_a_warning_of_a_refresh(
    engine: Engine, kubeconfig: Path, namespace: str, node: str
) -> None:
    containers = [{"name": "c", "image": "x"}]
    placed = {"kubernetes.io/hostname": node}
    spec: Object = {"containers": containers, "restartPolicy": "Never", "nodeSelector": placed}
    pod = Resource(engine, "core/v1:Pod", manifest("v1", "Pod", namespace, spec=spec))
    pod.create(timeout=PATIENCE_SECONDS)
    ready = {"type": "Ready", "status": "False", "reason": "PodFailed", "message": "it failed"}
    _set_status(kubeconfig, namespace, {"phase": "Failed", "conditions": [ready]})
    with pytest.raises(RefusedError) as refusal:
        pod.refresh()
    assert refusal.value.partial is not None
    assert f"[Pod {namespace}/x]: it failed" in refusal.value.partial["reasons"]


def test_a_service_without_endpoints_is_ready(engine: Engine, namespace: str) -> None:
    spec = {"selector": {"app": "nobody"}, "ports": [{"port": 80}]}
    service = Resource(engine, "core/v1:Service", manifest("v1", "Service", namespace, spec=spec))
    service.create(timeout=PATIENCE_SECONDS)
    assert service.refresh()


def test_a_deployment_updated_to_pods_without_room_is_reported_ready(
    engine: Engine, api: ApiServer, namespace: str, node: str
) -> None:
    inputs = workload_manifest("Deployment", namespace, 1)
    put(inputs, {"kubernetes.io/hostname": node}, "spec", "template", "spec", "nodeSelector")
    deployment = Resource(engine, "apps/v1:Deployment", inputs)
    deployment.create(timeout=PATIENCE_SECONDS)
    deployment.update(
        changed(inputs, {"nowhere": "at-all"}, "spec", "template", "spec", "nodeSelector"), timeout=5
    )
    assert at(deployment.state, "status", "readyReplicas") == 1
    eventually(lambda: _observed(api.get(inputs)))
    again = changed(deployment.inputs, {"nowhere": "either"}, "spec", "template", "spec", "nodeSelector")
    with pytest.raises(RefusedError, match="timed out waiting to be Ready"):
        deployment.update(again, timeout=3)  # this one was not ready before


def test_what_a_type_does_not_know_is_dropped_and_nulls_are_empty_text(
    engine: Engine, api: ApiServer, namespace: str
) -> None:
    news: Object = config_map(namespace) | {"data": {"k": None}, "mistyped": {"a": 1}}
    news["metadata"]["annotations"] = {"a": None}
    conf = Resource.checked(engine, "core/v1:ConfigMap", news)
    conf.create()
    live = api.get(conf.inputs)
    assert live["data"] == {"k": ""}
    assert live["metadata"]["annotations"] == {"a": ""}
    assert conf.check_and_diff(news)["changes"] == "DIFF_NONE"


def test_an_empty_value_and_another_way_of_writing_a_quantity_are_no_difference(
    engine: Engine, namespace: str
) -> None:
    workload = workload_manifest("Deployment", namespace, 0)
    container = workload["spec"]["template"]["spec"]["containers"][0]
    container |= {"env": [{"name": "A", "value": ""}], "resources": {"limits": {"memory": "0.5Gi"}}}
    workload["metadata"]["annotations"] = {}
    limits = {"limits": [{"type": "Container", "default": {"memory": "0.5Gi", "cpu": "0.5"}}]}
    for type_, news in (
        ("apps/v1:Deployment", workload),
        ("core/v1:LimitRange", manifest("v1", "LimitRange", namespace, spec=limits)),
    ):
        resource = Resource.checked(engine, type_, news)
        resource.create()
        assert resource.check_and_diff(news)["changes"] == "DIFF_NONE"
        resource.refresh()
        assert resource.check_and_diff(news)["changes"] == "DIFF_NONE"


def test_an_optional_value_that_is_kept_when_it_is_false_is_a_difference(
    engine: Engine, namespace: str
) -> None:
    news = workload_manifest("Deployment", namespace, 0)
    deployment = Resource.checked(engine, "apps/v1:Deployment", news)
    deployment.create()
    pod = ("spec", "template", "spec")
    false = changed(news, False, *pod, "automountServiceAccountToken")  # noqa: FBT003 - a value
    path = "spec.template.spec.automountServiceAccountToken"
    assert deployment.check_and_diff(false)["detailedDiff"] == {path: {}}  # ADD
    dropped = changed(news, False, *pod, "hostPID")  # noqa: FBT003 - a value
    assert deployment.check_and_diff(dropped)["changes"] == "DIFF_NONE"


def test_an_emptied_map_is_one_difference(engine: Engine, namespace: str) -> None:
    conf = Resource.checked(engine, "core/v1:ConfigMap", config_map(namespace, a="1", b="2"))
    conf.create()
    emptied = conf.check_and_diff(config_map(namespace))["detailedDiff"]
    assert emptied == {"data": {"kind": "DELETE", "inputDiff": True}}
    one = conf.check_and_diff(config_map(namespace, a="1"))["detailedDiff"]
    assert one == {"data.b": {"kind": "DELETE", "inputDiff": True}}


def test_a_token_of_an_absent_account_is_not_found(engine: Engine, namespace: str) -> None:
    """The last test, for it ends the real provider (`differences`)."""
    inputs = manifest("v1", "Secret", namespace, type="kubernetes.io/service-account-token")
    inputs["metadata"]["annotations"] = {"kubernetes.io/service-account.name": "nobody"}
    with pytest.raises(RefusedError, match='"x" not found'):
        Resource(engine, "core/v1:Secret", inputs).create()


def _observed(obj: Object) -> bool:
    """Whether the object's controller has observed its current generation."""
    return at(obj, "status", "observedGeneration") == at(obj, "metadata", "generation")


def _set_status(kubeconfig: Path, namespace: str, status: Object) -> None:
    client: Any = CoreV1Api(config.new_client_from_config(str(kubeconfig)))  # pyright: ignore[reportUnknownMemberType]
    client.patch_namespaced_pod_status("x", namespace, {"status": status})


def _owners(api: ApiServer, obj: Object) -> set[tuple[str, str]]:
    return {(entry["manager"], entry["operation"]) for entry in api.get(obj)["metadata"]["managedFields"]}
