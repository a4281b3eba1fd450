"""The vCPU quota that a change needs beside what the subscription has: Azure makes no node beyond it."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from kubeflow_aks.clients.vm_usage import TOTALS, Quota
from kubeflow_aks.cost.advice.situation import Situation

QuotasOf = Callable[[str], Mapping[str, Quota] | None]
"""The quotas of a region by name in lower case; None where they are unknown."""


@dataclass(frozen=True)
class Lack:
    """A quota, None where unknown, of which a change needs more vCPU, with every pool full, than the stack now."""

    name: str
    needed: int
    before: int
    quota: Quota | None

    @property
    def refused(self) -> bool:
        """Whether it is too little even if all that this stack needs is among what is used."""
        if self.quota is None:
            return False
        others = self.quota.used - min(self.quota.used, self.before)
        return self.needed > self.quota.limit - others

    @property
    def words(self) -> str:
        """What is needed, and of what."""
        of = f"{self.name} ({TOTALS[self.name]})" if self.name in TOTALS else self.name
        instead = f" instead of {self.before}" if self.before else ""
        has = f", of which {self.quota.used} of {self.quota.limit} are used" if self.quota else ""
        return f"{self.needed} vCPU of {of}{instead}{has}"


class Room:
    """The quota of the subscription, for changes of one stack."""

    def __init__(self, start: Situation, quotas: QuotasOf) -> None:
        """Takes the stack as it is, and the quotas by region."""
        self._needed, self._region, self._quotas = start.quota, start.bill.region, quotas

    def refusal(self, after: Situation) -> str:
        """Why Azure would refuse nodes of a stack with a change; empty where it would not, or that is unknown."""
        return ", ".join(lack.words for lack in self._lacks(after) if lack.refused)

    def notes(self, after: Situation) -> Iterator[str]:
        """What of the quota is left to check."""
        # Beyond what is free it is enough only if this stack's own nodes are among those that are used.
        lacks = [lack for lack in self._lacks(after) if lack.quota is None or lack.needed > lack.quota.free]
        if lacks:
            yield f"it needs a quota of {', '.join(lack.words for lack in lacks)}; `./kubeflow-aks quota` compares it"

    def _lacks(self, after: Situation) -> Iterator[Lack]:
        region = after.bill.region
        before: Mapping[str, int] = self._needed if region == self._region else {}
        more = {name: count for name, count in after.quota.items() if count > before.get(name, 0)}
        quotas = self._quotas(region) if more else None
        for name, count in more.items():
            quota = None if quotas is None else quotas.get(name.casefold(), Quota(0, 0))
            yield Lack(name, count, before.get(name, 0), quota)
