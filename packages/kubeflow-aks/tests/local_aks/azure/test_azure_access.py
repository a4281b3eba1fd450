"""Who gets an answer: a connection that brings the token, and nobody else who can reach the port."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import grpc
import pytest
from azure_bodies import CLUSTER_ID, cluster, with_cluster
from azure_client import Client, urn
from google.protobuf import empty_pb2
from pulumi.runtime.proto import provider_pb2, provider_pb2_grpc

from kubeflow_aks.local_aks.azure.state import MANAGED_CLUSTER, AzureState
from kubeflow_aks.local_aks.azure.timing import Timing
from kubeflow_aks.local_aks.azure.types import RESOURCE_GROUP
from kubeflow_aks.local_aks.protocol import wire
from kubeflow_aks.local_aks.protocol.server import Server

CLUSTER = {"resourceGroupName": "kubeflow", "resourceName": "aks"}
CREDENTIALS = "azure-native:containerservice:listManagedCluster{}Credentials"
CALLS: dict[str, Any] = {
    "Check": provider_pb2.CheckRequest(urn=urn(RESOURCE_GROUP)),
    "Diff": provider_pb2.DiffRequest(urn=urn(RESOURCE_GROUP)),
    "Create": provider_pb2.CreateRequest(
        urn=urn(RESOURCE_GROUP),
        properties=wire.encode({"resourceGroupName": "other", "location": "westeurope"}),
    ),
    "Read": provider_pb2.ReadRequest(urn=urn(MANAGED_CLUSTER), id=CLUSTER_ID),
    "Update": provider_pb2.UpdateRequest(
        urn=urn(MANAGED_CLUSTER), id=CLUSTER_ID, news=wire.encode(CLUSTER | cluster(tags={"a": "b"}))
    ),
    "Delete": provider_pb2.DeleteRequest(urn=urn(MANAGED_CLUSTER), id=CLUSTER_ID),
    "the user's kubeconfig": provider_pb2.InvokeRequest(
        tok=CREDENTIALS.format("User"), args=wire.encode(CLUSTER)
    ),
    "the admin's kubeconfig": provider_pb2.InvokeRequest(
        tok=CREDENTIALS.format("Admin"), args=wire.encode(CLUSTER)
    ),
    "who I am": provider_pb2.InvokeRequest(tok="azure-native:authorization:getClientConfig"),
}
"""Every call that reads or changes anything."""


@pytest.fixture
def channel(provider: Server) -> Iterator[grpc.Channel]:
    """Another program's connection."""
    options = [("grpc.use_local_subchannel_pool", 1)]
    with grpc.insecure_channel(f"127.0.0.1:{provider.port}", options=options) as channel:
        yield channel


@pytest.fixture
def stranger(channel: grpc.Channel) -> Any:
    """Another program, beside the engine that is at work."""
    return provider_pb2_grpc.ResourceProviderStub(channel)


def _ask(stub: Any, call: str) -> Any:
    request = CALLS[call]
    name = "Invoke" if isinstance(request, provider_pb2.InvokeRequest) else call
    return getattr(stub, name)(request)


def _code(error: grpc.RpcError) -> grpc.StatusCode:
    call: Any = error
    return call.code()


def _configure(stub: Any, token: str) -> None:
    stub.Configure(provider_pb2.ConfigureRequest(args=wire.encode({"clientSecret": token})))


@pytest.mark.parametrize("call", CALLS)
def test_without_configure_nothing_is_answered_or_changed(
    stranger: Any, client: Client, azure: AzureState, call: str
) -> None:
    with_cluster(azure)
    before = azure.all()
    assert client.version()
    with pytest.raises(grpc.RpcError) as refused:
        _ask(stranger, call)
    assert _code(refused.value) == grpc.StatusCode.UNAUTHENTICATED
    assert azure.all() == before


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("token", ["", "open sesame!", "Open sesame", "öffne dich"])
def test_a_wrong_token_is_no_better_than_none(
    stranger: Any, azure: AzureState, call: str, token: str
) -> None:
    with_cluster(azure)
    before = azure.all()
    for attempt in (lambda: _configure(stranger, token), lambda: _ask(stranger, call)):
        with pytest.raises(grpc.RpcError) as refused:
            attempt()
        assert _code(refused.value) == grpc.StatusCode.UNAUTHENTICATED
    assert azure.all() == before


def test_the_refusal_holds_no_token(stranger: Any) -> None:
    with pytest.raises(grpc.RpcError) as refused:
        _configure(stranger, "wrong")
    error: Any = refused.value
    assert "open sesame" not in error.details()
    assert "wrong" not in error.details()


def test_cancel_without_the_token_ends_no_wait(
    stranger: Any, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    cancelled: list[str] = []

    def cancel(_: Timing) -> None:
        cancelled.append("once")

    monkeypatch.setattr(Timing, "cancel", cancel)
    stranger.Cancel(empty_pb2.Empty())
    assert cancelled == []
    client.cancel()
    assert cancelled == ["once"]
