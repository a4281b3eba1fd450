"""A simulation without a control plane, on a clock that ticks: what the tests of the simulation share."""

import io
import json
from collections.abc import Mapping, Sequence
from typing import Any

from kubeflow_aks.local_aks.simulation.journal import Journal
from kubeflow_aks.local_aks.simulation.loop import Simulation
from kubeflow_aks.local_aks.simulation.market import Market
from kubeflow_aks.local_aks.simulation.vms.scale_sets import Timings
from tests.stepped.manual_clock import ManualClock
from tests.stepped.memory_azure import MemoryAzure, pool
from tests.stepped.memory_cluster import MemoryCluster, as_live

__all__ = ["TOLERATIONS", "FakeCluster", "World", "pod_spec", "pool"]

TOLERATIONS: dict[str, dict[str, str]] = {
    "spot": {"key": "kubernetes.azure.com/scalesetpriority", "value": "spot", "effect": "NoSchedule"},
    "fallback": {"key": "ckf/fallback", "operator": "Exists"},
    "gpu": {"key": "nvidia.com/gpu", "operator": "Exists"},
}


def pod_spec(
    *,
    cpu: str = "1",
    gpu: int = 0,
    selector: Mapping[str, str] | None = None,
    tolerates: Sequence[str] = (),
    **more: Any,
) -> dict[str, Any]:
    """A pod spec; `tolerates` names entries of `TOLERATIONS`."""
    limits = {"nvidia.com/gpu": str(gpu)} if gpu else {}
    return {
        "nodeSelector": dict(selector or {}),
        "tolerations": [TOLERATIONS[name] for name in tolerates],
        "containers": [{"name": "main", "resources": {"requests": {"cpu": cpu}, "limits": limits}}],
        **more,
    }


class FakeCluster(MemoryCluster):
    """A pod owned by a Job comes back under the same name when it is evicted or collected."""

    def __init__(self, clock: ManualClock) -> None:
        super().__init__(clock)
        self._recreates = True

    def delete_pod(self, name: str, namespace: str = "default", *, recreate: bool = True) -> None:
        """Delete a pod; its Job is stopped first where it must not come back."""
        self._recreates = recreate
        super().delete_pod(name, namespace)
        self._recreates = True

    def ended(self, pod: Mapping[str, Any]) -> None:
        """The Job creates the next one."""
        metadata, spec = pod["metadata"], pod["spec"]
        if self._recreates and any(owner["kind"] == "Job" for owner in metadata["ownerReferences"]):
            more = {key: metadata[key] for key in ("labels", "annotations") if key in metadata}
            fresh = {key: value for key, value in spec.items() if key != "nodeName"}
            self.create_pod(metadata["name"], fresh, namespace=metadata["namespace"], **more)


class World:
    """A simulation on a manual clock against the fakes."""

    def __init__(
        self,
        pools: Sequence[dict[str, Any]],
        *,
        profile: Mapping[str, Any] | None = None,
        priorities: str | None = None,
        timings: Timings | None = None,
        seed: int = 0,
    ) -> None:
        self.tick = 0.5
        self.clock = ManualClock()
        self.azure = MemoryAzure(pools, profile)
        self.cluster = FakeCluster(self.clock)
        self.cluster.priority_text = priorities
        self.market = Market()
        self.sink = io.StringIO()
        self.timings = timings or Timings(boot=3, allocation_error=3)
        self.simulation = self.restart(seed=seed)

    def restart(self, *, seed: int = 0) -> Simulation:
        """A new simulation against the same Azure and control plane."""
        journal = Journal(self.sink, self.clock)
        self.simulation = Simulation(
            self.azure,
            as_live(self.cluster),
            self.clock,
            self.market,
            journal,
            timings=self.timings,
            seed=seed,
        )
        return self.simulation

    def run(self, seconds: float) -> None:
        """Let simulated time pass."""
        until = self.clock.now() + seconds
        while self.clock.now() < until:
            self.cluster.settle()
            self.simulation.step()
            self.clock.advance(self.tick)

    def run_until_running(self, pod: str, *, limit: float = 300) -> float:
        """Let time pass until the pod runs; returns how long that took, or fails after `limit` seconds."""
        started = self.clock.now()
        while self.pool_of(pod) is None:
            assert self.clock.now() - started <= limit, f"{pod} does not run after {limit} s"
            self.run(self.tick)
        return self.clock.now() - started

    def pool_of(self, pod: str) -> str | None:
        """The pool of the node on which a pod runs."""
        stored = self.cluster.pod(pod)
        node = self.cluster.node_objects.get(stored["spec"].get("nodeName", "")) if stored else None
        return node["metadata"]["labels"]["kubernetes.azure.com/agentpool"] if node else None

    def nodes_of(self, pool: str) -> list[str]:
        """Names of a pool's nodes."""
        return sorted(
            name
            for name, node in self.cluster.node_objects.items()
            if node["metadata"]["labels"]["kubernetes.azure.com/agentpool"] == pool
        )

    def journal(self, *kinds: str) -> list[dict[str, Any]]:
        """The journal's lines, of some kinds only if any are named."""
        lines = [json.loads(line) for line in self.sink.getvalue().splitlines()]
        return [line for line in lines if not kinds or line["kind"] in kinds]
