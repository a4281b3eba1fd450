"""The API server over plain REST: discovery, create, server-side apply, read, delete."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from http import HTTPStatus
from pathlib import Path
from typing import Final
from urllib.parse import quote

from kubeflow_aks.clients.kubernetes.connection import Connection
from kubeflow_aks.clients.kubernetes.errors import ApiError, NoSuchKindError
from kubeflow_aks.clients.kubernetes.informer import Informer
from kubeflow_aks.clients.kubernetes.objects import Kind, Object, at, fields, items, name_of, namespace_of

_APPLY: Final = "application/apply-patch+yaml"  # JSON is YAML
_JSON_PATCH: Final = "application/json-patch+json"
_STARTING_SECONDS: Final = 10.0
"""How long the storage of a new custom resource may take to start."""
_POLL_SECONDS: Final = 0.2
_PAGE: Final = 500
"""Objects in one response of a list, as kubectl requests."""


@dataclass(frozen=True)
class ServedKind:
    """How the API server serves a kind: its plural and whether it lives in namespaces."""

    plural: str
    namespaced: bool


@dataclass(frozen=True)
class Collection:
    """All objects of a kind, in every namespace."""

    api_version: str
    kind: str
    path: str


class ApiServer:
    """One API server, with one user's credentials. Safe for many threads."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._served: dict[tuple[str, str], Mapping[str, ServedKind]] = {}
        self._lock = threading.Lock()

    @classmethod
    def of(cls, config: str | Path) -> ApiServer:
        """The API server of the current context of a kubeconfig, which is its path or its text.

        Raises:
            UnreachableError: it is none, or names no API server on this machine.
        """
        return cls(Connection.of(str(config)))

    def ping(self) -> None:
        """Request the version.

        Raises:
            UnreachableError: no response.
        """
        self._connection.call("GET", "/version")

    def time(self) -> datetime | None:
        """The server's clock, to the second; None if the server does not send it.

        Raises:
            UnreachableError: no response.
        """
        return self._connection.time("/version")

    def read(self, path: str) -> Object:
        """The response at a path, such as `/version`; empty if the path does not exist.

        A kind whose storage starts is requested again later.
        """
        deadline = time.monotonic() + _STARTING_SECONDS
        while True:
            try:
                return self._connection.call("GET", path)
            except ApiError as error:
                if error.not_found:
                    return {}
                if error.status != HTTPStatus.TOO_MANY_REQUESTS or time.monotonic() > deadline:
                    raise
                time.sleep(min(error.retry_after, 1) or _POLL_SECONDS)

    def types(self, kind: Kind) -> Object:
        """The OpenAPI document that defines a kind; empty if there is none."""
        return self.read(f"/openapi/v3{_root(kind)}")

    def served(self, kind: Kind) -> ServedKind:
        """How a kind is served; one that is not known yet is requested again, as its CRD may be new.

        Raises:
            NoSuchKindError: it is not served.
        """
        key = (kind.group, kind.version)
        with self._lock:
            served = self._served.get(key, {})
        if kind.kind not in served:
            served = self._discover(kind)
            with self._lock:
                self._served[key] = served
        if kind.kind not in served:
            raise NoSuchKindError(kind)
        return served[kind.kind]

    def create(self, obj: Object, manager: str, *, dry_run: bool = False, strict: bool = False) -> Object:
        """Create an object, as a dry run only check it; refused with `AlreadyExists` if one of that name exists.

        With `strict`, a field that the API server does not know is refused, instead of dropped.
        """
        validation = "Strict" if strict else "Warn"
        options = {"fieldManager": manager, "fieldValidation": validation, **_dry(dry_run=dry_run)}
        return self._connection.call("POST", self._collection(obj), options, obj)

    def apply(self, obj: Object, manager: str, *, force: bool, dry_run: bool = False) -> Object:
        """Server-side apply; without `force`, a field of another manager is a `Conflict`."""
        options = {"fieldManager": manager, "force": str(force).lower(), **_dry(dry_run=dry_run)}
        return self._connection.call("PATCH", self._path(obj), options, obj, _APPLY)

    def replace(self, obj: Object, manager: str, *, dry_run: bool = False) -> Object:
        """Replace an object; it must carry the `resourceVersion` it replaces."""
        return self._connection.call(
            "PUT", self._path(obj), {"fieldManager": manager, **_dry(dry_run=dry_run)}, obj
        )

    def patch(self, obj: Object, manager: str, operations: list[Object]) -> Object:
        """Apply JSON patch operations (RFC 6902) to the live object."""
        return self._connection.call(
            "PATCH", self._path(obj), {"fieldManager": manager}, operations, _JSON_PATCH
        )

    def get(self, obj: Object) -> Object:
        """The live object of that kind and name."""
        return self._connection.call("GET", self._path(obj))

    def delete(self, obj: Object, propagation: str, *, grace_seconds: int | None = None) -> None:
        """Request a deletion with propagation `Foreground`, `Background` or `Orphan`.

        A grace period of 0 s removes a pod at once; None leaves it its own.
        """
        grace = {} if grace_seconds is None else {"gracePeriodSeconds": grace_seconds}
        self._connection.call("DELETE", self._path(obj), {}, {"propagationPolicy": propagation, **grace})

    def finalize(self, namespace: str) -> None:
        """Removes a namespace that is being deleted at once; objects left in it could never be reached again."""
        body: Object = {
            "apiVersion": "v1",
            "kind": "Namespace",
            "metadata": {"name": namespace},
            "spec": {"finalizers": []},
        }
        self._connection.call("PUT", f"/api/v1/namespaces/{quote(namespace, safe='')}/finalize", {}, body)

    def list(self, kind: Kind, namespace: str) -> list[Object]:
        """All objects of a kind in a namespace."""
        response = self._connection.call("GET", self._collection_of(kind, namespace))
        return [fields(item) for item in items(response.get("items"))]

    def pages(self, kind: Kind, namespace: str = "", **selectors: str) -> Iterator[list[Object]]:
        """All objects of a kind, some hundreds at a time, so that no response is too large for either side.

        An empty namespace is all; selectors are `labelSelector` and `fieldSelector`.
        """
        served = self.served(kind)
        middle = f"/namespaces/{quote(namespace, safe='')}" if served.namespaced and namespace else ""
        options = {"limit": str(_PAGE), **selectors}
        while True:
            response = self._connection.call("GET", f"{_root(kind)}{middle}/{served.plural}", options)
            yield [fields(item) for item in items(response.get("items"))]
            more = at(response, "metadata", "continue")
            if not (isinstance(more, str) and more):
                return
            options["continue"] = more

    def log(self, namespace: str, pod: str, container: str, *, last: int) -> str:
        """The last lines that a container of a pod has written."""
        path = f"/api/v1/namespaces/{quote(namespace, safe='')}/pods/{quote(pod, safe='')}/log"
        return self._connection.text(path, {"container": container, "tailLines": str(last)})

    def token(self, namespace: str, account: str, *, seconds: int) -> str:
        """A new token of a ServiceAccount, valid for so many seconds."""
        path = (
            f"/api/v1/namespaces/{quote(namespace, safe='')}/serviceaccounts/{quote(account, safe='')}/token"
        )
        kind = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest"}
        response = self._connection.call("POST", path, {}, {**kind, "spec": {"expirationSeconds": seconds}})
        return str(at(response, "status", "token"))

    def deletable(self) -> list[Collection]:
        """Every kind whose objects can be deleted, except events, each at the version the server prefers."""
        groups = items(self._connection.call("GET", "/apis").get("groups"))
        roots = ["/api/v1", *(f"/apis/{at(group, 'preferredVersion', 'groupVersion')}" for group in groups)]
        return [
            Collection(
                root.removeprefix("/api/").removeprefix("/apis/"),
                str(at(kind, "kind")),
                f"{root}/{at(kind, 'name')}",
            )
            for root in roots
            for kind in items(self.read(root).get("resources"))
            if {"list", "delete"} <= set(items(at(kind, "verbs"))) and at(kind, "kind") != "Event"
        ]

    def everything(self, collections: Iterable[Collection] | None = None) -> list[Object]:
        """Every object of some kinds, by default all `deletable` ones; a kind removed in the meantime has none."""
        return [
            {"apiVersion": collection.api_version, "kind": collection.kind, **fields(obj)}
            for collection in (self.deletable() if collections is None else collections)
            for obj in items(self.read(collection.path).get("items"))
        ]

    def follow(self, kind: Kind) -> Informer:
        """All objects of a kind in every namespace, kept up to date by a watch; the caller stops it.

        Raises:
            NoSuchKindError: it is not served.
        """
        return Informer(self._connection, f"{_root(kind)}/{self.served(kind).plural}")

    def _discover(self, kind: Kind) -> Mapping[str, ServedKind]:
        response = self.read(_root(kind))
        return {
            str(at(entry, "kind")): ServedKind(str(at(entry, "name")), bool(at(entry, "namespaced")))
            for entry in items(response.get("resources"))
            if "/" not in str(at(entry, "name"))  # subresources are listed beside their resource
        }

    def _collection_of(self, kind: Kind, namespace: str) -> str:
        served = self.served(kind)
        middle = f"/namespaces/{quote(namespace or 'default', safe='')}" if served.namespaced else ""
        return f"{_root(kind)}{middle}/{served.plural}"

    def _collection(self, obj: Object) -> str:
        return self._collection_of(Kind.of(obj), namespace_of(obj))

    def _path(self, obj: Object) -> str:
        return f"{self._collection(obj)}/{quote(name_of(obj), safe='')}"


def _root(kind: Kind) -> str:
    return f"/apis/{kind.group}/{kind.version}" if kind.group else f"/api/{kind.version}"


def _dry(*, dry_run: bool) -> dict[str, str]:
    return {"dryRun": "All"} if dry_run else {}
