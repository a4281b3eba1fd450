"""Evicts spot nodes for the demo, on the simulated spot market."""

from dataclasses import dataclass

from kubeflow_aks.local_aks.lifecycle import service_files
from kubeflow_aks.local_aks.run.directory import RunDirectory
from kubeflow_aks.local_aks.simulation import market_requests
from kubeflow_aks.local_aks.simulation.market import ALL, Reclaim, Supply


@dataclass(frozen=True)
class SimulatedSpotEvictor:
    """Evicts by the simulated spot market of a running local AKS."""

    run: RunDirectory
    sells_out: bool = True

    def evict(self, pool: str, count: int | None) -> None:
        """Evicts spot nodes, with notice; all if `count` is None."""
        self._send(Reclaim.EVICT, pool, ALL if count is None else count)

    def sell_out(self, pool: str) -> None:
        """Answers every request for a VM of the pool with an allocation error."""
        self._send(Supply.SOLD_OUT, pool)

    def bring_back(self, pool: str) -> None:
        """Makes VMs of the pool available again."""
        self._send(Supply.AVAILABLE, pool)

    def _send(self, event: Supply | Reclaim, pool: str, count: int = 1) -> None:
        market_requests.send(service_files.market_folder(self.run), event, pool, count)
