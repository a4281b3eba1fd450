"""Kubernetes minors that both Charmed Kubeflow and AKS support on a given day.

Tables: `catalogue/charmed_kubeflow_releases.csv`, `catalogue/kubernetes_versions.csv`.
"""

from collections.abc import Iterator
from datetime import date, timedelta

from catalogue import charmed_kubeflow_releases, kubernetes_versions
from settings import Problem, Settings

_NOTICE = timedelta(days=60)


def version_problems(settings: Settings, today: date) -> Iterator[Problem]:
    """A Kubernetes minor that the Kubeflow release runs on and that AKS still creates under the support plan."""
    kubernetes = settings.kubernetes
    release = charmed_kubeflow_releases().get(settings.kubeflow.release)
    if release is None:
        yield Problem(
            "kubeflow.release",
            settings.kubeflow.release,
            f"a supported release: {', '.join(charmed_kubeflow_releases())}",
        )
    elif kubernetes.version not in release.kubernetes_versions:
        runs_on = [v for v in release.kubernetes_versions if v in kubernetes_versions()]
        yield Problem(
            "kubernetes.version",
            kubernetes.version,
            f"a minor that Charmed Kubeflow {release.release} is validated on and AKS offers: {', '.join(runs_on)}",
        )
    if kubernetes.support_plan == "AKSLongTermSupport" and kubernetes.tier != "Premium":
        yield Problem(
            "kubernetes.tier", kubernetes.tier, "Premium, because long-term support needs that tier"
        )
    yield from _support_problems(settings, today)


def _support_problems(settings: Settings, today: date) -> Iterator[Problem]:
    kubernetes = settings.kubernetes
    support = kubernetes_versions().get(kubernetes.version)
    if support is None:
        known = ", ".join(kubernetes_versions())
        yield Problem(
            "kubernetes.version", kubernetes.version, f"a minor whose end of support is known: {known}"
        )
    elif today > support.lts_until:
        yield Problem(
            "kubernetes.version",
            kubernetes.version,
            f"a newer minor, because long-term support of {support.version} ended on {support.lts_until}",
        )
    elif kubernetes.support_plan == "KubernetesOfficial" and today > support.standard_until:
        yield Problem(
            "kubernetes.supportPlan",
            kubernetes.support_plan,
            f"AKSLongTermSupport with kubernetes.tier Premium, because standard support of {support.version} "
            f"ended on {support.standard_until}; long-term support lasts until {support.lts_until}",
        )


def version_warnings(settings: Settings, today: date) -> Iterator[str]:
    """Support that ends within 60 days."""
    kubernetes = settings.kubernetes
    support = kubernetes_versions().get(kubernetes.version)
    if support is None:
        return
    lts = kubernetes.support_plan == "AKSLongTermSupport"
    end = support.lts_until if lts else support.standard_until
    if today <= end < today + _NOTICE:
        way_out = "move to a newer minor" if lts else "take supportPlan AKSLongTermSupport and tier Premium"
        yield f"kubernetes.version {support.version}: {kubernetes.support_plan} ends on {end}; then {way_out}"
