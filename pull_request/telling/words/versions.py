"""Kubernetes version, support window and upgrade channels of the cluster."""

from collections.abc import Iterator
from typing import Any

from catalogue.versions import kubernetes_versions
from pull_request.telling.reading import at, text
from pull_request.telling.words.sides import CLUSTER, Sides
from pull_request.telling.words.word import Word, quoted

_LONG_TERM = "AKSLongTermSupport"
_SETTINGS = (
    ("tier", "Pricing tier", ("sku", "tier")),
    ("upgrade-channel", "Channel of Kubernetes upgrades", ("autoUpgradeProfile", "upgradeChannel")),
    ("node-os-channel", "Channel of node images", ("autoUpgradeProfile", "nodeOSUpgradeChannel")),
)
"""Kind, words and place of what is told as before and after."""


def words(seen: Sides) -> Iterator[Word]:
    """What changes of a cluster's version and of how it is kept up to date."""
    for old, new in seen.pairs(CLUSTER):
        before, after = old.inputs, new.inputs
        yield from _version(new.name, before, after)
        for kind, what, path in _SETTINGS:
            if at(before, *path) != at(after, *path):
                yield {
                    "kind": kind,
                    "level": "news",
                    "subject": new.name,
                    "text": f"{what}: {_shown(at(before, *path))} → {_shown(at(after, *path))}.",
                }


def _version(name: str, before: Any, after: Any) -> Iterator[Word]:
    versions = text(at(before, "kubernetesVersion")), text(at(after, "kubernetesVersion"))
    plans = at(before, "supportPlan"), at(after, "supportPlan")
    until = f" AKS supports this {_until(versions[1], plans[1])}."
    if versions[0] != versions[1]:
        back = _number(versions[1]) < _number(versions[0])
        means = (
            " AKS refuses the way back to an older version."
            if back
            else " The nodes are made anew pool by pool: on-demand nodes are drained, spot nodes evicted."
        )
        yield {
            "kind": "version",
            "level": "caution",
            "subject": name,
            "text": f"Kubernetes {_shown(versions[0])} → {_shown(versions[1])}.{means}{until}",
        }
    if plans[0] != plans[1]:
        yield {
            "kind": "support-plan",
            "level": "news",
            "subject": name,
            "text": f"Support plan: {_shown(plans[0])} → {_shown(plans[1])}.{until}",
        }


def _until(version: str, plan: Any) -> str:
    """Until when AKS supports a minor under a plan, as the catalogue knows it."""
    known = kubernetes_versions().get(".".join(version.split(".")[:2]))
    if known is None:
        return "until a day that the catalogue does not know"
    return f"until {quoted(known.lts_until if plan == _LONG_TERM else known.standard_until)}"


def _number(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split(".") if part.isdecimal() and len(part) < 6)  # noqa: PLR2004


def _shown(value: Any) -> str:
    return quoted(value) if value else "not set"
