"""Rules of upgrades: of single nodes, channels that are off, and an operating system whose support ends.

Sources: docs/facts/aks.md#kubernetes-upgrades, docs/facts/aks.md#node-images,
docs/facts/aks.md#upgrade-settings-of-pools, aks_facts/ubuntu_releases.csv.
"""

from collections.abc import Iterator
from datetime import date, timedelta
from typing import Final

from aks_facts import minor, ubuntu, ubuntu_releases
from components.arguments.mistakes import Mistake
from components.pools.node_upgrades import together_mistakes
from program.planning.rules.pools import Candidate, component_problems
from program.settings import Kubernetes, NodeUpgrade, Settings

_NOTICE: Final = timedelta(days=90)


def node_upgrade_problems(pool: Candidate) -> Iterator[Mistake]:
    """No values for nodes that AKS upgrades in its own way, nor values that it does not take together."""
    key, upgrade = f"{pool.key}.upgrade", pool.settings.upgrade
    if pool.spot and pool.settings.fallback is None and dict(upgrade) != dict(NodeUpgrade()):
        yield Mistake(
            key,
            upgrade.model_dump(by_alias=True, exclude_none=True),
            "no value on a spot pool without a fallback, because AKS upgrades spot pools without surge and drain",
        )
    else:
        yield from together_problems(key, upgrade, system=pool.system)


def together_problems(key: str, upgrade: NodeUpgrade, *, system: bool) -> Iterator[Mistake]:
    """Values that AKS does not take together."""
    surge, behavior = upgrade.max_surge, upgrade.undrainable_node_behavior
    yield from component_problems(
        key, together_mistakes(surge, upgrade.max_unavailable, behavior, system=system)
    )


def os_sku_problems(kubernetes: Kubernetes) -> Iterator[Mistake]:
    """AKS has an OS SKU that names a release on some minors only (upgrade-os-version.md, 2026-07-13)."""
    releases = {release.os_sku: release for release in ubuntu_releases().values()}
    named, runs = releases.get(kubernetes.os_sku), minor(kubernetes.version)
    if named and not named.first <= runs <= named.last:
        taken = [release.os_sku for release in releases.values() if release.first <= runs <= release.last]
        yield Mistake(
            "kubernetes.osSku",
            kubernetes.os_sku,
            f"{' or '.join(['Ubuntu', *taken])} with kubernetes.version {kubernetes.version}; AKS has "
            f"{named.os_sku} from 1.{named.first} to 1.{named.last}",
        )


def upgrade_warnings(settings: Settings, today: date) -> Iterator[str]:
    """Channels that are off; an Ubuntu that ends soon; one that the provider's API may not have."""
    kubernetes = settings.kubernetes
    if kubernetes.upgrade_channel == "none":
        yield (
            "kubernetes.upgradeChannel is none: Kubernetes gets no patches by itself, and AKS supports the newest "
            "ones only; set patch as soon as an upgrade to another minor is over"
        )
    if kubernetes.node_os_upgrade_channel == "None":
        yield (
            "kubernetes.nodeOsUpgradeChannel is None: the nodes get no security updates by themselves; take NodeImage, "
            "or upgrade the node images yourself"
        )
    if kubernetes.os_sku == "Ubuntu2404" and not settings.exists:
        yield (
            "kubernetes.osSku is Ubuntu2404: AKS's API has it from version 2025-10-01 on and the provider speaks "
            "2025-09-01, so AKS may refuse it (InvalidOSSKU), which changes nothing; set created once a cluster has it"
        )
    yield from _end_warnings(kubernetes, today)


def _end_warnings(kubernetes: Kubernetes, today: date) -> Iterator[str]:
    """A release that ends, and one that long-term support is not for (includes/ubuntu-22-04-retirement.md, 2026-02-09).

    Where AKS's own `Ubuntu` is that release, the latter can't be helped: it is on the page.
    """
    release, default = (ubuntu(sku, kubernetes.version) for sku in (kubernetes.os_sku, "Ubuntu"))
    *_, newest = ubuntu_releases().values()
    if release is None or release.until is None:
        return
    runs = f"kubernetes.osSku is {kubernetes.os_sku}: the nodes run Ubuntu {release.release}"
    if today > release.until - _NOTICE:
        yield (
            f"{runs}, which gets no new pools, images and security patches after {release.until}; take Ubuntu with "
            f"Kubernetes 1.{newest.default_from} or newer, or {newest.os_sku}"
        )
    elif release != default and kubernetes.support_plan == "AKSLongTermSupport":
        yield (
            f"{runs}, which Microsoft says to leave before long-term support (Azure/AKS#5701); take Ubuntu"
        )
