"""The values of arguments that take no others: types in Python, enums in the package's schema. Pure data.

The settings of this program take theirs from here; `components.package` makes the enums.
"""

from typing import Literal

AgentPoolMode = Literal["User", "System"]
"""What a pool is for: everybody's pods, or AKS's own add-ons first."""
Architecture = Literal["amd64", "arm64"]
"""Processors of a node, as Kubernetes calls them."""
BlobSku = Literal["Standard_ZRS", "Standard_LRS", "Premium_ZRS", "Premium_LRS"]
"""Redundancy and speed of Blob storage."""
CostExportType = Literal["ActualCost", "AmortizedCost"]
"""Charges of an export: as billed, or with commitments spread over what uses them."""
DiskSku = Literal["StandardSSD_ZRS", "Premium_ZRS", "StandardSSD_LRS", "Premium_LRS"]
"""Kind of Azure disk; ZRS disks can move between zones, LRS disks cannot."""
EvictionPolicy = Literal["Delete", "Deallocate"]
"""What happens to an evicted spot node; a deallocated one keeps disk and quota."""
GpuDriver = Literal["Install", "None"]
"""Who installs the driver on GPU pools: AKS, or you."""
KubeloginMode = Literal["azurecli", "workloadidentity", "msi"]
"""How kubelogin signs in."""
LogCategory = Literal[
    "kube-audit-admin",
    "guard",
    "cluster-autoscaler",
    "kube-audit",
    "kube-apiserver",
    "kube-controller-manager",
    "kube-scheduler",
    "cloud-controller-manager",
    "csi-azuredisk-controller",
    "csi-azurefile-controller",
    "csi-snapshot-controller",
]
"""Logs that AKS's control plane has (monitor-aks.md)."""
MigProfile = Literal["MIG1g", "MIG2g", "MIG3g", "MIG4g", "MIG7g"]
"""Size of the Multi-Instance GPU slices of a node."""
NetworkPolicy = Literal["none", "calico", "cilium", "azure"]
"""What enforces network policies. Azure's own engine ends: only clusters that have it keep it
(docs/facts/aks.md#network-policy)."""
NodeOsUpgradeChannel = Literal["NodeImage", "SecurityPatch", "Unmanaged", "None"]
"""Automatic upgrades of the nodes' operating system."""
OnAdvisory = Literal["ignore", "checkpoint", "cordon"]
"""What follows Azure's advisory that it may take a spot node: nothing; pods that agree save themselves; and nothing new
starts on the node for a while."""
OsDiskType = Literal["Managed", "Ephemeral"]
"""Kind of the nodes' disk: one that is paid for and survives, or one that lives on the node."""
OsSku = Literal["Ubuntu", "Ubuntu2204", "Ubuntu2404"]
"""Operating system of the nodes."""
OutboundType = Literal["loadBalancer", "userAssignedNATGateway", "userDefinedRouting"]
"""Way to the internet."""
PoolRole = Literal["general", "cpu", "gpu"]
"""What the pools of a pool contract are for: Charmed Kubeflow itself, or batch work on CPUs or GPUs."""
Priority = Literal["Regular", "Spot"]
"""Kind of machines: on demand, or spot."""
ReclaimPolicy = Literal["Delete", "Retain"]
"""What happens to the data when its claim is deleted."""
RegistrySku = Literal["Basic", "Standard", "Premium"]
"""Tier of a container registry."""
SupportPlan = Literal["KubernetesOfficial", "AKSLongTermSupport"]
"""How long a version of Kubernetes is supported."""
Tier = Literal["Free", "Standard", "Premium"]
"""Tier of the control plane."""
UndrainableNodeBehavior = Literal["Schedule", "Cordon"]
"""What AKS does in an upgrade with a node that does not drain: end the upgrade, or cordon the node and go on."""
UpgradeChannel = Literal["patch", "none"]
"""Automatic upgrades of Kubernetes."""
Weekday = Literal["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
"""Day of the week."""
