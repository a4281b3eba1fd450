"""What evicts spot nodes in a scenario: the simulated market, or Azure itself."""

from typing import Protocol


class SpotEvictor(Protocol):
    """Evicts spot nodes. Every method returns when the request is accepted, not when it is done."""

    @property
    def sells_out(self) -> bool:
        """Whether spot capacity can be made to sell out; on Azure it cannot."""
        ...

    def evict(self, pool: str, count: int | None) -> None:
        """Evict nodes of a spot pool, with notice; all of them where `count` is None."""
        ...

    def sell_out(self, pool: str) -> None:
        """From now on every request for a VM of a spot pool fails with an allocation error."""
        ...

    def bring_back(self, pool: str) -> None:
        """VMs of a spot pool are available again."""
        ...
