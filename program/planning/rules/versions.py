"""Kubernetes minors that both Charmed Kubeflow and AKS support on a given day.

Tables: `kubeflow_aks/catalogue/charmed_kubeflow_releases.csv`, `kubeflow_aks/catalogue/kubernetes_versions.csv`.
"""

from collections.abc import Iterator
from datetime import date, timedelta

from components.long_term_support import long_term_support_mistakes
from components.mistakes import Mistake
from kubeflow_aks.catalogue import KubernetesVersion, charmed_kubeflow_releases, kubernetes_versions
from program.settings import Settings

_NOTICE = timedelta(days=90)


def version_problems(settings: Settings, today: date) -> Iterator[Mistake]:
    """A Kubernetes minor that the Kubeflow release runs on and that AKS still creates under the support plan."""
    kubernetes = settings.kubernetes
    release = charmed_kubeflow_releases().get(settings.kubeflow.release)
    if release is None:
        yield Mistake(
            "kubeflow.release",
            settings.kubeflow.release,
            f"a supported release: {', '.join(charmed_kubeflow_releases())}",
        )
    elif kubernetes.version not in release.kubernetes_versions:
        runs_on = [v for v in release.kubernetes_versions if v in kubernetes_versions()]
        yield Mistake(
            "kubernetes.version",
            kubernetes.version,
            f"a minor that Charmed Kubeflow {release.release} is validated on and AKS offers: {', '.join(runs_on)}",
        )
    if release is None or kubernetes.version in {*release.kubernetes_versions, *kubernetes_versions()}:
        yield from _support_problems(settings, today)


def support_plan_problems(settings: Settings) -> Iterator[Mistake]:
    """Long-term support needs the tier Premium (long-term-support.md)."""
    kubernetes = settings.kubernetes
    found = long_term_support_mistakes(kubernetes.tier, kubernetes.support_plan)
    yield from (mistake.within("kubernetes") for mistake in found)


def _support_problems(settings: Settings, today: date) -> Iterator[Mistake]:
    """Only new clusters are refused: AKS lets one that is out of support be changed, upgraded and deleted.

    Source: supported-kubernetes-versions.md, "AKS support policy"; long-term-support.md.
    """
    kubernetes = settings.kubernetes
    support = kubernetes_versions().get(kubernetes.version)
    if support is None:
        release = charmed_kubeflow_releases().get(settings.kubeflow.release)
        if release and kubernetes.version not in release.kubernetes_versions:
            return  # reported already
        known = ", ".join(kubernetes_versions())
        yield Mistake(
            "kubernetes.version", kubernetes.version, f"a minor whose end of support is known: {known}"
        )
    elif today > _end(support, settings) and not _made_in_time(settings, support):
        yield _out_of_support(support, settings, today)


def _out_of_support(support: KubernetesVersion, settings: Settings, today: date) -> Mistake:
    existing = (
        f"created: {settings.created} is later"
        if settings.created
        else "if the cluster exists already, set created to the day it was made"
    )
    if today > support.lts_until:
        return Mistake(
            "kubernetes.version",
            support.version,
            f"a newer minor, because long-term support of {support.version} ended on {support.lts_until}; {existing}",
        )
    without = " and without network.policy calico" if settings.network.policy == "calico" else ""
    return Mistake(
        "kubernetes.supportPlan",
        settings.kubernetes.support_plan,
        f"AKSLongTermSupport with kubernetes.tier Premium{without}, because standard support of {support.version} "
        f"ended on {support.standard_until}; long-term support lasts until {support.lts_until}; {existing}",
    )


def version_warnings(settings: Settings, today: date) -> Iterator[str]:
    """Support that ends within 90 days, or that an existing cluster has lost."""
    support = kubernetes_versions().get(settings.kubernetes.version)
    if support is None:
        return
    end, plan = _end(support, settings), settings.kubernetes.support_plan
    no_more = today > support.lts_until or plan == "AKSLongTermSupport" or settings.network.policy == "calico"
    way_out = "move to a newer minor" if no_more else "take supportPlan AKSLongTermSupport and tier Premium"
    about = f"kubernetes.version {support.version}: {plan}"
    if today > end:
        yield f"{about} ended on {end}: no fixes, and no help from Azure; {way_out}"
    elif end < today + _NOTICE:
        yield f"{about} ends on {end}; by then {way_out}, or set created: the cluster can't be made anew after it"


def _end(support: KubernetesVersion, settings: Settings) -> date:
    lts = settings.kubernetes.support_plan == "AKSLongTermSupport"
    return support.lts_until if lts else support.standard_until


def _made_in_time(settings: Settings, support: KubernetesVersion) -> bool:
    return settings.created is not None and settings.created <= _end(support, settings)
