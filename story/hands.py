"""Whoever takes spot nodes away in a story: the simulated market, or Azure itself."""

from typing import Protocol


class Hands(Protocol):
    """What a story may ask for. Every method returns when it is under way, not when it is done."""

    @property
    def sells_out(self) -> bool:
        """Whether they can make spot sell out; nobody can on Azure."""
        ...

    def evict(self, pool: str, count: int | None) -> None:
        """Have spot nodes taken back, with notice.

        Args:
            pool: a spot pool.
            count: how many of its nodes; None for all.
        """
        ...

    def sell_out(self, pool: str) -> None:
        """From now on no VM of a spot pool can be had, and Azure says so."""
        ...

    def bring_back(self, pool: str) -> None:
        """VMs of a spot pool can be had again."""
        ...
