"""Requests of the provider protocol in the stand-in's own terms, and its failures in the protocol's."""

from collections.abc import Generator
from contextlib import contextmanager

import grpc
from google.protobuf import struct_pb2
from pulumi.runtime.proto import provider_pb2 as proto

from kubeflow_aks.clients.kubernetes.errors import KubeError
from kubeflow_aks.clients.kubernetes.objects import Object, TypeToken
from kubeflow_aks.local_aks.kubernetes_provider.checking import NameSource
from kubeflow_aks.local_aks.kubernetes_provider.errors import PartialError, ProviderError
from kubeflow_aks.local_aks.kubernetes_provider.operations import EngineOperation
from kubeflow_aks.local_aks.kubernetes_provider.outputs import without_nulls
from kubeflow_aks.local_aks.protocol import wire
from kubeflow_aks.local_aks.protocol.failures import fail, fail_partially

_Operation = proto.CreateRequest | proto.UpdateRequest | proto.ReadRequest | proto.DeleteRequest
_Request = _Operation | proto.CheckRequest | proto.DiffRequest


def decode(properties: struct_pb2.Struct, *, nulls: bool = False) -> Object:
    """Properties as plain values, secrets in the clear, without nulls unless `nulls`."""
    values = wire.decode(properties)
    return values if nulls else without_nulls(values)


def type_of(request: _Request) -> TypeToken:
    """The type of a request's resource.

    Raises:
        ProviderError: the stand-in does not support the type.
    """
    token = request.type or request.urn.split("::")[2].split("$")[-1]
    try:
        parsed = TypeToken.parse(token)
    except ValueError as error:
        raise ProviderError(str(error)) from error
    if parsed.kind.group == "helm.sh":
        raise ProviderError(f"the local AKS does not do Helm: {token}")
    if parsed.kind.kind.endswith("List"):
        raise ProviderError(
            "list resources exist for compatibility with YAML manifests and Helm charts, and cannot be created "
            f"directly. Use the underlying resource type instead of {token}"
        )
    return parsed


def name_source(request: proto.CheckRequest) -> NameSource:
    """Where the name of an unnamed object comes from."""
    autonaming = request.autonaming if request.HasField("autonaming") else None
    disabled = proto.CheckRequest.AutonamingOptions.DISABLE
    return NameSource(
        logical=request.name or request.urn.split("::")[-1],
        seed=request.randomSeed,
        proposed=autonaming.proposed_name if autonaming else "",
        required=bool(autonaming and autonaming.mode == disabled),
    )


def operation_of(
    request: _Operation,
    secrets_of: struct_pb2.Struct,
    *,
    preview: bool = False,
) -> EngineOperation:
    """The operation that a request describes."""
    return EngineOperation(request.urn, type_of(request).patch, preview, request.timeout, secrets_of)


@contextmanager
def refusing(context: grpc.ServicerContext) -> Generator[None]:
    """Turn a refusal into the call's failure; a partial one carries the object for the engine's state."""
    try:
        yield
    except PartialError as error:
        fail_partially(
            context,
            str(error),
            resource_id=error.id,
            outputs=error.outputs,
            inputs=error.inputs,
            reasons=error.reasons,
        )
    except KubeError as error:
        fail(context, str(error))
