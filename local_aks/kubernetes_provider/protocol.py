"""Requests and answers of the provider protocol in the stand-in's own terms."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from contextlib import contextmanager
from typing import Final, Protocol

import grpc
from google.protobuf import any_pb2, struct_pb2
from pulumi.runtime.proto import provider_pb2, status_pb2

from local_aks.kube.errors import PartialError, ProviderError
from local_aks.kube.objects import Object, TypeToken
from local_aks.kubernetes_provider.checking import NameSource
from local_aks.kubernetes_provider.diff import Change, PropertyChange
from local_aks.kubernetes_provider.operations import Step
from local_aks.kubernetes_provider.outputs import without_nulls
from local_aks.protocol import wire

_KINDS: Final = {
    (Change.ADD, False): provider_pb2.PropertyDiff.ADD,
    (Change.ADD, True): provider_pb2.PropertyDiff.ADD_REPLACE,
    (Change.DELETE, False): provider_pb2.PropertyDiff.DELETE,
    (Change.DELETE, True): provider_pb2.PropertyDiff.DELETE_REPLACE,
    (Change.UPDATE, False): provider_pb2.PropertyDiff.UPDATE,
    (Change.UPDATE, True): provider_pb2.PropertyDiff.UPDATE_REPLACE,
}


class Addressed(Protocol):
    """What every request about a resource says of it."""

    @property
    def urn(self) -> str:
        """Its URN."""
        ...

    @property
    def type(self) -> str:
        """Its type token; empty from an engine that sends only the URN."""
        ...


def decode(properties: struct_pb2.Struct) -> Object:
    """Properties as plain values, secrets in the clear, without nulls."""
    return without_nulls(wire.decode(properties))


def type_of(request: Addressed) -> TypeToken:
    """The type of a request's resource.

    Raises:
        ProviderError: the stand-in does not do such a type.
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


def name_source(request: provider_pb2.CheckRequest) -> NameSource:
    """Where the name of an unnamed object comes from."""
    autonaming = request.autonaming if request.HasField("autonaming") else None
    disabled = provider_pb2.CheckRequest.AutonamingOptions.DISABLE
    return NameSource(
        logical=request.name or request.urn.split("::")[-1],
        seed=request.randomSeed,
        proposed=autonaming.proposed_name if autonaming else "",
        required=bool(autonaming and autonaming.mode == disabled),
    )


def step_of(
    request: provider_pb2.CreateRequest
    | provider_pb2.UpdateRequest
    | provider_pb2.ReadRequest
    | provider_pb2.DeleteRequest,
    secrets_of: struct_pb2.Struct,
    *,
    preview: bool = False,
) -> Step:
    """The engine's step behind a request."""
    return Step(request.urn, type_of(request).patch, preview, request.timeout, secrets_of)


def check_failures(reasons: Mapping[str, str]) -> list[provider_pb2.CheckFailure]:
    """Reasons by property as the engine shows them."""
    return [provider_pb2.CheckFailure(property=key, reason=reason) for key, reason in reasons.items()]


def property_diff(change: PropertyChange) -> provider_pb2.PropertyDiff:
    """One changed property as the engine shows it."""
    deleted = change.change is Change.DELETE
    return provider_pb2.PropertyDiff(kind=_KINDS[change.change, change.replaces], inputDiff=deleted)


@contextmanager
def refusing(context: grpc.ServicerContext) -> Generator[None]:
    """Turn a refusal into the call's status; a partial failure carries the object for the engine's state."""
    try:
        yield
    except PartialError as error:
        detail = any_pb2.Any()
        detail.Pack(
            provider_pb2.ErrorResourceInitFailed(
                id=error.id,
                properties=wire.encode(error.outputs),
                reasons=error.reasons,
                inputs=wire.encode(error.inputs) if error.inputs is not None else None,
            )
        )
        status = status_pb2.Status(
            code=grpc.StatusCode.UNKNOWN.value[0], message=str(error), details=[detail]
        )
        context.set_trailing_metadata((("grpc-status-details-bin", status.SerializeToString()),))
        context.abort(grpc.StatusCode.UNKNOWN, str(error))
    except ProviderError as error:
        context.abort(grpc.StatusCode.UNKNOWN, str(error))
