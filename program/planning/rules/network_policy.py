"""Rules of the engine that enforces network policies (docs/facts/aks.md#network-policy)."""

from collections.abc import Iterator
from datetime import date
from typing import Final

from aks_facts import kubernetes_versions
from components.arguments.mistakes import Mistake
from program.settings import Settings

AZURE_ENDS: Final = date(2028, 9, 30)
"""Last day of Azure's own engine on Linux ("Retirement: Azure Network Policy Manager on Linux nodes")."""


def network_policy_problems(settings: Settings) -> Iterator[Mistake]:
    """No new cluster gets the engine that ends."""
    if settings.network.policy == "azure" and not settings.adopted:
        yield Mistake(
            "network.policy",
            "azure",
            f"cilium, calico or none, because Azure's own engine ends on {AZURE_ENDS}",
        )


def network_policy_warnings(settings: Settings) -> Iterator[str]:
    """No engine in production, or one whose own support ends before that of Kubernetes."""
    policy, version = settings.network.policy, settings.kubernetes.version
    if policy == "none" and settings.production:
        yield (
            "network.policy is none in production: nothing enforces network policies, so every pod reaches every other "
            "one; set cilium before the cluster is made, and see docs/how-to/choose-a-network-policy-engine.md for one "
            "that runs"
        )
    if policy == "calico" and settings.kubernetes.support_plan == "AKSLongTermSupport":
        support = kubernetes_versions().get(version)
        end = f", on {support.standard_until}" if support else ""
        yield (
            f"network.policy is calico with long-term support: once community support of Kubernetes {version} ends"
            f"{end}, Calico has the support terms of its maker Tigera, and its version must still support that "
            "Kubernetes; review both, or take cilium"
        )
    if policy == "azure":
        yield (
            f"network.policy is azure: Azure ends this engine on {AZURE_ENDS}; move to Cilium before, as in "
            "docs/how-to/choose-a-network-policy-engine.md"
        )
