"""Labels and taints that only planning uses; those that components share are in `components.pools.conventions`."""

from typing import Final

from components.pools.conventions import GPU_KEY
from components.pools.labels_and_taints import RESERVED_DOMAINS as AKS_DOMAINS

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
RESERVED_DOMAINS: Final = (*AKS_DOMAINS, OWN_PREFIX.rstrip("/"))
"""Domains of keys that AKS refuses or this program sets, with their subdomains."""
RESERVED_TAINTS: Final = ("CriticalAddonsOnly", GPU_KEY)
"""Keys outside the reserved domains whose taints this program sets."""
