"""Arguments of one pool: of those beside the cluster for `AgentPools`, of its system pool for `AksCluster`."""

from collections.abc import Sequence
from typing import NotRequired, TypedDict

import pulumi


class OsDiskSpec(TypedDict):
    """The nodes' operating system disk."""

    type: NotRequired[str]
    """Managed (default), which is paid for and survives, or Ephemeral, which lives on the node."""
    size_gib: NotRequired[int]
    """Size in GiB, 30 to 2048. Default: 128."""


class AgentPoolSpec(TypedDict):
    """One pool beside the cluster's own."""

    name: str
    """Name of the pool: 1 to 12 lower-case letters and digits, a letter first."""
    vm_size: str
    """VM size of its nodes."""
    mode: NotRequired[str]
    """User (default), or System for a second system pool that is to replace the cluster's own."""
    gpu: NotRequired[bool]
    """Whether that size has GPUs. Default: false."""
    priority: NotRequired[str]
    """Regular (default), which is on demand, or Spot."""
    min_count: NotRequired[int]
    """Fewest nodes. Default: 0."""
    max_count: int
    """Most nodes, up to 1000."""
    eviction_policy: NotRequired[str | None]
    """What happens to an evicted spot node: Delete, or Deallocate, which keeps disk and quota. Spot needs it."""
    max_price: NotRequired[float | None]
    """Spot only: most to pay, in USD per hour; -1 (default) means up to the on-demand price."""
    labels: NotRequired[dict[str, str]]
    """Node labels; a spot pool always has AKS's own as well."""
    taints: NotRequired[Sequence[str]]
    """Node taints, `key=value:Effect`; spot and GPU pools always have their own as well."""
    os_disk: NotRequired[OsDiskSpec]
    """The nodes' operating system disk. Default: Managed, 128 GiB."""
    zones: NotRequired[Sequence[str]]
    """Availability zones. Default: none."""
    max_pods: NotRequired[int]
    """Most pods on a node, 10 to 250. Default: 110."""
    gpu_instance_profile: NotRequired[str | None]
    """GPU only: size of the Multi-Instance GPU slices, MIG1g to MIG7g. Default: whole GPUs."""
    encryption_at_host: NotRequired[bool]
    """Whether caches and temporary disk are encrypted on the VM's host, for the life of the pool. Default: false."""
    tags: NotRequired[dict[str, str]]
    """Tags of this pool and its nodes, beside those of every pool. Default: none."""
    subnet_id: NotRequired[pulumi.Input[str]]
    """ARM id of the nodes' subnet. Default: that of the network which AKS makes."""
    protect: NotRequired[bool]
    """Whether the pool holds state and must not be deleted. Default: false."""


class SystemPoolSpec(TypedDict):
    """The pool of AKS's own add-ons: on demand, Linux, a managed disk, closed to everything else."""

    name: NotRequired[str]
    """Name of the pool: 1 to 12 lower-case letters and digits, a letter first. Default: system."""
    vm_size: NotRequired[str]
    """VM size, at least 4 vCPU and no B-series. Default: Standard_D4s_v5."""
    min_count: NotRequired[int]
    """Fewest nodes, at least 1; production needs 2. Default: 2."""
    max_count: NotRequired[int]
    """Most nodes, up to 1000. Default: 3."""
    os_disk_gib: NotRequired[int]
    """Size of the OS disk in GiB, 30 to 2048. Default: 128."""
    max_pods: NotRequired[int]
    """Most pods on a node, 30 to 250. Default: 110."""
    zones: NotRequired[Sequence[str]]
    """Availability zones. Default: none."""
    encryption_at_host: NotRequired[bool]
    """Whether caches and temporary disk are encrypted on the VM's host, for the life of the pool. Default: false."""
    subnet_id: NotRequired[pulumi.Input[str]]
    """ARM id of the nodes' subnet. Default: that of the network which AKS makes."""
