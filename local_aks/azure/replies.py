"""Answers of the provider protocol, put together from plain values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import grpc
from pulumi.runtime.proto import provider_pb2, status_pb2

from local_aks.azure import check, sdk_schema
from local_aks.azure.arm import Json
from local_aks.azure.diff import Change, PropertyChange
from local_aks.azure.types import ArmType
from local_aks.protocol import wire

_Kind = provider_pb2.PropertyDiff.Kind
_KINDS: Final = {
    (Change.ADD, False): _Kind.ADD,
    (Change.ADD, True): _Kind.ADD_REPLACE,
    (Change.DELETE, False): _Kind.DELETE,
    (Change.DELETE, True): _Kind.DELETE_REPLACE,
    (Change.UPDATE, False): _Kind.UPDATE,
    (Change.UPDATE, True): _Kind.UPDATE_REPLACE,
}


def difference(changes: Mapping[str, PropertyChange], *, create_first: bool) -> provider_pb2.DiffResponse:
    """The answer to Diff.

    Args:
        changes: changed properties by path.
        create_first: whether a replacement can be created before the old resource is deleted.
    """
    replaces = [path for path, change in changes.items() if change.replaces]
    details = {
        path: provider_pb2.PropertyDiff(kind=_KINDS[change.change, change.replaces], inputDiff=True)
        for path, change in changes.items()
    }
    some, none = provider_pb2.DiffResponse.DIFF_SOME, provider_pb2.DiffResponse.DIFF_NONE
    return provider_pb2.DiffResponse(
        changes=some if changes else none,
        diffs=[path.split(".")[0] for path in changes],
        replaces=replaces,
        detailedDiff=details,
        hasDetailedDiff=bool(changes),
        deleteBeforeReplace=bool(replaces) and not create_first,
    )


def partial(arm_id: str, outputs: Json, inputs: Json, reason: str) -> tuple[tuple[str, bytes]]:
    """Metadata of a failed Create or Update that says what exists by now: the engine keeps it and updates it next."""
    detail = provider_pb2.ErrorResourceInitFailed(
        id=str(outputs.get("id", arm_id)),
        properties=wire.encode(outputs),
        reasons=[reason],
        inputs=wire.encode(inputs),
    )
    status = status_pb2.Status(code=grpc.StatusCode.UNKNOWN.value[0], message=reason)
    status.details.add().Pack(detail)
    return (("grpc-status-details-bin", status.SerializeToString()),)


def returned(value: Json) -> provider_pb2.InvokeResponse:
    """The answer to Invoke."""
    response = provider_pb2.InvokeResponse()
    getattr(response, "return").CopyFrom(wire.encode(value))
    return response


def with_version(arm_type: ArmType, body: Json) -> Json:
    """Outputs of a resource: its body, and the API version the provider speaks."""
    return body | {check.API_VERSION: sdk_schema.api_version(arm_type.pulumi)}
