"""Programs that are not ours on the real engine, with the stand-ins attached."""

from __future__ import annotations

from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any

import pytest

from kubeflow_aks.clients.kubernetes import cleanup
from kubeflow_aks.local_aks import kubernetes_provider as kubernetes
from kubeflow_aks.local_aks.azure import server as azure
from kubeflow_aks.local_aks.azure.state import AzureState
from kubeflow_aks.local_aks.engine import Engine
from kubeflow_aks.local_aks.run.directory import RunDirectory
from kubeflow_aks.tools import Tools
from tests.local import hosts

Make = Callable[..., Engine]


@pytest.fixture
def run(tmp_path: Path) -> RunDirectory:
    return RunDirectory.at(tmp_path / "run")


@pytest.fixture
def make(tools: Tools, kubeconfig: Path, run: RunDirectory) -> Generator[Make]:
    """Makes engines for the program in a folder, on one state and one simulated Azure; one process serves each."""
    cleanup.erase(str(kubeconfig), seconds=300)
    cloud = azure.serve(
        AzureState(run.azure), token=run.azure_token(), kubeconfig=kubeconfig.read_text, speed=float("inf")
    )
    inside = kubernetes.serve(servers=kubernetes.servers_of(kubeconfig))
    providers = {"azure-native": cloud.port, "kubernetes": inside.port}

    with hosts.shared() as serve:

        def make(root: Path, stack: str = "test", **extra: Any) -> Engine:
            return Engine(run, tools, providers, root, stack, extra, serve)

        yield make
    cloud.stop()
    inside.stop()
    cleanup.erase(str(kubeconfig), seconds=300)
