"""The engine's side of the provider protocol, for tests: requests and answers as JSON, as in the recording."""

from __future__ import annotations

from collections.abc import Container, Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any
from urllib.parse import urlsplit

import grpc
from google.protobuf import empty_pb2, json_format
from google.protobuf.message import Message
from pulumi.runtime.proto import (
    engine_pb2,
    engine_pb2_grpc,
    plugin_pb2,
    provider_pb2,
    provider_pb2_grpc,
    status_pb2,
)
from typing_extensions import override

from kubeflow_aks.local_aks.kubernetes_provider import serve
from kubeflow_aks.local_aks.kubernetes_provider.session import api_server
from kubeflow_aks.local_aks.kubernetes_provider.waiting import Waiter

Json = dict[str, Any]

IMPATIENT = Waiter(poll_seconds=0.02, misordering_seconds=(0.02,), settle_seconds=0.05)

_REQUESTS: dict[str, type[Message]] = {
    "CheckConfig": provider_pb2.CheckRequest,
    "DiffConfig": provider_pb2.DiffRequest,
    "Configure": provider_pb2.ConfigureRequest,
    "Check": provider_pb2.CheckRequest,
    "Diff": provider_pb2.DiffRequest,
    "Create": provider_pb2.CreateRequest,
    "Update": provider_pb2.UpdateRequest,
    "Read": provider_pb2.ReadRequest,
    "Delete": provider_pb2.DeleteRequest,
    "Invoke": provider_pb2.InvokeRequest,
    "Construct": provider_pb2.ConstructRequest,
}


class RefusedError(Exception):
    """The provider refused a call."""

    def __init__(self, error: grpc.RpcError) -> None:
        super().__init__(str(error.details()))
        self.code: grpc.StatusCode = error.code()
        self.partial = _partial(error)


@dataclass(frozen=True)
class Engine:
    """One connection of the engine: one Provider."""

    stub: provider_pb2_grpc.ResourceProviderStub

    def call(self, method: str, request: Json) -> Json:
        """Call the provider.

        Raises:
            RefusedError: it answered with an error.
        """
        message = json_format.ParseDict(request, _REQUESTS[method]())
        try:
            return json_format.MessageToDict(getattr(self.stub, method)(message))
        except grpc.RpcError as error:
            raise RefusedError(error) from None

    def configure(self, **inputs: object) -> Json:
        """Configure the Provider; the simulated one reads `args`, the real one `variables`."""
        variables = {f"kubernetes:config:{key}": value for key, value in inputs.items()}
        return self.call("Configure", {"args": inputs, "variables": variables, "acceptSecrets": True})

    def attach(self, address: str) -> None:
        """Say where the engine's own server is."""
        self.ask("Attach", plugin_pb2.PluginAttach(address=address))

    def ask(self, method: str, request: Message) -> str:
        """Call the provider with any message; gives the words of a refusal, empty for an answer."""
        try:
            answer = getattr(self.stub, method)(request)
            list(answer) if method == "List" else answer
        except grpc.RpcError as error:
            return str(error.details())
        return ""

    def cancel(self) -> None:
        """Cancel what is going on."""
        self.stub.Cancel(empty_pb2.Empty())


class AnyHere:
    """API servers of this machine, whatever their port."""

    def __contains__(self, url: object) -> bool:
        return isinstance(url, str) and urlsplit(url).hostname == "127.0.0.1"


@contextmanager
def provider(
    waiter: Waiter = IMPATIENT, servers: Container[str] | None = None, answer_seconds: float = 5
) -> Generator[int]:
    """A running stand-in; gives its port."""
    connect = partial(api_server, answer_seconds=answer_seconds)
    server = serve(waiter=waiter, servers=servers or AnyHere(), connect=connect)
    try:
        yield server.port
    finally:
        server.stop(0)


@dataclass
class Console(engine_pb2_grpc.EngineServicer):
    """What providers show on the engine's console."""

    address: str = ""
    lines: list[engine_pb2.LogRequest] = field(default_factory=list[engine_pb2.LogRequest])

    @override
    def Log(self, request: engine_pb2.LogRequest, context: grpc.ServicerContext) -> empty_pb2.Empty:
        """Remember a line."""
        self.lines.append(request)
        return empty_pb2.Empty()


@contextmanager
def console() -> Generator[Console]:
    """An engine's own server, as far as its console goes."""
    shown = Console()
    server = grpc.server(ThreadPoolExecutor(1))
    engine_pb2_grpc.add_EngineServicer_to_server(shown, server)  # pyright: ignore[reportUnknownMemberType]
    shown.address = f"127.0.0.1:{server.add_insecure_port('127.0.0.1:0')}"
    server.start()
    try:
        yield shown
    finally:
        server.stop(0).wait()


@contextmanager
def connected(port: int) -> Generator[Engine]:
    """A connection of its own, as the engine opens one for each Provider."""
    options = [("grpc.use_local_subchannel_pool", 1)]
    with grpc.insecure_channel(f"127.0.0.1:{port}", options=options) as channel:
        yield Engine(provider_pb2_grpc.ResourceProviderStub(channel))


def _partial(error: grpc.RpcError) -> Json | None:
    """The object that a partial failure reports, as JSON."""
    for entry in error.trailing_metadata() or ():
        if entry.key == "grpc-status-details-bin":
            failure = provider_pb2.ErrorResourceInitFailed()
            status_pb2.Status.FromString(entry.value).details[0].Unpack(failure)
            return json_format.MessageToDict(failure)
    return None
