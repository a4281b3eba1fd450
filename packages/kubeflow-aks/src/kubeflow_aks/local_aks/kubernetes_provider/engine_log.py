"""Lines on the engine's console."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final

import grpc
from pulumi.runtime.proto import engine_pb2, engine_pb2_grpc

_SECONDS: Final = 5.0
_HERE: Final = "127.0.0.1:"


@dataclass(frozen=True)
class EngineLog:
    """The console of one engine, by the `127.0.0.1:<port>` that it gives to Attach; no other address gets anything."""

    address: str

    def warning(self, urn: str, message: str) -> None:
        """Show a warning beside a resource; an engine that does not answer goes without."""
        if not self.address.startswith(_HERE):
            return
        request = engine_pb2.LogRequest(severity=engine_pb2.WARNING, message=message, urn=urn)
        with suppress(grpc.RpcError), grpc.insecure_channel(self.address) as channel:
            engine: Any = engine_pb2_grpc.EngineStub(channel)
            engine.Log(request, timeout=_SECONDS)
