"""The kinds of an API server while they come and go."""

from collections.abc import Iterator
from typing import Any

import pytest

from kubeflow_aks.clients.kubernetes.api import ApiServer
from kubeflow_aks.clients.kubernetes.connection import Connection
from kubeflow_aks.clients.kubernetes.errors import ApiError
from kubeflow_aks.clients.kubernetes.kubeconfig import ActiveCluster

_KINDS = {"resources": [{"name": "things", "kind": "Thing", "verbs": ["list", "delete"]}]}
_NEW = ApiError(429, "TooManyRequests", "storage is (re)initializing", retry_after=0.01)


def everything(monkeypatch: pytest.MonkeyPatch, *answers: Any) -> list[Any]:
    """All objects of a server whose only kind answers so, one after the other."""
    lists: Iterator[Any] = iter(answers)

    def call(_: Connection, __: str, path: str, *___: object) -> Any:
        roots: dict[str, Any] = {"/apis": {}}
        answer = next(lists) if path.endswith("/things") else roots.get(path, _KINDS)
        if isinstance(answer, Exception):
            raise answer
        return answer

    monkeypatch.setattr(Connection, "call", call)
    return ApiServer(Connection(ActiveCluster({"server": "http://127.0.0.1:1"}, {}, "default"))).everything()


def test_a_kind_whose_storage_starts_is_requested_again(monkeypatch: pytest.MonkeyPatch) -> None:
    objects = everything(monkeypatch, _NEW, _NEW, {"items": [{"metadata": {"name": "a"}}]})
    assert [obj["metadata"]["name"] for obj in objects] == ["a"]


def test_a_kind_that_is_gone_has_no_objects(monkeypatch: pytest.MonkeyPatch) -> None:
    assert everything(monkeypatch, ApiError(404, "NotFound", "gone")) == []


def test_any_other_refusal_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ApiError, match="no"):
        everything(monkeypatch, ApiError(403, "Forbidden", "no"))
