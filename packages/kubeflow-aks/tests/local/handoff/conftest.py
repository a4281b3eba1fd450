"""A demo stack of these tests' own: on the shared one others have made a namespace `kubeflow`."""

from __future__ import annotations

import json
from collections.abc import Generator
from pathlib import Path

import pytest

from kubeflow_aks.deployed.outputs import Outputs, parse
from kubeflow_aks.handoff.files import files
from kubeflow_aks.handoff.folder import write
from kubeflow_aks.tools import Tools
from tests.local.demo_stack import WIDE, DemoStack, deployed
from tests.local.required import required_only


@pytest.fixture(scope="package")
def demo(tools: Tools, tmp_path_factory: pytest.TempPathFactory) -> Generator[DemoStack]:
    """The demo stack as `up` leaves it."""
    with deployed(tools, tmp_path_factory.mktemp("demo"), WIDE) as demo:
        yield demo


@pytest.fixture(scope="package")
def outputs(demo: DemoStack) -> Outputs:
    """The engine's outputs of the demo stack."""
    return parse("demo", json.dumps(dict(demo.engine.outputs().values)), "the engine")


@pytest.fixture
def handed(outputs: Outputs, tmp_path: Path) -> Path:
    """The folder of the demo stack's hand-off."""
    write(tmp_path / "handoff", files(outputs))
    return tmp_path / "handoff"


@pytest.fixture(scope="session")
def juju() -> Path:
    """The real client."""
    return required_only("juju")["juju"]
