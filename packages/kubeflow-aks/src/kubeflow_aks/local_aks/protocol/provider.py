"""The calls that both stand-ins answer alike."""

import json
from typing import NoReturn

import grpc
from google.protobuf import empty_pb2, message
from grpc import ServicerContext
from pulumi.runtime.proto import plugin_pb2, provider_pb2_grpc
from pulumi.runtime.proto import provider_pb2 as proto
from typing_extensions import override

from kubeflow_aks.local_aks.protocol.failures import fail


class Provider(provider_pb2_grpc.ResourceProviderServicer):
    """A provider of a Pulumi `package` for Python programs, which bring its SDK and need no schema.

    What a stand-in does not override is answered UNIMPLEMENTED. Handshake is among that: the engine then falls back to
    Attach and Configure, so that the answer to Configure counts. `version` is the one whose behaviour it has.
    """

    def __init__(self, package: str, version: str) -> None:
        self._package = package
        self._version = version

    @override
    def Attach(self, request: plugin_pb2.PluginAttach, context: ServicerContext) -> empty_pb2.Empty:
        """Accept an engine; a stand-in never calls it."""
        return empty_pb2.Empty()

    @override
    def GetPluginInfo(self, request: empty_pb2.Empty, context: ServicerContext) -> plugin_pb2.PluginInfo:
        """The version."""
        return plugin_pb2.PluginInfo(version=self._version)

    @override
    def GetSchema(self, request: proto.GetSchemaRequest, context: ServicerContext) -> proto.GetSchemaResponse:
        """Name and version, and no types."""
        schema = {"name": self._package, "version": self._version}
        return proto.GetSchemaResponse(schema=json.dumps(schema))

    @override
    def CheckConfig(self, request: proto.CheckRequest, context: ServicerContext) -> proto.CheckResponse:
        """Accept any configuration, as azure-native does."""
        return proto.CheckResponse(inputs=request.news)

    @override
    def GetMapping(
        self, request: proto.GetMappingRequest, context: ServicerContext
    ) -> proto.GetMappingResponse:
        """No mapping from other tools."""
        return proto.GetMappingResponse()

    @override
    def GetMappings(
        self, request: proto.GetMappingsRequest, context: ServicerContext
    ) -> proto.GetMappingsResponse:
        """No mapping from other tools."""
        return proto.GetMappingsResponse()

    def _unimplemented(self, request: message.Message, context: ServicerContext) -> NoReturn:
        name = type(request).__name__.removeprefix("Provider").removesuffix("Request")
        fail(
            context,
            f"the local AKS's {self._package} provider does not implement {name}",
            grpc.StatusCode.UNIMPLEMENTED,
        )

    Handshake = Parameterize = Construct = Call = List = _unimplemented
