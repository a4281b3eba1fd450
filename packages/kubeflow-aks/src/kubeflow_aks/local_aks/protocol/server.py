"""A provider served over gRPC, for `PULUMI_DEBUG_PROVIDERS=<package>:<port>`."""

from __future__ import annotations

from collections.abc import Callable
from concurrent import futures
from dataclasses import dataclass
from typing import Any, Final

import grpc
from pulumi.runtime.proto import provider_pb2_grpc
from typing_extensions import override

from kubeflow_aks.local_aks.protocol.failures import fail
from kubeflow_aks.local_aks.protocol.peers import is_another_users

_THREADS: Final = 64
"""Calls answered at a time; one that waits for its resource holds a thread."""
_MESSAGE_BYTES: Final = 400 << 20
"""Limit of the engine itself: state with large ConfigMaps comes in one message."""


@dataclass(frozen=True)
class Server:
    """A provider that answers on a TCP port of 127.0.0.1 until it is stopped."""

    port: int
    _server: grpc.Server

    def stop(self, grace_seconds: float = 1.0) -> None:
        """Take no more calls, give running ones some seconds to end, and return when the port is free."""
        self._server.stop(grace_seconds).wait()


def serve(provider: provider_pb2_grpc.ResourceProviderServicer, port: int = 0) -> Server:
    """Serve a provider on 127.0.0.1, by default on a free port, only to this user where the system knows the user.

    Raises:
        OSError: the port is taken.
    """
    options = [("grpc.max_receive_message_length", _MESSAGE_BYTES), ("grpc.so_reuseport", 0)]
    guard = _OwnUserOnly()
    threads = futures.ThreadPoolExecutor(_THREADS, type(provider).__name__)
    server = grpc.server(threads, interceptors=[guard], options=options)
    provider_pb2_grpc.add_ResourceProviderServicer_to_server(provider, server)
    try:
        bound = server.add_insecure_port(f"127.0.0.1:{port}")
    except RuntimeError as error:
        raise OSError(f"port {port} on 127.0.0.1 is taken") from error
    guard.port = bound
    server.start()
    return Server(bound, server)


class _OwnUserOnly(grpc.ServerInterceptor):
    """Refuses every call of another user of the machine to the server on a port."""

    port = 0

    @override
    def intercept_service(
        self,
        continuation: Callable[[grpc.HandlerCallDetails], Any],
        handler_call_details: grpc.HandlerCallDetails,
    ) -> Any:
        """The handler of a call, called only for this user; of all calls only `List` answers with a stream."""
        handler = continuation(handler_call_details)
        if handler is None:
            return None
        wrap, answer = (
            (grpc.unary_stream_rpc_method_handler, handler.unary_stream)
            if handler.response_streaming
            else (grpc.unary_unary_rpc_method_handler, handler.unary_unary)
        )

        def guarded(request: Any, context: grpc.ServicerContext) -> Any:
            if is_another_users(context.peer(), self.port):
                fail(context, "the local AKS answers its own user only", grpc.StatusCode.UNAUTHENTICATED)
            return answer(request, context)

        return wrap(guarded, handler.request_deserializer, handler.response_serializer)
