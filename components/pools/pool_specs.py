"""One pool: of those beside the cluster for `AgentPools`, the system pool of `AksCluster`, of the pool contract."""

from typing import NotRequired, TypedDict

import pulumi

from ..arguments.choices import (
    AgentPoolMode,
    EvictionPolicy,
    MigProfile,
    OsDiskType,
    PoolRole,
    Priority,
    UndrainableNodeBehavior,
)
from ..arguments.inputs import Texts, TextsByName


class OsDiskSpec(TypedDict):
    """The nodes' operating system disk."""

    type: NotRequired[pulumi.Input[OsDiskType]]
    """Managed (default), which is paid for and survives, or Ephemeral, which lives on the node."""
    size_gib: NotRequired[pulumi.Input[int]]
    """Size in GiB, 30 to 2048. Default: 128."""


class UpgradeSpec(TypedDict):
    """How AKS upgrades the nodes of an on-demand pool."""

    max_surge: NotRequired[pulumi.Input[str] | None]
    """Nodes that are added before old ones are drained: a number, or a share of the pool like 33%. Default: 1, or 0
    with max_unavailable."""
    max_unavailable: NotRequired[pulumi.Input[str] | None]
    """Nodes that are drained at once without one in their place: a number, or a share of the pool; not on a system
    pool. Default: none."""
    drain_timeout_minutes: NotRequired[pulumi.Input[int] | None]
    """Minutes after which a node counts as one that does not drain, 5 to 1440. Default: unchanged, 30 at creation."""
    node_soak_minutes: NotRequired[pulumi.Input[int] | None]
    """Minutes between the drain of a node and its upgrade, 0 to 30. Default: unchanged, 0 at creation."""
    undrainable_node_behavior: NotRequired[pulumi.Input[UndrainableNodeBehavior] | None]
    """What happens to a node that does not drain: Schedule ends the upgrade, Cordon leaves the node cordoned with a
    surge node in its place and goes on. Default: unchanged, Schedule at creation."""


class AgentPoolSpec(TypedDict):
    """One pool beside the cluster's own."""

    name: str
    """Name of the pool: 1 to 12 lower-case letters and digits, a letter first."""
    vm_size: pulumi.Input[str]
    """VM size of its nodes."""
    mode: NotRequired[AgentPoolMode]
    """User (default), or System for a second system pool that is to replace the cluster's own."""
    gpus: NotRequired[int]
    """GPUs of one node of that size. Default: 0."""
    priority: NotRequired[Priority]
    """Regular (default), which is on demand, or Spot."""
    min_count: NotRequired[pulumi.Input[int]]
    """Fewest nodes. Default: 0."""
    max_count: pulumi.Input[int]
    """Most nodes, up to 1000."""
    eviction_policy: NotRequired[pulumi.Input[EvictionPolicy] | None]
    """What happens to an evicted spot node: Delete, or Deallocate, which keeps disk and quota. Spot needs it."""
    max_price: NotRequired[pulumi.Input[float] | None]
    """Spot only: most to pay, in USD per hour; -1 (default) means up to the on-demand price."""
    fallback: NotRequired[str | None]
    """Spot only: name of the on-demand pool that takes its work while spot is sold out; both have the same label
    kubeflow-aks/workload. Default: none."""
    pool: NotRequired[str]
    """Spot only: name that pools of several VM sizes for the same work share; the autoscaler tries them in the order of
    this list. Default: the pool's own."""
    labels: NotRequired[TextsByName]
    """Node labels; a spot pool always has AKS's own as well."""
    taints: NotRequired[Texts]
    """Node taints, `key=value:Effect`; spot and GPU pools always have their own as well."""
    os_disk: NotRequired[OsDiskSpec]
    """The nodes' operating system disk. Default: Managed, 128 GiB."""
    zones: NotRequired[Texts]
    """Availability zones. Default: none."""
    max_pods: NotRequired[pulumi.Input[int]]
    """Most pods on a node, 10 to 250. Default: 110."""
    gpu_instance_profile: NotRequired[pulumi.Input[MigProfile] | None]
    """GPU only: size of the Multi-Instance GPU slices, MIG1g to MIG7g. Default: whole GPUs."""
    gpu_time_slices: NotRequired[pulumi.Input[int] | None]
    """GPU only: how many pods share each GPU in turn, 2 to 48, without a limit of their memory; `KubeflowPrerequisites`
    needs the number as well. Default: one."""
    encryption_at_host: NotRequired[pulumi.Input[bool]]
    """Whether caches and temporary disk are encrypted on the VM's host, for the life of the pool. Default: false."""
    capacity_reservation_group_id: NotRequired[pulumi.Input[str] | None]
    """On demand only: ARM id of the capacity reservation group that its nodes come from, for the life of the pool;
    the cluster's identity needs the role Contributor on it. Default: none."""
    upgrade: NotRequired[UpgradeSpec]
    """On demand only: how AKS upgrades its nodes. Default: one surge node."""
    tags: NotRequired[TextsByName]
    """Tags of this pool and its nodes, beside those of every pool. Default: none."""
    subnet_id: NotRequired[pulumi.Input[str]]
    """ARM id of the nodes' subnet. Default: that of the network which AKS makes."""
    protect: NotRequired[bool]
    """Whether the pool holds state and must not be deleted. Default: false."""


class ContractPool(TypedDict):
    """One pool that takes work, as the pool contract has it."""

    name: pulumi.Input[str]
    """Name of the pool."""
    role: pulumi.Input[PoolRole]
    """What it is for: general hosts Charmed Kubeflow, cpu and gpu take batch work."""
    priority: pulumi.Input[Priority]
    """Regular, which is on demand, or Spot."""
    vmSize: pulumi.Input[str]
    """VM size of its nodes."""
    gpus: pulumi.Input[int]
    """Amount of nvidia.com/gpu that one node announces; slices count where its GPUs are cut or shared."""
    maxCount: pulumi.Input[int]
    """Most nodes."""
    labels: TextsByName
    """Labels of its nodes, kubeflow-aks/workload among them."""
    taints: Texts
    """Taints of its nodes, `key=value:Effect`."""
    fallback: NotRequired[pulumi.Input[str] | None]
    """Name of the on-demand pool that takes a spot pool's work while spot is sold out. Default: none."""
    pool: NotRequired[pulumi.Input[str] | None]
    """Name that spot pools of several VM sizes for the same work share, in the order in which the autoscaler tries
    them. Default: the pool's own."""


class SystemPoolSpec(TypedDict):
    """The pool of AKS's own add-ons: on demand, Linux, closed to everything else."""

    name: NotRequired[str]
    """Name of the pool: 1 to 12 lower-case letters and digits, a letter first. Default: system."""
    vm_size: NotRequired[pulumi.Input[str]]
    """VM size, at least 4 vCPU and no B-series. Default: Standard_D4s_v5."""
    min_count: NotRequired[pulumi.Input[int]]
    """Fewest nodes, at least 1; production needs 2. Default: 2."""
    max_count: NotRequired[pulumi.Input[int]]
    """Most nodes, up to 1000. Default: 3."""
    os_disk_type: NotRequired[pulumi.Input[OsDiskType]]
    """Managed (default), or Ephemeral, which lives on the node; never changed."""
    os_disk_gib: NotRequired[pulumi.Input[int]]
    """Size of the OS disk in GiB, 30 to 2048. Default: 128."""
    max_pods: NotRequired[pulumi.Input[int]]
    """Most pods on a node, 30 to 250. Default: 110."""
    zones: NotRequired[Texts]
    """Availability zones. Default: none."""
    encryption_at_host: NotRequired[pulumi.Input[bool]]
    """Whether caches and temporary disk are encrypted on the VM's host, for the life of the pool. Default: false."""
    upgrade: NotRequired[UpgradeSpec]
    """How AKS upgrades its nodes. Default: one surge node."""
    subnet_id: NotRequired[pulumi.Input[str]]
    """ARM id of the nodes' subnet. Default: that of the network which AKS makes."""
