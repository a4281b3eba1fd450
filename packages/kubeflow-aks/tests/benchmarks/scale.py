"""How long the real control plane takes to recover from the loss of a whole spot pool, by the size of the pool.

Real: etcd, API server, scheduler, controllers, evictions. Simulated, at the wall clock's own pace: Azure, the
autoscaler, and kubelets (kwok). The pods belong to ReplicaSets, whose controller replaces an evicted pod at once; a
Job's would wait 10 s or more of its own accord.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from kubeflow_aks import tools
from kubeflow_aks.clients.kubernetes.api import ApiServer
from kubeflow_aks.local_aks.control_plane import kwokctl
from kubeflow_aks.local_aks.control_plane.kwokctl import COMPONENTS, ControlPlane
from kubeflow_aks.local_aks.run.directory import RunDirectory
from kubeflow_aks.local_aks.simulation.clock import WallClock
from kubeflow_aks.local_aks.simulation.journal import Journal
from kubeflow_aks.local_aks.simulation.live_cluster import LiveCluster
from kubeflow_aks.local_aks.simulation.loop import Simulation
from kubeflow_aks.local_aks.simulation.market import ALL, Market, MarketEvent, Reclaim
from kubeflow_aks.local_aks.simulation.tasks.eviction import NOTICE_SECONDS
from kubeflow_aks.local_aks.simulation.vms.scale_sets import Timings

SIZES: Final = (250, 500, 1000)
"""Number of nodes; AKS's limit of a pool is 1,000 (quotas-skus-regions.md)."""
PODS_PER_NODE: Final = 5
BOOT_SECONDS: Final = 10.0
_REPLICA_SET_SIZE: Final = 250
_SCAN_SECONDS: Final = 10.0
_PATIENCE_SECONDS: Final = 400.0
_POLL_SECONDS: Final = 0.5
_MIB: Final = 1024

_SPOT: Final = {"key": "kubernetes.azure.com/scalesetpriority", "value": "spot", "effect": "NoSchedule"}


@dataclass
class SpotPool:
    """The simulation's view of Azure: one cluster with one spot pool."""

    nodes: int
    made: int = 0
    """Number of VMs created so far."""

    def agent_pools(self) -> list[dict[str, Any]]:
        """The pool."""
        return [
            {
                "name": "spot",
                "vmSize": "Standard_D8ds_v5",
                "mode": "User",
                "scaleSetPriority": "Spot",
                "enableAutoScaling": True,
                "minCount": 0,
                "maxCount": self.nodes,
                "count": self.nodes,
                "maxPods": 110,
                "clusterId": "scale",
                "location": "westeurope",
                "nodeResourceGroup": "scale-nodes",
                "kubernetesVersion": "1.34.4",
            }
        ]

    def set_count(self, cluster_id: str, pool_name: str, count: int) -> None:
        """Nobody reads it."""

    def claim_instances(self, scale_set: str, count: int) -> range:  # noqa: ARG002 - there is one scale set
        """The next ones."""
        self.made += count
        return range(self.made - count, self.made)

    def autoscaler_profile(self, cluster_id: str) -> dict[str, Any]:  # noqa: ARG002 - there is one cluster
        """AKS's scan interval; nothing is scaled down meanwhile."""
        return {"scanInterval": f"{_SCAN_SECONDS:.0f}s", "scaleDownUnneededTime": "1h"}


@dataclass(frozen=True, kw_only=True)
class Measured:
    """One size; times in wall seconds, memory in MiB."""

    nodes: int
    first: float
    """From the creation of the ReplicaSets until all pods run."""
    drained: float
    """From the eviction notice until no pod is left on the nodes."""
    again: float
    """From the eviction notice until all pods run on new nodes."""
    memory: dict[str, int]
    """Peak memory of each component of the control plane."""

    @property
    def reaction(self) -> float:
        """The control plane's part of `again`: without the notice, during which no VM is replaced, and the boot."""
        return self.again - NOTICE_SECONDS - BOOT_SECONDS


def main() -> int:
    """Runs all sizes and prints the table; returns the exit code."""
    arguments = argparse.ArgumentParser(prog="python -m tests.benchmarks.scale", description=__doc__)
    arguments.add_argument("--nodes", type=int, nargs="+", default=SIZES, help="sizes of the pool")
    sizes: Sequence[int] = arguments.parse_args().nodes
    toolset = tools.find()
    if isinstance(toolset, tools.Missing):
        print(toolset, file=sys.stderr)
        return 1
    print(
        f"notice {NOTICE_SECONDS:.0f} s, boot {BOOT_SECONDS:.0f} s, autoscaler's scan every {_SCAN_SECONDS:.0f} s"
    )
    print(
        "nodes    pods   all run   drained   all run again      own part   ÷ first size   API server    in all",
        flush=True,
    )
    smallest: Measured | None = None
    for nodes in sizes:
        measured = measure(nodes, toolset)
        smallest = smallest or measured
        print(
            f"{nodes:5}   {nodes * PODS_PER_NODE:5}   {measured.first:5.0f} s   {measured.drained:5.0f} s"
            f"   {measured.again:11.0f} s   {measured.reaction:9.0f} s   {measured.reaction / smallest.reaction:12.1f}"
            f"   {measured.memory['kube-apiserver']:6} MiB   {sum(measured.memory.values()):5} MiB",
            flush=True,
        )
    return 0


def measure(nodes: int, toolset: tools.Tools) -> Measured:
    """Fills a new control plane with pods, then evicts every node at once."""
    with _running(nodes, toolset) as (run, cluster, api, market, clock):
        pods = nodes * PODS_PER_NODE
        _wait(f"{nodes} nodes are ready", lambda: sum(map(_is_ready, cluster.nodes())) == nodes)
        begun = time.monotonic()
        for number, size in enumerate(_shares(pods)):
            api.create(_replica_set(number, size), "bench")
        _wait(f"{pods} pods run", lambda: _running_pods(cluster, frozenset()) == pods)
        first = time.monotonic() - begun
        old = frozenset(str(node["metadata"]["name"]) for node in cluster.nodes())
        begun = time.monotonic()
        market.add(MarketEvent(clock.now(), Reclaim.EVICT, "spot", ALL))
        _wait(
            "the nodes are drained",
            lambda: not any(pod["spec"].get("nodeName") in old for pod in cluster.pods()),
        )
        drained = time.monotonic() - begun
        _wait(f"{pods} pods run again", lambda: _running_pods(cluster, old) == pods)
        again = time.monotonic() - begun
        return Measured(nodes=nodes, first=first, drained=drained, again=again, memory=_memory(run))


@contextmanager
def _running(
    nodes: int, toolset: tools.Tools
) -> Generator[tuple[RunDirectory, LiveCluster, ApiServer, Market, WallClock]]:
    with tempfile.TemporaryDirectory(prefix="scale-") as folder:
        run = RunDirectory.at(Path(folder) / "run")
        try:
            ControlPlane(run, toolset).start()
            config = str(run.kubeconfig)
            cluster = LiveCluster(config)
            api = ApiServer.of(config)
            clock, market, stop = WallClock(), Market(), threading.Event()
            with (run.root / "journal.jsonl").open("w") as sink, ThreadPoolExecutor(1) as thread:
                simulation = Simulation(
                    SpotPool(nodes),
                    cluster,
                    clock,
                    market,
                    Journal(sink, clock),
                    timings=Timings(boot=BOOT_SECONDS),
                )
                played = thread.submit(simulation.run, stop)
                try:
                    yield run, cluster, api, market, clock
                finally:
                    stop.set()
                    played.result()
                    cluster.close()
        finally:
            kwokctl.stop(run)


def _shares(pods: int) -> list[int]:
    return [min(_REPLICA_SET_SIZE, pods - start) for start in range(0, pods, _REPLICA_SET_SIZE)]


def _replica_set(number: int, size: int) -> dict[str, Any]:
    labels = {"work": f"work-{number}"}
    container = {"name": "main", "image": "work", "resources": {"requests": {"cpu": "1500m"}}}
    return {
        "apiVersion": "apps/v1",
        "kind": "ReplicaSet",
        "metadata": {"name": f"work-{number}", "namespace": "default"},
        "spec": {
            "replicas": size,
            "selector": {"matchLabels": labels},
            "template": {
                "metadata": {"labels": labels},
                "spec": {"tolerations": [_SPOT], "containers": [container]},
            },
        },
    }


def _is_ready(node: dict[str, Any]) -> bool:
    conditions: list[dict[str, str]] = node["status"].get("conditions", [])
    return any(entry["type"] == "Ready" and entry["status"] == "True" for entry in conditions)


def _running_pods(cluster: LiveCluster, not_on: frozenset[str]) -> int:
    return sum(
        pod["status"].get("phase") == "Running" and pod["spec"]["nodeName"] not in not_on
        for pod in cluster.pods()
    )


def _wait(what: str, look: Callable[[], bool]) -> None:
    deadline = time.monotonic() + _PATIENCE_SECONDS
    while not look():
        if time.monotonic() > deadline:
            raise TimeoutError(f"{what}: not after {_PATIENCE_SECONDS:.0f} s")
        time.sleep(_POLL_SECONDS)


def _memory(run: RunDirectory) -> dict[str, int]:
    """Peak resident memory of each component in MiB."""
    peaks: dict[str, int] = {}
    for component in COMPONENTS:
        [pid_file] = run.kwok.glob(f"clusters/*/pids/{component}.pid")
        status = Path(f"/proc/{pid_file.read_text().strip()}/status").read_text()
        [peak] = [line.split()[1] for line in status.splitlines() if line.startswith("VmHWM:")]
        peaks[component] = int(peak) // _MIB
    return peaks


if __name__ == "__main__":
    sys.exit(main())
