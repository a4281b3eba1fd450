"""The labels, taints and names that pools, the cluster and data scientists' work agree on."""

from typing import Final

SPOT_KEY: Final = "kubernetes.azure.com/scalesetpriority"
"""Key of the label and taint that AKS gives spot nodes (spot-node-pool.md, "Limitations")."""
SPOT_TAINT: Final = f"{SPOT_KEY}=spot:NoSchedule"
SYSTEM_TAINT: Final = "CriticalAddonsOnly=true:NoSchedule"
"""Keeps applications off the system pool; AKS's add-ons tolerate it (use-system-pools.md)."""
GPU_KEY: Final = "nvidia.com/gpu"
GPU_TAINT: Final = f"{GPU_KEY}=present:NoSchedule"
"""Pods that request the resource get a toleration of its name from AKS
(docs/facts/aks.md#gpu-taint-and-admission-plugins)."""
MIG_SLICES: Final = {"MIG1g": 7, "MIG2g": 3, "MIG3g": 2, "MIG4g": 1, "MIG7g": 1}
"""GPU slices of each instance profile on one GPU ("NVIDIA MIG user guide"; the same on A100, H100 and H200)."""
FALLBACK_KEY: Final = "kubeflow-aks/fallback"
FALLBACK_TAINT: Final = f"{FALLBACK_KEY}=true:NoSchedule"
WORKLOAD_LABEL: Final = "kubeflow-aks/workload"
"""A spot pool and its fallback share it, so one selector covers both (docs/facts/aks.md#shortage-and-fallback)."""
PLATFORM_WORKLOAD: Final = "platform"
"""Value of the workload label on the pool that hosts Charmed Kubeflow."""

OWN_PREFIX: Final = "kubeflow-aks/"
RESERVED_PREFIXES: Final = ("kubernetes.azure.com/", "kubernetes.io/", "k8s.io/", "nvidia.com/", OWN_PREFIX)
"""Prefixes that AKS reserves (use-labels.md) or that this program sets; their subdomains are reserved as well."""
RESERVED_KEYS: Final = ("agentpool", "accelerator", "storageprofile", "storagetier", "CriticalAddonsOnly")
"""Keys without a prefix that AKS sets (docs/facts/aks.md#node-labels)."""
