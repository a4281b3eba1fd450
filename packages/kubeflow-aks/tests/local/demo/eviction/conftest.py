"""A namespace for each test."""

from __future__ import annotations

from collections.abc import Generator

import pytest

from tests.local.demo_stack import DemoStack


@pytest.fixture
def namespace(demo: DemoStack) -> Generator[str]:
    """A namespace of this test alone; afterwards the pools are back at their minimum."""
    with demo.namespace() as name:
        yield name
