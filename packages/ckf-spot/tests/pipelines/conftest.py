"""The demo cluster's pools."""

from __future__ import annotations

import pytest
from compiling import DEMO

from ckf_spot import Pools


@pytest.fixture(scope="session")
def pools() -> Pools:
    return Pools.load(DEMO)


@pytest.fixture(scope="session")
def old_pools() -> Pools:
    """The same with the backend of Charmed Kubeflow 1.10."""
    return Pools.load(DEMO, backend="2.5")
