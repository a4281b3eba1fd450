"""What long-term support of a Kubernetes version needs, and what it excludes. Pure."""

from collections.abc import Iterator

from .mistakes import Mistake


def long_term_support_mistakes(tier: str, plan: str) -> Iterator[Mistake]:
    """Long-term support needs the tier Premium (long-term-support.md)."""
    if plan == "AKSLongTermSupport" and tier != "Premium":
        yield Mistake("tier", tier, "Premium, because long-term support needs that tier")


def calico_mistakes(policy: str, plan: str) -> Iterator[Mistake]:
    """Calico and long-term support exclude each other (long-term-support.md, "Unsupported add-ons and features")."""
    if policy == "calico" and plan == "AKSLongTermSupport":
        yield Mistake(
            "network.policy",
            "calico",
            "cilium or none, because AKS gives no long-term support with Calico; Calico goes with "
            "kubernetes.supportPlan KubernetesOfficial",
        )
