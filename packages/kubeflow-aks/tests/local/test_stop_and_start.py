"""A local AKS that is stopped and started with its `az`: nodes, API server, pods, and a service that ends meanwhile."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Callable, Generator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pytest

from kubeflow_aks.clients.kubernetes.api import ApiServer
from kubeflow_aks.clients.kubernetes.errors import KubeError
from kubeflow_aks.clients.kubernetes.objects import at, items
from kubeflow_aks.local_aks.azure.state import AzureState
from kubeflow_aks.local_aks.azure_cli import install
from kubeflow_aks.local_aks.control_plane.kwokctl import COMPONENTS, component
from kubeflow_aks.local_aks.lifecycle import service_files, teardown
from kubeflow_aks.local_aks.lifecycle.instance import LocalAks
from kubeflow_aks.local_aks.run.directory import RunDirectory
from kubeflow_aks.tools import Tools

SPEED: Final = 120.0
SECONDS: Final = 300.0
WHERE: Final = "--resource-group kubeflow-aks-demo --name kubeflow-aks-demo"
CONTAINERS: Final = [{"name": "work", "image": "registry.example/work:1"}]


@dataclass(frozen=True)
class Running:
    """The demo stack on a local AKS with its service at work."""

    aks: LocalAks

    @property
    def api(self) -> ApiServer:
        """Its API server."""
        return ApiServer.of(self.aks.run.kubeconfig)

    def az(self, line: str) -> subprocess.CompletedProcess[str]:
        """A command of a shell in the local AKS."""
        environment = install.environment(self.aks.run, os.environ)
        command = ["/bin/sh", "-c", f"az {line}"]
        return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)

    def list(self, kind: str) -> list[Any]:
        """Objects of the core group, by their path."""
        return items(self.api.read(f"/api/v1/{kind}").get("items"))

    def pods(self) -> dict[str, str]:
        """Phases of the pods in `default`, by the first word of their names."""
        found = self.list("namespaces/default/pods")
        return {
            str(at(pod, "metadata", "name")).split("-")[0]: str(at(pod, "status", "phase")) for pod in found
        }

    def processes(self) -> dict[str, int | None]:
        """The control plane's, by name; None for one that does not run."""
        return {name: component(self.aks.run, name).running() for name in COMPONENTS}

    def until(self, what: str, holds: Callable[[], object]) -> None:
        """Wait until something holds."""
        deadline = time.monotonic() + SECONDS
        while not holds():
            assert time.monotonic() < deadline, what
            time.sleep(0.2)


@pytest.fixture(scope="module")
def running(tools: Tools, tmp_path_factory: pytest.TempPathFactory) -> Generator[Running]:
    run = RunDirectory.at(tmp_path_factory.mktemp("stop") / "run")
    aks = LocalAks(run, tools, "demo", speed=SPEED)
    try:
        aks.start()
        aks.engine.up()
        yield Running(aks)
    finally:
        teardown.remove(run)


def test_a_cluster_stops_and_comes_back_with_what_manages_itself(running: Running) -> None:
    """Its controllers begin anew: those that only lose their API server sleep ever longer, a minute and more."""
    labels = {"app": "kept"}
    kept = {"metadata": {"labels": labels}, "spec": {"containers": CONTAINERS}}
    deployment = {"replicas": 1, "selector": {"matchLabels": labels}, "template": kept}
    running.api.apply(
        {
            "apiVersion": "apps/v1",
            "kind": "Deployment",
            "metadata": {"name": "kept", "namespace": "default"},
            "spec": deployment,
        },
        "tests",
        force=False,
    )
    alone = {"name": "alone", "namespace": "default"}
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": alone, "spec": {"containers": CONTAINERS}}
    running.api.apply(pod, "tests", force=False)
    both = {"kept": "Running", "alone": "Running"}
    running.until("both pods run", lambda: running.pods() == both)
    before = {str(at(node, "metadata", "name")) for node in running.list("nodes")}
    processes = running.processes()

    done = running.az(f"aks stop {WHERE}")
    assert (done.returncode, done.stderr) == (0, "")
    assert running.processes() == dict.fromkeys(COMPONENTS) | {"etcd": processes["etcd"]}
    with pytest.raises(KubeError):
        running.api.ping()
    assert AzureState(running.aks.run.azure).agent_pools() == []

    running.aks.start()  # as `./kubeflow-aks local up` does: the stopped cluster is no broken one
    with pytest.raises(KubeError):
        running.api.ping()

    done = running.az(f"aks start {WHERE}")
    assert (done.returncode, done.stderr) == (0, "")
    after = running.processes()
    assert after["etcd"] == processes["etcd"]
    assert not {None, *processes.values()} & {pid for name, pid in after.items() if name != "etcd"}
    running.until("what is managed runs again", lambda: running.pods() == {"kept": "Running"})
    running.until("as many nodes as before", lambda: len(running.list("nodes")) >= len(before))
    assert not before & {str(at(node, "metadata", "name")) for node in running.list("nodes")}


def test_a_service_that_ends_while_the_cluster_is_stopped_starts_it_all_the_same(running: Running) -> None:
    assert running.az(f"aks stop {WHERE}").returncode == 0
    running.aks.stop_service()
    running.aks.start()
    assert service_files.endpoints_file(running.aks.run).exists()
    done = running.az(f"aks start {WHERE}")
    assert (done.returncode, done.stderr) == (0, "")
    running.api.ping()


def test_what_was_stopped_is_removed_like_anything_else(running: Running) -> None:
    assert running.az(f"aks stop {WHERE}").returncode == 0
    left: Path = running.aks.run.root
    teardown.remove(running.aks.run)
    assert not left.exists()
