"""What long-term support makes of the control plane's price, and what it would be without."""

from datetime import date, timedelta
from typing import Final

from aks_facts import kubernetes_versions, minor, service_price
from kubeflow_aks.cost.figures import HOURS_A_MONTH
from kubeflow_aks.json_values import at, text
from kubeflow_aks.recorder.document import PlanDocument

_CLUSTER: Final = "azure-native:containerservice:ManagedCluster"
_LEAST: Final = timedelta(days=90)
"""Standard support that a version must have left to be worth the move (our choice)."""


def control_plane(document: PlanDocument, day: date) -> list[str]:
    """A line for a cluster with long-term support, at Azure's list prices of aks_facts/service_prices.csv."""
    inputs = next((it["inputs"] for it in document["resources"] if it["type"] == _CLUSTER), None)
    if text(at(inputs, "supportPlan")) != "AKSLongTermSupport":
        return []
    version, region = text(at(inputs, "kubernetesVersion")), text(at(inputs, "location"))
    premium, standard, free = (_monthly(tier, region) for tier in ("premium", "standard", "free"))
    others = (
        it.version
        for it in kubernetes_versions().values()
        if minor(it.version) > minor(version) and it.standard_until - day >= _LEAST
    )
    other = min(others, key=minor, default="")
    instead = f"; {other} with `acceptUnvalidated`: {standard} (Standard) or {free} (Free)" if other else ""
    why = f"because Kubernetes {version} with long-term support needs the Premium tier"
    return [f"control plane: {premium} a month, {why}{instead}"]


def _monthly(tier: str, region: str) -> str:
    price = service_price(f"control-plane-{tier}", region)
    return f"${price.usd * HOURS_A_MONTH:,.0f}" if price else "of unknown price"
