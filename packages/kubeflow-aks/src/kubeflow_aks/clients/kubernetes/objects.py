"""Kubernetes objects as plain dicts: type tokens, names, annotations and fields."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeGuard

from kubeflow_aks.json_values import text

Object = dict[str, Any]
Key = tuple[str, str, str, str]
"""Group, kind, namespace and name of an object."""

AUTONAMED: Final = "pulumi.com/autonamed"
SKIP_AWAIT: Final = "pulumi.com/skipAwait"
TIMEOUT_SECONDS: Final = "pulumi.com/timeoutSeconds"
PATCH_FORCE: Final = "pulumi.com/patchForce"
PATCH_FIELD_MANAGER: Final = "pulumi.com/patchFieldManager"
DELETION_PROPAGATION: Final = "pulumi.com/deletionPropagationPolicy"
WAIT_FOR: Final = "pulumi.com/waitFor"
REPLACE_UNREADY: Final = "pulumi.com/replaceUnready"


@dataclass(frozen=True)
class Kind:
    """Group, version and kind; the core group is the empty string."""

    group: str
    version: str
    kind: str

    @classmethod
    def of(cls, obj: Mapping[str, Any]) -> Kind:
        """The kind of an object, by its own fields."""
        group, _, version = str(obj.get("apiVersion") or "").rpartition("/")
        return cls("" if group == "core" else group, version, str(obj.get("kind") or ""))

    @property
    def api_version(self) -> str:
        """`v1`, `apps/v1`."""
        return f"{self.group}/{self.version}" if self.group else self.version

    def __str__(self) -> str:
        return f"{self.api_version}/{self.kind}"


@dataclass(frozen=True)
class TypeToken:
    """A Pulumi resource type: the kind it stands for, and whether it is a `*Patch` of one."""

    kind: Kind
    patch: bool

    @classmethod
    def parse(cls, token: str) -> TypeToken:
        """`kubernetes:core/v1:ConfigMapPatch` as the kind ConfigMap, a patch.

        Raises:
            ValueError: not a Kubernetes resource type.
        """
        package, _, rest = token.partition(":")
        api_version, _, name = rest.rpartition(":")
        group, slash, version = api_version.partition("/")
        if package != "kubernetes" or not (group and slash and version and name):
            raise ValueError(f"{token!r} is not a type of a Kubernetes object")
        kind = name.removesuffix("Patch")
        return cls(Kind("" if group == "core" else group, version, kind), kind != name)


def is_object(value: object) -> TypeGuard[Object]:
    """Whether a JSON value is an object."""
    return isinstance(value, dict)


def is_list(value: object) -> TypeGuard[list[Any]]:
    """Whether a JSON value is a list."""
    return isinstance(value, list)


def fields(value: object) -> Object:
    """The value if it is an object, else an empty one."""
    return value if is_object(value) else {}


def items(value: object) -> list[Any]:
    """The value if it is a list, else an empty one."""
    return value if is_list(value) else []


def at(obj: object, *path: str) -> Any:
    """The field at a path, or None."""
    for key in path:
        obj = fields(obj).get(key)
    return obj


def put(obj: Object, value: object, *path: str) -> None:
    """Set the field at a path, making the objects on the way."""
    *parents, last = path
    for key in parents:
        obj = obj.setdefault(key, {})
    obj[last] = value


def drop(obj: Object, *path: str) -> None:
    """Remove the field at a path if it is there."""
    *parents, last = path
    fields(at(obj, *parents)).pop(last, None)


def name_of(obj: Object) -> str:
    """`metadata.name`, empty when missing or not known yet."""
    return text(at(obj, "metadata", "name"))


def namespace_of(obj: Object) -> str:
    """`metadata.namespace`, empty when missing or not known yet."""
    return text(at(obj, "metadata", "namespace"))


def annotation(obj: Object, key: str) -> str:
    """An annotation's value, empty when missing or not known yet."""
    return text(fields(at(obj, "metadata", "annotations")).get(key))


def resource_id(obj: Object) -> str:
    """The Pulumi id of a live object: `namespace/name`, or `name` without a namespace."""
    return "/".join(part for part in (namespace_of(obj), name_of(obj)) if part)


def parse_resource_id(id_: str) -> tuple[str, str]:
    """Namespace (empty for a cluster-wide object) and name of a Pulumi id."""
    namespace, _, name = id_.rpartition("/")
    return namespace, name


def key_of(obj: Object) -> Key:
    """What no two objects of a cluster have in common, in whatever version they are read."""
    kind = Kind.of(obj)
    return kind.group, kind.kind, namespace_of(obj), name_of(obj)


def identity(obj: Object) -> Object:
    """The object with nothing but its kind and name."""
    metadata = {key: at(obj, "metadata", key) for key in ("name", "namespace") if at(obj, "metadata", key)}
    return {"apiVersion": obj["apiVersion"], "kind": obj["kind"], "metadata": metadata}


def condition(obj: Object, type_: str) -> Object:
    """The status condition of a type, empty when there is none."""
    conditions = (c for c in items(at(obj, "status", "conditions")) if at(c, "type") == type_)
    return fields(next(conditions, None))


def is_true(obj: Object, type_: str) -> bool:
    """Whether the status condition of a type is true."""
    return condition(obj, type_).get("status") == "True"


def clone(obj: Object) -> Object:
    """A copy that shares nothing that can change; `UNKNOWN` stays the one it is."""
    return fields(_clone(obj))


def _clone(value: object) -> object:
    if is_object(value):
        return {key: _clone(entry) for key, entry in value.items()}
    return [_clone(item) for item in value] if is_list(value) else value
