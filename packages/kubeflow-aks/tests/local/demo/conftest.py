"""The demo stack that all these tests share."""

from __future__ import annotations

from collections.abc import Generator

import pytest

from kubeflow_aks.tools import Tools
from tests.local.demo_stack import WIDE, DemoStack, deployed


@pytest.fixture(scope="package")
def demo(tools: Tools, tmp_path_factory: pytest.TempPathFactory) -> Generator[DemoStack]:
    """The demo stack on a local AKS of its own, with nothing in it; tests leave it so."""
    with deployed(tools, tmp_path_factory.mktemp("demo"), WIDE) as demo:
        yield demo
