"""The agent pools of a cluster, one AKS resource each, made one after the other."""

from collections.abc import Sequence
from typing import Any, NotRequired, TypedDict

import pulumi
from pulumi_azure_native import containerservice as aks

REPLACE_ON_CHANGES = [
    "availabilityZones",
    "enableEncryptionAtHost",
    "enableFIPS",
    "enableNodePublicIP",
    "gpuProfile",
    "hostGroupID",
    "kubeletConfig",
    "kubeletDiskType",
    "linuxOSConfig",
    "maxPods",
    "osDiskSizeGB",
    "osDiskType",
    "osType",
    "podSubnetID",
    "scaleSetEvictionPolicy",
    "scaleSetPriority",
    "spotMaxPrice",
    "vnetSubnetID",
]
"""Properties AKS never changes on a pool, but the provider would send as updates (aks.md §1.5, §4.2)."""


class AgentPoolSpec(TypedDict):
    """One pool; the values of `planning.AgentPool` that AKS needs."""

    name: str
    """Name of the pool."""
    vm_size: str
    """VM size of its nodes."""
    spot: bool
    """Whether its nodes are spot machines."""
    gpu: bool
    """Whether its nodes have GPUs."""
    min_count: int
    """Fewest nodes."""
    max_count: int
    """Most nodes."""
    labels: dict[str, str]
    """Node labels."""
    taints: Sequence[str]
    """Node taints, `key=value:Effect`."""
    os_disk_type: str
    """Managed or Ephemeral."""
    os_disk_gib: int
    """Size of the OS disk in GiB."""
    zones: Sequence[str]
    """Availability zones; empty means none."""
    max_pods: int
    """Most pods on a node."""
    subnet_id: pulumi.Input[str]
    """ARM id of the nodes' subnet."""
    eviction_policy: NotRequired[str | None]
    """Spot only: Delete or Deallocate."""
    max_price: NotRequired[float | None]
    """Spot only: USD per hour, -1 for up to the on-demand price."""
    gpu_instance_profile: NotRequired[str | None]
    """GPU only: size of the MIG slices."""
    protect: bool
    """Whether the pool holds state and must not be deleted."""


class AgentPoolsArgs(TypedDict):
    """Arguments of `AgentPools`."""

    resource_group_name: pulumi.Input[str]
    """Resource group of the cluster."""
    cluster_name: pulumi.Input[str]
    """Name of the cluster."""
    pools: Sequence[AgentPoolSpec]
    """The pools, in the order they are made."""
    gpu_driver: str
    """Install or None, for every GPU pool."""
    tags: dict[str, str]
    """Tags of every pool."""


class AgentPools(pulumi.ComponentResource):
    """The user pools of one cluster. Pass the cluster as `deleted_with`, so that its deletion takes the pools along."""

    names: list[str]
    """Names of the pools, in the order they are made."""
    resources: list[aks.AgentPool]
    """The pools themselves, for what this component does not offer."""

    def __init__(self, name: str, args: AgentPoolsArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("kubeflow-aks:index:AgentPools", name, {}, opts)
        cluster = opts.deleted_with if opts else None
        self.names = [pool["name"] for pool in args["pools"]]
        self.resources = []
        for pool in args["pools"]:
            # AKS runs one pool operation per cluster at a time and refuses a second with 409 (aks.md §4.4).
            previous = self.resources[-1:]
            options = pulumi.ResourceOptions(
                parent=self,
                depends_on=previous,
                deleted_with=cluster,
                delete_before_replace=True,  # the name is fixed, so both cannot exist at once
                replace_on_changes=REPLACE_ON_CHANGES,
                ignore_changes=["count"],  # the autoscaler's business after creation (aks.md §3.5)
                protect=pool["protect"],
            )
            self.resources.append(_agent_pool(f"{name}-{pool['name']}", args, pool, options))
        self.register_outputs({"names": self.names})


def _agent_pool(
    name: str, args: AgentPoolsArgs, pool: AgentPoolSpec, opts: pulumi.ResourceOptions
) -> aks.AgentPool:
    kind = _spot(pool) if pool["spot"] else _regular()
    if pool["gpu"]:
        kind |= _gpu(pool, args["gpu_driver"])
    return aks.AgentPool(
        name,
        agent_pool_name=pool["name"],
        resource_group_name=args["resource_group_name"],
        resource_name_=args["cluster_name"],
        mode=aks.AgentPoolMode.USER,
        type=aks.AgentPoolType.VIRTUAL_MACHINE_SCALE_SETS,
        os_type=aks.OSType.LINUX,
        os_sku=aks.OSSKU.UBUNTU,
        vm_size=pool["vm_size"],
        enable_auto_scaling=True,
        count=pool["min_count"],
        min_count=pool["min_count"],
        max_count=pool["max_count"],
        node_labels=pool["labels"],
        node_taints=pool["taints"],
        os_disk_type=pool["os_disk_type"],
        os_disk_size_gb=pool["os_disk_gib"],
        availability_zones=pool["zones"] or None,
        max_pods=pool["max_pods"],
        vnet_subnet_id=pool["subnet_id"],
        scale_down_mode=aks.ScaleDownMode.DELETE,
        tags=args["tags"],
        opts=opts,
        **kind,
    )


def _regular() -> dict[str, Any]:
    """On demand: upgrades surge by one node; priority stays unset, because AKS takes `unset → Regular` for a change."""
    return {"upgrade_settings": aks.AgentPoolUpgradeSettingsArgs(max_surge="1")}


def _spot(pool: AgentPoolSpec) -> dict[str, Any]:
    """Spot: priority, eviction policy and price, and no upgrade settings, which AKS refuses (aks.md §1.3)."""
    return {
        "scale_set_priority": aks.ScaleSetPriority.SPOT,
        "scale_set_eviction_policy": pool.get("eviction_policy"),
        "spot_max_price": pool.get("max_price"),
    }


def _gpu(pool: AgentPoolSpec, driver: str) -> dict[str, Any]:
    """GPU: who installs the driver, and MIG slices if any."""
    return {
        "gpu_profile": aks.GPUProfileArgs(driver=driver),
        "gpu_instance_profile": pool.get("gpu_instance_profile"),
    }
