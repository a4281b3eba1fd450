"""What only planning decides of labels and taints; what the components share with it is in `components.conventions`."""

from typing import Final

MIG_SLICES: Final = {"MIG1g": 7, "MIG2g": 3, "MIG3g": 2, "MIG4g": 1, "MIG7g": 1}
"""GPU slices of each instance profile on one GPU (NVIDIA MIG user guide: A100, H100 and H200 alike)."""
FALLBACK_KEY: Final = "kubeflow-aks/fallback"
FALLBACK_TAINT: Final = f"{FALLBACK_KEY}=true:NoSchedule"
OWN_PREFIX: Final = "kubeflow-aks/"
RESERVED_PREFIXES: Final = ("kubernetes.azure.com/", "kubernetes.io/", "k8s.io/", "nvidia.com/", OWN_PREFIX)
"""Prefixes AKS keeps for itself or this program sets (aks.md §1.2); subdomains of the Kubernetes ones included."""
RESERVED_KEYS: Final = ("agentpool", "accelerator", "storageprofile", "storagetier", "CriticalAddonsOnly")
"""Keys without a prefix that AKS sets (aks.md §2.5)."""
