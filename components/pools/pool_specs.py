"""One pool: of those beside the cluster for `AgentPools`, the system pool of `AksCluster`, of the pool contract."""

from collections.abc import Mapping
from typing import Annotated, Any, Final, NotRequired, Required, TypedDict

from ..arguments import limits
from ..arguments.choices import (
    AgentPoolMode,
    Architecture,
    EvictionPolicy,
    MigProfile,
    OsDiskType,
    PoolRole,
    Priority,
    UndrainableNodeBehavior,
)
from ..arguments.declaration import Argument, Input, Texts, TextsByName

GPU_DRIVER: Final = Argument("Install", "use-nvidia-gpu.md")
OS_SKU: Final = Argument(
    "Ubuntu", "upgrade-os-version.md; docs/decisions/0002-long-term-support-is-the-default.md"
)
_ROLLING: Final = "upgrade-aks-node-pools-rolling.md"
_NODES_OR_SHARE: Final = Argument(None, _ROLLING, unit="nodes, or % of the pool", **limits.NODES_OR_SHARE)


class OsDiskSpec(TypedDict, total=False):
    """The nodes' operating system disk."""

    type: Annotated[Input[OsDiskType], Argument("Managed", "docs/facts/aks.md#os-disks")]
    """Kind of the disk: Managed survives and is paid for, Ephemeral lives on the node."""
    size_gib: Annotated[Input[int], Argument(128, "docs/facts/aks.md#os-disks", unit="GiB", ge=30, le=2048)]
    """Size of the disk."""


class UpgradeSpec(TypedDict, total=False):
    """How AKS upgrades the nodes of an on-demand pool."""

    max_surge: Annotated[Input[str] | None, _NODES_OR_SHARE]
    """Nodes that are added before old ones are drained; they count towards the quota. Left out: 1, or 0 with
    `maxUnavailable`."""
    max_unavailable: Annotated[Input[str] | None, _NODES_OR_SHARE]
    """Nodes that are drained at once without one in their place, for pools whose size is short of quota; not for a
    system pool. Left out: none."""
    drain_timeout_minutes: Annotated[
        Input[int] | None, Argument(None, _ROLLING, unit="minutes", ge=5, le=1440)
    ]
    """Time after which a node counts as one that does not drain. Left out: unchanged; 30 for a new pool."""
    node_soak_minutes: Annotated[Input[int] | None, Argument(None, _ROLLING, unit="minutes", ge=0, le=30)]
    """Time between the drain of a node and its upgrade. Left out: unchanged; 0 for a new pool."""
    undrainable_node_behavior: Annotated[
        Input[UndrainableNodeBehavior] | None, Argument(None, "docs/facts/aks.md#upgrade-settings-of-pools")
    ]
    """What happens to a node that does not drain: Schedule ends the upgrade, Cordon leaves the node cordoned, with a
    surge node in its place, and goes on. Left out: unchanged; Schedule for a new pool."""


class AgentPoolSpec(TypedDict, total=False):
    """One pool beside the cluster's own."""

    name: Required[str]
    """Name of the pool: 1 to 12 lower-case letters and digits, a letter first."""
    vm_size: Required[Input[str]]
    """VM size of its nodes."""
    mode: AgentPoolMode
    """User (default), or System for a second system pool that is to replace the cluster's own."""
    gpus: int
    """GPUs of one node of that size. Default: 0."""
    gpu_model: str | None
    """Vendor and model of those GPUs, for the pool contract. Default: not known."""
    vcpus: int
    """vCPU of one node of that size, for the pool contract. Default: not known."""
    memory_gib: float
    """Memory in GiB of one node of that size, for the pool contract. Default: not known."""
    architecture: Architecture
    """Processors of that size, for the pool contract. Default: not known."""
    priority: Annotated[Priority, Argument("Regular", "spot-node-pool.md")]
    """On demand, or spot."""
    min_count: Annotated[Input[int], Argument(0, "managedClusters.json, count", unit="nodes", ge=0, le=1000)]
    """Fewest nodes."""
    max_count: Annotated[
        Required[Input[int]], Argument(..., "quotas-skus-regions.md", unit="nodes", ge=1, le=1000)
    ]
    """Most nodes."""
    eviction_policy: Annotated[
        Input[EvictionPolicy] | None, Argument(None, "docs/facts/aks.md#eviction-policy")
    ]
    """What happens to an evicted spot node: Delete, or Deallocate, which keeps disk and quota. Spot needs it."""
    max_price: Annotated[Input[float] | None, Argument(None, "spot-node-pool.md", unit="USD per hour")]
    """Spot only: most to pay. Default: -1, which means up to the on-demand price."""
    fallback: str | None
    """Spot only: name of the on-demand pool that takes its work while spot is sold out, `pool` of those of several VM
    sizes; both have the same label kubeflow-aks/workload. Default: none."""
    pool: str
    """Name that pools of several VM sizes for the same work share; the autoscaler tries them in the order of this list.
    Default: the pool's own."""
    labels: Annotated[TextsByName, Argument({}, "use-labels.md", unit="key: value")]
    """Node labels; a spot pool always has AKS's own as well."""
    taints: Annotated[Texts, Argument((), "use-node-taints.md", unit="key=value:Effect or key:Effect")]
    """Node taints; spot and GPU pools always have their own as well."""
    os_disk: OsDiskSpec
    """The nodes' operating system disk. Default: Managed, 128 GiB."""
    zones: Annotated[Texts, Argument((), "docs/facts/aks.md#availability-zones")]
    """Availability zones of the nodes; empty means no zones."""
    max_pods: Annotated[
        Input[int],
        Argument(
            110, "our choice; 10 to 250: concepts-network-azure-cni-overlay.md", unit="pods", ge=10, le=250
        ),
    ]
    """Most pods on a node."""
    encryption_at_host: Annotated[Input[bool], Argument(False, "enable-host-encryption.md")]
    """Encrypt caches and temporary disk on the VM's host, for the life of the pool; the subscription needs the feature
    Microsoft.Compute/EncryptionAtHost."""
    gpu_instance_profile: Annotated[Input[MigProfile] | None, Argument(None, "gpu-multi-instance.md")]
    """GPU only: size of the Multi-Instance GPU slices, MIG1g to MIG7g. Default: whole GPUs."""
    gpu_time_slices: Annotated[
        Input[int] | None, Argument(None, "docs/facts/aks.md#time-slices", unit="pods", **limits.TIME_SLICES)
    ]
    """GPU only: how many pods share each GPU in turn, without a limit of their memory; `KubeflowPrerequisites`
    needs the number as well. Default: one."""
    capacity_reservation_group_id: Annotated[
        Input[str] | None, Argument(None, "docs/facts/aks.md#capacity-reservations")
    ]
    """On demand only: ARM id of the capacity reservation group that its nodes come from, for the life of the pool;
    the cluster's identity needs the role Contributor on it. Default: none."""
    upgrade: UpgradeSpec
    """On demand only: how AKS upgrades its nodes. Default: one surge node."""
    tags: Annotated[TextsByName, Argument({}, '"Tags of Azure resources"', unit="name: value")]
    """Tags of this pool and its nodes, beside those of every pool."""
    subnet_id: Input[str]
    """ARM id of the nodes' subnet. Default: that of the network which AKS makes."""
    protect: bool
    """Whether the pool holds state and must not be deleted. Default: false."""


class ContractPool(TypedDict):
    """One pool that takes work, as the pool contract has it."""

    name: Input[str]
    """Name of the pool."""
    role: Input[PoolRole]
    """What it is for: general hosts Charmed Kubeflow, cpu and gpu take batch work."""
    priority: Input[Priority]
    """Regular, which is on demand, or Spot."""
    vmSize: Input[str]
    """VM size of its nodes."""
    gpus: Input[int]
    """Amount of nvidia.com/gpu that one node announces; slices count where its GPUs are cut or shared."""
    maxCount: Input[int]
    """Most nodes."""
    labels: TextsByName
    """Labels of its nodes, kubeflow-aks/workload among them."""
    taints: Texts
    """Taints of its nodes, `key=value:Effect`."""
    fallback: NotRequired[Input[str] | None]
    """Name of the on-demand pool that takes a spot pool's work while spot is sold out, `pool` of those of several VM
    sizes. Default: none."""
    pool: NotRequired[Input[str] | None]
    """Name that pools of several VM sizes for the same work share, in the order in which the autoscaler tries them.
    Default: the pool's own."""
    region: NotRequired[Input[str] | None]
    """Azure region of its nodes. Default: not known."""
    zones: NotRequired[Texts | None]
    """Availability zones of its nodes; empty means no zones. Default: not known."""
    architecture: NotRequired[Input[Architecture] | None]
    """Processors of its nodes. Default: not known."""
    gpuModel: NotRequired[Input[str] | None]
    """Vendor and model of its GPUs. Default: not known."""
    allocatable: NotRequired[TextsByName | None]
    """Most that AKS leaves to pods on one of its nodes, as quantities of cpu and memory. Default: not known."""


class SystemPoolSpec(TypedDict, total=False):
    """The pool of AKS's own add-ons: on demand, Linux, closed to everything else."""

    name: Annotated[str, Argument("system", "our choice")]
    """Name of the pool."""
    vm_size: Annotated[Input[str], Argument("Standard_D4s_v5", "use-system-pools.md")]
    """VM size, at least 4 vCPU and no B-series."""
    min_count: Annotated[
        Input[int], Argument(2, "use-system-pools.md: at least 2 in production", unit="nodes", ge=1, le=1000)
    ]
    """Fewest nodes; 1 only outside production."""
    max_count: Annotated[
        Input[int], Argument(3, "our choice; limit: quotas-skus-regions.md", unit="nodes", ge=1, le=1000)
    ]
    """Most nodes."""
    os_disk_type: Annotated[Input[OsDiskType], Argument("Managed", "docs/facts/aks.md#os-disks")]
    """Managed survives and is paid for; Ephemeral lives on the node. It never changes."""
    os_disk_gib: Annotated[
        Input[int], Argument(128, "docs/facts/aks.md#os-disks", unit="GiB", ge=30, le=2048)
    ]
    """Size of the OS disk."""
    max_pods: Annotated[
        Input[int], Argument(110, "our choice; at least 30: use-system-pools.md", unit="pods", ge=30, le=250)
    ]
    """Most pods on a node."""
    zones: Annotated[Texts, Argument((), "docs/facts/aks.md#availability-zones")]
    """Availability zones of the nodes; empty means no zones."""
    encryption_at_host: Annotated[Input[bool], Argument(False, "enable-host-encryption.md")]
    """Encrypt caches and temporary disk on the VM's host, for the life of the pool; the subscription needs the feature
    Microsoft.Compute/EncryptionAtHost."""
    upgrade: UpgradeSpec
    """How AKS upgrades its nodes. Default: one surge node."""
    tags: Annotated[TextsByName, Argument({}, '"Tags of Azure resources"', unit="name: value")]
    """Tags of this pool and its nodes, beside those of every resource."""
    other_properties: Annotated[Mapping[str, Any], Argument({}, "managedClusters.json, agentPoolProfiles")]
    """Other properties of a pool that other means made, named and written as in AKS's API, and sent as they are."""
    subnet_id: Input[str]
    """ARM id of the nodes' subnet. Default: that of the network which AKS makes."""
