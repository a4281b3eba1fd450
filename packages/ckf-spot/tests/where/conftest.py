"""A stand-in for the API server, and the program run against it."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from made import CONTRACT

from ckf_spot import cli

TEAM = "/api/v1/namespaces/team-a"


@dataclass
class Api:
    """Answers of an API server, and the requests it got.

    Attributes:
        objects: items by path.
        refused: HTTP status by path.
        changes: what a watch of pods tells, once.
    """

    objects: dict[str, list[Any]] = field(default_factory=dict[str, list[Any]])
    refused: dict[str, int] = field(default_factory=dict[str, int])
    changes: list[Any] = field(default_factory=list[Any])
    requests: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])

    def answer(self, method: str, url: str) -> tuple[int, bytes]:
        """Status and body of an answer."""
        parts = urlsplit(url)
        query = parse_qs(parts.query)
        self.requests.append((method, parts.path))
        status = self.refused.get(parts.path, 200 if parts.path in self.objects else 404)
        if status >= 400:
            return status, json.dumps(
                {"kind": "Status", "code": status, "message": f"{status}: {parts.path}"}
            ).encode()
        if "watch" in query:
            events, self.changes = self.changes, []
            return 200, b"".join(json.dumps(change).encode() + b"\n" for change in events)
        items = self.objects[parts.path]
        start, size = int(query.get("continue", ["0"])[0]), int(query.get("limit", ["500"])[0])
        metadata = {"resourceVersion": "7"} | (
            {"continue": str(start + size)} if start + size < len(items) else {}
        )
        return 200, json.dumps({"metadata": metadata, "items": items[start : start + size]}).encode()


@pytest.fixture
def api(serve: Callable[[Callable[[str], tuple[int, bytes]]], None], monkeypatch: pytest.MonkeyPatch) -> Api:
    """The API server that KUBECONFIG names; it knows a namespace without pods."""
    api = Api(
        {f"{TEAM}/pods": [], f"{TEAM}/events": [], "/api/v1/nodes": [], TEAM: [], "/api/v1/namespaces": []}
    )
    api.objects["/api/v1/namespaces"] = [{"metadata": {"name": name}} for name in ("team-a", "default")]
    serve(lambda path: api.answer("GET", path))
    monkeypatch.setenv("CKF_SPOT_POOLS", str(CONTRACT))
    monkeypatch.delenv("COLUMNS", raising=False)
    return api


@dataclass(frozen=True)
class Ran:
    """How the program ended."""

    code: int
    output: str
    errors: list[str]


Where = Callable[..., Ran]


@pytest.fixture
def where(capsys: pytest.CaptureFixture[str]) -> Where:
    """Runs `ckf-spot where`."""

    def ran(*arguments: str) -> Ran:
        try:
            code = cli.main(["where", *arguments])
        except SystemExit as end:
            code = int(end.code or 0)
        output = capsys.readouterr()
        return Ran(code, output.out, output.err.splitlines())

    return ran
