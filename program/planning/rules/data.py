"""Rules of storage that outlives a node (docs/facts/aks.md#blob-storage)."""

import re
from collections.abc import Iterator
from typing import Final

from components.mistakes import Mistake
from program.planning.redundancy import in_one_zone, zoneless
from program.settings import DataStore, Settings

# 3 to 63 lower-case letters, digits and single hyphens inside: the letters of a namespace but for its length and
# double hyphens ("Naming containers, blobs and metadata"; "Kubernetes object names").
_CONTAINER: Final = re.compile(r"(?=.{3,63}$)[a-z0-9]+(-[a-z0-9]+)*")
# A name of DNS labels ("Kubernetes object names"); the credential's name, at most 120 long, is made of it.
_SERVICE_ACCOUNT: Final = re.compile(
    r"(?=.{1,116}$)[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*"
)


def data_problems(settings: Settings) -> Iterator[Mistake]:
    """What Azure would refuse: names, and zone redundancy without zones. Names of classes: `storage_classes`."""
    for key, sku in _skus(settings).items():
        if sku and sku.endswith("ZRS") and zoneless(settings.location):
            yield Mistake(
                key, sku, f"{in_one_zone(sku)}, because {settings.location} has no availability zones"
            )
    if settings.data.store:
        yield from _profile_problems(settings.data.store)


def _profile_problems(store: DataStore) -> Iterator[Mistake]:
    for namespace, profile in store.profiles.items():
        key = f"data.store.profiles.{namespace}"
        if not _CONTAINER.fullmatch(namespace):
            yield Mistake(
                key,
                namespace,
                "a namespace of 3 to 63 lower-case letters, digits and single inner hyphens, because its container has "
                "this name",
            )
        accounts = profile.service_accounts
        for index, account in enumerate(accounts):
            if not _SERVICE_ACCOUNT.fullmatch(account):
                yield Mistake(
                    f"{key}.serviceAccounts[{index}]",
                    account,
                    "the name of a service account: lower-case letters, digits, inner hyphens and dots, at most 116 "
                    "characters",
                )
        if not accounts:
            yield Mistake(
                f"{key}.serviceAccounts", [], "at least one, because nobody else reaches the container"
            )
        if len(set(accounts)) != len(accounts):
            yield Mistake(f"{key}.serviceAccounts", list(accounts), "each service account once")


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
