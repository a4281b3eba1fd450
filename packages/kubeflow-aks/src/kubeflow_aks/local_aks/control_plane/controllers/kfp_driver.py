"""What the driver pods of Kubeflow Pipelines report, for workflows on nodes that run no containers.

A driver looks up in the metadata store what a task's inputs are and whether it has run before, and makes the task's pod
out of it. Here is no store: nothing is cached, inputs have no values, every condition holds. What it makes of a pod's
container, GPUs, tolerations and affinity is held against what the real driver of 2.16 made of sixteen pipelines
(tests/local_aks/control_plane/test_kfp_driver.py).

Argo gets outputs of a pod from the container beside it, as an object of kind WorkflowTaskResult with the name of the
pod's node (argo-workflows v3.7.3, workflow/executor/taskresult.go).
"""

import json
import threading
from collections.abc import Generator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from kubeflow_aks.clients.kubernetes.api import ApiServer
from kubeflow_aks.clients.kubernetes.connection import Connection
from kubeflow_aks.clients.kubernetes.errors import ApiError, KubeError
from kubeflow_aks.clients.kubernetes.informer import Informer
from kubeflow_aks.clients.kubernetes.objects import Object, annotation, at, fields, items, namespace_of

_MANAGER: Final = "simulated-kfp-driver"
_WORKFLOW: Final = "workflows.argoproj.io/workflow"
_NODE_ID: Final = "workflows.argoproj.io/node-id"
_REPORTED: Final = "workflows.argoproj.io/report-outputs-completed"
_PATH: Final = "_path"
_POLL_SECONDS: Final = 0.1
_CONDITION_HOLDS: Final = "nil"
"""What the real one writes where there is no condition."""


@contextmanager
def drivers(config: str | Path) -> Generator[None]:
    """Reports for every driver pod of a cluster meanwhile; the kubeconfig, by path or text, is an administrator's."""
    query = {"labelSelector": f"{_WORKFLOW},workflows.argoproj.io/completed=false"}
    pods = Informer(Connection.of(str(config)), "/api/v1/pods", query)
    stop = threading.Event()
    with ThreadPoolExecutor(1, "kfp-drivers") as thread:
        running = thread.submit(_report_all, ApiServer.of(config), pods, stop)
        try:
            yield
        finally:
            stop.set()
            pods.stop()
        running.result()


def _report_all(api: ApiServer, pods: Informer, stop: threading.Event) -> None:
    reported: set[str] = set()
    while not stop.wait(_POLL_SECONDS):
        try:
            by_uid = {str(at(pod, "metadata", "uid")): pod for pod in pods.objects()}
            for uid in by_uid.keys() - reported:
                result = task_result(by_uid[uid])
                if result:
                    _create(api, result)
                reported.add(uid)
        except KubeError:  # the API server is away for a moment, or for good: the next look shows it
            continue


def _create(api: ApiServer, result: Object) -> None:
    try:
        api.create(result, _MANAGER)
    except ApiError as error:
        if not error.already_exists:
            raise


def task_result(pod: Object) -> Object | None:
    """The WorkflowTaskResult that Argo gets for a pod, or None if the pod is no driver."""
    containers = [fields(container) for container in items(at(pod, "spec", "containers"))]
    main = [container for container in containers if container.get("name") == "main"]
    if not main or items(main[0].get("command"))[-1:] != ["driver"]:
        return None
    arguments = items(main[0].get("args"))
    outputs = outputs_of(
        {str(key): str(value) for key, value in zip(arguments[::2], arguments[1::2], strict=True)}
    )
    return {
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "WorkflowTaskResult",
        "metadata": {
            "name": annotation(pod, _NODE_ID),
            "namespace": namespace_of(pod),
            "labels": {_WORKFLOW: at(pod, "metadata", "labels", _WORKFLOW), _REPORTED: "true"},
            "ownerReferences": at(pod, "metadata", "ownerReferences"),
        },
        "outputs": {"parameters": [{"name": name, "value": value} for name, value in outputs.items()]},
    }


def outputs_of(arguments: Mapping[str, str]) -> dict[str, str]:
    """What a driver writes into the files that its arguments (`--kubernetes_config`) name, by the files' names."""
    patch = pod_spec_patch(
        _loaded(arguments.get("--container")), _loaded(arguments.get("--kubernetes_config"))
    )
    values = {
        "execution-id": "1",
        "iteration-count": "0",
        "condition": _CONDITION_HOLDS,
        "cached-decision": "false",
        "pod-spec-patch": json.dumps(patch),
    }
    files = [Path(path).name for key, path in arguments.items() if key.endswith(_PATH)]
    return {name: values[name] for name in files}


def _loaded(text: str | None) -> Object:
    return fields(json.loads(text)) if text else {}


def pod_spec_patch(container: Object, kubernetes: Object) -> Object:
    """What a task's pod is made of: its container and its settings for Kubernetes, as the pipeline has them."""
    resources = fields(container.get("resources"))
    accelerator = fields(resources.get("accelerator"))
    requests = _present(cpu=resources.get("resourceCpuRequest"))
    limits = {accelerator["resourceType"]: accelerator["resourceCount"]} if accelerator else {}
    main = {
        "name": "main",
        "image": container.get("image"),
        "command": ["/kfp-launcher/launch", "--"],
        "args": [*items(container.get("command")), *items(container.get("args"))],
        "resources": _present(requests=requests, limits=limits),
    }
    return {
        "containers": [main],
        **_present(
            affinity=_present(nodeAffinity=_node_affinity(items(kubernetes.get("nodeAffinity")))),
            nodeSelector=at(kubernetes, "nodeSelector", "labels"),
            tolerations=kubernetes.get("tolerations"),
        ),
    }


def _node_affinity(terms: list[Any]) -> Object:
    """Every term without a weight is one of the required ones, of which any will do."""
    required = [
        {"matchExpressions": at(term, "matchExpressions")} for term in terms if not at(term, "weight")
    ]
    preferred = [
        {"weight": at(term, "weight"), "preference": {"matchExpressions": at(term, "matchExpressions")}}
        for term in terms
        if at(term, "weight")
    ]
    return _present(
        requiredDuringSchedulingIgnoredDuringExecution=_present(nodeSelectorTerms=required),
        preferredDuringSchedulingIgnoredDuringExecution=preferred,
    )


def _present(**values: Any) -> Object:
    return {key: value for key, value in values.items() if value}
