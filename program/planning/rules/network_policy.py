"""Rules of the engine that enforces network policies (docs/facts/aks.md#network-policy)."""

from collections.abc import Iterator

from components.long_term_support import calico_mistakes
from components.mistakes import Mistake
from kubeflow_aks.catalogue import kubernetes_versions
from program.settings import Settings


def network_policy_problems(settings: Settings) -> Iterator[Mistake]:
    """Calico and long-term support exclude each other (long-term-support.md, "Unsupported add-ons and features")."""
    yield from calico_mistakes(settings.network.policy, settings.kubernetes.support_plan)


def network_policy_warnings(settings: Settings) -> Iterator[str]:
    """No engine in production, or one that has no long-term support."""
    policy, version = settings.network.policy, settings.kubernetes.version
    if policy == "none" and settings.production:
        yield (
            "network.policy is none in production: nothing enforces network policies, so every pod reaches every other "
            "one; set cilium before the cluster is made, and see docs/how-to/choose-a-network-policy-engine.md for one "
            "that runs"
        )
    if policy == "calico":
        support = kubernetes_versions().get(version)
        end = f" on {support.standard_until}" if support else ""
        yield (
            f"network.policy is calico: AKS gives no long-term support with it, so the cluster must leave Kubernetes "
            f"{version} when standard support ends{end}; take cilium unless you move to every new minor"
        )
