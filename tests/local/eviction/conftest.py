"""The demo stack, and a namespace for each test."""

from __future__ import annotations

import uuid
from collections.abc import Generator
from typing import Final

import pytest

from tests.local.demo_stack import DemoStack, deployed
from tools import Tools

WIDE: Final = {
    "pools": {
        "general": {"vmSize": "Standard_D8s_v5", "minCount": 2, "maxCount": 3},
        "cpuspot": {
            "vmSize": "Standard_D8ds_v5",
            "priority": "Spot",
            "maxCount": 20,
            "fallback": {"maxCount": 5},
        },
        "gpuspot": {
            "vmSize": "Standard_NC4as_T4_v3",
            "priority": "Spot",
            "maxCount": 4,
            "fallback": {"maxCount": 2},
        },
    }
}
"""The standard pools, with twice the CPU spot nodes, so that a storm of hundreds takes half the time."""


@pytest.fixture(scope="module")
def demo(tools: Tools, tmp_path_factory: pytest.TempPathFactory) -> Generator[DemoStack]:
    """The demo stack on a local AKS."""
    with deployed(tools, tmp_path_factory.mktemp("eviction"), WIDE) as demo:
        yield demo


@pytest.fixture
def namespace(demo: DemoStack) -> Generator[str]:
    """A namespace of this test alone; afterwards the pools are back at their minimum."""
    name = f"test-{uuid.uuid4().hex[:8]}"
    demo.create_namespace(name)
    yield name
    demo.clear(name)
