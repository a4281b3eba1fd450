"""The hands of the demo's story: the simulated spot market."""

from dataclasses import dataclass

from local_aks.lifecycle import daemon
from local_aks.run.directory import RunDirectory
from local_aks.simulation.market import ALL, Reclaim, Supply


@dataclass(frozen=True)
class Market:
    """The market of a local AKS that runs."""

    run: RunDirectory
    sells_out: bool = True

    def evict(self, pool: str, count: int | None) -> None:
        """Takes spot nodes back, with notice; all where `count` is None."""
        daemon.ask_market(self.run, Reclaim.EVICT, pool, ALL if count is None else count)

    def sell_out(self, pool: str) -> None:
        """Answers every request for a VM of the pool with an allocation error."""
        daemon.ask_market(self.run, Supply.SOLD_OUT, pool, 1)

    def bring_back(self, pool: str) -> None:
        """Has VMs for the pool again."""
        daemon.ask_market(self.run, Supply.AVAILABLE, pool, 1)
