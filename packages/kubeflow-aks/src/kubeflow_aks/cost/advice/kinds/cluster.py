"""What may change of the whole cluster: its region, the tiers of its control plane and its registry."""

import math
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from typing import Any, Final

from aks_facts import (
    KubernetesVersion,
    charmed_kubeflow_releases,
    kubernetes_versions,
    ondemand_prices,
    regions,
)
from kubeflow_aks.cost.advice.advice import Change, Path
from kubeflow_aks.cost.advice.situation import Situation

_TRIED = 3
"""Regions that a bill is guessed for, the cheapest on demand first (our choice)."""
_CHEAPER: Final = {"Premium": ("Standard", "Free"), "Standard": ("Free",)}
_LEAST: Final = timedelta(days=90)
"""Standard support that is left when the program begins to warn that it ends."""


def other_region(situation: Situation) -> Iterator[Change]:
    """The one with the lowest bill, a separate decision: everything is created anew there, and data must move."""
    here = regions().get(situation.bill.region)
    if here is None:
        return
    near = [
        there.name
        for there in regions().values()
        if there.name != here.name and there.geography == here.geography and not there.restricted
    ]
    listed = {name: _list_price(situation, name) for name in near}
    cheapest = sorted((name for name in near if math.isfinite(listed[name])), key=lambda name: listed[name])
    if best := situation.cheapest({name: {"": {"location": name}} for name in cheapest[:_TRIED]}):
        yield Change(
            "region",
            f"the region {best} instead of {here.name}",
            {("location",): best},
            ("everything is created anew there; data and quota do not move",),
            alone=True,
        )


def _list_price(situation: Situation, region: str) -> float:
    """The stack's node hours on demand there; `math.inf` where a size is not sold."""
    pools = situation.cluster.pools
    return sum(
        line.hours.expected * ondemand_prices(pools[line.pool].size).get(region, math.inf)
        for line in situation.bill.lines
        if line.hours is not None and line.pool in pools and math.isfinite(line.hours.expected)
    )


def cheaper_tiers(situation: Situation) -> Iterator[Change]:
    """Each is a separate decision: it changes Azure's SLA, and how long it supports a version."""
    now = situation.cluster.facilities.tier
    newer = _newer(situation) if now == "Premium" else None
    version = f" with Kubernetes {newer.version}" if newer else ""
    for tier in _CHEAPER.get(now, ()):
        yield Change(
            f"tier {tier}",
            f"the control plane's tier {tier}{version} instead of {now}",
            {
                ("kubernetes", "tier"): tier,
                ("kubernetes", "supportPlan"): "KubernetesOfficial",
                **(_values(newer, situation) if newer else {}),
            },
            tuple(_notes(now, tier, newer)),
            alone=True,
        )


def _notes(now: str, tier: str, newer: KubernetesVersion | None) -> Iterator[str]:
    if now == "Premium":
        yield "no long-term support: upgrade with Kubernetes' own support, about a year for each version"
    if newer:
        yield (
            f"standard support of {newer.version} ends on {newer.standard_until}; AKS upgrades one minor after the "
            "other, and goes back to none (docs/how-to/upgrade-kubernetes.md)"
        )
    if tier == "Free":
        yield "Azure gives no SLA for the control plane of the Free tier"


def _newer(situation: Situation) -> KubernetesVersion | None:
    """The next minor that has standard support for a while, one of the Kubeflow release first; None to stay."""
    versions = kubernetes_versions()
    now = versions.get(situation.kubernetes_version)
    end = _day(situation) + _LEAST
    if now is None or now.standard_until >= end:
        return None
    fit = [it for it in versions.values() if _minor(it) > _minor(now) and it.standard_until >= end]
    return min(fit, key=lambda it: (not _validated(it, situation), _minor(it)), default=None)


def _values(newer: KubernetesVersion, situation: Situation) -> dict[Path, Any]:
    values: dict[Path, Any] = {("kubernetes", "version"): newer.version}
    if not _validated(newer, situation):
        values["kubernetes", "acceptUnvalidated"] = True
    return values


def _validated(version: KubernetesVersion, situation: Situation) -> bool:
    """Whether Charmed Kubeflow's release, by default the newest, is validated on it."""
    releases = charmed_kubeflow_releases()
    release = releases.get(situation.file.get("kubeflow", "release") or "", [*releases.values()][-1])
    return version.version in release.kubernetes_versions


def _minor(version: KubernetesVersion) -> int:
    return int(version.version.partition(".")[2])


def _day(situation: Situation) -> date:
    day = situation.file.get("asOf")
    return date.fromisoformat(day) if day else datetime.now(UTC).date()


def basic_registry(situation: Situation) -> Iterator[Change]:
    """A separate decision: fewer pulls at once, less storage ("Azure Container Registry service tiers")."""
    skus = situation.cluster.facilities.registries
    if len(skus) == 1 and skus[0] not in {"Basic", ""} and not situation.file.get("production"):
        yield Change(
            "registry",
            f"the registry's tier Basic instead of {skus[0]}",
            {("registry", "sku"): "Basic"},
            (
                "Basic includes 10 GiB of images",
                "it serves fewer pulls at once, so many nodes that start together may wait for their images",
            ),
            alone=True,
        )
