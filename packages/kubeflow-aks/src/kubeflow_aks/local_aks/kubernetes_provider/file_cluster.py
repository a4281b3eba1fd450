"""A cluster in a file: objects stored as they were applied, to preview a change without a control plane.

It answers as an API server in what a program depends on: existing and missing objects, field ownership, immutable
fields. It has no admission, no validation, no defaults and no controllers but one: a service account's Secret gets its
token, for a program waits for that. `--control-plane` uses the real API server.
"""

import base64
import json
import secrets
import threading
import uuid
from collections.abc import Mapping
from datetime import UTC, datetime
from http import HTTPStatus
from pathlib import Path
from typing import Any, Final

from typing_extensions import override

from kubeflow_aks.clients.kubernetes.api import ServedKind
from kubeflow_aks.clients.kubernetes.errors import ApiError, NoSuchKindError
from kubeflow_aks.clients.kubernetes.objects import (
    Kind,
    Object,
    annotation,
    at,
    clone,
    fields,
    key_of,
    name_of,
    namespace_of,
    put,
)
from kubeflow_aks.local_aks.kubernetes_provider import applying, built_in, built_in_types, versions
from kubeflow_aks.local_aks.kubernetes_provider.cluster import DEFINITION, definition_of
from kubeflow_aks.local_aks.kubernetes_provider.waiting import Waiter
from kubeflow_aks.local_aks.run import files
from kubeflow_aks.tools.manifest import KUBERNETES_VERSION

SERVER: Final = "https://file-cluster.invalid"
"""The cluster's address in a kubeconfig; no request is sent there."""
RELEASE: Final = f"v{KUBERNETES_VERSION}"
"""The version it reports, that of the local AKS's API server; it decides which API versions are removed."""
NAMESPACES: Final = ("default", "kube-node-lease", "kube-public", "kube-system")
_NAMESPACE: Final = Kind("", "v1", "Namespace")
_SECRET: Final = Kind("", "v1", "Secret")
_ACCOUNT: Final = "kubernetes.io/service-account.name"
_TOKEN_TYPE: Final = "kubernetes.io/service-account-token"  # noqa: S105 - a type's name
_FORBIDDEN: Final = "Forbidden: "
_IMMUTABLE: Final = "Invalid value: {}: field is immutable"
_IMMUTABLE_FIELDS: Final[Mapping[Kind, Mapping[str, tuple[object, str]]]] = {
    Kind("scheduling.k8s.io", "v1", "PriorityClass"): {
        "value": (0, f"{_FORBIDDEN}may not be changed in an update."),
        "preemptionPolicy": ("PreemptLowerPriority", _IMMUTABLE),
    },
    Kind("storage.k8s.io", "v1", "StorageClass"): {
        "parameters": ({}, f"{_FORBIDDEN}updates to parameters are forbidden."),
        "provisioner": ("", f"{_FORBIDDEN}updates to provisioner are forbidden."),
        "reclaimPolicy": ("Delete", f"{_FORBIDDEN}updates to reclaimPolicy are forbidden."),
        "volumeBindingMode": ("Immediate", _IMMUTABLE),
    },
}
"""Fields that may not change, with their defaults (ValidatePriorityClassUpdate and ValidateStorageClassUpdate of
k8s.io/kubernetes 1.34.4): the provider plans them as updates, and the API server refuses."""


class NoWaiter(Waiter):
    """Waits for no object to become ready: without controllers none changes its state."""

    @override
    def ready(
        self, api: Any, live: Object, inputs: Object, timeout: float, *, updated: bool = False
    ) -> Object:
        """The object as it is."""
        return api.get(live)


class FileCluster:
    """The objects of one cluster in a file, made when needed. Safe for many threads, of one process at a time."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._lock = threading.RLock()
        kept: list[Object] = json.loads(file.read_text(encoding="utf-8")) if file.exists() else []
        self._objects = {key_of(obj): obj for obj in [*map(_namespace, NAMESPACES), *kept]}

    def read(self, path: str) -> Object:
        """The release; nothing else is at a path that is no object's."""
        return {"gitVersion": RELEASE} if path == "/version" else {}

    def types(self, kind: Kind) -> Object:
        """The OpenAPI document that defines a built-in kind."""
        with self._lock:  # who comes second finds the types of a Pod ready
            return built_in_types.document(kind)

    def served(self, kind: Kind) -> ServedKind:
        """How a built-in kind of the SDK, or one that a kept definition defines, is served.

        Raises:
            NoSuchKindError: it is not, or not any more.
        """
        if kind in built_in.kinds() and not versions.removal(kind, self):
            return ServedKind(built_in.plural(kind.kind), kind.kind not in built_in.CLUSTER_WIDE)
        definition = self._definition(kind)
        if definition is None:
            raise NoSuchKindError(kind)
        return ServedKind(
            str(at(definition, "spec", "names", "plural")), at(definition, "spec", "scope") == "Namespaced"
        )

    def create(self, obj: Object, manager: str, *, dry_run: bool = False) -> Object:
        """Keep a new object; refused with `AlreadyExists` where one of that name is there."""
        with self._lock:
            obj = self._placed(obj)
            if key_of(obj) in self._objects:
                raise ApiError(HTTPStatus.CONFLICT, "AlreadyExists", f"{self._named(obj)} already exists")
            return self._keep(applying.written(obj, manager), {}, dry_run=dry_run)

    def apply(self, obj: Object, manager: str, *, force: bool, dry_run: bool = False) -> Object:
        """Server-side apply, which makes an object that is not there."""
        with self._lock:
            obj = self._placed(obj)
            live = self._objects.get(key_of(obj), {})
            return self._keep(applying.applied(live, obj, manager, force=force), live, dry_run=dry_run)

    def replace(self, obj: Object, manager: str, *, dry_run: bool = False) -> Object:
        """Keep an object in the place of the one of its name."""
        with self._lock:
            live = self.get(obj)
            return self._keep(applying.written(self._placed(obj), manager), live, dry_run=dry_run)

    def patch(self, obj: Object, manager: str, operations: list[Object]) -> Object:  # noqa: ARG002 - of the protocol
        """Replace values in an object; the provider sends no other operation."""
        with self._lock:
            live = self.get(obj)
            result = clone(live)
            for operation in operations:
                put(result, operation["value"], *operation["path"].split("/")[1:])
            return self._keep(result, live, dry_run=False)

    def get(self, obj: Object) -> Object:
        """The object of that kind and name, in the requested version."""
        with self._lock:
            live = self._objects.get(key_of(self._placed(obj, to_write=False)))
            if live is None:
                raise ApiError(HTTPStatus.NOT_FOUND, "NotFound", f"{self._named(obj)} not found")
            return {**clone(live), "apiVersion": obj["apiVersion"]}

    def delete(self, obj: Object, propagation: str) -> None:  # noqa: ARG002 - nothing kept depends on another object
        """Forget an object; with a namespace, all that is in it."""
        with self._lock:
            key = key_of(self.get(obj))
            del self._objects[key]
            if Kind.of(obj) == _NAMESPACE:
                inside = [object_key for object_key in self._objects if object_key[2] == name_of(obj)]
                for object_key in inside:
                    del self._objects[object_key]
            self._write()

    def list(self, kind: Kind, namespace: str) -> list[Object]:
        """All objects of a kind in a namespace."""
        with self._lock:
            return [
                {**clone(obj), "apiVersion": kind.api_version}
                for key, obj in self._objects.items()
                if key[:3] == (kind.group, kind.kind, namespace)
            ]

    def _definition(self, kind: Kind) -> Object | None:
        """The definition of a custom kind that is served."""
        with self._lock:
            kept = list(self._objects.items())
        return definition_of(kind, (obj for (_, what, _, _), obj in kept if what == DEFINITION.kind))

    def _placed(self, obj: Object, *, to_write: bool = True) -> Object:
        """The object with its namespace, which must be there for it to be written."""
        result = clone(obj)
        if not self.served(Kind.of(obj)).namespaced:
            fields(result["metadata"]).pop("namespace", None)
            return result
        put(result, namespace := namespace_of(obj) or "default", "metadata", "namespace")
        if to_write and key_of(_namespace(namespace)) not in self._objects:
            raise ApiError(HTTPStatus.NOT_FOUND, "NotFound", f'namespaces "{namespace}" not found')
        return result

    def _keep(self, obj: Object, live: Object, *, dry_run: bool) -> Object:
        """Complete what is written with what only a server knows, and keep it, unless a field may not change."""
        if live:
            _require_immutable(live, obj)
        metadata = fields(obj["metadata"])
        was = fields(live.get("metadata"))
        metadata["uid"] = was.get("uid") or str(uuid.uuid4())
        metadata["creationTimestamp"] = (
            was.get("creationTimestamp") or f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}"
        )
        metadata["resourceVersion"] = str(int(was.get("resourceVersion") or 0) + 1)
        if dry_run:
            return clone(obj)
        if Kind.of(obj) == _SECRET and obj.get("type") == _TOKEN_TYPE and annotation(obj, _ACCOUNT):
            obj["data"] = _token(obj) | fields(obj.get("data"))
        self._objects[key_of(obj)] = obj
        self._write()
        return clone(obj)

    def _named(self, obj: Object) -> str:
        """An object in the API server's words, such as `daemonsets.apps "name"`."""
        kind = Kind.of(obj)
        group = f".{kind.group}" if kind.group else ""
        return f'{self.served(kind).plural}{group} "{name_of(obj)}"'

    def _write(self) -> None:
        files.write(self._file, json.dumps(list(self._objects.values()), indent=1))


def kubeconfig() -> str:
    """A kubeconfig that names the cluster, always the same."""
    return json.dumps(
        {
            "apiVersion": "v1",
            "kind": "Config",
            "clusters": [
                {"name": "file", "cluster": {"server": SERVER, "certificate-authority-data": "Q0EK"}}
            ],
            "contexts": [{"name": "file", "context": {"cluster": "file", "user": "file"}}],
            "current-context": "file",
            "users": [{"name": "file", "user": {"token": "unused"}}],
        }
    )


def _namespace(name: str) -> Object:
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}


def _token(secret: Object) -> Object:
    """What the token controller puts into a service account's Secret."""
    clear = {"ca.crt": "CA\n", "namespace": namespace_of(secret), "token": secrets.token_urlsafe()}
    return {key: base64.b64encode(value.encode()).decode() for key, value in clear.items()}


def _require_immutable(live: Object, obj: Object) -> None:
    kind = Kind.of(obj)
    broken = [
        f"{field}: {message.format(json.dumps(obj.get(field, default)))}"
        for field, (default, message) in _IMMUTABLE_FIELDS.get(kind, {}).items()
        if (live.get(field) or default) != (obj.get(field) or default)
    ]
    if broken:
        what = broken[0] if len(broken) == 1 else f"[{', '.join(broken)}]"
        message = f'{kind.kind}.{kind.group} "{name_of(obj)}" is invalid: {what}'
        raise ApiError(HTTPStatus.UNPROCESSABLE_ENTITY, "Invalid", message)
