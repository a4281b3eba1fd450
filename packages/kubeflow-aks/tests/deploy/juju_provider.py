"""A provider with the schema of juju/juju that deploys nothing, for OpenTofu over its plugin protocol 6.

OpenTofu itself checks a configuration against the schema. Planning and applying are as plain as they can be: what is
configured stays, what the provider computes is unknown in a plan and made up in an apply.
"""

from __future__ import annotations

import json
import os
import platform
import tempfile
import uuid
from collections import Counter
from collections.abc import Callable, Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, cast

import grpc
import msgpack  # pyright: ignore[reportMissingTypeStubs]
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

from tests.deploy.recorded import Layout

SOURCE: Final = "registry.opentofu.org/juju/juju"
_PROTOCOL: Final = 6

_PACKAGE: Final = "tfplugin6"
_FIELDS: Final[dict[str, dict[str, tuple[int, str]]]] = {
    "Value": {"msgpack": (1, "bytes"), "json": (2, "bytes")},
    "Attribute": {
        "name": (1, "string"),
        "type": (2, "bytes"),
        "description": (3, "string"),
        "required": (4, "bool"),
        "optional": (5, "bool"),
        "computed": (6, "bool"),
        "sensitive": (7, "bool"),
        "description_kind": (8, "int32"),
        "deprecated": (9, "bool"),
        "nested_type": (10, "Object"),
    },
    "Object": {"attributes": (1, "[Attribute]"), "nesting": (3, "int32")},
    "NestedBlock": {"type_name": (1, "string"), "block": (2, "Block"), "nesting": (3, "int32")},
    "Block": {
        "attributes": (2, "[Attribute]"),
        "block_types": (3, "[NestedBlock]"),
        "description": (4, "string"),
        "description_kind": (5, "int32"),
    },
    "Schema": {"version": (1, "int64"), "block": (2, "Block")},
    "NamedSchema": {"key": (1, "string"), "value": (2, "Schema")},
    "Schemas": {
        "provider": (1, "Schema"),
        "resources": (2, "[NamedSchema]"),
        "data_sources": (3, "[NamedSchema]"),
    },
    "Empty": {},
    "Upgrade": {"type_name": (1, "string"), "raw_state": (3, "RawState")},
    "RawState": {"json": (1, "bytes")},
    "State": {"value": (1, "Value")},
    "Read": {"type_name": (1, "string"), "state": (2, "Value")},
    "Change": {"type_name": (1, "string"), "prior": (2, "Value"), "next": (3, "Value")},
}
"""What is used of the protocol: each message's fields with number and type. Names are not sent, so they are our own.

Source: opentofu/opentofu, docs/plugin-protocol/tfplugin6.9.proto, read on 2026-11-23. Responses to upgrade, read, plan
and apply have the state in field 1, and the requests to plan and apply share their first three fields.
"""
_SCALARS: Final = {
    "string": descriptor_pb2.FieldDescriptorProto.TYPE_STRING,
    "bytes": descriptor_pb2.FieldDescriptorProto.TYPE_BYTES,
    "bool": descriptor_pb2.FieldDescriptorProto.TYPE_BOOL,
    "int32": descriptor_pb2.FieldDescriptorProto.TYPE_INT32,
    "int64": descriptor_pb2.FieldDescriptorProto.TYPE_INT64,
}
_NESTING: Final = {"single": 1, "list": 2, "set": 3, "map": 4}
_DESCRIPTIONS: Final = ("plain", "markdown")
_UNKNOWN: Final = msgpack.ExtType(0, b"\0")
"""A value that is known after the apply, as OpenTofu encodes it."""


def _messages() -> dict[str, Any]:
    file = descriptor_pb2.FileDescriptorProto(name=f"{_PACKAGE}.proto", package=_PACKAGE, syntax="proto3")
    for name, fields in _FIELDS.items():
        message = file.message_type.add(name=name)
        for label, (number, kind) in fields.items():
            one = kind.strip("[]")
            message.field.add(
                name=label,
                number=number,
                label="LABEL_OPTIONAL" if one == kind else "LABEL_REPEATED",  # pyright: ignore[reportArgumentType]
                type=_SCALARS.get(one, descriptor_pb2.FieldDescriptorProto.TYPE_MESSAGE),
                type_name=None if one in _SCALARS else f".{_PACKAGE}.{one}",
            )
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)  # pyright: ignore[reportUnknownMemberType]
    return {
        name: message_factory.GetMessageClass(pool.FindMessageTypeByName(f"{_PACKAGE}.{name}"))
        for name in _FIELDS
    }


_M: Final = _messages()


@dataclass
class JujuProvider:
    """The running provider.

    Attributes:
        reattach: what OpenTofu finds it by, as TF_REATTACH_PROVIDERS.
        schema: its own.
        made: number of resources that exist, by type.
    """

    reattach: str
    schema: dict[str, Any]
    made: Counter[str] = field(default_factory=Counter[str])

    def upgrade(self, request: Any) -> Any:
        """The state as it was stored."""
        return _M["State"](value=_M["Value"](json=request.raw_state.json))

    def read(self, request: Any) -> Any:
        """The state as it was: nothing changes on its own."""
        return _M["State"](value=request.state)

    def plan(self, request: Any) -> Any:
        """What is computed and not there yet is unknown."""
        planned = self._changed(request.type_name, _decoded(request.next), _unknown_if_computed)
        return _M["State"](value=_encoded(planned))

    def apply(self, request: Any) -> Any:
        """What was unknown becomes known."""
        before, after = _decoded(request.prior), _decoded(request.next)
        self.made[request.type_name] += (after is not None) - (before is not None)
        return _M["State"](value=_encoded(self._changed(request.type_name, after, _with_values)))

    def _changed(self, kind: str, value: Any, change: Callable[[dict[str, Any], Any], Any]) -> Any:
        return _changed_block(self.schema["resource_schemas"][kind]["block"], value, change)


@contextmanager
def serve(layout: Layout) -> Generator[JujuProvider]:
    """The provider on a socket that only this user reaches."""
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(4) as pool:
        socket = Path(folder) / "provider"
        address = {"Network": "unix", "String": str(socket)}
        # With "Test" OpenTofu leaves the process running.
        about = {
            "Protocol": "grpc",
            "ProtocolVersion": _PROTOCOL,
            "Pid": os.getpid(),
            "Test": True,
            "Addr": address,
        }
        provider = JujuProvider(json.dumps({SOURCE: about}), layout.schema)
        server = grpc.server(pool)
        server.add_generic_rpc_handlers((_handlers(provider),))
        server.add_insecure_port(f"unix:{socket}")
        server.start()
        try:
            yield provider
        finally:
            server.stop(None).wait()


def mirror(folder: Path, layout: Layout) -> Path:
    """OpenTofu's configuration with a mirror that has the provider of a layout at its version, and no registry.

    Args:
        folder: takes the mirror and the file.
        layout: names the version.
    """
    version = layout.release.juju_provider
    package = folder / "mirror" / SOURCE / version / _platform()
    package.mkdir(parents=True)
    program = package / f"terraform-provider-juju_v{version}"
    program.write_text("#!/bin/sh\necho 'served by the test instead' >&2\nexit 1\n", encoding="utf-8")
    program.chmod(0o755)
    file = folder / "tofu.rc"
    file.write_text(
        f'provider_installation {{\n  filesystem_mirror {{\n    path = "{folder / "mirror"}"\n  }}\n}}\n',
        encoding="utf-8",
    )
    return file


def _handlers(provider: JujuProvider) -> grpc.GenericRpcHandler:
    schemas = _schemas(provider.schema)
    methods: dict[str, tuple[str, Callable[[Any], Any]]] = {
        "GetProviderSchema": ("Empty", lambda _: schemas),
        "ValidateProviderConfig": ("Empty", _nothing),
        "ValidateResourceConfig": ("Empty", _nothing),
        "ConfigureProvider": ("Empty", _nothing),
        "StopProvider": ("Empty", _nothing),
        "UpgradeResourceState": ("Upgrade", provider.upgrade),
        "ReadResource": ("Read", provider.read),
        "PlanResourceChange": ("Change", provider.plan),
        "ApplyResourceChange": ("Change", provider.apply),
    }
    return grpc.method_handlers_generic_handler(
        f"{_PACKAGE}.Provider", {name: _handler(kind, answer) for name, (kind, answer) in methods.items()}
    )


def _handler(kind: str, answer: Callable[[Any], Any]) -> Any:
    def behavior(request: Any, _context: object) -> Any:
        return answer(request)

    def serialized(message: Any) -> bytes:
        return message.SerializeToString()

    return grpc.unary_unary_rpc_method_handler(behavior, _M[kind].FromString, serialized)


def _nothing(_request: Any) -> Any:
    return _M["Empty"]()


def _schemas(schema: dict[str, Any]) -> Any:
    return _M["Schemas"](
        provider=_schema(schema["provider"]),
        resources=[
            _M["NamedSchema"](key=key, value=_schema(about))
            for key, about in schema["resource_schemas"].items()
        ],
        data_sources=[
            _M["NamedSchema"](key=key, value=_schema(about))
            for key, about in schema["data_source_schemas"].items()
        ],
    )


def _schema(schema: dict[str, Any]) -> Any:
    return _M["Schema"](version=schema["version"], block=_block(schema["block"]))


def _block(block: dict[str, Any]) -> Any:
    nested = block.get("block_types", {})
    return _M["Block"](
        attributes=_attributes(block),
        block_types=[
            _M["NestedBlock"](
                type_name=name, block=_block(about["block"]), nesting=_NESTING[about["nesting_mode"]]
            )
            for name, about in nested.items()
        ],
        **_described(block),
    )


def _attributes(block: dict[str, Any]) -> list[Any]:
    return [_attribute(name, about) for name, about in block.get("attributes", {}).items()]


def _attribute(name: str, about: dict[str, Any]) -> Any:
    flags = {
        key: about.get(key, False) for key in ("required", "optional", "computed", "sensitive", "deprecated")
    }
    if (nested := about.get("nested_type")) is not None:
        kind = {
            "nested_type": _M["Object"](
                attributes=_attributes(nested), nesting=_NESTING[nested["nesting_mode"]]
            )
        }
    else:
        kind = {"type": json.dumps(about["type"]).encode()}
    return _M["Attribute"](name=name, **_described(about), **flags, **kind)


def _described(about: dict[str, Any]) -> dict[str, Any]:
    return {
        "description": about.get("description", ""),
        "description_kind": _DESCRIPTIONS.index(about["description_kind"]),
    }


def _decoded(value: Any) -> Any:
    return msgpack.unpackb(value.msgpack)  # pyright: ignore[reportUnknownVariableType, reportUnknownMemberType]


def _encoded(value: Any) -> Any:
    return _M["Value"](msgpack=msgpack.packb(value))  # pyright: ignore[reportUnknownMemberType]


def _changed_block(block: dict[str, Any], value: Any, change: Callable[[dict[str, Any], Any], Any]) -> Any:
    """A block's value with each attribute changed; a block that is missing or unknown as a whole stays so."""
    if isinstance(value, list):
        return [_changed_block(block, item, change) for item in cast("list[Any]", value)]
    if not isinstance(value, dict):
        return value
    fields = cast("dict[str, Any]", value)
    attributes = {name: change(about, fields[name]) for name, about in block.get("attributes", {}).items()}
    nested = {
        name: _changed_block(about["block"], fields[name], change)
        for name, about in block.get("block_types", {}).items()
    }
    return attributes | nested


def _unknown_if_computed(about: dict[str, Any], value: Any) -> Any:
    return _UNKNOWN if value is None and about.get("computed") else value


def _with_values(about: dict[str, Any], value: Any) -> Any:
    if not isinstance(value, msgpack.ExtType):
        return value
    kind = about.get("type", ["set"])
    if isinstance(kind, list):
        return {} if kind[0] == "map" else []
    return {"string": str(uuid.uuid4()), "number": 1, "bool": False}[kind]


def _platform() -> str:
    machine = {"x86_64": "amd64", "aarch64": "arm64"}.get(platform.machine(), platform.machine())
    return f"{platform.system().lower()}_{machine}"
