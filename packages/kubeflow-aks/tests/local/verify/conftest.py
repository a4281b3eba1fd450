"""A demo stack of these tests' own: on the shared one others have made a namespace `kubeflow`."""

from __future__ import annotations

from collections.abc import Generator

import pytest

from kubeflow_aks.tools import Tools
from tests.local.demo_stack import WIDE, DemoStack, deployed


@pytest.fixture(scope="module")
def demo(tools: Tools, tmp_path_factory: pytest.TempPathFactory) -> Generator[DemoStack]:
    """The demo stack as `up` leaves it."""
    with deployed(tools, tmp_path_factory.mktemp("demo"), WIDE) as demo:
        yield demo
