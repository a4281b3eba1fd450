"""Defaults of the components' arguments, from which the settings of this program take theirs. Pure data.

A docstring that names one has it in words; a test compares the two.
"""

from typing import Final

# Control plane
KUBERNETES_VERSION: Final = "1.34"
SUPPORT_PLAN: Final = "AKSLongTermSupport"
TIER: Final = "Premium"
UPGRADE_CHANNEL: Final = "patch"
NODE_OS_UPGRADE_CHANNEL: Final = "NodeImage"
OS_SKU: Final = "Ubuntu"
MAINTENANCE_DAY: Final = "Saturday"
MAINTENANCE_START: Final = "22:00"
MAINTENANCE_HOURS: Final = 6
MAINTENANCE_UTC_OFFSET: Final = "+00:00"
PRIVATE_CLUSTER: Final = False
LOCAL_ACCOUNTS: Final = True
KUBELOGIN_MODE: Final = "azurecli"
SSH_USERNAME: Final = "azureuser"
LOG_RETENTION_DAYS: Final = 30
"""Of a new workspace, in days."""

AUTOSCALER: Final = {
    "scan_interval": "10s",
    "max_node_provision_time": "10m",
    "scale_down_delay_after_add": "10m",
    "scale_down_unneeded_time": "10m",
    "scale_down_utilization_threshold": 0.5,
    "balance_similar_node_groups": False,
    "skip_nodes_with_local_storage": True,
    "skip_nodes_with_system_pods": True,
    "max_graceful_termination_sec": 600,
}

# Network
VNET_CIDR: Final = "10.224.0.0/16"
SUBNETS: Final = {
    "system": "10.224.0.0/24",
    "general": "10.224.1.0/24",
    "cpu": "10.224.4.0/22",
    "gpu": "10.224.8.0/22",
}
POD_CIDR: Final = "10.244.0.0/16"
SERVICE_CIDR: Final = "10.0.0.0/16"
OUTBOUND_TYPE: Final = "loadBalancer"
NETWORK_POLICY: Final = "none"

# Agent pools
SYSTEM_POOL_NAME: Final = "system"
SYSTEM_VM_SIZE: Final = "Standard_D4s_v5"
SYSTEM_MIN_COUNT: Final = 2
SYSTEM_MAX_COUNT: Final = 3
MIN_COUNT: Final = 0
PRIORITY: Final = "Regular"
OS_DISK_TYPE: Final = "Managed"
OS_DISK_GIB: Final = 128
MAX_PODS: Final = 110
"""What Charmed Kubeflow's pods need on a node; AKS's own default with CNI Overlay is 250.

Source: canonical/charmed-kubeflow-solutions, .github/workflows/deploy-to-aks.yaml (2026-06-18).
"""
ENCRYPTION_AT_HOST: Final = False
GPU_DRIVER: Final = "Install"

# Registry, storage account and storage classes
REGISTRY_SKU: Final = "Standard"
BLOB_SKU: Final = "Standard_ZRS"
BLOB_DRIVER: Final = True
SERVICE_ACCOUNTS: Final = ("default-editor",)
"""The one that Kubeflow gives a profile, and as which its pipelines and notebooks run."""
SOFT_DELETE_DAYS: Final = 7
STORAGE_CLASS: Final = "ckf-zrs"
DISK_SKU: Final = "StandardSSD_ZRS"
DISK_RECLAIM_POLICY: Final = "Delete"
CHECKPOINTS: Final = True
CHECKPOINT_CLASS: Final = "checkpoints"
CHECKPOINT_RECLAIM_POLICY: Final = "Retain"

# Charmed Kubeflow's prerequisites
INOTIFY: Final = True
MAX_USER_INSTANCES: Final = 1280
MAX_USER_WATCHES: Final = 655360
GUARDS: Final = True
EVICTION_HANDLER: Final = True
RETURN_TO_SPOT: Final = False
ARGO_RETRIES: Final = False
PROTECT: Final = True
