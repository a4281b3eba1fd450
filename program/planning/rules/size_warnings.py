"""Warnings about VM sizes: retirement, restricted families, regions, B-series, confidential GPUs."""

from collections.abc import Iterable, Iterator
from datetime import date, timedelta
from functools import cache

import aks_facts
from aks_facts import VmSize
from components.pools.conventions import WORKLOAD_LABEL
from components.pools.pool_checks import BURSTABLE
from program.planning.pools import AgentPool
from program.planning.rules.sizes import SizeUse, size_uses
from program.settings import Settings

_NOTICE = timedelta(days=365)
_FIRST_BURSTABLE_FAMILY = "standardBSFamily"


def size_warnings(settings: Settings, today: date) -> Iterator[str]:
    """Every warning about the sizes that pools use, one line for each size and reason."""
    reported: set[tuple[str, str]] = set()
    for use in size_uses(settings):
        if use.size is None:
            continue
        for reason in (
            *_retirement(use.size, today),
            *_restriction(use.size, today),
            *(() if use.name in settings.cost.prices else _region(use.size, settings.location)),
            *_burstable(use),
            *_confidential(use.size, settings.gpu.driver),
        ):
            if (use.name, reason) not in reported:
                reported.add((use.name, reason))
                yield f"{use.key} is {use.name}: {reason}"
    yield from ephemeral_warnings(settings)


def ephemeral_warnings(settings: Settings) -> Iterator[str]:
    """An ephemeral disk on a size whose room for it is unknown (empty cells of aks_facts/vm_sizes.csv)."""
    for use in size_uses(settings):
        of, _, setting = use.key.rpartition(".")
        pool = settings.pools.get(
            of.removeprefix("pools.")
        )  # not that of a fallback, whose disk is always managed
        ephemeral = pool is not None and pool.os_disk.type == "Ephemeral" and setting.startswith("vmSize")
        if ephemeral and use.size and use.size.ephemeral_gib is None:
            yield (
                f"{of}.osDisk.type is Ephemeral: it is unknown how large a disk {use.name} "
                f"takes, and Azure refuses the pool if it is too small; set vmSizes.{use.name}.ephemeralGib"
            )


def encryption_warnings(pools: Iterable[AgentPool]) -> Iterator[str]:
    """Encryption at host on a size that may lack it (empty cells of aks_facts/vm_sizes.csv)."""
    encrypted = (pool.size for pool in pools if pool.encryption_at_host)
    for name in dict.fromkeys(size.name for size in encrypted if size.encryption_at_host is None):
        yield (
            f"vmSizes.{name}.encryptionAtHost is left out: it is unknown whether {name} has encryption at host, and "
            "Azure refuses its pools if not; look it up with `az vm list-skus` and set it there"
        )


def architecture_warnings(pools: Iterable[AgentPool]) -> Iterator[str]:
    """One workload label for pools of both architectures: an image built for one fails on the other's nodes."""
    kinds: dict[str, dict[str, str]] = {}
    for pool in pools:
        if workload := pool.labels.get(WORKLOAD_LABEL):
            kinds.setdefault(workload, {}).setdefault(pool.size.architecture, pool.name)
    for workload, architectures in kinds.items():
        if len(architectures) > 1:
            names = " and ".join(f"{name} ({kind})" for kind, name in sorted(architectures.items()))
            yield (
                f"workload {workload} runs on {names}: its images must be built for both architectures, "
                "or give the pools different workloads"
            )


def _retirement(size: VmSize, today: date) -> Iterator[str]:
    """A year's notice (retirements-and-capacity-restrictions.md; the year is our choice)."""
    if size.retirement and today >= size.retirement:
        yield f"Azure stopped its VMs on {size.retirement}, so no node starts; move to a current size"
    elif size.retirement and today + _NOTICE >= size.retirement:
        yield f"Azure stops its VMs on {size.retirement}; move to a current size before"


def _restriction(size: VmSize, today: date) -> Iterator[str]:
    """Families that only existing users keep (aks_facts/restricted_vm_families.csv)."""
    since = aks_facts.restricted_families().get(size.family)
    if since and today >= since:
        yield (
            f"since {since:%Y-%m} new subscriptions cannot deploy its family {size.family} and nobody gets more quota; "
            "take a v5 size or newer"
        )


@cache
def _sold_in(family: str | None) -> frozenset[str]:
    """The regions that have a list price for any size of a family."""
    names = (size.name for size in aks_facts.vm_sizes().values() if size.family == family)
    return frozenset(region for name in names for region in aks_facts.ondemand_prices(name))


def _region(size: VmSize, location: str) -> Iterator[str]:
    """A size of a family without list prices in the region (aks_facts/ondemand_prices.csv).

    The prices are a snapshot with gaps, so this is no refusal, and families known for gaps are left alone.
    """
    if location not in aks_facts.priced_regions() or size.family in aks_facts.INCOMPLETE:
        return
    regions = _sold_in(size.family)
    if regions and location not in {*regions, *aks_facts.ondemand_prices(size.name)}:
        yield (
            f"Azure's price list has none of its family in {location}; "
            f"see `az vm list-skus --location {location} --size {size.name} --all --output table`, and if it is sold "
            f"there, write its price as cost.prices.{size.name}"
        )


def _burstable(use: SizeUse) -> Iterator[str]:
    """B-series under steady load, and as spot (quotas-skus-regions.md, "Restricted VM sizes"; spot-vms.md)."""
    if use.hosts and BURSTABLE.match(use.name):
        yield "B-series slow down when their credits are used up; take a D-series for Charmed Kubeflow"
    if use.spot and use.size and use.size.family == _FIRST_BURSTABLE_FAMILY:
        yield "few regions sell this series as spot; a B v2 size is spot wherever it is sold"


def _confidential(size: VmSize, driver: str) -> Iterator[str]:
    """AKS installs no signed driver; NVIDIA's GPU Operator does (use-confidential-gpus.md)."""
    if driver == "Install" and "confidential" in (size.gpu or ""):
        yield (
            "its confidential GPUs need a signed driver, which AKS does not install; "
            "set gpu.driver None and gpu.plugin none, and install NVIDIA's GPU Operator"
        )
