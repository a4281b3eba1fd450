"""The demo stack with Argo's real workflow controller, its pools as `ckf_spot` reads them, and profiles to run in."""

from __future__ import annotations

from collections.abc import Generator

import pytest

from ckf_spot import Pools
from kubeflow_aks.local_aks.control_plane.controllers.argo import Argo
from kubeflow_aks.local_aks.control_plane.controllers.kfp_driver import drivers
from kubeflow_aks.local_aks.run.directory import RunDirectory
from kubeflow_aks.tools import Tools
from tests.local.argo.setting import ArgoRetries
from tests.local.demo_stack import WIDE, DemoStack, deployed
from tests.local.pool_contract import pools_of
from tests.local.required import required


@pytest.fixture(scope="package")
def argo_tools() -> Tools:
    """All tools and Argo's."""
    return required("argo")


@pytest.fixture(scope="package")
def argo(argo_tools: Tools, tmp_path_factory: pytest.TempPathFactory) -> Argo:
    """Argo, not started yet."""
    return Argo(RunDirectory.at(tmp_path_factory.mktemp("argo")), argo_tools)


@pytest.fixture(scope="package")
def demo(argo: Argo) -> Generator[DemoStack]:
    """The demo stack on a local AKS, with Argo at work as the charm sets it up, and drivers that report."""
    with deployed(argo.tools, argo.run.root, WIDE) as demo:
        argo.start()
        try:
            with drivers(argo.run.kubeconfig):
                yield demo
        finally:
            argo.stop()


@pytest.fixture(scope="package")
def argo_retries(demo: DemoStack, argo: Argo) -> ArgoRetries:
    """The program's setting, off at first."""
    return ArgoRetries(demo, argo)


@pytest.fixture(scope="package")
def pools(demo: DemoStack, tmp_path_factory: pytest.TempPathFactory) -> Pools:
    """The pools, from the ConfigMap that the program wrote into the cluster."""
    return pools_of(demo, tmp_path_factory.mktemp("contract"))
