"""The session's API server, and a repository on GitHub for what is written there."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.local.engine.deployment import Cluster


@pytest.fixture(scope="session")
def cluster(kubeconfig: Path) -> Cluster:
    """The session's API server."""
    return Cluster(kubeconfig)
