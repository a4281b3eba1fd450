"""The user of a connection, from the kernel."""

from __future__ import annotations

import multiprocessing
import os
import socket
import sys
from collections.abc import Iterator
from multiprocessing.synchronize import Event
from typing import Any

import grpc
import pytest
from google.protobuf import empty_pb2
from pulumi.runtime.proto import provider_pb2_grpc

from kubeflow_aks.local_aks.protocol import peers
from kubeflow_aks.local_aks.protocol.peers import is_another_users
from kubeflow_aks.local_aks.protocol.provider import Provider
from kubeflow_aks.local_aks.protocol.server import serve

LINUX = pytest.mark.skipif(sys.platform != "linux", reason="only Linux has sock_diag")
NOBODY = 65534
ANOTHER = os.geteuid() + 1


@pytest.fixture(params=[socket.AF_INET, socket.AF_INET6], ids=["IPv4", "dual stack"])
def listener(request: pytest.FixtureRequest) -> Iterator[socket.socket]:
    """A server on 127.0.0.1; gRPC's own has a socket for both protocols."""
    with socket.socket(request.param) as listener:
        if request.param == socket.AF_INET6:
            listener.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
        listener.bind(("127.0.0.1" if request.param == socket.AF_INET else "::ffff:127.0.0.1", 0))
        listener.listen()
        yield listener


def _port(listener: socket.socket) -> int:
    return int(listener.getsockname()[1])


def test_our_own_connection_is_ours_until_it_is_closed(listener: socket.socket) -> None:
    client = socket.create_connection(("127.0.0.1", _port(listener)))
    server, (_, port, *_rest) = listener.accept()
    with server:
        assert not is_another_users(f"ipv4:127.0.0.1:{port}", _port(listener))
        client.close()
        assert is_another_users(f"ipv4:127.0.0.1:{port}", _port(listener)) == (sys.platform == "linux")


@LINUX
def test_users_are_distinguished(listener: socket.socket, monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_connection(("127.0.0.1", _port(listener))):
        server, (_, port, *_rest) = listener.accept()
        with server:
            monkeypatch.setattr(os, "geteuid", lambda: ANOTHER)
            assert is_another_users(f"ipv4:127.0.0.1:{port}", _port(listener))


def _connect_as_nobody(port: int, observed: Event) -> None:
    os.setuid(NOBODY)
    with socket.create_connection(("127.0.0.1", port)):
        observed.wait(60)


@LINUX
@pytest.mark.skipif(os.geteuid() != 0, reason="only root can be two users")
def test_another_users_connection_is_not_ours(listener: socket.socket) -> None:
    context = multiprocessing.get_context("fork")
    observed = context.Event()
    child = context.Process(target=_connect_as_nobody, args=(_port(listener), observed))
    child.start()
    server, (_, port, *_rest) = listener.accept()
    with server:
        try:
            assert is_another_users(f"ipv4:127.0.0.1:{port}", _port(listener))
        finally:
            observed.set()
            child.join()


@LINUX
def test_a_connection_that_never_was_is_nobodys(listener: socket.socket) -> None:
    assert is_another_users("ipv4:127.0.0.1:1", _port(listener))


def test_a_socket_that_only_its_folders_owner_reaches_is_ours(listener: socket.socket) -> None:
    assert not is_another_users("unix:/run/some.sock", _port(listener))


def test_a_system_that_does_not_tell_leaves_it_to_the_token(
    listener: socket.socket, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(peers, "_SOCK_DIAG", 99)
    with socket.create_connection(("127.0.0.1", _port(listener))):
        server, (_, port, *_rest) = listener.accept()
        with server:
            assert not is_another_users(f"ipv4:127.0.0.1:{port}", _port(listener))


@LINUX
def test_a_server_answers_its_own_user_only(monkeypatch: pytest.MonkeyPatch) -> None:
    server = serve(Provider("greeter", "1.2.3"))
    with grpc.insecure_channel(f"127.0.0.1:{server.port}") as channel:
        stub: Any = provider_pb2_grpc.ResourceProviderStub(channel)
        assert stub.GetPluginInfo(empty_pb2.Empty()).version == "1.2.3"
        monkeypatch.setattr(os, "geteuid", lambda: ANOTHER)
        with pytest.raises(grpc.RpcError) as refused:
            stub.GetPluginInfo(empty_pb2.Empty())
    server.stop(0)
    error: Any = refused.value
    assert error.code() == grpc.StatusCode.UNAUTHENTICATED
