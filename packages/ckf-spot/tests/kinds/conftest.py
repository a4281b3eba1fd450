"""The demo stack's pools for every kind of work."""

import pytest

from ckf_spot import Pools


@pytest.fixture(scope="session")
def pools() -> Pools:
    return Pools.sample()
