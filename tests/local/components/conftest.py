"""Programs that are not ours on the real engine, with the stand-ins attached."""

from __future__ import annotations

from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any

import pytest

from localaks import contents
from localaks.azure import server as azure
from localaks.azure.state import AzureState
from localaks.engine import Engine
from localaks.kubernetes import server as kubernetes
from localaks.run_directory import RunDirectory
from tools import Tools

Make = Callable[..., Engine]


@pytest.fixture
def run(tmp_path: Path) -> RunDirectory:
    return RunDirectory.at(tmp_path / "run")


@pytest.fixture
def make(tools: Tools, kubeconfig: Path, run: RunDirectory) -> Generator[Make]:
    """Makes engines for the program in a folder, on one state and one simulated Azure."""
    contents.erase(str(kubeconfig))
    cloud = azure.serve(AzureState(run.azure), kubeconfig=kubeconfig.read_text, speed=float("inf"))
    inside = kubernetes.serve()
    providers = {"azure-native": cloud.port, "kubernetes": inside.port}

    def make(program: Path, stack: str = "test", **extra: Any) -> Engine:
        return Engine(run, tools, providers, program, stack, extra)

    yield make
    cloud.stop()
    inside.stop()
    contents.erase(str(kubeconfig))
