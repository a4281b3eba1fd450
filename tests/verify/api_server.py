"""An API server on 127.0.0.1 that shows the good cluster, and answers some questions otherwise."""

from __future__ import annotations

import json
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any, Final
from urllib.parse import parse_qs, urlsplit

from tests.serving import serving
from tests.verify import clusters as c

Answered = tuple[int, object]

_GROUPS: Final = {
    "/api/v1": ["Pod", "Node", "Namespace", "Event", "ConfigMap"],
    "/apis/storage.k8s.io/v1": ["StorageClass"],
    "/apis/authentication.k8s.io/v1": ["SelfSubjectReview"],
}
_PLURALS: Final = {"StorageClass": "storageclasses"}
_EVERYWHERE: Final = {"Node", "Namespace", "StorageClass", "SelfSubjectReview"}


@dataclass
class Server:
    """What it answers otherwise, and what it was asked.

    Attributes:
        instead: status and body by path; with None the connection is cut.
        asked: method and path, with the query, in order.
    """

    instead: Mapping[str, Answered | None] = field(default_factory=dict[str, Answered | None])
    asked: list[str] = field(default_factory=list[str])
    url: str = ""

    def answer(self, method: str, path: str, query: Mapping[str, list[str]], body: Any) -> Answered | None:
        """Status and body."""
        if path in self.instead:
            return self.instead[path]
        seen = c.good()
        lists = {
            "nodes": seen.nodes,
            "pods": seen.pods,
            "namespaces": seen.namespaces,
            "events": seen.untriggered,
            "storageclasses": seen.storage_classes,
        }
        maps = {
            "cluster-autoscaler-priority-expander": seen.priority_map,
            "cluster-autoscaler-status": seen.autoscaler,
            "argo-workflow-controller-configmap": seen.argo,
        }
        last = path.rpartition("/")[2]
        if path in _GROUPS:
            return 200, {"resources": [_resource(kind) for kind in _GROUPS[path]]}
        if path == "/version":
            return 200, seen.version.known()
        if last == "log":
            return 200, seen.limits["general-0"].known()
        if method == "POST" and last == "pods":
            return _admitted(body)
        if method == "POST":
            return 201, {"status": seen.juju.known()}
        if last in maps:
            return 200, maps[last].known()
        return _page(lists[last].known(), query)


def _page(found: list[Any], query: Mapping[str, list[str]]) -> Answered:
    """Two objects at a time, whatever the limit, so that every list takes pages."""
    start = int(query.get("continue", ["0"])[0])
    more = {"continue": str(start + 2)} if start + 2 < len(found) else {}
    return 200, {"metadata": more, "items": found[start : start + 2]}


def _admitted(pod: Any) -> Answered:
    """The guard, in few words."""
    daemon = "ownerReferences" in pod["metadata"]
    guarded = (
        "notebook-name" in pod["metadata"].get("labels", {}) or pod["metadata"]["namespace"] == "kubeflow"
    )
    if guarded and not daemon and pod["spec"]["tolerations"]:
        return 403, {"kind": "Status", "reason": "Forbidden", "message": c.REFUSAL}
    return 201, pod


def _resource(kind: str) -> Mapping[str, object]:
    return {
        "name": _PLURALS.get(kind, f"{kind.lower()}s"),
        "kind": kind,
        "namespaced": kind not in _EVERYWHERE,
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


@contextmanager
def running(**instead: Answered | None) -> Generator[Server]:
    """One that runs; paths are given with `__` for each slash and `_` for a hyphen."""
    server = Server({path.replace("__", "/").replace("_", "-"): answer for path, answer in instead.items()})

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            self._answer(None)

        def do_POST(self) -> None:
            self._answer(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))

        def _answer(self, body: Any) -> None:
            server.asked.append(f"{self.command} {self.path}")
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

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - named so by the base class
            pass

    with serving(Handler) as server.url:
        yield server
