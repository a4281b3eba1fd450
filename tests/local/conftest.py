"""The tools, and one control plane for the whole session."""

from __future__ import annotations

import os
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest
from kubernetes import config

import tools as tools_package
from localaks.control_plane import ControlPlane
from localaks.run_directory import RunDirectory
from tools import Missing, Tools

_HERE = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Marks every test of this folder."""
    for item in items:
        if item.path.is_relative_to(_HERE):
            item.add_marker(pytest.mark.local)


@pytest.fixture(scope="session")
def tools() -> Tools:
    """Every tool; without them a test is skipped, and fails where KUBEFLOW_AKS_REQUIRE_TOOLS=1 asks for them."""
    found = tools_package.find()
    if isinstance(found, Missing):
        if os.environ.get("KUBEFLOW_AKS_REQUIRE_TOOLS") == "1":
            pytest.fail(str(found), pytrace=False)
        pytest.skip(str(found))
    return found


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
