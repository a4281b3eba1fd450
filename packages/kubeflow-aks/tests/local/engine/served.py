"""A stack with the stand-ins in a process of their own, the service that users run, so that it can be killed."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from kubeflow_aks.local_aks.lifecycle.instance import LocalAks
from kubeflow_aks.local_aks.lifecycle.service_files import PID_FILE, read_endpoints
from kubeflow_aks.local_aks.run.directory import RunDirectory
from kubeflow_aks.tools import Tools
from tests.local.engine.deployment import TODAY, Cluster, Deployment

_SPEED = 1000.0


@dataclass(frozen=True)
class Served:
    """A stack and the service that answers for it."""

    aks: LocalAks
    _stack: Deployment

    @property
    def stack(self) -> Deployment:
        """The stack, with the ports that the service has now."""
        return replace(self._stack, providers=read_endpoints(self.aks.run).providers())

    @property
    def killed(self) -> bool:
        """Whether the service has ended."""
        return self.aks.run.pid_file(PID_FILE).running() is None

    def restart(self) -> None:
        """Starts the service again after it was killed."""
        self.aks.start_service()


@contextmanager
def served(folder: Path, tools: Tools, cluster: Cluster, stack: str) -> Generator[Served]:
    """A stack that is not deployed yet; nothing of it is left afterwards.

    Args:
        folder: for a run directory of its own.
        tools: the engine.
        cluster: where its Kubernetes objects go.
        stack: name of a stack file of the project.
    """
    run = RunDirectory.at(folder)
    run.kubeconfig.touch(mode=0o600)
    run.kubeconfig.write_text(cluster.kubeconfig.read_text())
    aks = LocalAks(run, tools, stack, speed=_SPEED)
    before = cluster.erase()
    aks.start_service()
    try:
        yield Served(aks, Deployment(run, tools, {}, cluster, stack, before, {"asOf": TODAY.isoformat()}))
    finally:
        aks.stop_service()
        cluster.erase()
