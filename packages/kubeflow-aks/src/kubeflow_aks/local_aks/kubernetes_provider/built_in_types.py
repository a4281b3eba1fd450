"""The types of Kubernetes' own kinds in the form of an API server's OpenAPI documents, made of the environment's SDK.

So objects without an API server have their inputs written one way too (`schemas.py`). What the SDK leaves out, which
texts are quantities, is in `data/quantity_fields.csv`.
"""

from __future__ import annotations

import inspect
import typing
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, Final

from pulumi import _types  # pyright: ignore[reportPrivateUsage]

from kubeflow_aks.clients.kubernetes.objects import Kind, Object
from kubeflow_aks.local_aks.kubernetes_provider import built_in, data
from kubeflow_aks.recorder import sdk_types

_QUANTITY: Final = "io.k8s.apimachinery.pkg.api.resource.Quantity"
_ROOTS: Final = {
    "apiextensions": "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions",
    "apiregistration": "io.k8s.kube-aggregator.pkg.apis.apiregistration",
    "meta": "io.k8s.apimachinery.pkg.apis.meta",
}
"""Where the Go types of a module lie that are not in `io.k8s.api`, which gives definitions their names."""
_SCHEMAS: Final = "#/components/schemas"
_BASIC: Final = {str: "string", bool: "boolean", int: "integer", float: "number"}


def document(kind: Kind) -> Object:
    """The OpenAPI document that defines a kind and all that it holds; empty where the SDK has no such kind."""
    if kind not in built_in.kinds():
        return {}
    definitions: Object = {}
    name = _define(sdk_types.input_class(built_in.token(kind)), definitions)
    served = {"group": kind.group, "version": kind.version, "kind": kind.kind}
    definitions[name]["x-kubernetes-group-version-kind"] = [served]
    return {"components": {"schemas": definitions}}


def _define(cls: type, definitions: Object) -> str:
    """Adds the definition of an input class and of all that it holds; gives its name."""
    name = _name(cls)
    if name not in definitions:
        properties: Object = {}
        definitions[name] = {"type": "object", "properties": properties}
        for field, hint in sdk_types.hints(cls).items():
            quantity = (name, field) in _quantity_fields()
            properties[field] = _schema(hint, definitions, quantity=quantity)
        definitions[name]["required"] = sorted(sdk_types.required(cls))
    return name


def _name(cls: type) -> str:
    """The definition of `pulumi_kubernetes.apps.v1._inputs.DaemonSetSpecArgs`: `io.k8s.api.apps.v1.DaemonSetSpec`."""
    group, version = cls.__module__.split(".")[1:3]
    name = cls.__name__.removesuffix("Args").removesuffix("Init")
    return f"{_ROOTS.get(group, f'io.k8s.api.{group}')}.{version}.{name}"


def _schema(hint: Any, definitions: Object, *, quantity: bool) -> Object:
    """A type; without one where the SDK admits several, as for a port that is a number or a name."""
    candidates = [_schema_of(arm, definitions, quantity=quantity) for arm in sdk_types.arms(hint)]
    schemas = [schema for schema in candidates if schema]
    return schemas[0] if len(schemas) == 1 else {}


def _schema_of(arm: Any, definitions: Object, *, quantity: bool) -> Object:
    if quantity and arm is str:
        return {"$ref": f"{_SCHEMAS}/{_QUANTITY}"}
    if arm in _BASIC:
        return {"type": _BASIC[arm]}
    if inspect.isclass(arm) and _types.is_input_type(arm):
        return {"$ref": f"{_SCHEMAS}/{_define(arm, definitions)}"}
    origin, arguments = typing.get_origin(arm), typing.get_args(arm)
    if inspect.isclass(origin) and issubclass(origin, Mapping):
        entry = _schema(arguments[1], definitions, quantity=quantity)
        return {"type": "object", "additionalProperties": entry}
    if inspect.isclass(origin) and issubclass(origin, Sequence):
        return {"type": "array", "items": _schema(arguments[0], definitions, quantity=quantity)}
    return {}


@cache
def _quantity_fields() -> frozenset[tuple[str, str]]:
    return frozenset((row["definition"], row["field"]) for row in data.rows("quantity_fields.csv"))
