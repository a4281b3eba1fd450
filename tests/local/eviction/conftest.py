"""The demo stack, and a namespace for each test."""

from __future__ import annotations

import uuid
from collections.abc import Generator

import pytest

from tests.local.demo_stack import DemoStack, deployed
from tools import Tools


@pytest.fixture(scope="session")
def demo(tools: Tools, tmp_path_factory: pytest.TempPathFactory) -> Generator[DemoStack]:
    """The demo stack on a local AKS."""
    with deployed(tools, tmp_path_factory.mktemp("eviction")) as demo:
        yield demo


@pytest.fixture
def namespace(demo: DemoStack) -> Generator[str]:
    """A namespace of this test alone; afterwards the pools are back at their minimum."""
    name = f"test-{uuid.uuid4().hex[:8]}"
    demo.create_namespace(name)
    yield name
    demo.clear(name)
