"""A provider on 127.0.0.1: who gets an answer, and what is answered to a call that a stand-in does not implement."""

import json
from collections.abc import Iterator
from typing import Any

import grpc
import pytest
from google.protobuf import empty_pb2
from pulumi.runtime.proto import provider_pb2, provider_pb2_grpc
from typing_extensions import override

from kubeflow_aks.local_aks.protocol.provider import Provider
from kubeflow_aks.local_aks.protocol.server import Server, serve
from kubeflow_aks.local_aks.protocol.sessions import Sessions


class Greeter(Provider):
    """Remembers a name for each connection."""

    def __init__(self) -> None:
        super().__init__("greeter", "1.2.3")
        self.sessions = Sessions[str]()

    @override
    def Configure(
        self, request: provider_pb2.ConfigureRequest, context: grpc.ServicerContext
    ) -> provider_pb2.ConfigureResponse:
        self.sessions.configure(context, request.variables["name"])
        return provider_pb2.ConfigureResponse()

    @override
    def Create(
        self, request: provider_pb2.CreateRequest, context: grpc.ServicerContext
    ) -> provider_pb2.CreateResponse:
        return provider_pb2.CreateResponse(id=self.sessions.of(context))


@pytest.fixture
def server() -> Iterator[Server]:
    server = serve(Greeter())
    yield server
    server.stop(0)


@pytest.fixture
def connect(server: Server) -> Iterator[Any]:
    """Opens connections."""
    channels: list[Any] = []

    def connect(name: str | None = None) -> Any:
        options = [("grpc.use_local_subchannel_pool", 1)]
        channels.append(grpc.insecure_channel(f"127.0.0.1:{server.port}", options=options))
        stub: Any = provider_pb2_grpc.ResourceProviderStub(channels[-1])
        if name:
            stub.Configure(provider_pb2.ConfigureRequest(variables={"name": name}))
        return stub

    yield connect
    for channel in channels:
        channel.close()


def test_every_connection_has_a_configuration_of_its_own(connect: Any) -> None:
    ada, bob = connect("ada"), connect("bob")
    assert ada.Create(provider_pb2.CreateRequest()).id == "ada"
    assert bob.Create(provider_pb2.CreateRequest()).id == "bob"


def test_a_connection_without_a_configuration_gets_no_other_ones(connect: Any) -> None:
    connect("ada")
    with pytest.raises(grpc.RpcError) as refused:
        connect().Create(provider_pb2.CreateRequest())
    error: Any = refused.value
    assert error.code() == grpc.StatusCode.UNAUTHENTICATED


def test_name_and_version_are_public(connect: Any) -> None:
    stub = connect()
    assert stub.GetPluginInfo(empty_pb2.Empty()).version == "1.2.3"
    schema = json.loads(stub.GetSchema(provider_pb2.GetSchemaRequest()).schema)
    assert schema == {"name": "greeter", "version": "1.2.3"}
    assert stub.GetMapping(provider_pb2.GetMappingRequest()).provider == ""
    assert list(stub.GetMappings(provider_pb2.GetMappingsRequest()).providers) == []


@pytest.mark.parametrize(
    ("call", "request_"),
    [
        ("Handshake", provider_pb2.ProviderHandshakeRequest()),
        ("Parameterize", provider_pb2.ParameterizeRequest()),
        ("Construct", provider_pb2.ConstructRequest()),
        ("Call", provider_pb2.CallRequest()),
        ("List", provider_pb2.ListRequest()),
    ],
)
def test_a_call_that_is_not_implemented_is_refused_by_name(
    connect: Any, capfd: pytest.CaptureFixture[str], call: str, request_: Any
) -> None:
    stub = connect()
    with pytest.raises(grpc.RpcError) as refused:
        list(getattr(stub, call)(request_))  # the first message of a stream is enough
    error: Any = refused.value
    assert error.code() == grpc.StatusCode.UNIMPLEMENTED
    assert error.details() == f"the local AKS's greeter provider does not implement {call}"
    assert "Traceback" not in capfd.readouterr().err


def test_a_taken_port_is_an_error(server: Server) -> None:
    with pytest.raises(OSError, match=f"port {server.port} on 127.0.0.1 is taken"):
        serve(Greeter(), server.port)


def test_a_stopped_server_gives_its_port_back() -> None:
    server = serve(Greeter())
    server.stop(0)
    serve(Greeter(), server.port).stop(0)
