"""Kubernetes version and support window of the cluster."""

from collections.abc import Iterator
from typing import Any

from aks_facts.versions import KubernetesVersion, kubernetes_versions
from kubeflow_aks.json_values import at, text
from kubeflow_aks.pull_request.report.impacts.impact import Impact, impact, listed, quoted
from kubeflow_aks.pull_request.report.impacts.pools import pairs
from kubeflow_aks.pull_request.report.impacts.sides import CLUSTER, Sides

_LONG_TERM = "AKSLongTermSupport"


def impacts(sides: Sides) -> Iterator[Impact]:
    """Changes of a cluster's version and support plan."""
    for old, new in sides.pairs(CLUSTER):
        before, after = old.inputs, new.inputs
        refused = new.urn in sides.azure_refuses
        yield from _version(new.name, before, after, refused=refused)
        version = text(at(before, "kubernetesVersion"))
        if not refused and _number(version) < _number(text(at(after, "kubernetesVersion"))):
            yield from _left_behind(new.name, version, sides)


def _version(name: str, before: Any, after: Any, *, refused: bool) -> Iterator[Impact]:
    versions = text(at(before, "kubernetesVersion")), text(at(after, "kubernetesVersion"))
    plans = at(before, "supportPlan"), at(after, "supportPlan")
    until = f" AKS supports this {_until(versions[1], plans[1])}."
    if versions[0] != versions[1]:
        back = _number(versions[1]) < _number(versions[0])
        rolling = (
            " The nodes that get it are made anew pool by pool: on-demand nodes are drained, spot nodes evicted; pods "
            "on them end and start again."
        )
        means = " AKS refuses a downgrade." if back else "" if refused else rolling
        change = f"{_shown(versions[0])} → {_shown(versions[1])}"
        yield impact("version", "caution", name, f"Kubernetes {change}.{means}{until}")
    if plans[0] != plans[1]:
        change = f"{_shown(plans[0])} → {_shown(plans[1])}"
        yield impact(
            "support-plan", "news", name, f"Support plan: {change}.{until}{_stays(versions[1], plans[0])}"
        )


def _left_behind(name: str, version: str, sides: Sides) -> Iterator[Impact]:
    """Pools that keep their version because the program sends none: AKS then upgrades the control plane only.

    Source: Azure/AKS#3087; docs/how-to/upgrade-kubernetes.md.
    """
    pools_left = [
        pair.after.name
        for pair in pairs(sides)
        if pair.before and pair.after and not at(pair.after.inputs, "orchestratorVersion")
    ]
    if pools_left:
        text = (
            f"The nodes of {listed(pools_left)} stay on {_shown(version)}: `pulumi up` sends no version for "
            "them. Page `docs/how-to/upgrade-kubernetes.md` has the command that upgrades them afterwards."
        )
        yield impact("pools-left-behind", "caution", name, text)


def _until(version: str, plan: Any) -> str:
    """The end of AKS's support for a minor version under a plan, from the catalogue."""
    minor = _minor(version)
    if minor is None:
        return "until a date that the catalogue does not have"
    return f"until {quoted(minor.lts_until if plan == _LONG_TERM else minor.standard_until)}"


def _stays(version: str, left: Any) -> str:
    """When long-term support cannot be left any more.

    Source: long-term-support.md, "Can I enable and disable LTS on an AKS-supported version after community support
    ends?".
    """
    minor = _minor(version)
    if left != _LONG_TERM or minor is None:
        return ""
    return f" AKS refuses to switch long-term support off after {quoted(minor.standard_until)}."


def _minor(version: str) -> KubernetesVersion | None:
    return kubernetes_versions().get(".".join(version.split(".")[:2]))


def _number(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split(".") if part.isdecimal() and len(part) < 6)  # noqa: PLR2004


def _shown(value: Any) -> str:
    return quoted(value) if value else "not set"
