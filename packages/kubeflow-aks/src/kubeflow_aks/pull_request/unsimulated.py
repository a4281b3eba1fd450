"""A stand-in for types that are not simulated: inputs are stored and compared, and a cloud's outputs are made up.

Only for the preview of a change, where a type that is missing in our table must not hide all the others. Each such
type is recorded for the report. The local AKS itself refuses it.
"""

import importlib
import re
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any, Final

from google.protobuf import empty_pb2, struct_pb2
from grpc import ServicerContext
from pulumi import _types  # pyright: ignore[reportPrivateUsage]
from pulumi.runtime.proto import provider_pb2 as proto
from typing_extensions import override

from kubeflow_aks.local_aks.azure import diff
from kubeflow_aks.local_aks.protocol import wire
from kubeflow_aks.local_aks.protocol.diff import diff_response
from kubeflow_aks.local_aks.protocol.provider import Provider
from kubeflow_aks.recorder import sdk_types

_HUMP: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


class TypeFile:
    """Type and function tokens, or what is read, in a file, one a line. Safe for many threads."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._lock = threading.Lock()
        self._tokens = set(file.read_text(encoding="utf-8").splitlines()) if file.exists() else set[str]()

    def add(self, token: str) -> None:
        """Add a token once."""
        with self._lock:
            if token not in self._tokens:
                self._tokens.add(token)
                with self._file.open("a", encoding="utf-8") as sink:
                    sink.write(f"{token}\n")


class Unsimulated(Provider):
    """Any package: stores inputs and compares them.

    It plans a replacement where what the id of an azure-native resource is made of changes. All other replacements only
    the real provider knows.
    """

    def __init__(self, package: str, version: str, unknown_types: TypeFile) -> None:
        super().__init__(package, version)
        self._unknown_types = unknown_types

    @override
    def Parameterize(
        self, request: proto.ParameterizeRequest, context: ServicerContext
    ) -> proto.ParameterizeResponse:
        """Serve a package that was generated from this one for one SDK, such as another API version's."""
        return proto.ParameterizeResponse(name=request.value.name, version=request.value.version)

    @override
    def DiffConfig(self, request: proto.DiffRequest, context: ServicerContext) -> proto.DiffResponse:
        """No change of configuration replaces anything."""
        return _difference(request.olds, request.news)

    @override
    def Configure(self, request: proto.ConfigureRequest, context: ServicerContext) -> proto.ConfigureResponse:
        """Accept secrets and return them marked as secret."""
        return proto.ConfigureResponse(acceptSecrets=True, supportsPreview=True)

    @override
    def Cancel(self, request: empty_pb2.Empty, context: ServicerContext) -> empty_pb2.Empty:
        """Nothing here takes time."""
        return empty_pb2.Empty()

    @override
    def Check(self, request: proto.CheckRequest, context: ServicerContext) -> proto.CheckResponse:
        """The inputs as they are."""
        self._unknown_types.add(token_of(request))
        return proto.CheckResponse(inputs=request.news)

    @override
    def Diff(self, request: proto.DiffRequest, context: ServicerContext) -> proto.DiffResponse:
        """What changed in the inputs, and whether that makes another resource of it."""
        return _difference(request.old_inputs, request.news, _identifying(token_of(request)))

    @override
    def Create(self, request: proto.CreateRequest, context: ServicerContext) -> proto.CreateResponse:
        """The inputs, and outside a preview an id and what else the SDK expects."""
        if request.preview:
            return proto.CreateResponse(properties=request.properties)
        return proto.CreateResponse(id=_name(request), properties=_completed(request, request.properties))

    @override
    def Read(self, request: proto.ReadRequest, context: ServicerContext) -> proto.ReadResponse:
        """The resource as in the state; one that the state lacks is assumed to exist."""
        self._unknown_types.add(token_of(request))
        return assumed(request)

    @override
    def Update(self, request: proto.UpdateRequest, context: ServicerContext) -> proto.UpdateResponse:
        """The new inputs, completed as at the creation: a preview with unknown outputs would show less."""
        return proto.UpdateResponse(properties=_completed(request, request.news))

    @override
    def Delete(self, request: proto.DeleteRequest, context: ServicerContext) -> empty_pb2.Empty:
        """The engine's state is the only storage."""
        return empty_pb2.Empty()

    @override
    def Invoke(self, request: proto.InvokeRequest, context: ServicerContext) -> proto.InvokeResponse:
        """Made-up texts for the fields that the SDK expects: the engine accepts no unknown values from a function."""
        self._unknown_types.add(request.tok)
        answer = proto.InvokeResponse()
        made_up = _texts(_result_fields(request.tok), request.tok.rpartition(":")[2])
        getattr(answer, "return").CopyFrom(wire.encode(made_up))
        return answer


def with_unsimulated(provider: Provider, knows: Callable[[str], bool], unknown: Unsimulated) -> Provider:
    """A stand-in that passes types it does not know on to another."""
    for method in ("Check", "Diff", "Create", "Read", "Update", "Delete", "Invoke"):
        setattr(provider, method, _either(getattr(provider, method), getattr(unknown, method), knows))
    setattr(provider, "Parameterize", unknown.Parameterize)  # noqa: B010 - a method of this one object
    return provider


def with_assumed(
    provider: Provider, reads: TypeFile, make: Callable[[proto.ReadRequest], bool] = lambda _: False
) -> Provider:
    """A stand-in that assumes the existence of what a program reads and no program of the stack has made.

    `make` makes that where the stand-in can, so that it is read then, and returns whether it did.
    """
    read: Callable[..., proto.ReadResponse] = getattr(provider, "Read")  # noqa: B009 - may be a coroutine

    def answer(request: proto.ReadRequest, context: ServicerContext) -> proto.ReadResponse:
        response = read(request, context)
        if response.id or request.properties.fields:
            return response
        reads.add(f"{token_of(request)} {request.id}")
        return read(request, context) if make(request) else assumed(request)

    setattr(provider, "Read", answer)  # noqa: B010 - a method of this one object
    return provider


def assumed(request: proto.ReadRequest) -> proto.ReadResponse:
    """A resource as the state has it, and a text for each other output that should be one."""
    properties = _completed(request, request.properties)
    return proto.ReadResponse(id=request.id, properties=properties, inputs=request.inputs)


def token_of(request: Any) -> str:
    """The type or function that a call is about; an engine may send a type with the URN only."""
    if isinstance(request, proto.InvokeRequest):
        return request.tok
    return request.type or request.urn.split("::")[2].rpartition("$")[2]


def _either(
    simulated: Callable[..., Any], unknown: Callable[..., Any], knows: Callable[[str], bool]
) -> Callable[[Any, ServicerContext], Any]:
    def answer(request: Any, context: ServicerContext) -> Any:
        return (simulated if knows(token_of(request)) else unknown)(request, context)

    return answer


def _difference(
    olds: struct_pb2.Struct, news: struct_pb2.Struct, identifying: frozenset[str] = frozenset()
) -> proto.DiffResponse:
    changes = diff.detailed(wire.decode(olds), wire.decode(news), {}, identifying)
    replaces = [path for path, change in changes.items() if change.replaces]
    return diff_response(changes, replaces=replaces, delete_first=bool(replaces))


def _name(request: Any) -> str:
    return request.urn.rpartition("::")[2]


def _completed(request: Any, properties: struct_pb2.Struct) -> struct_pb2.Struct:
    """The given values, and a text for each other output that should be one."""
    result = wire.encode(_texts(_output_fields(token_of(request)), _name(request)))
    result.MergeFrom(properties)
    return result


def _texts(fields: Mapping[str, Any], name: str) -> dict[str, str]:
    texts = [field for field, hint in fields.items() if str in sdk_types.arms(hint)]
    return {field: name if field == "name" else f"{name}-{field}" for field in texts}


@sdk_types.loaded_once
def _output_fields(token: str) -> Mapping[str, Any]:
    """A resource's outputs by wire name with their types in the SDK; empty if it is not found."""
    resource = getattr(_module(token), token.rpartition(":")[2], None)
    return _types.resource_types(resource) if resource else {}


@sdk_types.loaded_once
def _identifying(token: str) -> frozenset[str]:
    """The inputs that azure-native makes a resource's id of, and its location; empty for other packages.

    A part of the id is an input named after a resource that is no output: the body of an answer has `name` and `id`.
    """
    if not token.startswith("azure-native:"):
        return frozenset()
    try:
        inputs = _types.input_type_py_to_pulumi_names(sdk_types.input_class(token)).values()
    except LookupError:
        return frozenset()
    outputs = _output_fields(token)
    return frozenset(
        {"location", *(name for name in inputs if name.endswith("Name") and name not in outputs)}
    )


@sdk_types.loaded_once
def _result_fields(token: str) -> Mapping[str, Any]:
    function = token.rpartition(":")[2]
    module = _module(token, _HUMP.sub("_", function).lower())
    result = getattr(module, f"{function[:1].upper()}{function[1:]}Result", None)
    return _types.output_type_types(result) if result else {}


def _module(token: str, *inner: str) -> ModuleType | None:
    """The SDK's module of a token, `pulumi_azure_native.network` of `azure-native:network:Subnet`."""
    package, middle, _ = token.split(":")
    parts = [part for part in middle.split("/")[:1] if part != "index"]
    try:
        return importlib.import_module(".".join([f"pulumi_{package.replace('-', '_')}", *parts, *inner]))
    except ImportError:
        return None
