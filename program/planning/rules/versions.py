"""Kubernetes minors that both Charmed Kubeflow and AKS support on a given day.

Tables: `aks_facts/charmed_kubeflow_releases.csv`, `aks_facts/kubernetes_versions.csv`.
"""

from collections.abc import Iterator
from datetime import date, timedelta

from aks_facts import (
    CharmedKubeflowRelease,
    KubernetesVersion,
    charmed_kubeflow_releases,
    kubernetes_version,
    kubernetes_versions,
    minor,
)
from components.arguments.mistakes import Mistake
from program.settings import Settings

_NOTICE = timedelta(days=90)
_LONG_TERM = "AKSLongTermSupport"
_EXISTING = "if the cluster exists already, set created to the day it was made"


def version_problems(settings: Settings, today: date) -> Iterator[Mistake]:
    """A Kubernetes minor that the Kubeflow release runs on and that AKS still creates under the support plan."""
    version, release = settings.kubernetes.version, charmed_kubeflow_releases().get(settings.kubeflow.release)
    if release is None:
        yield Mistake(
            "kubeflow.release",
            settings.kubeflow.release,
            f"a supported release: {', '.join(charmed_kubeflow_releases())}",
        )
    elif not (version in release.kubernetes_versions or _taken_anyway(settings, release)):
        created = [v for v in release.kubernetes_versions if today <= kubernetes_version(v).lts_until]
        way_out = (
            _EXISTING if _older(settings, release) else "kubernetes.acceptUnvalidated: true takes others"
        )
        yield Mistake(
            "kubernetes.version",
            version,
            f"a minor that Charmed Kubeflow {release.release} is validated on and AKS creates: "
            f"{', '.join(created) or 'none today'}; {way_out}",
        )
        return
    yield from _support_problems(settings, today)


def _taken_anyway(settings: Settings, release: CharmedKubeflowRelease) -> bool:
    """An existing cluster that is older can only go up; everything else takes the opt-in."""
    return settings.kubernetes.accept_unvalidated or (settings.exists and _older(settings, release))


def _older(settings: Settings, release: CharmedKubeflowRelease) -> bool:
    return minor(settings.kubernetes.version) < min(map(minor, release.kubernetes_versions))


def _support_problems(settings: Settings, today: date) -> Iterator[Mistake]:
    """Only new clusters are refused: AKS lets one that is out of support be changed, upgraded and deleted.

    Source: supported-kubernetes-versions.md, "AKS support policy"; long-term-support.md.
    """
    version, support = settings.kubernetes.version, kubernetes_versions().get(settings.kubernetes.version)
    if support is None and not settings.exists:
        created = [one.version for one in kubernetes_versions().values() if today <= one.lts_until]
        yield Mistake("kubernetes.version", version, f"a minor that AKS creates: {', '.join(created)}")
    elif support and today > _end(support, settings) and not settings.made_by(_end(support, settings)):
        yield _out_of_support(support, settings, today)


def _out_of_support(support: KubernetesVersion, settings: Settings, today: date) -> Mistake:
    existing = f"created: {settings.created} is later" if settings.created else _EXISTING
    if today > support.lts_until:
        return Mistake(
            "kubernetes.version",
            support.version,
            f"a newer minor, because long-term support of {support.version} ended on {support.lts_until}; {existing}",
        )
    return Mistake(
        "kubernetes.supportPlan",
        settings.kubernetes.support_plan,
        f"AKSLongTermSupport with kubernetes.tier Premium, because standard support of {support.version} "
        f"ended on {support.standard_until}; long-term support lasts until {support.lts_until}; {existing}",
    )


def version_warnings(settings: Settings, today: date) -> Iterator[str]:
    """A minor that Charmed Kubeflow is not validated on, and support that ends within 90 days or is over.

    A newer minor than those is warned of while there is no cluster, and while one is upgraded, for which the channel is
    off (docs/how-to/upgrade-kubernetes.md): afterwards there is no way back.
    """
    yield from _validation_warnings(settings)
    version, plan = settings.kubernetes.version, settings.kubernetes.support_plan
    about = f"kubernetes.version {version}: {plan}"
    support = kubernetes_versions().get(version)
    if support is None:
        yield f"{about}: the catalogue does not have this minor, so the end of its support is not checked"
        return
    end = _end(support, settings)
    no_more = today > support.lts_until or plan == _LONG_TERM
    way_out = "move to a newer minor" if no_more else "take supportPlan AKSLongTermSupport and tier Premium"
    if today > end:
        yield f"{about} ended on {end}: no fixes, and no help from Azure; {way_out}{_stays(support, settings, today)}"
    elif end < today + _NOTICE:
        new = "" if settings.exists else ", or set created: the cluster can't be made anew after it"
        yield f"{about} ends on {end}; by then {way_out}{new}"


def _validation_warnings(settings: Settings) -> Iterator[str]:
    version, release = settings.kubernetes.version, charmed_kubeflow_releases().get(settings.kubeflow.release)
    if release is None or version in release.kubernetes_versions:
        return
    about = (
        f"kubernetes.version {version}: Charmed Kubeflow {release.release} is validated on "
        f"{', '.join(release.kubernetes_versions)} only"
    )
    if _older(settings, release):
        yield f"{about}; upgrade the cluster first (docs/how-to/upgrade-kubernetes.md)"
    elif not settings.exists or settings.kubernetes.upgrade_channel == "none":
        yield (
            f"{about}, and AKS goes back to none of them; try a stack with the same settings before people depend on "
            "this one"
        )


def _stays(support: KubernetesVersion, settings: Settings, today: date) -> str:
    """What of the support plan cannot be changed.

    Source: long-term-support.md, "Can I enable and disable LTS on an AKS-supported version after community support
    ends?" (2026-08-05).
    """
    over = settings.kubernetes.support_plan != _LONG_TERM and today <= support.lts_until
    return (
        f"; a cluster that has long-term support keeps it: AKS does not switch it off on {support.version} any more"
        if over
        else ""
    )


def _end(support: KubernetesVersion, settings: Settings) -> date:
    lts = settings.kubernetes.support_plan == _LONG_TERM
    return support.lts_until if lts else support.standard_until
