"""What a change of inputs does to an object: update, replacement, and which goes first."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubeflow_aks.clients.kubernetes.objects import Object, clone, put
from kubeflow_aks.local_aks.kubernetes_provider import paths
from kubeflow_aks.local_aks.kubernetes_provider.diff import Change, ObjectDiff, diff
from kubeflow_aks.local_aks.kubernetes_provider.immutability import DiffRules
from kubeflow_aks.local_aks.protocol.wire import UNKNOWN

STRICT = DiffRules()
MUTABLE = DiffRules(config_map_mutable=True, secret_mutable=True)


def _object(api_version: str, kind: str, **rest: Any) -> Object:
    return {"apiVersion": api_version, "kind": kind, "metadata": {"name": "x", "namespace": "n"}, **rest}


def _diff(old: Object, new: Object, *, live: Object | None = None, **options: Any) -> ObjectDiff:
    defaults: dict[str, Any] = {"namespaced": True, "patch": False, "rules": STRICT}
    return diff(old, live or old, new, **(defaults | options))


def _changed(obj: Object, value: object, *path: str) -> Object:
    new = clone(obj)
    put(new, value, *path)
    return new


def _ids(cases: list[tuple[Object, Any, tuple[str, ...]]]) -> list[str]:
    return [f"{old['kind']} {'.'.join(path)}" for old, _, path in cases]


POD_SPEC = {"containers": [{"name": "c", "image": "a"}], "nodeSelector": {"pool": "a"}}
SELECTOR = {"selector": {"matchLabels": {"app": "a"}}}

REPLACED: list[tuple[Object, Any, tuple[str, ...]]] = [
    (_object("v1", "ConfigMap", data={"k": "a"}), "b", ("data", "k")),
    (_object("v1", "ConfigMap", binaryData={"k": "YQ=="}), "Yg==", ("binaryData", "k")),
    (_object("v1", "Secret", data={"k": "YQ=="}), "Yg==", ("data", "k")),
    (_object("v1", "Secret", type="Opaque"), "kubernetes.io/tls", ("type",)),
    (_object("v1", "Service", spec={"clusterIP": "10.0.0.1"}), "10.0.0.2", ("spec", "clusterIP")),
    (_object("v1", "ResourceQuota", spec={"scopes": "a"}), "b", ("spec", "scopes")),
    (_object("v1", "Pod", spec=POD_SPEC), "b", ("spec", "nodeSelector", "pool")),
    (
        _object("v1", "PersistentVolumeClaim", spec={"storageClassName": "a"}),
        "b",
        ("spec", "storageClassName"),
    ),
    (_object("v1", "PersistentVolume", spec={"csi": {"driver": "a"}}), "b", ("spec", "csi", "driver")),
    (_object("apps/v1", "DaemonSet", spec=SELECTOR), "b", ("spec", "selector", "matchLabels", "app")),
    (_object("apps/v1", "Deployment", spec=SELECTOR), "b", ("spec", "selector", "matchLabels", "app")),
    (_object("apps/v1", "StatefulSet", spec={"serviceName": "a"}), "b", ("spec", "serviceName")),
    (_object("batch/v1", "Job", spec={"completions": 1}), 2, ("spec", "completions")),
    (
        _object("batch/v1", "Job", spec={"template": {"spec": {"a": "a"}}}),
        "b",
        ("spec", "template", "spec", "a"),
    ),
    (_object("storage.k8s.io/v1", "StorageClass", parameters={"sku": "a"}), "b", ("parameters", "sku")),
    (_object("storage.k8s.io/v1", "StorageClass", provisioner="a"), "b", ("provisioner",)),
    (
        _object("rbac.authorization.k8s.io/v1", "ClusterRoleBinding", roleRef={"name": "a"}),
        "b",
        ("roleRef", "name"),
    ),
    (_object("rbac.authorization.k8s.io/v1", "RoleBinding", roleRef={"name": "a"}), "b", ("roleRef", "name")),
]


@pytest.mark.parametrize(("old", "value", "path"), REPLACED, ids=_ids(REPLACED))
def test_a_field_of_the_table_replaces_with_delete_first(
    old: Object, value: object, path: tuple[str, ...]
) -> None:
    difference = _diff(old, _changed(old, value, *path))
    assert difference.replaces == [".".join(path)]
    assert difference.delete_first


UPDATED: list[tuple[Object, Any, tuple[str, ...]]] = [
    (_object("scheduling.k8s.io/v1", "PriorityClass", value=1), 2, ("value",)),
    (_object("storage.k8s.io/v1", "StorageClass", reclaimPolicy="Delete"), "Retain", ("reclaimPolicy",)),
    (_object("storage.k8s.io/v1", "StorageClass", volumeBindingMode="a"), "b", ("volumeBindingMode",)),
    (_object("apps/v1", "Deployment", spec={"replicas": 1}), 2, ("spec", "replicas")),
    (_object("v1", "PersistentVolumeClaim", spec={"resources": {"requests": {"storage": "1Gi"}}}), "2Gi",
     ("spec", "resources", "requests", "storage")),
    (_object("v1", "ConfigMap", data={"k": "a"}, metadata={"name": "x", "namespace": "n", "labels": {"l": "a"}}), "b",
     ("metadata", "labels", "l")),
]  # fmt: skip


@pytest.mark.parametrize(("old", "value", "path"), UPDATED, ids=_ids(UPDATED))
def test_any_other_field_updates(old: Object, value: object, path: tuple[str, ...]) -> None:
    difference = _diff(old, _changed(old, value, *path))
    assert list(difference.changes) == [".".join(path)]
    assert difference.replaces == []
    assert not difference.delete_first


@pytest.mark.parametrize("kind", ["ConfigMap", "Secret"])
def test_data_updates_where_the_provider_calls_it_mutable(kind: str) -> None:
    old = _object("v1", kind, data={"k": "YQ=="})
    assert _diff(old, _changed(old, "Yg==", "data", "k"), rules=MUTABLE).replaces == []


@pytest.mark.parametrize("kind", ["ConfigMap", "Secret"])
def test_data_of_an_immutable_object_replaces_all_the_same(kind: str) -> None:
    old = _object("v1", kind, data={"k": "YQ=="}, immutable=True)
    assert _diff(old, _changed(old, "Yg==", "data", "k"), rules=MUTABLE).replaces == ["data.k"]


def test_the_type_of_a_secret_replaces_even_where_secrets_are_mutable() -> None:
    old = _object("v1", "Secret", type="Opaque")
    assert _diff(old, _changed(old, "kubernetes.io/tls", "type"), rules=MUTABLE).replaces == ["type"]


@pytest.mark.parametrize("key", ["name", "namespace"])
def test_a_new_identity_replaces_with_create_first(key: str) -> None:
    old = _object("v1", "ServiceAccount")
    difference = _diff(old, _changed(old, "y", "metadata", key))
    assert difference.replaces == [f"metadata.{key}"]
    assert not difference.delete_first


def test_an_autonamed_object_is_replaced_with_create_first() -> None:
    old = _object("v1", "ConfigMap", data={"k": "a"})
    old["metadata"]["annotations"] = {"pulumi.com/autonamed": "true"}
    difference = _diff(old, _changed(old, "b", "data", "k"))
    assert difference.replaces == ["data.k"]
    assert not difference.delete_first


def test_a_patch_updates_where_its_object_would_be_replaced() -> None:
    old = _object("v1", "ConfigMap", data={"k": "a"})
    assert _diff(old, _changed(old, "b", "data", "k"), patch=True).replaces == []


def test_a_container_of_a_pod_replaces_by_image_and_not_by_name() -> None:
    old = _object("v1", "Pod", spec=POD_SPEC)
    new = _changed(old, [{"name": "d", "image": "b"}], "spec", "containers")
    difference = _diff(old, new)
    assert sorted(difference.changes) == ["spec.containers[0].image", "spec.containers[0].name"]
    assert difference.replaces == ["spec.containers[0].image"]


def test_adding_what_holds_a_field_of_the_table_replaces() -> None:
    old = _object("apps/v1", "Deployment")
    assert _diff(old, _changed(old, SELECTOR, "spec")).replaces == ["spec"]


def test_a_removed_field_is_a_delete() -> None:
    old = _object("v1", "ConfigMap", data={"a": "1", "b": "2"})
    difference = _diff(old, _object("v1", "ConfigMap", data={"a": "1"}))
    assert difference.changes["data.b"].change is Change.DELETE


def test_list_items_are_compared_by_position() -> None:
    old = _object("v1", "Pod", spec={"tolerations": [{"key": "a"}, {"key": "b"}, {"key": "c"}]})
    new = _object("v1", "Pod", spec={"tolerations": [{"key": "a"}, {"key": "B"}]})
    kinds = {path: change.change for path, change in _diff(old, new).changes.items()}
    assert kinds == {"spec.tolerations[1].key": Change.UPDATE, "spec.tolerations[2]": Change.DELETE}


def test_an_unknown_value_counts_as_changed() -> None:
    old = _object("v1", "ConfigMap", data={"a": "1"})
    new = _object("v1", "ConfigMap", data={"a": UNKNOWN, "b": UNKNOWN})
    kinds = {path: change.change for path, change in _diff(old, new).changes.items()}
    assert kinds == {"data.a": Change.UPDATE, "data.b": Change.ADD}


def test_keys_with_dots_are_quoted() -> None:
    old = _object("v1", "Namespace")
    new = _changed(old, "true", "metadata", "annotations")
    old["metadata"]["annotations"], new["metadata"]["annotations"] = {}, {"pulumi.com/x": "y"}
    assert list(_diff(old, new, namespaced=False).changes) == ['metadata.annotations["pulumi.com/x"]']


def test_what_the_server_adds_is_no_difference() -> None:
    inputs = _object("v1", "ConfigMap", data={"k": "a"})
    live = _object(
        "v1", "ConfigMap", data={"k": "a"}, metadata={**inputs["metadata"], "uid": "1", "labels": {"l": "x"}}
    )
    assert not _diff(inputs, inputs, live=live).changes


def test_a_change_made_by_hand_is_a_difference() -> None:
    inputs = _object("v1", "ConfigMap", data={"k": "a"})
    live = _object("v1", "ConfigMap", data={"k": "b"})
    assert list(_diff(inputs, inputs, live=live).changes) == ["data.k"]


@pytest.mark.parametrize("nothing", [False, 0, [], {}])
def test_an_empty_value_that_the_server_dropped_is_no_difference(nothing: object) -> None:
    inputs = _object("scheduling.k8s.io/v1", "PriorityClass", globalDefault=nothing)
    live = _object("scheduling.k8s.io/v1", "PriorityClass")
    assert not _diff(inputs, inputs, live=live).changes


def test_a_quantity_in_another_spelling_is_no_difference() -> None:
    inputs = _object("v1", "Pod", spec={"overhead": {"cpu": "0.5", "memory": "1024Mi"}})
    live = _object("v1", "Pod", spec={"overhead": {"cpu": "500m", "memory": "1Gi"}})
    assert not _diff(inputs, inputs, live=live).changes
    assert _diff(inputs, _changed(inputs, "0.6", "spec", "overhead", "cpu"), live=live).changes


def test_true_and_one_differ() -> None:
    old = _object("v1", "ConfigMap", immutable=True)
    assert _diff(old, _object("v1", "ConfigMap", immutable=1)).changes


def test_string_data_equals_the_data_it_became() -> None:
    old = _object("v1", "Secret", stringData={"k": "a"})
    assert not _diff(old, old, live=_object("v1", "Secret", data={"k": "YQ=="})).changes


def test_the_default_namespace_may_be_omitted() -> None:
    live = _object("v1", "ConfigMap", metadata={"name": "x", "namespace": "default"})
    inputs = _object("v1", "ConfigMap", metadata={"name": "x"})
    assert not _diff(live, inputs, live=live).changes


def test_ignored_changes_are_left_out() -> None:
    old = _object("apps/v1", "Deployment", spec={"replicas": 1, "paused": False})
    new = _object("apps/v1", "Deployment", spec={"replicas": 3, "paused": True})
    assert list(_diff(old, new, ignore=["spec.replicas"]).changes) == ["spec.paused"]
    assert not _diff(old, new, ignore=["spec"]).changes
    assert not _diff(old, new, ignore=["spec.*"]).changes


@given(
    st.lists(st.integers(0, 99) | st.text('ab./"[]', min_size=1).filter(lambda t: "\\" not in t), min_size=1)
)
def test_every_path_can_be_read_back(parts: list[str | int]) -> None:
    path = ("metadata", *parts)
    assert paths.parse(paths.render(path)) == path
