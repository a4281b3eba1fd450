"""The tools, and one control plane for the whole session."""

from __future__ import annotations

import uuid
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest
from kubernetes import config

from kubeflow_aks.local_aks.control_plane.kwokctl import ControlPlane
from kubeflow_aks.tools import Tools
from tests.local.kubectl import Kubectl, eventually
from tests.local.planes import running
from tests.local.reaper import reaper
from tests.local.required import required
from tests.local.scheduling import Scheduling, order

__all__ = ["reaper"]
_HERE = Path(__file__).parent


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Marks every test of this folder, and puts what takes longest first."""
    items.sort(key=lambda item: order(item.path.relative_to(config.rootpath)))
    for item in items:
        if item.path.is_relative_to(_HERE):
            item.add_marker(pytest.mark.local)


def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Scheduling:
    """Takes the place of what `--dist` would choose."""
    return Scheduling(config, log)


@pytest.fixture(scope="session")
def tools() -> Tools:
    """Every tool that is always built."""
    return required()


@pytest.fixture(scope="session")
def control_plane(tools: Tools, tmp_path_factory: pytest.TempPathFactory) -> Generator[ControlPlane]:
    """A running control plane that the whole session shares; tests keep to namespaces and nodes of their own."""
    with running(tools, tmp_path_factory.mktemp("control-plane")) as plane:
        yield plane


@pytest.fixture(scope="session")
def kubeconfig(control_plane: ControlPlane) -> Path:
    """The shared control plane's administrator."""
    return control_plane.run.kubeconfig


@pytest.fixture
def kubectl(tools: Tools, kubeconfig: Path) -> Generator[Kubectl]:
    """The shared control plane, in a namespace of this test alone."""
    namespace = f"test-{uuid.uuid4().hex[:8]}"
    kubectl = Kubectl(tools, kubeconfig, namespace)
    kubectl.run("create", "namespace", namespace)
    eventually(lambda: kubectl.items("serviceaccount"))
    yield kubectl
    kubectl.run("delete", "namespace", namespace, "--wait=false")


@pytest.fixture(scope="session")
def api(kubeconfig: Path) -> Any:
    """A `kubernetes.client.ApiClient` of the shared control plane."""
    return config.new_client_from_config(str(kubeconfig))  # pyright: ignore[reportUnknownMemberType]
