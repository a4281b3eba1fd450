"""A provider served over gRPC, for `PULUMI_DEBUG_PROVIDERS=<package>:<port>`."""

from __future__ import annotations

from concurrent import futures
from dataclasses import dataclass
from typing import Final

import grpc
from pulumi.runtime.proto import provider_pb2_grpc

_THREADS: Final = 64
"""Calls answered at a time; one that waits for its resource holds a thread."""
_MESSAGE_BYTES: Final = 400 << 20
"""The engine's own limit (pulumi/pulumi, sdk/go/common/util/rpcutil/serve.go, `GrpcChannelOptions`)."""


@dataclass(frozen=True)
class Server:
    """A provider that answers until it is stopped.

    Attributes:
        port: TCP port on 127.0.0.1.
    """

    port: int
    _server: grpc.Server

    def stop(self, grace_seconds: float = 1.0) -> None:
        """Take no more calls, give running ones some seconds to end, and return when the port is free."""
        self._server.stop(grace_seconds).wait()


def serve(provider: provider_pb2_grpc.ResourceProviderServicer, port: int = 0) -> Server:
    """Serve a provider on 127.0.0.1.

    Args:
        provider: answers the calls.
        port: 0 takes a free one.

    Raises:
        OSError: the port is taken.
    """
    options = [("grpc.max_receive_message_length", _MESSAGE_BYTES), ("grpc.so_reuseport", 0)]
    server = grpc.server(futures.ThreadPoolExecutor(_THREADS, type(provider).__name__), options=options)
    provider_pb2_grpc.add_ResourceProviderServicer_to_server(provider, server)
    try:
        bound = server.add_insecure_port(f"127.0.0.1:{port}")
    except RuntimeError as error:
        raise OSError(f"port {port} on 127.0.0.1 is taken") from error
    server.start()
    return Server(bound, server)
