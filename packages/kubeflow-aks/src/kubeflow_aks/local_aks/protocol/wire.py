"""Values of the Pulumi provider protocol as plain Python, and back (docs/facts/engine.md#provider-protocol)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, cast

from google.protobuf import struct_pb2
from pulumi.runtime import rpc

from kubeflow_aks.recorder.marks import SECRET, SIGNATURE

_RESOURCE: Final = "5cf8f73096256a8f31e491e813e4eb8e"
_OUTPUT: Final = "d0e6a833031e9bbcd3f4e8bde6ca49a4"


@dataclass(frozen=True)
class Unknown:
    """A value that only an `up` will know."""

    def __repr__(self) -> str:
        return "<unknown>"


UNKNOWN: Final = Unknown()


def resource_reference(urn: str, id_: str | Unknown) -> dict[str, Any]:
    """A resource as a value of another."""
    return {SIGNATURE: _RESOURCE, "urn": urn, "id": id_, "packageVersion": ""}


@dataclass(frozen=True)
class Secret:
    """A value the engine must encrypt in state and mask on the console."""

    value: Any

    def __repr__(self) -> str:
        return "[secret]"


def decode(struct: struct_pb2.Struct) -> dict[str, Any]:
    """A protocol struct as a plain dict: secrets unwrapped, unknowns as `UNKNOWN`, whole numbers as int."""
    return {key: _decode(value) for key, value in struct.fields.items()}


def encode(values: Mapping[str, Any]) -> struct_pb2.Struct:
    """A plain dict (with `UNKNOWN` and `Secret` anywhere in it) as a protocol struct."""
    return struct_pb2.Struct(fields={key: _encode(value) for key, value in values.items()})


def has_unknown(value: Any) -> bool:
    """Whether an `UNKNOWN` hides anywhere in a decoded value."""
    if isinstance(value, Secret):
        return has_unknown(value.value)
    if isinstance(value, dict):
        return any(map(has_unknown, cast(dict[str, Any], value).values()))
    if isinstance(value, list):
        return any(map(has_unknown, cast(list[Any], value)))
    return isinstance(value, Unknown)


def _decode(value: struct_pb2.Value) -> Any:
    match value.WhichOneof("kind"):
        case "bool_value":
            return value.bool_value
        case "number_value":
            number = value.number_value
            return int(number) if number.is_integer() else number
        case "string_value":
            return UNKNOWN if value.string_value == rpc.UNKNOWN else value.string_value
        case "list_value":
            return [_decode(item) for item in value.list_value.values]
        case "struct_value":
            fields = value.struct_value.fields
            signature = fields[SIGNATURE].string_value if SIGNATURE in fields else None
            if signature in (SECRET, _OUTPUT):
                return _decode(fields["value"]) if "value" in fields else UNKNOWN
            return decode(value.struct_value)
        case _:
            return None


def _encode(value: Any) -> struct_pb2.Value:
    match value:
        case Unknown():
            return struct_pb2.Value(string_value=rpc.UNKNOWN)
        case Secret():
            marker = {SIGNATURE: struct_pb2.Value(string_value=SECRET), "value": _encode(value.value)}
            return struct_pb2.Value(struct_value=struct_pb2.Struct(fields=marker))
        case None:
            return struct_pb2.Value(null_value=struct_pb2.NULL_VALUE)
        case bool():
            return struct_pb2.Value(bool_value=value)
        case int() | float():
            return struct_pb2.Value(number_value=value)
        case str():
            return struct_pb2.Value(string_value=value)
        case list() | tuple():
            return struct_pb2.Value(list_value=struct_pb2.ListValue(values=[_encode(item) for item in value]))  # pyright: ignore[reportUnknownVariableType]
        case Mapping():
            return struct_pb2.Value(struct_value=encode(value))  # pyright: ignore[reportUnknownArgumentType]
        case _:
            raise TypeError(f"no kind of the provider protocol for {type(value).__name__} {value!r}")
