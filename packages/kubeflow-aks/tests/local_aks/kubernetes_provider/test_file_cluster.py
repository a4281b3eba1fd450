"""The cluster in a file: its answers, and those of the whole stand-in on it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NoReturn

import pytest

from kubeflow_aks.clients.kubernetes.errors import ApiError, NoSuchKindError
from kubeflow_aks.clients.kubernetes.objects import Kind, Object, at, clone, fields
from kubeflow_aks.local_aks.kubernetes_provider import built_in_types, file_cluster
from kubeflow_aks.local_aks.kubernetes_provider.file_cluster import FileCluster, NoWaiter
from kubeflow_aks.local_aks.kubernetes_provider.pruning import pruned
from kubeflow_aks.local_aks.kubernetes_provider.server import serve
from kubeflow_aks.local_aks.kubernetes_provider.session import knows
from tests.local_aks.kubernetes_provider import recording
from tests.local_aks.kubernetes_provider.engine import Engine, Json, RefusedError, connected

MANAGER = re.compile(r"pulumi-kubernetes-[0-9a-f]{8}")
NEEDS_VALIDATION = {39: "an invalid name", 40: "an invalid CEL expression"}
"""Recorded calls that an API server refuses and a keeper of objects does not."""


def _object(kind: str, name: str, namespace: str = "", api_version: str = "v1", **rest: Any) -> Object:
    metadata = {"name": name} | ({"namespace": namespace} if namespace else {})
    return {"apiVersion": api_version, "kind": kind, "metadata": metadata, **rest}


def _map(name: str = "map", **data: str) -> Object:
    return _object("ConfigMap", name, "default", data=data)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "kubernetes.json"


@pytest.fixture
def objects(file: Path) -> FileCluster:
    return FileCluster(file)


@pytest.fixture
def engine(objects: FileCluster) -> Iterator[Engine]:
    server = serve(
        waiter=NoWaiter(misordering_seconds=()), servers=(file_cluster.SERVER,), connect=lambda _: objects
    )
    with connected(server.port) as connection:
        connection.configure(kubeconfig=file_cluster.kubeconfig())
        yield connection
    server.stop(0)


def test_what_is_kept_outlives_the_process(objects: FileCluster, file: Path) -> None:
    objects.create(_map(key="value"), "pulumi-kubernetes")
    assert FileCluster(file).get(_map())["data"] == {"key": "value"}


def test_a_dry_run_keeps_nothing(objects: FileCluster, file: Path) -> None:
    assert objects.create(_map(key="value"), "m", dry_run=True)["data"] == {"key": "value"}
    assert objects.apply(_map(key="value"), "m", force=False, dry_run=True)["data"] == {"key": "value"}
    assert not file.exists()
    with pytest.raises(ApiError, match=r'^configmaps "map" not found$'):
        objects.get(_map())


def test_an_object_that_exists_is_not_created_again(objects: FileCluster) -> None:
    daemon = _object("DaemonSet", "d", "default", "apps/v1")
    objects.create(daemon, "m")
    with pytest.raises(ApiError, match=r'^daemonsets\.apps "d" already exists$') as refusal:
        objects.create(daemon, "m")
    assert refusal.value.already_exists


def test_a_namespace_must_be_there(objects: FileCluster) -> None:
    inside = _object("ConfigMap", "map", "team")
    with pytest.raises(ApiError, match=r'^namespaces "team" not found$') as refusal:
        objects.create(inside, "m")
    assert refusal.value.namespace_missing
    objects.create(_object("Namespace", "team"), "m")
    objects.create(inside, "m")
    objects.delete(_object("Namespace", "team"), "Background")
    with pytest.raises(ApiError, match="not found"):
        objects.get(inside)


def test_a_field_of_another_manager_is_a_conflict_unless_it_is_forced(objects: FileCluster) -> None:
    objects.apply(_map(a="1", b="1"), "first", force=False)
    objects.apply(_map(a="1", c="1"), "second", force=False)
    with pytest.raises(ApiError) as refusal:
        objects.apply(_map(a="2", b="2"), "third", force=False)
    assert refusal.value.conflict
    assert str(refusal.value) == (
        'Apply failed with 3 conflicts: conflicts with "first":\n- .data.a\n- .data.b\n'
        'conflicts with "second":\n- .data.a'
    )
    assert objects.apply(_map(a="2"), "third", force=True)["data"] == {"a": "2", "b": "1", "c": "1"}
    assert objects.apply(_map(a="1"), "third", force=True)["data"]["a"] == "1"


def test_what_a_manager_leaves_out_goes_unless_another_owns_it(objects: FileCluster) -> None:
    objects.apply(_map(a="1", b="1"), "first", force=False)
    objects.apply(_map(a="1"), "second", force=False)
    assert objects.apply(_object("ConfigMap", "map", "default"), "first", force=False)["data"] == {"a": "1"}


DEFINITION = _object(
    "CustomResourceDefinition",
    "things.example.com",
    "",
    "apiextensions.k8s.io/v1",
    spec={
        "group": "example.com",
        "names": {"plural": "things", "kind": "Thing"},
        "scope": "Cluster",
        "versions": [{"name": "v1", "served": True}, {"name": "v0", "served": False}],
    },
)


def test_a_custom_kind_is_served_once_its_definition_is_there(objects: FileCluster) -> None:
    thing = Kind("example.com", "v1", "Thing")
    assert not knows("kubernetes:example.com/v1:Thing", objects)
    with pytest.raises(NoSuchKindError):
        objects.served(thing)
    objects.create(DEFINITION, "m")
    assert (objects.served(thing).plural, objects.served(thing).namespaced) == ("things", False)
    assert knows("kubernetes:example.com/v1:Thing", objects)
    assert not knows("kubernetes:example.com/v0:Thing", objects)


def test_a_custom_kind_that_an_api_server_does_not_serve_yet_is_known_by_its_definition(
    objects: FileCluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    def served(_: FileCluster, kind: Kind) -> NoReturn:
        raise NoSuchKindError(kind)

    objects.create(DEFINITION, "m")
    monkeypatch.setattr(FileCluster, "served", served)
    assert knows("kubernetes:example.com/v1:Thing", objects)
    assert not knows("kubernetes:example.com/v0:Thing", objects)
    assert not knows("kubernetes:example.com/v1:Other", objects)


@pytest.mark.parametrize(
    ("kind", "plural", "namespaced"),
    [
        (Kind("", "v1", "Endpoints"), "endpoints", True),
        (Kind("networking.k8s.io", "v1", "NetworkPolicy"), "networkpolicies", True),
        (Kind("networking.k8s.io", "v1", "IngressClass"), "ingressclasses", False),
        (Kind("policy", "v1", "PodDisruptionBudget"), "poddisruptionbudgets", True),
    ],
)
def test_built_in_kinds_are_served(
    objects: FileCluster, kind: Kind, plural: str, *, namespaced: bool
) -> None:
    served = objects.served(kind)
    assert (served.plural, served.namespaced) == (plural, namespaced)


def test_kinds_that_kubernetes_gave_up_are_not_served(objects: FileCluster) -> None:
    gone = Kind("policy", "v1beta1", "PodSecurityPolicy")
    with pytest.raises(NoSuchKindError):
        objects.served(gone)
    assert knows(
        "kubernetes:policy/v1beta1:PodSecurityPolicy", objects
    )  # and is refused in the server's words


@pytest.mark.parametrize(
    "token", ["kubernetes:helm.sh/v3:Release", "kubernetes:helm:template", "kubernetes:x:Y"]
)
def test_what_is_no_object_is_for_others(objects: FileCluster, token: str) -> None:
    assert not knows(token, objects)


def test_the_cluster_admits_what_api_servers_do_not_change(objects: FileCluster) -> None:
    disks = _object(
        "StorageClass", "disks", "", "storage.k8s.io/v1", provisioner="disk", parameters={"sku": "a"}
    )
    objects.create(disks, "m")
    same = {**disks, "reclaimPolicy": "Delete", "allowVolumeExpansion": True}
    assert objects.apply(same, "m", force=True)["allowVolumeExpansion"] is True
    other = {**disks, "reclaimPolicy": "Retain", "volumeBindingMode": "WaitForFirstConsumer"}
    with pytest.raises(ApiError) as refusal:
        objects.apply(other, "m", force=True)
    assert str(refusal.value) == (
        'StorageClass.storage.k8s.io "disks" is invalid: [reclaimPolicy: Forbidden: updates to reclaimPolicy are '
        'forbidden., volumeBindingMode: Invalid value: "WaitForFirstConsumer": field is immutable]'
    )


def test_an_account_gets_its_token_and_keeps_it(objects: FileCluster) -> None:
    secret = _object("Secret", "token", "default", type="kubernetes.io/service-account-token")
    secret["metadata"]["annotations"] = {"kubernetes.io/service-account.name": "default"}
    assert "data" not in objects.create(secret, "m", dry_run=True)
    data = objects.create(secret, "m")["data"]
    assert sorted(data) == ["ca.crt", "namespace", "token"]
    relabelled = clone(secret)
    relabelled["metadata"]["labels"] = {"team": "a"}
    assert objects.apply(relabelled, "m", force=True)["data"] == data


def test_inputs_are_written_as_their_types_write_them(engine: Engine) -> None:
    spec = {"limits": [{"type": "Container", "max": {"memory": "0.5Gi", "cpu": 0.5}}]}
    limits = _object("LimitRange", "limits", "default", spec=spec)
    urn = "urn:pulumi:dev::p::kubernetes:core/v1:LimitRange::limits"
    checked = engine.call("Check", {"urn": urn, "news": {**limits, "mistyped": True}})["inputs"]
    assert checked["spec"]["limits"][0]["max"] == {"memory": "512Mi", "cpu": "500m"}
    assert "mistyped" not in checked


def test_the_types_of_a_kind_are_those_of_go() -> None:
    document = built_in_types.document(Kind("apps", "v1", "DaemonSet"))
    definitions = at(document, "components", "schemas")
    container = definitions["io.k8s.api.core.v1.Container"]
    assert container["required"] == ["name"]
    assert container["properties"]["ports"]["items"]["$ref"].endswith("/io.k8s.api.core.v1.ContainerPort")
    limits = definitions["io.k8s.api.core.v1.ResourceRequirements"]["properties"]["limits"]
    assert limits["additionalProperties"]["$ref"].endswith(".Quantity")
    assert definitions["io.k8s.api.core.v1.HTTPGetAction"]["properties"]["port"] == {}
    assert "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta" in definitions


def test_every_recorded_call_is_answered_as_far_as_nobody_judges_values(
    engine: Engine, objects: FileCluster
) -> None:
    for index, call in enumerate(recording.calls()):
        if call["method"] in recording.PURE or index in NEEDS_VALIDATION:
            continue
        _set_the_stage(objects, index)
        errors = call.get("errors")
        words = MANAGER.sub("", errors[0].removeprefix("rpc error: code = Unknown desc = ")) if errors else ""
        assert _answer(engine, call) == (_comparable(call.get("response")), words), (
            f"call {index}, {call['method']}"
        )


def _answer(engine: Engine, call: Json) -> tuple[Json, str]:
    try:
        return _comparable(engine.call(call["method"], call["request"])), ""
    except RefusedError as refusal:
        return _comparable(None), MANAGER.sub("", str(refusal))


def _comparable(answer: object) -> Json:
    """What the engine gets to know: the id, the inputs, and of the live object what the inputs name."""
    inputs = fields(at(fields(answer), "properties", "__inputs"))
    shape = {key: value for key, value in inputs.items() if key not in {"data", "stringData"}}
    live: Any = pruned(at(fields(answer), "properties"), shape)
    return {"id": at(fields(answer), "id"), "inputs": inputs, "live": live}


def _set_the_stage(objects: FileCluster, index: int) -> None:
    """What others did to the cluster between the recorded calls."""
    expander = _object(
        "ConfigMap", "cluster-autoscaler-priority-expander", "kube-system", data={"other": "owner"}
    )
    match index:
        case 11:
            objects.create(expander, "the cluster's owner")
        case 41:
            objects.delete(expander, "Background")
        case 51:
            name = "argo-workflow-controller-configmap"
            objects.create(_object("Namespace", "kubeflow"), "the charm")
            objects.apply(
                _object("ConfigMap", name, "kubeflow", data={"workflowDefaults": "x"}), "pulumi", force=False
            )
        case _:
            pass
