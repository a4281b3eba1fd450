"""The sizes that can be a spot pool in a region, with their prices, and what Azure says of them today."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from aks_facts import VmSize, ondemand_prices, restricted_families, vm_sizes
from kubeflow_aks.clients.az import Az, AzError
from kubeflow_aks.clients.errors import ClientError
from kubeflow_aks.clients.spot_placement import Desired, PlacementScore, placement_scores
from kubeflow_aks.clients.vm_usage import Quota, vm_usage
from kubeflow_aks.cost.figures import EvictionRate, Quote
from kubeflow_aks.cost.prices import Market

SPOT_QUOTA: Final = "lowprioritycores"
"""Name of the one quota of all spot VMs in a region, in lower case."""
_LEAST_VCPUS: Final = 4
"""vCPUs from which on sizes are shown by default. Our choice: below it the system leaves little to work."""
_BURSTABLE: Final = "Standard_B"
"""These slow down under a lasting load (vm-naming-conventions.md)."""

_REFUSED_GPUS: Final = "AMD "
"""The program makes no pools with these GPUs (docs/facts/aks.md#gpu-driver-and-device-plugin)."""


@dataclass(frozen=True, kw_only=True)
class Filter:
    """Which sizes are listed: of exactly so many vCPU, None for four or more, and at least so much memory."""

    region: str
    gpu: bool = False
    vcpus: int | None = None
    memory_gib: int = 0
    arm: bool = False

    def matches(self, size: VmSize) -> bool:
        """Whether a size of the catalogue can be a spot pool in the region, and is as required."""
        return (
            self.region in ondemand_prices(size.name)
            and size.spot is not False
            and size.retirement is None
            and size.family not in restricted_families()
            and not size.name.startswith(_BURSTABLE)
            and bool(size.gpus) == self.gpu
            and not (size.gpu or "").startswith(_REFUSED_GPUS)
            and (size.architecture == "arm64") == self.arm
            and (size.vcpus >= _LEAST_VCPUS if self.vcpus is None else size.vcpus == self.vcpus)
            and size.memory_gib >= self.memory_gib
        )

    def share(self, size: VmSize, price: float) -> float:
        """A price by which sizes are put in order: of one GPU, or of one vCPU."""
        return price / (size.gpus if self.gpu else size.vcpus)


@dataclass(frozen=True)
class Subscription:
    """What Azure says of a subscription's chances in a region; None, and one sentence why, for what was not queried."""

    quotas: Mapping[str, Quota] | None = None
    scores: Mapping[Desired, PlacementScore] | None = None
    reasons: tuple[str, ...] = field(default=())


@dataclass(frozen=True)
class Row:
    """One size.

    Attributes:
        on_demand, spot: an hour of a VM.
        score: None where Azure returned none or was not queried.
        quota: of its family, which on-demand VMs of it need; None where Azure lists none or was not queried.
    """

    size: VmSize
    on_demand: Quote
    spot: Quote
    evictions: EvictionRate
    score: PlacementScore | None
    quota: Quota | None


def matching(criteria: Filter) -> list[VmSize]:
    """Every size that matches, the cheapest on demand first by the catalogue's prices."""
    sizes = [size for size in vm_sizes().values() if criteria.matches(size)]
    return sorted(
        sizes, key=lambda it: (criteria.share(it, ondemand_prices(it.name)[criteria.region]), it.name)
    )


def queried(az: Az, region: str, desired: list[Desired]) -> Subscription:
    """Quotas and placement scores of the subscription that `az` is signed in to."""
    if not az.installed:
        return Subscription(reasons=("Scores and quota are not queried: `az` is missing.",))
    try:
        quotas = vm_usage(az, region)
    except ClientError as error:
        return Subscription(reasons=(f"Scores and quota are not queried: {error}.",))
    try:
        return Subscription(quotas, placement_scores(az, region, desired))
    except AzError as error:
        return Subscription(quotas, None, (f"Scores are not available: {error}.",))


def rows(criteria: Filter, sizes: list[VmSize], count: int, market: Market, azure: Subscription) -> list[Row]:
    """The sizes with their figures, scores for `count` VMs among them; the cheapest on spot first.

    Raises:
        CostError: a size has no price.
    """
    regions = [
        Row(
            size,
            market.on_demand(size.name, criteria.region),
            market.spot(size.name, criteria.region),
            market.evictions(size.name, criteria.region),
            (azure.scores or {}).get(Desired(size.name, count)),
            (azure.quotas or {}).get(size.family.casefold()),
        )
        for size in sizes
    ]
    return sorted(regions, key=lambda row: (criteria.share(row.size, row.spot.price.expected), row.size.name))
