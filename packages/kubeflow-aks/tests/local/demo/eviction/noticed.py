"""The eviction handler as a process of this machine, and nodes that get notices as AKS writes them.

The script runs as the pod runs it: the file of the ConfigMap, with a token of its service account. Only the nodes and
their pods' containers are simulated.
"""

from __future__ import annotations

import os
import signal
import subprocess
import time
import uuid
from collections.abc import Callable, Generator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from email.utils import formatdate
from functools import partial
from itertools import cycle, islice
from pathlib import Path
from typing import Any, Final
from urllib.request import urlopen

import psutil

from kubeflow_aks.clients.kubernetes.api import ApiServer
from kubeflow_aks.clients.kubernetes.errors import ApiError
from kubeflow_aks.clients.kubernetes.objects import Kind
from kubeflow_aks.local_aks.control_plane.controllers.eviction_handler import NAME, prepare
from kubeflow_aks.local_aks.simulation.live_cluster import LiveCluster
from kubeflow_aks.local_aks.simulation.tasks.eviction import vm_condition
from tests.local.kubectl import Kubectl, eventually

Object = dict[str, Any]

_TAINT: Final = {"key": "tests/noticed", "value": "true", "effect": "NoSchedule"}
"""Keeps every pod away that does not name the node."""
_STOP_SECONDS: Final = 600
"""How long a container takes to end: pods that are evicted stay to be looked at."""
_POD: Final = Kind("", "v1", "Pod")


@dataclass(frozen=True)
class HandlerProcess:
    """A running handler."""

    process: subprocess.Popen[bytes]
    log: Path

    @property
    def lines(self) -> list[str]:
        """What it logged so far."""
        return self.log.read_text(encoding="utf-8").splitlines()

    @property
    def cpu_seconds(self) -> float:
        """What it has used of a processor."""
        used = psutil.Process(self.process.pid).cpu_times()
        return used.user + used.system

    def metrics(self) -> str:
        """What it answers Prometheus."""
        [url] = [line.removeprefix("metrics at ") for line in self.lines if line.startswith("metrics at ")]
        with urlopen(url, timeout=10) as answer:  # noqa: S310 - a process of the test's
            return answer.read().decode()

    def kill(self) -> None:
        """Ends it without a chance to clean up."""
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()


@contextmanager
def handling(
    kubectl: Kubectl, folder: Path, name: str = NAME, arguments: Sequence[str] = ()
) -> Generator[HandlerProcess]:
    """The handler, or another script of ours, with what its pod has; `arguments` are further ones of its command."""
    prepared = prepare(kubectl.kubeconfig, folder, name)
    assert prepared is not None
    log = folder / "log"
    environment = {**prepared.environment, "PATH": os.environ["PATH"]}
    with log.open("wb") as output:
        process = subprocess.Popen(
            [*prepared.command, *arguments], cwd=folder, env=environment, stdout=output, stderr=output
        )
    started = HandlerProcess(process, log)
    try:
        eventually(lambda: len(started.lines) > 1)
        yield started
        assert process.poll() in {None, 0, -signal.SIGKILL}, started.lines
    finally:
        started.kill()


@dataclass(frozen=True)
class Reclaim:
    """Nodes that were evicted at once.

    Attributes:
        seconds: from the first notice until the last pod was being ended.
        graces: what the pods were given.
    """

    seconds: float
    graces: frozenset[int]


class Noticed:
    """Nodes of these tests alone, and the pods that they put on them."""

    def __init__(self, api: ApiServer, cluster: LiveCluster, namespace: str) -> None:
        self._api, self._cluster, self._namespace = api, cluster, namespace
        self._nodes: list[str] = []

    def node(self, *, cordoned: bool = False) -> str:
        """A new node; its name."""
        name = f"noticed-{uuid.uuid4().hex[:8]}"
        capacity = {"cpu": "64", "memory": "256Gi", "pods": "110"}
        node = {
            "apiVersion": "v1",
            "kind": "Node",
            "metadata": {
                "name": name,
                "labels": {"kubernetes.io/hostname": name},
                "annotations": {"kwok.x-k8s.io/node": "fake"},
            },
            "spec": {"taints": [_TAINT], "unschedulable": cordoned},
            "status": {"capacity": capacity, "allocatable": capacity},
        }
        self._api.create(node, "tests")
        self._nodes.append(name)
        return name

    def pod(self, node: str, *, grace: int = 30, **metadata: Any) -> str:
        """A new pod on the node; its name."""
        name = f"pod-{uuid.uuid4().hex[:8]}"
        annotations = {"local-aks/stop-seconds": str(_STOP_SECONDS), "local-aks/run-seconds": "3600"}
        annotations |= metadata.pop("annotations", {})
        metadata = {"name": name, "namespace": self._namespace, "annotations": annotations, **metadata}
        spec = {
            "nodeName": node,
            "terminationGracePeriodSeconds": grace,
            "tolerations": [{"operator": "Exists"}],
            "containers": [{"name": "main", "image": "work"}],
        }
        self._api.create({"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec}, "tests")
        return name

    def daemon(self, node: str) -> str:
        """The name of a DaemonSet's pod on the node."""
        labels = {"daemon": node}
        spec = {
            "nodeSelector": {"kubernetes.io/hostname": node},
            "tolerations": [{"operator": "Exists"}],
            "containers": [{"name": "main", "image": "work"}],
        }
        daemons = {
            "apiVersion": "apps/v1",
            "kind": "DaemonSet",
            "metadata": {"name": node, "namespace": self._namespace},
            "spec": {
                "selector": {"matchLabels": labels},
                "template": {"metadata": {"labels": labels}, "spec": spec},
            },
        }
        self._api.create(daemons, "tests")
        owned = "ownerReferences"
        return eventually(lambda: next((n for n, pod in self.pods().items() if owned in pod["metadata"]), ""))

    def running(self) -> None:
        """Waits until all pods run."""
        eventually(lambda: all(pod["status"].get("phase") == "Running" for pod in self.pods().values()))

    def pods(self) -> Mapping[str, Object]:
        """The pods by name."""
        return {pod["metadata"]["name"]: pod for pod in self._api.list(_POD, self._namespace)}

    def grace_of(self, pod: str) -> int | None:
        """The grace that a pod was given, None while nobody ended it."""
        return self.pods()[pod]["metadata"].get("deletionGracePeriodSeconds")

    def notice(
        self, node: str, *, seconds: float, event: str = "Preempt Scheduled", type_: str = "VMEventScheduled"
    ) -> None:
        """Writes the condition of an event that begins in some seconds."""
        date = formatdate(time.time() + seconds, usegmt=True)
        more = "DurationInSeconds: -1.  For more information, see https://aka.ms/aks/scheduledevents."
        self._condition(node, type_, "True", type_, f"{event}: {date}. {more}")

    def take_back(self, node: str) -> None:
        """Writes that there is no event any more."""
        self._condition(node, "VMEventScheduled", "False", "NoVMEventScheduled", "VM has no scheduled event")

    def reclaim(self, pods: int, nodes: int, meanwhile: Callable[[], None] = lambda: None) -> Reclaim:
        """Takes nodes with so many pods, all at once, and waits until every pod is being ended.

        Args:
            pods: of all nodes together.
            nodes: how many.
            meanwhile: called when the first pod is being ended.
        """
        there = [self.node() for _ in range(nodes)]
        with ThreadPoolExecutor(8) as threads:
            names = set(threads.map(self.pod, islice(cycle(there), pods)))
        self.running()
        begun = time.monotonic()
        with ThreadPoolExecutor(8) as threads:
            list(threads.map(partial(self.notice, seconds=120), there))
        self.until(lambda: self._ending(names))
        meanwhile()
        self.until(lambda: len(self._ending(names)) == pods)
        return Reclaim(time.monotonic() - begun, frozenset(self._ending(names).values()))

    def _ending(self, names: set[str]) -> dict[str, int]:
        """The grace of those pods that are being ended."""
        graces = {
            name: pod["metadata"].get("deletionGracePeriodSeconds") for name, pod in self.pods().items()
        }
        return {name: grace for name, grace in graces.items() if name in names and grace is not None}

    def live(self, node: str) -> Object:
        """A node as it is."""
        return self._api.get({"apiVersion": "v1", "kind": "Node", "metadata": {"name": node}})

    def until(self, look: Callable[[], object]) -> None:
        """Waits until `look` returns something true."""
        eventually(look)

    def clear(self) -> None:
        """Deletes the nodes and, at once, their pods."""
        pods = [("Pod", name) for name in self.pods()]
        nodes = [("Node", name) for name in self._nodes]
        with ThreadPoolExecutor(8) as threads:
            list(threads.map(self._delete, pods + nodes))

    def _delete(self, record: tuple[str, str]) -> None:
        kind, name = record
        metadata = {"name": name, "namespace": self._namespace}
        with suppress(ApiError):  # gone meanwhile
            self._api.delete(
                {"apiVersion": "v1", "kind": kind, "metadata": metadata}, "Background", grace_seconds=0
            )

    def _condition(self, node: str, type_: str, status: str, reason: str, message: str) -> None:
        self._cluster.set_condition(node, vm_condition(type_, status, reason, message))
