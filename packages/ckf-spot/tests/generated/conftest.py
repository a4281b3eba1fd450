"""The demo stack's pools, from which settings are made."""

import pytest

from ckf_spot import Pools


@pytest.fixture(scope="session")
def pools() -> Pools:
    return Pools.sample()
