"""The labels, taints and names on which pools, the cluster and the work of data scientists agree. Pure data."""

from typing import Final

SPOT_KEY: Final = "kubernetes.azure.com/scalesetpriority"
"""Key of the label and the taint that AKS gives every spot node.

Source: MicrosoftDocs/azure-aks-docs, articles/aks/spot-node-pool.md (2026-08-21).
"""
SPOT_TAINT: Final = f"{SPOT_KEY}=spot:NoSchedule"
SYSTEM_TAINT: Final = "CriticalAddonsOnly=true:NoSchedule"
"""Keeps all but AKS's own add-ons off the system pool.

Source: MicrosoftDocs/azure-aks-docs, articles/aks/use-system-pools.md (2026-08-21).
"""
GPU_KEY: Final = "nvidia.com/gpu"
GPU_TAINT: Final = f"{GPU_KEY}=present:NoSchedule"
"""Keeps pods that request no GPU off GPU nodes.

The ExtendedResourceToleration admission plugin, on in AKS, lets pods that request the resource tolerate a taint with
its name as key (Kubernetes documentation, "Admission Control in Kubernetes").
"""
WORKLOAD_LABEL: Final = "kubeflow-aks/workload"
"""Its value is the same on a spot pool and its fallback, so that one node selector covers both."""
PLATFORM_WORKLOAD: Final = "platform"
"""Value of the workload label on the pool that hosts Charmed Kubeflow."""
TIME_SLICES_LABEL: Final = "kubeflow-aks/gpu-time-slices"
"""Its value is how many pods share a GPU of the node in turn; the device plugin for that number selects it."""
MIG_SLICES: Final = {"MIG1g": 7, "MIG2g": 3, "MIG3g": 2, "MIG4g": 1, "MIG7g": 1}
"""GPU slices of each instance profile on one GPU ("NVIDIA MIG user guide"; the same on A100, H100 and H200)."""
