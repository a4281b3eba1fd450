"""Rules of upgrades: of single nodes, channels that are off, and an operating system whose support ends.

Sources: docs/facts/aks.md#kubernetes-upgrades, docs/facts/aks.md#node-images,
docs/facts/aks.md#upgrade-settings-of-pools, Azure/AKS#5701.
"""

from collections.abc import Iterator
from datetime import date, timedelta
from typing import Final

from components.arguments.mistakes import Mistake
from components.pools.node_upgrades import together_mistakes
from program.settings import Kubernetes, NodeUpgrade, Settings

_FIRST_ON_2404: Final = 35
"""Minor of Kubernetes 1 from which on AKS's Ubuntu is 24.04."""
_FIRST_LTS_WITHOUT_2204: Final = 33
"""Minor of Kubernetes 1 from which on LTS comes after 24.04 (includes/ubuntu-22-04-retirement.md, 2026-02-09)."""
_LAST_DAY_OF_2204: Final = date(2027, 6, 30)
_NOTICE: Final = timedelta(days=90)


def node_upgrade_problems(settings: Settings) -> Iterator[Mistake]:
    """Values that AKS does not take together, and values for nodes that it upgrades in its own way."""
    yield from _together("systemPool.upgrade", settings.system_pool.upgrade, system=True)
    for name, pool in settings.pools.items():
        key, upgrade = f"pools.{name}.upgrade", pool.upgrade
        if pool.spot and pool.fallback is None and dict(upgrade) != dict(NodeUpgrade()):
            yield Mistake(
                key,
                upgrade.model_dump(by_alias=True, exclude_none=True),
                "no value on a spot pool without a fallback, because AKS upgrades spot pools without surge and drain",
            )
        else:
            yield from _together(key, upgrade, system=pool.replaces == settings.system_pool.name)


def _together(key: str, upgrade: NodeUpgrade, *, system: bool) -> Iterator[Mistake]:
    mistakes = together_mistakes(
        upgrade.max_surge, upgrade.max_unavailable, upgrade.undrainable_node_behavior, system=system
    )
    yield from (mistake.within(key) for mistake in mistakes)


def upgrade_warnings(settings: Settings, today: date) -> Iterator[str]:
    """Channels that are off; an Ubuntu that ends soon or before LTS does; one that the provider may not know."""
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
    if kubernetes.os_sku == "Ubuntu2404":
        yield (
            "kubernetes.osSku is Ubuntu2404: AKS's API has it from version 2025-10-01 on and the provider speaks "
            "2025-09-01, so AKS may refuse it, which changes nothing; if it does, go back to Ubuntu"
        )
    if not _on_2204(kubernetes):
        return
    if kubernetes.support_plan == "AKSLongTermSupport" and _minor(kubernetes) >= _FIRST_LTS_WITHOUT_2204:
        yield (
            f"kubernetes.supportPlan is AKSLongTermSupport while the nodes run Ubuntu 22.04: Microsoft says to move "
            f"them to 24.04 before long-term support is enabled for Kubernetes {kubernetes.version} (Azure/AKS#5701), "
            f"and gives 22.04 no new pools, images and security patches after {_LAST_DAY_OF_2204}; try osSku "
            "Ubuntu2404, and move before that day"
        )
    elif today > _LAST_DAY_OF_2204 - _NOTICE:
        yield (
            f"kubernetes.osSku is {kubernetes.os_sku}: the nodes run Ubuntu 22.04, which gets no new pools, images "
            f"and security patches after {_LAST_DAY_OF_2204}; take Ubuntu2404, or Ubuntu with Kubernetes 1.35 or newer"
        )


def _on_2204(kubernetes: Kubernetes) -> bool:
    older = _minor(kubernetes) < _FIRST_ON_2404
    return kubernetes.os_sku == "Ubuntu2204" or (kubernetes.os_sku == "Ubuntu" and older)


def _minor(kubernetes: Kubernetes) -> int:
    return int(kubernetes.version.split(".")[1])
