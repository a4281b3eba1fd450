"""A control plane of their own: emptying one that has the kinds of every operator takes longer than starting one."""

from __future__ import annotations

from collections.abc import Generator

import pytest

from kubeflow_aks.local_aks.control_plane.kwokctl import ControlPlane
from kubeflow_aks.tools import Tools
from tests.local.custom_resources import CustomResources
from tests.local.kubectl import Kubectl
from tests.local.planes import running


@pytest.fixture(scope="package")
def control_plane(tools: Tools, tmp_path_factory: pytest.TempPathFactory) -> Generator[ControlPlane]:
    """With nothing in it but these tests' kinds."""
    with running(tools, tmp_path_factory.mktemp("crds")) as plane:
        yield plane


@pytest.fixture(scope="package")
def crds(tools: Tools, control_plane: ControlPlane) -> CustomResources:
    """Custom resources of operators that do not run."""
    return CustomResources(Kubectl(tools, control_plane.run.kubeconfig))
