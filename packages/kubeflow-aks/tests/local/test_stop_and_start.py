"""A local AKS that is stopped and started with its `az`: nodes, API server, pods, and a service that ends meanwhile."""

from __future__ import annotations

import os
import re
import subprocess
import time
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import psutil
import pytest

from kubeflow_aks.clients.kubernetes.api import ApiServer
from kubeflow_aks.clients.kubernetes.errors import KubeError
from kubeflow_aks.clients.kubernetes.objects import at, items
from kubeflow_aks.local_aks.azure.state import AzureState
from kubeflow_aks.local_aks.control_plane.kwokctl import COMPONENTS, component
from kubeflow_aks.local_aks.engine import Engine
from kubeflow_aks.local_aks.lifecycle import damage, programs, service_files, teardown
from kubeflow_aks.local_aks.lifecycle.instance import LocalAks
from kubeflow_aks.local_aks.lifecycle.watch import watched
from kubeflow_aks.local_aks.run.directory import RunDirectory
from kubeflow_aks.local_aks.run.files import DamagedFileError
from kubeflow_aks.tools import Tools

SPEED: Final = 120.0
SECONDS: Final = 300.0
WHERE: Final = "--resource-group kubeflow-aks-demo --name kubeflow-aks-demo"
_OTHERS: Final = re.compile(
    r"kwok/(?!switched-off)|logs/|pulumi/home/|pulumi/state/\.pulumi/(backups|history|locks|meta)|bin/|journal|\.local-aks"
    r"|(azure/)?lock|.*\.(bak|attrs)$"
)
"""What kwokctl and the engine keep for themselves, what is written anew before it is read, and what is not read."""
_READ_AGAIN: Final = {
    *("azure-token", "bearer-token", "endpoints.json", "kubeconfig", "passphrase", "pids/service.pid"),
    *("azure/activity.json", "azure/instances.json", "azure/resources.json"),
    *("pulumi/state/.pulumi/stacks/kubeflow-aks/demo.json", "pulumi/workspace/Pulumi.demo.yaml"),
    "pulumi/workspace/Pulumi.yaml",
}
_NEEDED: Final = {"azure-token", "kubeconfig", "passphrase", "resources.json"}
"""What a stack's state is of no use without."""
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
        environment = programs.with_az(self.aks.run, os.environ)
        command = ["/bin/sh", "-c", f"az {line}"]
        return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)

    def list(self, kind: str) -> list[Any]:
        """Objects of the core group, by their path."""
        return items(self.api.read(f"/api/v1/{kind}").get("items"))

    def pods(self) -> dict[str, str]:
        """Phases of the pods in `default`, by the first word of their names."""
        pods = self.list("namespaces/default/pods")
        return {
            str(at(pod, "metadata", "name")).split("-")[0]: str(at(pod, "status", "phase")) for pod in pods
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


def _damaged(file: Path) -> Iterator[str]:
    """How a file is damaged, one after the other; it is whole afterwards."""
    whole = file.read_bytes()
    for how, content in {"empty": b"", "garbled": b"\x00\xff" * 40, "cut": whole[: len(whole) // 2]}.items():
        file.write_bytes(content)
        yield how
    file.unlink()
    yield "missing"
    file.write_bytes(whole)
    file.chmod(0o600)


def test_every_file_that_is_read_again_is_named_when_it_is_damaged(running: Running) -> None:
    """Also while it runs, and a new file of a run directory is checked or listed here."""
    run, aks = running.aks.run, running.aks
    files = [path for path in sorted(run.root.rglob("*")) if path.is_file()]
    ours = [path for path in files if not _OTHERS.match(str(path.relative_to(run.root)))]
    assert {str(path.relative_to(run.root)) for path in ours} == _READ_AGAIN
    for file in sorted(
        ours, key=lambda path: path.parent == run.azure
    ):  # the service ends when it meets one of these
        for how in _damaged(file):
            if (how == "missing" and file.name not in _NEEDED) or (how == "cut" and file.suffix == ".pid"):
                continue  # made anew, or not known from another process's id
            with pytest.raises(DamagedFileError) as failure:
                aks.start()
            state = "is missing" if how == "missing" else "is damaged"
            assert str(failure.value) == (
                f"{file} {state}; `./kubeflow-aks local down` removes this local AKS"
            )
    aks.stop_service()
    aks.start()
    running.api.ping()


@pytest.mark.parametrize("content", [None, "", "1"])
def test_a_service_and_an_etcd_that_their_pid_files_do_not_name_are_not_started_twice(
    running: Running, content: str | None
) -> None:
    run = running.aks.run
    before = {
        path: path.read_text() for path in (run.root / "pids" / "service.pid", component(run, "etcd").path)
    }
    processes = [psutil.Process(int(text.split()[0])) for text in before.values()]
    for path in before:
        path.unlink()
        if content is not None:
            path.write_text(content)
    running.aks.stop_service()
    running.aks.start()
    running.api.ping()
    assert not psutil.wait_procs(processes, timeout=5)[1]  # one that ended a moment ago is not collected yet
    assert all(path.read_text() != text for path, text in before.items())


def test_a_file_that_is_damaged_while_the_engine_works_is_named(running: Running) -> None:
    run, aks = running.aks.run, running.aks
    for file, operation in (
        (run.kubeconfig, Engine.up),
        (run.azure / "resources.json", Engine.refresh),
    ):
        aks.start()
        engine, whole = aks.engine, file.read_bytes()
        file.write_text("{")
        with pytest.raises(DamagedFileError, match=str(file)), damage.named(run), watched(run):
            operation(engine)
        file.write_bytes(whole)
    aks.start()


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
