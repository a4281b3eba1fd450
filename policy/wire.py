"""From the engine's protocol to the resources that rules look at."""

from __future__ import annotations

from typing import Any, Final

from google.protobuf import struct_pb2

from policy.rule import UNKNOWN, Resource

_SIGNATURE: Final = "4dabf18193072939515e22adb298388d"
_SECRET: Final = "1b47061264138c4ac30d75fd1eb44270"  # noqa: S105 - a public marker of the protocol
_UNKNOWN: Final = frozenset(
    {
        "1c4a061d-8072-4f0a-a4cb-0ff528b18fe7",
        "3eeb2bf0-c639-47a8-9e75-3b44932eb421",
        "04da6b54-80e4-46f7-96ec-b56ff0331ba9",
        "6a19a0b0-7e62-4c92-b797-7f8e31da9cc2",
        "030794c1-ac77-496b-92df-f27374a8bd58",
        "e48ece36-62e2-4504-bad9-02848725956a",
        "dd056dcd-154b-4c76-9bd3-c8f88648b5ff",
    }
)
"""What stands for unknown values of each kind (`sdk/go/common/resource/plugin/rpc.go` in pulumi/pulumi)."""


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
    """A value of the protocol; what is unknown or secret is `UNKNOWN`, as in `policy.plan`."""
    match value.WhichOneof("kind"):
        case "struct_value":
            fields = value.struct_value.fields
            if _SIGNATURE in fields and fields[_SIGNATURE].string_value == _SECRET:
                secrets.add(path)
                return UNKNOWN
            return _mapping(value.struct_value, secrets, path)
        case "list_value":
            return [_plain(item, secrets, f"{path}[{i}]") for i, item in enumerate(value.list_value.values)]
        case "string_value":
            return UNKNOWN if value.string_value in _UNKNOWN else value.string_value
        case "number_value":
            number = value.number_value
            return int(number) if number.is_integer() else number
        case "bool_value":
            return value.bool_value
        case _:
            return None
