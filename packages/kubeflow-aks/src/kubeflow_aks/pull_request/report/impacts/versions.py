"""Kubernetes version, support window and upgrade channels of the cluster."""

from collections.abc import Iterator
from typing import Any

from aks_facts.versions import KubernetesVersion, kubernetes_versions
from kubeflow_aks.json_values import at, text
from kubeflow_aks.pull_request.report.impacts.impact import Impact, quoted
from kubeflow_aks.pull_request.report.impacts.sides import CLUSTER, Sides

_LONG_TERM = "AKSLongTermSupport"
_SETTINGS = (
    ("tier", "Pricing tier", ("sku", "tier")),
    ("upgrade-channel", "Channel of Kubernetes upgrades", ("autoUpgradeProfile", "upgradeChannel")),
    ("node-os-channel", "Channel of node images", ("autoUpgradeProfile", "nodeOSUpgradeChannel")),
)
"""Kind, name and path of settings that are shown as before and after."""


def impacts(sides: Sides) -> Iterator[Impact]:
    """Changes of a cluster's version, tier, support plan and upgrade channels."""
    for old, new in sides.pairs(CLUSTER):
        before, after = old.inputs, new.inputs
        yield from _version(new.name, before, after, refused=new.urn in sides.azure_refuses)
        for kind, what, path in _SETTINGS:
            if at(before, *path) != at(after, *path):
                yield {
                    "kind": kind,
                    "level": "news",
                    "subject": new.name,
                    "text": f"{what}: {_shown(at(before, *path))} → {_shown(at(after, *path))}.",
                }


def _version(name: str, before: Any, after: Any, *, refused: bool) -> Iterator[Impact]:
    versions = text(at(before, "kubernetesVersion")), text(at(after, "kubernetesVersion"))
    plans = at(before, "supportPlan"), at(after, "supportPlan")
    until = f" AKS supports this {_until(versions[1], plans[1])}."
    if versions[0] != versions[1]:
        back = _number(versions[1]) < _number(versions[0])
        rolling = " The nodes are replaced pool by pool: on-demand nodes are drained, spot nodes evicted."
        means = " AKS refuses a downgrade." if back else "" if refused else rolling
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
            "text": f"Support plan: {_shown(plans[0])} → {_shown(plans[1])}.{until}{_stays(versions[1], plans[0])}",
        }


def _until(version: str, plan: Any) -> str:
    """The end of AKS's support for a minor version under a plan, from the catalogue."""
    known = _known(version)
    if known is None:
        return "until a date that the catalogue does not have"
    return f"until {quoted(known.lts_until if plan == _LONG_TERM else known.standard_until)}"


def _stays(version: str, left: Any) -> str:
    """When long-term support cannot be left any more (long-term-support.md, "Frequently asked questions")."""
    known = _known(version)
    if left != _LONG_TERM or known is None:
        return ""
    return f" AKS refuses to switch long-term support off after {quoted(known.standard_until)}."


def _known(version: str) -> KubernetesVersion | None:
    return kubernetes_versions().get(".".join(version.split(".")[:2]))


def _number(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split(".") if part.isdecimal() and len(part) < 6)  # noqa: PLR2004


def _shown(value: Any) -> str:
    return quoted(value) if value else "not set"
