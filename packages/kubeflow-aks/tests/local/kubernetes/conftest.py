"""One Provider on the session's API server, simulated and real, and what its tests may fill."""

import subprocess
import uuid
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest

from kubeflow_aks.clients.kubernetes.api import ApiServer
from kubeflow_aks.clients.kubernetes.objects import Object
from tests.local.kubernetes.differences import DIFFERENCES, RACES
from tests.local.required import required_only
from tests.local_aks.kubernetes_provider.engine import Engine, connected, console, provider

REAL = "pulumi-resource-kubernetes"


@pytest.fixture(scope="module")
def api(kubeconfig: Path) -> ApiServer:
    return ApiServer.of(kubeconfig)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Marks what the real provider is known not to do."""
    for item in items:
        name = item.name.partition("[")[0]
        if item.name.endswith("[real]") and name in DIFFERENCES:
            item.add_marker(pytest.mark.xfail(reason=DIFFERENCES[name], strict=True))
        if item.name.endswith("[real]") and name in RACES:
            item.add_marker(pytest.mark.skip(reason=RACES[name]))


@contextmanager
def _real_provider() -> Generator[int]:
    """The running program; gives its port."""
    command = [required_only(REAL)[REAL]]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as program:
        assert program.stdout
        try:
            yield int(program.stdout.readline())
        finally:
            program.terminate()


@pytest.fixture(scope="module", params=["simulated", "real"])
def engine(request: pytest.FixtureRequest, kubeconfig: Path) -> Generator[Engine]:
    started = _real_provider() if request.param == "real" else provider()
    with started as port, connected(port) as connection, console() as shown:
        connection.attach(shown.address)
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
