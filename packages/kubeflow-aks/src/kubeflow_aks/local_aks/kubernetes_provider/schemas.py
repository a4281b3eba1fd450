"""Inputs as Kubernetes' own types write them, so that two ways of saying one thing are no difference.

The real provider sends the inputs of a built-in kind through Go's types and back (`normalizeInputs` in provider.go,
`Normalize` in clients/unstructured.go). That drops what the type does not know and what is empty, and writes quantities
one way. Here the cluster's OpenAPI documents say what the types are; what they leave out, whether an optional basic
value is kept when it is false, 0 or empty, is in `data/pointer_fields.csv`.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

from kubeflow_aks.clients.kubernetes.errors import KubeError
from kubeflow_aks.clients.kubernetes.objects import Kind, Object, at, fields, is_list, is_object, items
from kubeflow_aks.clients.kubernetes.quantity import canonical
from kubeflow_aks.local_aks.kubernetes_provider import data
from kubeflow_aks.local_aks.kubernetes_provider.cluster import Cluster
from kubeflow_aks.local_aks.protocol import wire

_BUILT_IN: Final = "io.k8s.api."
_QUANTITY: Final = "io.k8s.apimachinery.pkg.api.resource.Quantity"
_OPAQUE: Final = (
    "IntOrString",
    "JSON",
    "JSONSchemaPropsOrBool",
    "MicroTime",
    "RawExtension",
    "Time",
    "FieldsV1",
)
_OWN_WAY: Final = frozenset({Kind("", "v1", "Secret")})
"""Kinds that the real provider normalizes in another way (`pruning.py`)."""
_TYPES: Final[Mapping[str, type | tuple[type, ...]]] = {
    "string": str,
    "boolean": bool,
    "integer": int,
    "number": (int, float),
    "object": dict,
    "array": list,
}


class _MismatchError(Exception):
    """A value is not of the field's type; the API server will say so better."""


@dataclass(frozen=True)
class _Type:
    """A definition among those of its OpenAPI document."""

    name: str
    definitions: Mapping[str, Any]

    def normalized(self, value: Object) -> Object:
        return fields(_normalized(value, {"$ref": f"#/{self.name}"}, self.definitions)[0])


class Schemas:
    """The types of built-in kinds, read from the API servers used so far. Safe for many threads."""

    def __init__(self) -> None:
        self._types: dict[Kind, _Type | None] = {}
        self._lock = threading.Lock()

    def normalized(self, inputs: Object, api: Cluster | None) -> Object:
        """The inputs as their type writes them; as they are where unknown values or a custom kind are among them.

        Nulls stand for themselves. Without a cluster that answers, only kinds are known that one served before.
        """
        if wire.has_unknown(inputs):
            return inputs
        type_ = self._type(Kind.of(inputs), api)
        if type_ is None:
            return inputs
        try:
            return type_.normalized(inputs)
        except _MismatchError:
            return inputs

    def _type(self, kind: Kind, api: Cluster | None) -> _Type | None:
        with self._lock:
            if kind in self._types or api is None or kind in _OWN_WAY:
                return self._types.get(kind)
        try:
            document = api.types(kind)
        except KubeError:
            return None
        definitions = fields(at(document, "components", "schemas"))
        types = {
            Kind(at(served, "group"), at(served, "version"), at(served, "kind")): _Type(name, definitions)
            for name, definition in definitions.items()
            if name.startswith(_BUILT_IN)
            for served in items(at(definition, "x-kubernetes-group-version-kind"))
        }
        with self._lock:
            self._types.update(types)
            return self._types.setdefault(kind, None) if definitions else None


def _normalized(value: Any, schema: Mapping[str, Any], definitions: Mapping[str, Any]) -> tuple[Any, bool]:
    """A value as its type writes it, and whether Go keeps it where it is empty and optional."""
    name = _reference(schema)
    if name:
        schema = fields(definitions.get(name))
    if name == _QUANTITY:
        return canonical(value), True
    if name.endswith(_OPAQUE) or not (type_ := str(schema.get("type") or "")):
        return value, True
    if not _is_of(value, type_):
        raise _MismatchError
    if is_list(value):
        item_schema = fields(schema.get("items"))
        return [_normalized(item, item_schema, definitions)[0] for item in value], False
    if not is_object(value):
        return value, False
    if "properties" in schema:
        return _structure(value, name, schema, definitions), True
    entry = schema.get("additionalProperties")
    if not is_object(entry):
        return value, False
    empty = "" if entry.get("type") == "string" else None
    entries = {key: empty if item is None else item for key, item in value.items()}
    return {
        key: item if item is None else _normalized(item, entry, definitions)[0]
        for key, item in entries.items()
    }, False


def _structure(value: Object, name: str, schema: Mapping[str, Any], definitions: Mapping[str, Any]) -> Object:
    properties, required = fields(schema.get("properties")), items(schema.get("required"))
    result: Object = {}
    for key, item in value.items():
        if item is None or key not in properties:
            continue
        normalized, kept = _normalized(item, properties[key], definitions)
        if normalized or kept or key in required or (name, key) in _pointer_fields():
            result[key] = normalized
    return result


def _is_of(value: object, type_: str) -> bool:
    """Whether a value is of an OpenAPI type; a boolean is no number."""
    return isinstance(value, _TYPES[type_]) and (type_ == "boolean" or not isinstance(value, bool))


def _reference(schema: Mapping[str, Any]) -> str:
    """The definition that a schema refers to, empty for none; with a default, it stands in `allOf`."""
    alternatives = [schema, *items(schema.get("allOf"))]
    references = (str(at(alternative, "$ref") or "") for alternative in alternatives)
    return next((reference.rpartition("/")[2] for reference in references if reference), "")


@cache
def _pointer_fields() -> frozenset[tuple[str, str]]:
    return frozenset((row["definition"], row["field"]) for row in data.rows("pointer_fields.csv"))
