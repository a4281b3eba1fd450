"""The recorded calls of the real provider, made again in their order on a real API server."""

import json
import re
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

from kubeflow_aks.clients.kubernetes.api import ApiServer
from kubeflow_aks.clients.kubernetes.errors import ApiError
from kubeflow_aks.clients.kubernetes.objects import Object, clone, drop, is_object
from kubeflow_aks.local_aks.kubernetes_provider.waiting import Waiter
from tests.local.commands import PATIENCE_SECONDS
from tests.local_aks.kubernetes_provider import recording
from tests.local_aks.kubernetes_provider.engine import Engine, RefusedError, connected, provider

OWN_NAMES = (
    "argo-workflow-controller-configmap",
    "batch",
    "ckf-prerequisites",
    "ckf-zrs",
    "cluster-autoscaler-priority-expander",
    "juju-admin",
    "kubeflow",
    "no-platform-on-spot",
    "nvidia-device-plugin",
    "other-ns",
)
"""Names in the recording that other tests on the same API server may use; they get a prefix here."""

MANAGER = re.compile(r"pulumi-kubernetes-[0-9a-f]{8}")


def _renamed_calls() -> list[recording.Json]:
    names = "|".join(OWN_NAMES)
    text = re.sub(rf'(?<=["/ ])({names})(?=["/\\])', r"recorded-\1", json.dumps(recording.calls()))
    return json.loads(text)


CALLS = _renamed_calls()


def _object(
    kind: str, name: str, namespace: str | None = None, api_version: str = "v1", **rest: Any
) -> Object:
    metadata = {"name": name} | ({"namespace": namespace} if namespace else {})
    return {"apiVersion": api_version, "kind": kind, "metadata": metadata, **rest}


EXPANDER = _object(
    "ConfigMap", "recorded-cluster-autoscaler-priority-expander", "kube-system", data={"other": "owner"}
)
ARGO_NAMESPACE = _object("Namespace", "recorded-kubeflow")
ARGO = _object(
    "ConfigMap",
    "recorded-argo-workflow-controller-configmap",
    "recorded-kubeflow",
    data={"workflowDefaults": "x"},
)
LEFT_BEHIND = [
    EXPANDER,
    ARGO_NAMESPACE,
    _object("ConfigMap", "recorded-argo-workflow-controller-configmap", "default"),
    _object("Namespace", "recorded-ckf-prerequisites"),
    _object("StorageClass", "recorded-ckf-zrs", api_version="storage.k8s.io/v1"),
    _object("PriorityClass", "recorded-batch", api_version="scheduling.k8s.io/v1"),
    _object("ClusterRoleBinding", "recorded-juju-admin", api_version="rbac.authorization.k8s.io/v1"),
    _object("DaemonSet", "recorded-nvidia-device-plugin", "kube-system", api_version="apps/v1"),
    _object(
        "ValidatingAdmissionPolicy", "recorded-no-platform-on-spot", api_version="admissionregistration.k8s.io/v1"
    ),
]  # fmt: skip


@pytest.fixture(scope="module")
def api(kubeconfig: Path) -> Generator[ApiServer]:
    server = ApiServer.of(kubeconfig)
    _remove(server, *LEFT_BEHIND)
    yield server
    _remove(server, *LEFT_BEHIND)


@pytest.fixture(scope="module")
def engine(kubeconfig: Path, api: ApiServer) -> Generator[Engine]:  # noqa: ARG001 - cleans up after the engine
    with provider() as port, connected(port) as connection:
        connection.configure(kubeconfig=kubeconfig.read_text())
        yield connection


def test_every_recorded_call_is_answered_as_the_real_provider_did(engine: Engine, api: ApiServer) -> None:
    for index, call in enumerate(CALLS):
        if call["method"] in recording.PURE:
            continue
        _set_the_stage(api, index)
        expected = (_comparable(call, call["response"]), _without_rpc_prefix(call.get("errors")))
        assert _answer(engine, call) == expected, f"call {index}, {call['method']} {call['request']['urn']}"


def _set_the_stage(api: ApiServer, index: int) -> None:
    """What others did to the cluster between the recorded calls."""
    match index:
        case 11:
            api.create(EXPANDER, "the cluster's owner")
        case 41:
            _remove(api, EXPANDER)
        case 51:
            api.create(ARGO_NAMESPACE, "the charm")
            api.apply(ARGO, "pulumi", force=False)
        case _:
            pass


def _answer(engine: Engine, call: recording.Json) -> tuple[object, str | None]:
    try:
        return _comparable(call, engine.call(call["method"], call["request"])), None
    except RefusedError as refusal:
        return None, MANAGER.sub("MANAGER", str(refusal))


def _comparable(call: recording.Json, answer: object) -> object:
    """An answer without what `recording.ALLOWED_DIFFERENCES` lists."""
    if not is_object(answer) or not is_object(answer.get("properties")):
        return answer
    properties = clone(answer["properties"])
    for path in recording.ALLOWED_DIFFERENCES:
        match path.split(".", 2):
            case ["__fieldManager"] if call["method"] == "Create" and "__fieldManager" in properties:
                assert MANAGER.fullmatch(properties["__fieldManager"])
                properties["__fieldManager"] = "MANAGER"
            case ["data"] if properties["kind"] == "Secret" and "data" in properties:
                properties["data"]["value"] = sorted(properties["data"]["value"])
            case ["status"] if properties["kind"] == "ValidatingAdmissionPolicy":
                drop(properties, "status")
            case ["metadata", *names]:
                drop(properties, "metadata", *names)
            case _:
                pass
    return {**answer, "properties": properties}


def _without_rpc_prefix(errors: list[str] | None) -> str | None:
    return (
        MANAGER.sub("MANAGER", errors[0].removeprefix("rpc error: code = Unknown desc = "))
        if errors
        else None
    )


def _remove(api: ApiServer, *objects: Object) -> None:
    for obj in objects:
        try:
            api.delete(obj, "Background")
        except ApiError as error:
            if not error.not_found:
                raise
    for obj in objects:
        Waiter().gone(api, obj, obj, timeout=PATIENCE_SECONDS)
