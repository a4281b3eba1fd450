"""A provider that accepts every request, so that only policy can refuse it."""

from __future__ import annotations

from typing import Any

from google.protobuf import empty_pb2
from pulumi.runtime.proto import provider_pb2
from typing_extensions import override

from kubeflow_aks.local_aks.protocol.provider import Provider


class Accepting(Provider):
    """Every resource exists as soon as it is requested."""

    @override
    def CheckConfig(self, request: Any, context: Any) -> Any:
        return provider_pb2.CheckResponse(inputs=request.news)

    @override
    def DiffConfig(self, request: Any, context: Any) -> Any:
        return provider_pb2.DiffResponse()

    @override
    def Configure(self, request: Any, context: Any) -> Any:
        return provider_pb2.ConfigureResponse(acceptSecrets=True)

    @override
    def Check(self, request: Any, context: Any) -> Any:
        return provider_pb2.CheckResponse(inputs=request.news)

    @override
    def Diff(self, request: Any, context: Any) -> Any:
        return provider_pb2.DiffResponse()

    @override
    def Create(self, request: Any, context: Any) -> Any:
        return provider_pb2.CreateResponse(id="made", properties=request.properties)

    @override
    def Cancel(self, request: Any, context: Any) -> Any:
        return empty_pb2.Empty()

    @override
    def Delete(self, request: Any, context: Any) -> Any:
        return empty_pb2.Empty()
