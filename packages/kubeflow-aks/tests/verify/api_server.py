"""An API server on 127.0.0.1 that shows the good cluster, and answers some questions otherwise."""

from __future__ import annotations

import json
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from email.utils import format_datetime
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any, Final
from urllib.parse import parse_qs, urlsplit

from kubeflow_aks.clients.kubernetes.objects import Kind
from kubeflow_aks.verify.comparison import trial
from kubeflow_aks.verify.probes import PROBES
from kubeflow_aks.verify.snapshot import ClusterSnapshot, Result
from tests.serving import serving
from tests.verify import clusters as c

Answered = tuple[int, object]

_GROUPS: Final = {
    "/api/v1": [
        *("Pod", "Node", "Namespace", "Event", "ConfigMap"),
        *("Secret", "Service", "ServiceAccount", "ResourceQuota"),
    ],
    "/apis/storage.k8s.io/v1": ["StorageClass", "CSIDriver"],
    "/apis/apps/v1": ["DaemonSet", "Deployment", "ReplicaSet", "StatefulSet"],
    "/apis/apiextensions.k8s.io/v1": ["CustomResourceDefinition"],
    "/apis/networking.k8s.io/v1": ["NetworkPolicy"],
    "/apis/policy/v1": ["PodDisruptionBudget"],
    "/apis/batch/v1": ["Job"],
    "/apis/rbac.authorization.k8s.io/v1": ["ClusterRole", "ClusterRoleBinding", "Role", "RoleBinding"],
    "/apis/scheduling.k8s.io/v1": ["PriorityClass"],
    "/apis/discovery.k8s.io/v1": ["EndpointSlice"],
    "/apis/apiregistration.k8s.io/v1": ["APIService"],
    "/apis/admissionregistration.k8s.io/v1": [
        "MutatingWebhookConfiguration",
        "ValidatingWebhookConfiguration",
        "ValidatingAdmissionPolicy",
        "ValidatingAdmissionPolicyBinding",
    ],
    "/apis/authentication.k8s.io/v1": ["SelfSubjectReview"],
    "/apis/authorization.k8s.io/v1": [
        *("SelfSubjectAccessReview", "LocalSubjectAccessReview", "SubjectAccessReview")
    ],
}
_PLURALS: Final = {
    "StorageClass": "storageclasses",
    "PriorityClass": "priorityclasses",
    "NetworkPolicy": "networkpolicies",
    "ValidatingAdmissionPolicy": "validatingadmissionpolicies",
}
_NAMESPACED: Final = {
    *("Pod", "Event", "ConfigMap", "Secret", "Service", "ServiceAccount", "ResourceQuota", "EndpointSlice"),
    *("DaemonSet", "Deployment", "ReplicaSet", "StatefulSet", "Job"),
    *("NetworkPolicy", "PodDisruptionBudget", "Role", "RoleBinding"),
    "LocalSubjectAccessReview",
}


@dataclass
class Server:
    """What it answers otherwise, and the requests it got.

    Attributes:
        instead: status and body by path; with None the connection is cut.
        snapshot: the cluster that it shows.
        readable: whether the account of the kubeconfig may read and do anything.
        requests: method and path, with the query, in order.
    """

    instead: Mapping[str, Answered | None] = field(default_factory=dict[str, Answered | None])
    snapshot: ClusterSnapshot = field(default_factory=c.good)
    readable: bool = True
    requests: list[str] = field(default_factory=list[str])
    url: str = ""

    def answer(self, method: str, path: str, query: Mapping[str, list[str]], body: Any) -> Answered | None:  # noqa: PLR0911, PLR0912 - one for each kind of request
        """Status and body."""
        if path in self.instead:
            return self.instead[path]
        snapshot, last = self.snapshot, path.rpartition("/")[2]
        if path in _GROUPS:
            return 200, {"resources": [_resource(kind) for kind in _GROUPS[path]]}
        if path == "/version":
            return 200, snapshot.version.required()
        if not self.readable and not last.startswith("selfsubject"):
            return 403, {"kind": "Status", "reason": "Forbidden", "message": f"{last} is forbidden"}
        lists = {
            "nodes": snapshot.nodes,
            "pods": snapshot.pods,
            "namespaces": snapshot.namespaces,
            "events": snapshot.untriggered,
            "events of the map": snapshot.expander_events,
            "storageclasses": snapshot.storage_classes,
            "customresourcedefinitions": snapshot.definitions,
            "poddisruptionbudgets": snapshot.budgets,
            "resourcequotas": snapshot.quotas,
            "csidrivers": snapshot.drivers,
            "networkpolicies": snapshot.policies,
            "events of controllers": snapshot.refusals,
            "priorityclasses": snapshot.priority_classes,
            "apiservices": snapshot.api_services,
            "mutatingwebhookconfigurations": snapshot.webhooks,
            "validatingwebhookconfigurations": Result[list[Any]]([]),
            "endpointslices": snapshot.endpoints.get(
                "kubeflow" if "/namespaces/kubeflow/" in path else "kube-system", Result[list[Any]]([])
            ),
        }
        maps = {
            "cluster-autoscaler-priority-expander": snapshot.priority_map,
            "cluster-autoscaler-status": snapshot.autoscaler,
            "argo-workflow-controller-configmap": snapshot.argo,
            "agent-pools": snapshot.contract,
            "kube-dns": snapshot.dns,
        }
        reviews = {
            "selfsubjectreviews": snapshot.juju.required(),
            "selfsubjectaccessreviews": {"allowed": snapshot.juju_rights.required()},
            "localsubjectaccessreviews": {"allowed": snapshot.contract_readers.required()},
        }
        if last == "log":
            return 200, snapshot.limits["general-0"].required()
        if method == "POST":
            if last == "pods":
                return _admitted(body, snapshot)
            if last == "subjectaccessreviews":
                return _allowed(body["spec"], snapshot)
            return (201, {"status": reviews[last]}) if last in reviews else _defaulted(body, snapshot)
        if last in maps:
            return _named(maps[last].required())
        for obj in snapshot.objects.value or ():
            if path == _path(obj.registered):
                return _named(obj.live.required())
        for event in snapshot.refusals.required():
            if last == event["involvedObject"]["name"]:
                return _named(event["owner"])
        if last == "events" and "/namespaces/kube-system/" in path:
            last = "events of the map"
        elif query.get("fieldSelector") == ["reason=FailedCreate"]:
            last = "events of controllers"
        return _page(lists[last].required(), query)


def _named(obj: Any) -> Answered:
    return (200, obj) if obj else (404, {"kind": "Status", "reason": "NotFound"})


def _allowed(spec: Any, snapshot: ClusterSnapshot) -> Answered:
    """The answer to a review of a right of one of the stack's service accounts."""
    account = spec["user"].removeprefix("system:serviceaccount:").replace(":", "/")
    [right] = [
        right
        for right in snapshot.rights.required()
        if right.account == account and right.attributes == spec["resourceAttributes"]
    ]
    return 201, {"status": {"allowed": right.allowed.required()}}


def _defaulted(body: Any, snapshot: ClusterSnapshot) -> Answered:
    """The answer to the dry run of a registered object; there are no defaults here."""
    [obj] = [obj for obj in snapshot.objects.required() if trial(obj.registered) == body]
    if obj.expected.value is None:
        return 403, {"kind": "Status", "reason": "Forbidden", "message": obj.expected.reason}
    return 201, obj.expected.value


def _path(obj: Any) -> str:
    kind, namespace = Kind.of(obj), obj["metadata"].get("namespace")
    root = f"/apis/{kind.api_version}" if kind.group else f"/api/{kind.version}"
    middle = f"/namespaces/{namespace}" if namespace else ""
    return f"{root}{middle}/{_resource(kind.kind)['name']}/{obj['metadata']['name']}"


def _page(objects: list[Any], query: Mapping[str, list[str]]) -> Answered:
    """Two objects at a time, whatever the limit, so that every list takes pages."""
    start = int(query.get("continue", ["0"])[0])
    more = {"continue": str(start + 2)} if start + 2 < len(objects) else {}
    return 200, {"metadata": more, "items": objects[start : start + 2]}


def _admitted(pod: Any, snapshot: ClusterSnapshot) -> Answered:
    """The answer to the probe that the pod is from."""
    [probe] = [probe for probe in PROBES if probe.pod == pod]
    answer = snapshot.guard[probe.name]
    if answer.value is None:
        return 500, {"kind": "Status", "reason": "InternalError", "message": answer.reason}
    if answer.value:
        return 403, {"kind": "Status", "reason": "Forbidden", "message": answer.value}
    return 201, pod


def _resource(kind: str) -> Mapping[str, object]:
    return {
        "name": _PLURALS.get(kind, f"{kind.lower()}s"),
        "kind": kind,
        "namespaced": kind in _NAMESPACED,
    }


def outputs_of(url: str, folder: Path, **changed: Any) -> str:
    """A file with the outputs of a stack whose API server is there."""
    config = {
        "current-context": "aks",
        "contexts": [{"name": "aks", "context": {"cluster": "aks", "user": "me"}}],
        "users": [{"name": "me", "user": {"token": "mine"}}],
        "clusters": [{"name": "aks", "cluster": {"server": url}}],
    }
    file = folder / "outputs.json"
    file.write_text(json.dumps(c.outputs(kubeconfig=json.dumps(config), **changed).values), encoding="utf-8")
    return str(file)


def state_in(folder: Path) -> str:
    """A file with the state of that stack."""
    file = folder / "state.json"
    file.write_text(json.dumps(c.state()), encoding="utf-8")
    return str(file)


@contextmanager
def running(snapshot: ClusterSnapshot | None = None, **instead: Answered | None) -> Generator[Server]:
    """One that runs; paths are given with `__` for each slash and `_` for a hyphen."""
    server = Server(
        {path.replace("__", "/").replace("_", "-"): answer for path, answer in instead.items()},
        snapshot or c.good(),
    )

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True  # an answer is two writes, and the second must not wait for 40 ms

        def do_GET(self) -> None:
            self._result(None)

        def do_POST(self) -> None:
            self._result(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))

        def _result(self, body: Any) -> None:
            server.requests.append(f"{self.command} {self.path}")
            split = urlsplit(self.path)
            answer = server.answer(self.command, split.path, parse_qs(split.query), body)
            if answer is None:
                self.close_connection = True
                return
            status, content = answer
            data = content.encode() if isinstance(content, str) else json.dumps(content).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def date_time_string(self, timestamp: float | None = None) -> str:  # noqa: ARG002 - the base class's
            return format_datetime(server.snapshot.now, usegmt=True)

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - named so by the base class
            pass

    with serving(Handler) as server.url:
        yield server
