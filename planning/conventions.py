"""The labels, taints and names that pools, the cluster and data scientists' work agree on."""

from typing import Final

SPOT_KEY: Final = "kubernetes.azure.com/scalesetpriority"
"""Key of AKS's own spot label and taint (aks.md §1.2)."""
SPOT_TAINT: Final = f"{SPOT_KEY}=spot:NoSchedule"
SYSTEM_TAINT: Final = "CriticalAddonsOnly=true:NoSchedule"
"""The only taint AKS's add-ons tolerate (aks.md §1.4)."""
GPU_KEY: Final = "nvidia.com/gpu"
GPU_TAINT: Final = f"{GPU_KEY}=present:NoSchedule"
"""AKS tolerates a taint on a resource's name for every pod that asks for the resource (aks.md §2.4)."""
MIG_SLICES: Final = {"MIG1g": 7, "MIG2g": 3, "MIG3g": 2, "MIG4g": 1, "MIG7g": 1}
"""GPU slices of each instance profile on one GPU (NVIDIA MIG user guide: A100, H100 and H200 alike)."""
FALLBACK_KEY: Final = "kubeflow-aks/fallback"
FALLBACK_TAINT: Final = f"{FALLBACK_KEY}=true:NoSchedule"
WORKLOAD_LABEL: Final = "kubeflow-aks/workload"
"""Shared by a spot pool and its fallback, so that one selector covers both (aks.md §3.4)."""
PLATFORM_WORKLOAD: Final = "platform"
"""Value of the workload label on the pool that hosts Charmed Kubeflow."""

OWN_PREFIX: Final = "kubeflow-aks/"
RESERVED_PREFIXES: Final = ("kubernetes.azure.com/", "kubernetes.io/", "k8s.io/", "nvidia.com/", OWN_PREFIX)
"""Prefixes AKS keeps for itself or this program sets (aks.md §1.2); subdomains of the Kubernetes ones included."""
RESERVED_KEYS: Final = ("agentpool", "accelerator", "storageprofile", "storagetier", "CriticalAddonsOnly")
"""Keys without a prefix that AKS sets (aks.md §2.5)."""
