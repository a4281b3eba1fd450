"""What the engine keeps of an object, who owns its fields, and what in it is secret."""

from typing import Any

from kubeflow_aks.clients.kubernetes.objects import Object
from kubeflow_aks.local_aks.kubernetes_provider import ownership
from kubeflow_aks.local_aks.kubernetes_provider.outputs import Checkpoint, with_secrets_of
from kubeflow_aks.local_aks.protocol import wire
from kubeflow_aks.local_aks.protocol.wire import Secret


def _entry(manager: str, operation: str, *names: str, **rest: Any) -> Object:
    fields: Object = {}
    for name in reversed(names):
        fields = {f"f:{name}": fields}
    return {"manager": manager, "operation": operation, "fieldsV1": fields, **rest}


def _live(*entries: Object) -> Object:
    metadata = {"name": "x", "resourceVersion": "7", "managedFields": list(entries)}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": metadata,
        "spec": {"replicas": 5, "paused": True},
    }


def _managers(operations: list[Object]) -> list[tuple[str, str]]:
    return [(entry["manager"], entry["operation"]) for entry in operations[0]["value"]]


def test_an_update_takes_what_the_create_owned() -> None:
    operations = ownership.takeover(
        _live(_entry("pulumi-kubernetes-1", "Update", "spec", "paused")), "pulumi-kubernetes-1"
    )
    assert _managers(operations) == [("pulumi-kubernetes-1", "Apply")]
    assert operations[1] == {"op": "replace", "path": "/metadata/resourceVersion", "value": "7"}


def test_an_update_takes_what_kubectl_changed_by_hand() -> None:
    live = _live(
        _entry("pulumi-kubernetes-1", "Apply", "spec", "paused"),
        _entry("kubectl-edit", "Update", "spec", "replicas"),
    )
    (fields, _) = ownership.takeover(live, "pulumi-kubernetes-1")
    assert fields["value"][0]["fieldsV1"] == {"f:spec": {"f:paused": {}, "f:replicas": {}}}


def test_an_update_leaves_controllers_and_status_alone() -> None:
    live = _live(
        _entry("kube-controller-manager", "Update", "status", subresource="status"),
        _entry("kubectl", "Update", "status", subresource="status"),
        _entry("pulumi-kubernetes-2", "Apply", "spec", "paused"),
    )
    assert ownership.takeover(live, "pulumi-kubernetes-1") == []


def test_an_ignored_field_of_another_owner_is_left_out() -> None:
    live = _live(_entry("autoscaler", "Update", "spec", "replicas"))
    assert ownership.without_ignored(
        {"spec": {"replicas": 1, "paused": True}}, live, "me", ["spec.replicas"]
    ) == {"spec": {"paused": True}}


def test_an_ignored_field_of_ones_own_keeps_its_live_value() -> None:
    live = _live(
        _entry("me", "Apply", "spec", "replicas"), _entry("autoscaler", "Update", "spec", "replicas")
    )
    assert ownership.without_ignored({"spec": {"replicas": 1}}, live, "me", ["spec.replicas"]) == {
        "spec": {"replicas": 5}
    }


def test_an_ignored_field_nobody_owns_keeps_its_live_value() -> None:
    assert ownership.without_ignored({"spec": {"replicas": 1}}, _live(), "me", ["spec.replicas"]) == {
        "spec": {"replicas": 5}
    }


def test_the_data_of_a_secret_is_secret() -> None:
    live = {"kind": "Secret", "data": {"a": "YQ=="}, "type": "Opaque"}
    assert with_secrets_of(live, wire.encode({})) == {
        "kind": "Secret",
        "data": Secret({"a": "YQ=="}),
        "type": "Opaque",
    }


def test_what_was_secret_in_the_inputs_is_secret_in_the_outputs() -> None:
    source = wire.encode({"spec": {"env": [{"value": Secret("s")}], "host": Secret("h"), "port": 1}})
    live = {"spec": {"env": [{"value": "s"}], "host": "h", "port": 1, "more": 2}}
    marked = with_secrets_of(live, source)
    assert marked == {"spec": {"env": Secret([{"value": "s"}]), "host": Secret("h"), "port": 1, "more": 2}}


def test_an_object_that_was_secret_as_a_whole_stays_so() -> None:
    assert with_secrets_of({"spec": {"a": 1}}, wire.encode({"spec": Secret({"a": 1})})) == {
        "spec": Secret({"a": 1})
    }


def test_a_checkpoint_can_be_read_back() -> None:
    checkpoint = Checkpoint({"kind": "X"}, {"apiVersion": "v1", "kind": "X", "status": {}}, "v1", "me")
    assert Checkpoint.read(checkpoint.write(wire.encode({}))) == checkpoint


def test_nulls_of_the_server_are_not_kept() -> None:
    checkpoint = Checkpoint(
        {}, {"apiVersion": "v1", "metadata": {"creationTimestamp": None, "name": "x"}}, "v1", "me"
    )
    assert checkpoint.write(wire.encode({}))["metadata"] == {"name": "x"}
