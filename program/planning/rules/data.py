"""Rules of storage that outlives a node (docs/facts/aks.md#blob-storage)."""

from collections.abc import Iterator

from components.arguments.mistakes import Mistake
from components.data_store.data_checks import profile_mistakes
from program.planning.redundancy import in_one_zone, zoneless
from program.planning.rules.pools import component_problems
from program.settings import Settings


def data_problems(settings: Settings) -> Iterator[Mistake]:
    """What Azure would refuse: names, and zone redundancy without zones."""
    for key, sku in _skus(settings).items():
        if sku and sku.endswith("ZRS") and zoneless(settings.location):
            yield Mistake(
                key, sku, f"{in_one_zone(sku)}, because {settings.location} has no availability zones"
            )
    if settings.data.store:
        for namespace, profile in settings.data.store.profiles.items():
            mistakes = profile_mistakes(namespace, profile.service_accounts)
            yield from component_problems("data.store", mistakes)


def data_warnings(settings: Settings) -> Iterator[str]:
    """Settings that cost data or do nothing."""
    data = settings.data
    if data.checkpoints.enabled and data.checkpoints.reclaim_policy == "Delete":
        yield "data.checkpoints.reclaimPolicy is Delete: checkpoints are deleted with their claim; Retain keeps them"
    for key, sku in _skus(settings).items():
        if sku and sku.endswith("LRS") and not zoneless(settings.location):
            yield (
                f"{key} is {sku}: the data is in one zone and cannot be read while that zone is down; ZRS keeps it in "
                "three"
            )
    if data.store and not data.store.profiles:
        yield "data.store.profiles is empty: nobody can use the storage account; name the namespaces that need it"


def _skus(settings: Settings) -> dict[str, str | None]:
    """The stack's kinds of storage account, by key."""
    data = settings.data
    skus = {"data.checkpoints.sku": data.checkpoints.sku} if data.checkpoints.enabled else {}
    return skus | ({"data.store.sku": data.store.sku} if data.store else {})
