"""The demo stack with Kubeflow's real training operator, and its pools as `ckf_spot` reads them."""

from __future__ import annotations

from collections.abc import Generator

import pytest

from ckf_spot import Pools
from kubeflow_aks.local_aks.control_plane.controllers.training_operator import TrainingOperator
from kubeflow_aks.local_aks.run.directory import RunDirectory
from tests.local.demo_stack import DemoStack, deployed
from tests.local.pool_contract import pools_of
from tests.local.required import required
from tests.local.training.jobs import KINDS


@pytest.fixture(scope="package")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Generator[DemoStack]:
    """The demo stack on a local AKS, with the training operator at work."""
    tools, folder = required("training"), tmp_path_factory.mktemp("training")
    with deployed(tools, folder) as demo:
        operator = TrainingOperator(RunDirectory.at(folder), tools)
        operator.start()
        try:
            yield demo
        finally:
            operator.stop()


@pytest.fixture(scope="package")
def pools(demo: DemoStack, tmp_path_factory: pytest.TempPathFactory) -> Pools:
    """The pools, from the ConfigMap that the program wrote into the cluster."""
    return pools_of(demo, tmp_path_factory.mktemp("contract"))


@pytest.fixture
def namespace(demo: DemoStack) -> Generator[str]:
    """A namespace of this test alone; afterwards the pools are back at their minimum."""
    with demo.namespace(*KINDS) as name:
        yield name
