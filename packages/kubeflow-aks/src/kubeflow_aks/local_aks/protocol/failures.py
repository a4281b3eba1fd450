"""How a call fails."""

from collections.abc import Mapping, Sequence
from typing import Any, NoReturn

import grpc
from pulumi.runtime.proto import provider_pb2 as proto
from pulumi.runtime.proto import status_pb2

from kubeflow_aks.local_aks.protocol import wire


def fail(
    context: grpc.ServicerContext, message: str, code: grpc.StatusCode = grpc.StatusCode.UNKNOWN
) -> NoReturn:
    """End a call with an error, by an exception of gRPC's own; the engine shows the message."""
    context.abort(code, message)
    raise AssertionError("abort raises")


def fail_partially(
    context: grpc.ServicerContext,
    message: str,
    *,
    resource_id: str,
    outputs: Mapping[str, Any],
    inputs: Mapping[str, Any] | None,
    reasons: Sequence[str],
) -> NoReturn:
    """End a call with an error that includes the resource so far: the engine keeps it and updates it next time.

    Args:
        context: the call.
        message: for the console.
        resource_id: the resource's Pulumi id.
        outputs: its properties as they are now.
        inputs: inputs that describe it; None keeps those of the program.
        reasons: what is wrong with it, one line each.
    """
    detail = proto.ErrorResourceInitFailed(
        id=resource_id,
        properties=wire.encode(outputs),
        reasons=reasons,
        inputs=None if inputs is None else wire.encode(inputs),
    )
    status = status_pb2.Status(code=grpc.StatusCode.UNKNOWN.value[0], message=message)
    status.details.add().Pack(detail)
    context.set_trailing_metadata((("grpc-status-details-bin", status.SerializeToString()),))
    fail(context, message)
