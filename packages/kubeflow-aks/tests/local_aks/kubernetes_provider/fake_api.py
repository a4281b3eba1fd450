"""A small API server for tests: enough REST to create, apply, read, list and delete objects of a few kinds.

Applies merge without field ownership; what depends on that is tested on the real API server (tests/local/kubernetes).
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

Json = dict[str, Any]

KINDS = {
    "/api/v1": [
        ("configmaps", "ConfigMap", True),
        ("namespaces", "Namespace", False),
        ("secrets", "Secret", True),
    ],
    "/apis/batch/v1": [("jobs", "Job", True)],
}


class RefusalError(Exception):
    """An error answer."""

    def __init__(self, code: int, reason: str, message: str) -> None:
        super().__init__(message)
        self.code, self.reason = code, reason


@dataclass
class FakeApi:
    """The objects of the server, by path, and the requests it got."""

    port: int = 0
    objects: dict[str, Json] = field(
        default_factory=lambda: {"/api/v1/namespaces/default": {"kind": "Namespace"}}
    )
    requests: list[str] = field(default_factory=list[str])
    openapi: dict[str, Json] = field(default_factory=dict[str, Json])
    """OpenAPI documents by path."""
    stuck: bool = False
    """Whether deleted objects stay, as one with a finalizer does."""
    afterwards: dict[str, Callable[[], object]] = field(default_factory=dict[str, Callable[[], object]])
    """What happens when a request is answered or refused for the first time, by its method and path."""

    @property
    def kubeconfig(self) -> str:
        """A kubeconfig for the server, with a token that must appear nowhere."""
        return json.dumps(
            {
                "current-context": "c",
                "contexts": [{"name": "c", "context": {"cluster": "fake", "user": "u"}}],
                "clusters": [{"name": "fake", "cluster": {"server": f"http://127.0.0.1:{self.port}"}}],
                "users": [{"name": "u", "user": {"token": "s3cr3t"}}],
            }
        )

    def answer(self, method: str, url: str, body: Json) -> Json:
        """The answer to one request."""
        path, query = (
            urlsplit(url).path,
            {key: values[0] for key, values in parse_qs(urlsplit(url).query).items()},
        )
        self.requests.append(f"{method} {path}")
        if path == "/version":
            return {"gitVersion": "v1.34.4"}
        if path in self.openapi:
            return self.openapi[path]
        if path in KINDS:
            return {"resources": [{"name": n, "kind": k, "namespaced": s} for n, k, s in KINDS[path]]}
        dry = query.get("dryRun") == "All"
        match method:
            case "POST":
                return self._create(f"{path}/{body['metadata']['name']}", body, dry=dry)
            case "PATCH":
                return self._keep(path, _merged(self.objects.get(path, {}), body), dry=dry)
            case "DELETE":
                self._object(path)
                if not self.stuck:
                    del self.objects[path]
                return {"kind": "Status", "status": "Success"}
            case _:
                return self._object(path)

    def _create(self, path: str, body: Json, *, dry: bool) -> Json:
        *collection, plural, name = path.split("/")
        if "namespaces" in collection and f"/api/v1/namespaces/{collection[-1]}" not in self.objects:
            raise RefusalError(404, "NotFound", f'namespaces "{collection[-1]}" not found')
        if path in self.objects:
            raise RefusalError(409, "AlreadyExists", f'{plural} "{name}" already exists')
        return self._keep(path, {**body, "metadata": {**body["metadata"], "uid": "1"}}, dry=dry)

    def _keep(self, path: str, obj: Json, *, dry: bool) -> Json:
        if not dry:
            self.objects[path] = obj
        return obj

    def _object(self, path: str) -> Json:
        if path not in self.objects:
            *_, plural, name = path.split("/")
            raise RefusalError(404, "NotFound", f'{plural} "{name}" not found')
        return self.objects[path]


@contextmanager
def fake_api() -> Generator[FakeApi]:
    """A running fake API server."""
    api = FakeApi()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True  # an answer is two writes, and the second must not wait for 40 ms

        def _handle(self) -> None:
            length = int(self.headers.get("Content-Length") or 0)
            body: Json = json.loads(self.rfile.read(length) or b"{}")
            try:
                code, answer = 200, api.answer(self.command, self.path, body)
            except RefusalError as refusal:
                code = refusal.code
                answer = {"kind": "Status", "reason": refusal.reason, "message": str(refusal), "code": code}
            data = json.dumps(answer).encode()
            api.afterwards.pop(f"{self.command} {urlsplit(self.path).path}", lambda: None)()
            self.send_response(code)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        do_GET = do_POST = do_PATCH = do_DELETE = _handle  # noqa: N815 - the names of the standard library

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - likewise
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    api.port = server.server_address[1]
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield api
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _merged(old: Json, new: Json) -> Json:
    both = {k: _merged(old[k], new[k]) for k in old.keys() & new.keys() if isinstance(new[k], dict)}
    return {**old, **new, **both}
