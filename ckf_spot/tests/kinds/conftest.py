"""The demo stack's pools for every kind of work."""

from pathlib import Path

import pytest

from ckf_spot import Pools


@pytest.fixture(scope="session")
def pools() -> Pools:
    return Pools.load(Path(__file__).parents[1] / "demo_pools.json")
