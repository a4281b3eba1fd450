"""Labels and taints that only planning uses; those that components share are in `components.conventions`."""

from typing import Final

from components.conventions import GPU_KEY

FALLBACK_KEY: Final = "kubeflow-aks/fallback"
FALLBACK_TAINT: Final = f"{FALLBACK_KEY}=true:NoSchedule"
REPLACED_KEY: Final = "kubeflow-aks/replaced-by"
"""Key of the taint that keeps new pods off Kubeflow's pool while it moves; its value is the name of the new pool."""
ARM_TAINT: Final = "kubeflow-aks/arch=arm64:NoSchedule"
"""Most images run on x64 only; the label `kubernetes.io/arch` alone keeps nothing away, and its prefix is reserved."""
OWN_PREFIX: Final = "kubeflow-aks/"
AUTOSCALER_GPUS: Final = f"k8s.io_cluster-autoscaler_node-template_resources_{GPU_KEY.replace('/', '_')}"
"""Tag of a scale set with the number of GPUs that its nodes announce, for the autoscaler.

AKS copies a pool's tags to its scale set (use-tags.md); the autoscaler reads them there
(cloudprovider/azure/azure_template.go).
"""
RESERVED_DOMAINS: Final = ("kubernetes.azure.com", "kubernetes.io", "k8s.io", OWN_PREFIX.rstrip("/"))
"""Domains of keys that AKS refuses (use-labels.md; Azure/AKS#2866) or this program sets, with their subdomains."""
FREE_DOMAINS: Final = ("kubelet.kubernetes.io", "node.kubernetes.io")
"""Those of `kubernetes.io` where AKS takes labels (Azure/AKS#2866, Azure/AKS#3545), with their subdomains."""
RESERVED_LABELS: Final = (
    "agentpool",
    "accelerator",
    "storageprofile",
    "storagetier",
    "node.kubernetes.io/instance-type",
)
"""Labels outside the reserved domains that AKS sets (docs/facts/aks.md#node-labels)."""
RESERVED_TAINTS: Final = ("CriticalAddonsOnly", GPU_KEY)
"""Keys outside the reserved domains whose taints this program sets."""
