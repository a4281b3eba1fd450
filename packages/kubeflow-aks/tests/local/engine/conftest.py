"""Stacks of the real program, each on an Azure of its own, one after the other on the session's control plane."""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path

import pytest

from kubeflow_aks.tools import Tools
from tests.local.engine.deployment import Cluster, Deployment, deployment


@pytest.fixture(scope="session")
def cluster(kubeconfig: Path) -> Cluster:
    """The session's API server."""
    return Cluster(kubeconfig)


@pytest.fixture
def demo(tmp_path: Path, tools: Tools, cluster: Cluster) -> Generator[Deployment]:
    """The `demo` stack, which protects nothing; not deployed yet."""
    with deployment(tmp_path / "run", tools, cluster, "demo") as stack:
        yield stack


@pytest.fixture
def dev(tmp_path: Path, tools: Tools, cluster: Cluster) -> Generator[Deployment]:
    """The `dev` stack, which is protected; not deployed yet."""
    with deployment(tmp_path / "run", tools, cluster, "dev") as stack:
        yield stack
