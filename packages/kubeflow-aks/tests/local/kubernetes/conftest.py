"""One Provider of the stand-in on the session's API server, and what its tests may fill."""

import uuid
from collections.abc import Generator
from pathlib import Path

import pytest

from kubeflow_aks.clients.kubernetes.api import ApiServer
from kubeflow_aks.clients.kubernetes.objects import Object
from tests.local_aks.kubernetes_provider.engine import Engine, connected, provider


@pytest.fixture(scope="module")
def api(kubeconfig: Path) -> ApiServer:
    return ApiServer.of(kubeconfig)


@pytest.fixture(scope="module")
def engine(kubeconfig: Path) -> Generator[Engine]:
    with provider() as port, connected(port) as connection:
        connection.configure(kubeconfig=kubeconfig.read_text(), enableConfigMapMutable="true")
        yield connection


@pytest.fixture
def namespace(api: ApiServer) -> Generator[str]:
    name = f"test-{uuid.uuid4().hex[:8]}"
    obj: Object = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}
    api.create(obj, "test")
    yield name
    api.delete(obj, "Background")


@pytest.fixture(scope="module")
def node(api: ApiServer) -> Generator[str]:
    """A kwok node of this module alone: nothing runs on it that does not ask for it by name."""
    name = f"test-{uuid.uuid4().hex[:8]}"
    capacity = {"cpu": "8", "memory": "32Gi", "pods": "110"}
    labels = {"kubernetes.io/hostname": name}
    obj: Object = {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "labels": labels, "annotations": {"kwok.x-k8s.io/node": "fake"}},
        "status": {"capacity": capacity, "allocatable": capacity},
    }
    api.create(obj, "test")
    yield name
    api.delete(obj, "Background")
