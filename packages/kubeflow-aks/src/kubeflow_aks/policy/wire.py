"""Reads the engine's protocol as resources for the rules."""

from __future__ import annotations

from typing import Any

from google.protobuf import struct_pb2

from kubeflow_aks.policy.marks import SECRET, SIGNATURE, UNKNOWNS
from kubeflow_aks.policy.rule import UNKNOWN, Resource


def resource(request: Any) -> Resource:
    """The resource of an `AnalyzeRequest` or an `AnalyzerResource`."""
    secrets: set[str] = set()
    return Resource(
        urn=request.urn,
        type=request.type,
        name=request.name,
        inputs=_mapping(request.properties, secrets, ""),
        secret_inputs=frozenset(secrets),
        protect=request.options.protect,
        ignore_changes=frozenset(request.options.ignoreChanges),
    )


def _mapping(struct: struct_pb2.Struct, secrets: set[str], path: str) -> dict[str, Any]:
    return {
        key: _plain(value, secrets, f"{path}.{key}" if path else key) for key, value in struct.fields.items()
    }


def _plain(value: struct_pb2.Value, secrets: set[str], path: str) -> Any:
    """A value of the protocol; unknown and secret values are `UNKNOWN`, as in `kubeflow_aks.policy.plan`."""
    match value.WhichOneof("kind"):
        case "struct_value":
            fields = value.struct_value.fields
            if SIGNATURE in fields and fields[SIGNATURE].string_value == SECRET:
                secrets.add(path)
                return UNKNOWN
            return _mapping(value.struct_value, secrets, path)
        case "list_value":
            return [_plain(item, secrets, f"{path}[{i}]") for i, item in enumerate(value.list_value.values)]
        case "string_value":
            return UNKNOWN if value.string_value in UNKNOWNS else value.string_value
        case "number_value":
            number = value.number_value
            return int(number) if number.is_integer() else number
        case "bool_value":
            return value.bool_value
        case _:
            return None
