"""What only planning decides of labels and taints; what the components share with it is in `components.conventions`."""

from typing import Final

FALLBACK_KEY: Final = "kubeflow-aks/fallback"
FALLBACK_TAINT: Final = f"{FALLBACK_KEY}=true:NoSchedule"
REPLACED_KEY: Final = "kubeflow-aks/replaced-by"
"""Key of the taint that keeps new pods off the home of Kubeflow while it moves; its value is the new home."""
OWN_PREFIX: Final = "kubeflow-aks/"
RESERVED_PREFIXES: Final = ("kubernetes.azure.com/", "kubernetes.io/", "k8s.io/", "nvidia.com/", OWN_PREFIX)
"""Prefixes that AKS reserves (use-labels.md) or that this program sets; their subdomains are reserved as well."""
RESERVED_KEYS: Final = ("agentpool", "accelerator", "storageprofile", "storagetier", "CriticalAddonsOnly")
"""Keys without a prefix that AKS sets (docs/facts/aks.md#node-labels)."""
