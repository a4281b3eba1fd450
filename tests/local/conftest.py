"""The tools, and one control plane for the whole session."""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest
from kubernetes import config

from localaks.control_plane import ControlPlane
from localaks.run_directory import RunDirectory
from tests.local.required import required
from tools import Tools

_HERE = Path(__file__).parent
_LONGEST = [
    "test_demo.py",
    "test_storm.py",
    "test_faults.py",
    "test_change_matrix.py",
    "test_training.py",
    "test_retries.py",
    "test_eviction.py",
]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Marks every test of this folder, and puts the longest files first, so that no worker ends up alone with one."""
    items.sort(
        key=lambda item: _LONGEST.index(item.path.name) if item.path.name in _LONGEST else len(_LONGEST)
    )
    for item in items:
        if item.path.is_relative_to(_HERE):
            item.add_marker(pytest.mark.local)


@pytest.fixture(scope="session")
def tools() -> Tools:
    """Every tool that is always built."""
    return required()


@pytest.fixture(scope="session")
def control_plane(tools: Tools, tmp_path_factory: pytest.TempPathFactory) -> Generator[ControlPlane]:
    """A running control plane that the whole session shares; tests keep to namespaces and nodes of their own."""
    plane = ControlPlane(RunDirectory.at(tmp_path_factory.mktemp("control-plane")), tools)
    plane.start()
    yield plane
    plane.stop()


@pytest.fixture(scope="session")
def kubeconfig(control_plane: ControlPlane) -> Path:
    """The shared control plane's administrator."""
    return control_plane.kubeconfig()


@pytest.fixture(scope="session")
def api(kubeconfig: Path) -> Any:
    """A `kubernetes.client.ApiClient` of the shared control plane."""
    return config.new_client_from_config(str(kubeconfig))  # pyright: ignore[reportUnknownMemberType]
