"""An empty Azure for each test, and one server on it for all of them."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from azure_bodies import KUBECONFIG, TODAY
from azure_client import TOKEN, Client, Connect

from kubeflow_aks.local_aks.azure.server import serve
from kubeflow_aks.local_aks.azure.state import RESOURCES, AzureState
from kubeflow_aks.local_aks.protocol.server import Server


@pytest.fixture(scope="session")
def azure_root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder of the Azure that tests share one after another."""
    return tmp_path_factory.mktemp("tests") / "azure"


@pytest.fixture
def azure(azure_root: Path) -> AzureState:
    """Azure with nothing in it."""
    for file in azure_root.glob("*.json"):
        file.unlink()
    azure = AzureState(azure_root)
    (azure_root / RESOURCES).write_text("[]\n")  # a server that has read one refuses to go on without it
    return azure


@pytest.fixture(scope="session")
def provider(azure_root: Path) -> Iterator[Server]:
    """The provider, on an Azure that takes no time."""
    server = serve(AzureState(azure_root), token=TOKEN, kubeconfig=lambda: KUBECONFIG, today=lambda: TODAY)
    yield server
    server.stop()


@pytest.fixture
def connect(provider: Server, azure: AzureState) -> Iterator[Connect]:
    """Open connections to the provider, each configured on its own."""
    assert azure.all() == []
    clients: list[Client] = []

    def open_one(**config: str) -> Client:
        clients.append(Client(provider.port, **config))
        return clients[-1]

    yield open_one
    for client in clients:
        client.close()


@pytest.fixture
def client(connect: Connect) -> Client:
    """One provider instance with a location configured."""
    return connect(location="westeurope")
