"""The agent pools of a cluster, one AKS resource each, made one after the other."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any, Final, NotRequired, TypedDict

import pulumi
from pulumi_azure_native import containerservice as aks

from ..arguments import limits
from ..arguments.checked import Rule, checked, named, rule, rule_of_text, under, whole
from ..arguments.choices import GpuDriver, OsSku
from ..arguments.declaration import Texts, TextsByName
from ..arguments.inputs import merged, when_known
from ..azure import azure_names
from ..azure.arm_ids import RESERVATION_GROUP, SUBNET, arm_id_mistakes
from ..azure.tags import tag_mistakes
from . import pool_checks
from .conventions import GPU_TAINT, SPOT_KEY, SPOT_TAINT, SYSTEM_TAINT, TIME_SLICES_LABEL, WORKLOAD_LABEL
from .labels_and_taints import (
    label_form_mistakes,
    repeated_taint_mistakes,
    reserved_label_mistakes,
    reserved_taint_mistakes,
    taint_form_mistakes,
)
from .node_reservations import allocatable
from .pool_contract import announced_gpus, role
from .pool_specs import GPU_DRIVER, OS_SKU, AgentPoolSpec, ContractPool
from .upgrade_settings import upgrade_rules, upgrade_settings

REPLACE_ON_CHANGES: Final = [
    "availabilityZones",
    "capacityReservationGroupID",
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
"""Properties that AKS never changes on a pool, though the provider would send a change as an update.

The provider itself replaces a pool for vmSize, gpuInstanceProfile and nodePublicIPTags only. Sources:
Azure/azure-rest-api-specs, containerservice/aks/stable/2025-09-01/managedClusters.json; pulumi/pulumi-azure-native,
provider/pkg/gen/replacement.go (2026-08).
"""


IGNORED: Final = ["count"]
"""Properties that stay as they are: after creation the autoscaler decides the count."""
ADOPTED: Final = [
    *IGNORED,
    "creationData",
    "enableFIPS",
    "enableNodePublicIP",
    "enableUltraSSD",
    "gatewayProfile",
    "gpuProfile",
    "hostGroupID",
    "kubeletConfig",
    "kubeletDiskType",
    "linuxOSConfig",
    "localDNSProfile",
    "messageOfTheDay",
    "networkProfile",
    "nodePublicIPPrefixID",
    "podIPAllocationMode",
    "podSubnetID",
    "powerState",
    "proximityPlacementGroupID",
    "scaleDownMode",
    "securityProfile",
    "virtualMachineNodesStatus",
    "virtualMachinesProfile",
    "vnetSubnetID",
    "windowsProfile",
    "workloadRuntime",
]
"""Properties of adopted pools that stay as they are: their subnet, who installs the GPU driver, which AKS may not show,
and what the arguments do not state. Of a new pool nothing is there that could stay."""


class AgentPoolsArgs(TypedDict):
    """Arguments of `AgentPools`."""

    resource_group_name: pulumi.Input[str]
    """Resource group of the cluster."""
    cluster: pulumi.Input[aks.ManagedCluster]
    """The cluster, made or only read by the program."""
    pools: Sequence[AgentPoolSpec]
    """The pools, in the order they are made."""
    location: NotRequired[pulumi.Input[str]]
    """Azure region of the cluster, for the pool contract. Default: not known."""
    kubernetes_version: NotRequired[pulumi.Input[str]]
    """Kubernetes minor of the nodes, upgraded in place. Default: the cluster's."""
    os_sku: Annotated[NotRequired[pulumi.Input[OsSku]], OS_SKU]
    """Operating system of the nodes; changed in place."""
    gpu_driver: Annotated[NotRequired[pulumi.Input[GpuDriver]], GPU_DRIVER]
    """Who installs the driver on GPU pools: Install means AKS, None means you."""
    adopted: NotRequired[bool]
    """Whether pools of a cluster that was made by other means are imported: what these arguments do not state of them
    stays as it is, their subnet too. Default: false."""
    tags: NotRequired[TextsByName]
    """Tags of every pool."""


class AgentPools(pulumi.ComponentResource):
    """The pools of one cluster beside its own: user pools, and a system pool that is to replace its own.

    A destroy deletes them one by one. Pass the cluster's component as `deleted_with` to leave them to its deletion, but
    only where the program makes the cluster: the pools of one that it only reads would stay.
    """

    names: list[str]
    """Names of the pools, in the order they are made."""
    contract: pulumi.Output[list[ContractPool]]
    """The pools for `KubeflowPrerequisites`: user pools with the label kubeflow-aks/workload."""
    resources: list[aks.AgentPool]
    """The pools themselves, for what this component does not offer."""

    def __init__(self, name: str, args: AgentPoolsArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        args = checked("AgentPools", AgentPoolsArgs, args, rules)
        super().__init__("kubeflow-aks:index:AgentPools", name, {}, opts)
        self.names = [pool["name"] for pool in args["pools"]]
        self.resources = []
        for pool in args["pools"]:
            # AKS refuses a second operation on the pools of a cluster with 409 (github.com/Azure/AKS/issues/1913).
            previous = self.resources[-1:]
            options = pulumi.ResourceOptions(
                parent=self,
                depends_on=previous,
                delete_before_replace=True,  # the name is fixed, so both cannot exist at once
                replace_on_changes=REPLACE_ON_CHANGES,
                ignore_changes=_ignored(pool) if args.get("adopted") else IGNORED,
                protect=pool.get("protect", False),
                # A system pool leaves this list when the cluster's own profile names it: it is forgotten, not deleted.
                retain_on_delete=_is_system(pool) or None,
            )
            self.resources.append(_agent_pool(f"{name}-{pool['name']}", args, pool, options))
        described = [_contract_pool(args, pool) for pool in args["pools"] if not _is_system(pool)]
        self.contract = pulumi.Output.all(*described).apply(_with_work)
        self.register_outputs({"names": self.names, "contract": self.contract})


def rules(args: AgentPoolsArgs) -> Iterator[Rule]:
    """Every rule of the arguments of `AgentPools`."""
    for index, pool in enumerate(args["pools"]):
        yield from under(f"pools[{index}]", _pool_rules(pool))
    yield rule(pool_checks.repeated_name_mistakes, [pool["name"] for pool in args["pools"]])
    together = [_together(pool) for pool in args["pools"]]
    yield rule(pool_checks.fallback_mistakes, together)
    yield rule(pool_checks.shared_pool_mistakes, together)
    yield from named(
        resource_group_name=(azure_names.RESOURCE_GROUP, args["resource_group_name"]),
        kubernetes_version=(limits.VERSION, args.get("kubernetes_version")),
    )
    yield rule(tag_mistakes, args.get("tags", {}))


def _pool_rules(pool: AgentPoolSpec) -> Iterator[Rule]:
    system, policy, disk = _is_system(pool), pool.get("eviction_policy"), pool.get("os_disk", {})
    priority = pool.get("priority")
    yield rule(pool_checks.name_mistakes, pool["name"])
    yield rule(pool_checks.count_mistakes, pool.get("min_count"), pool["max_count"], system=system)
    if system:
        yield rule(pool_checks.system_mistakes, priority, pool.get("taints", ()))
        yield rule(pool_checks.system_size_mistakes, pool["vm_size"])
    yield rule(pool_checks.spot_mistakes, priority, policy, pool.get("max_price"))
    yield rule(pool_checks.os_disk_mistakes, disk.get("type"), policy)
    profile, gpus = pool.get("gpu_instance_profile"), pool.get("gpus", 0)
    yield rule(pool_checks.gpu_mistakes, profile, gpus)
    yield rule(pool_checks.time_slice_mistakes, pool.get("gpu_time_slices"), gpus, profile)
    if system:
        yield rule(pool_checks.system_pod_mistakes, pool.get("max_pods"))
    yield rule(pool_checks.zone_mistakes, pool.get("zones", ()))
    group, upgrade = pool.get("capacity_reservation_group_id"), pool.get("upgrade", {})
    yield rule(pool_checks.on_demand_mistakes, priority, upgrade, group)
    yield from rule_of_text(arm_id_mistakes, "capacityReservationGroupId", group, RESERVATION_GROUP)
    yield from under("upgrade", upgrade_rules(upgrade, system=system))
    yield rule(label_form_mistakes, pool.get("labels", {}))
    yield rule(taint_form_mistakes, pool.get("taints", ()))
    yield rule(repeated_taint_mistakes, pool.get("taints", ()))
    yield rule(reserved_label_mistakes, pool.get("labels", {}), spot=_is_spot(pool))
    yield rule(reserved_taint_mistakes, pool.get("taints", ()), spot=_is_spot(pool))
    yield rule(tag_mistakes, pool.get("tags", {}))
    yield from named(vm_size=(azure_names.VM_SIZE, pool["vm_size"]))
    yield from rule_of_text(arm_id_mistakes, "subnetId", pool.get("subnet_id"), SUBNET)


def _together(pool: AgentPoolSpec) -> dict[str, Any]:
    """What the rules of all pools together need of one."""
    keys = {"name", "priority", "labels", "fallback", "pool"}
    return {key: value for key, value in pool.items() if key in keys}


def _agent_pool(
    name: str, args: AgentPoolsArgs, pool: AgentPoolSpec, opts: pulumi.ResourceOptions
) -> aks.AgentPool:
    spot, disk = _is_spot(pool), pool.get("os_disk", {})
    cluster = pulumi.Output.from_input(args["cluster"])  # in a plugin it is an Output
    kind = _spot(pool) if spot else _regular(pool)
    if pool.get("gpus"):
        kind |= _gpu(pool, whole(args)["gpu_driver"])
    return aks.AgentPool(
        name,
        agent_pool_name=pool["name"],
        resource_group_name=args["resource_group_name"],
        resource_name_=cluster.apply(lambda made: made.name),
        mode=aks.AgentPoolMode.SYSTEM if _is_system(pool) else aks.AgentPoolMode.USER,
        type=aks.AgentPoolType.VIRTUAL_MACHINE_SCALE_SETS,
        os_type=aks.OSType.LINUX,
        os_sku=whole(args)["os_sku"],
        # Without it a new version of the cluster leaves the nodes behind (github.com/Azure/AKS/issues/3087).
        orchestrator_version=args.get(
            "kubernetes_version", cluster.apply(lambda made: made.kubernetes_version)
        ),
        vm_size=pool["vm_size"],
        enable_auto_scaling=True,
        count=pool.get("min_count"),
        min_count=pool.get("min_count"),
        max_count=pool["max_count"],
        node_labels=_labels(pool) or None,
        node_taints=_taints(pool),
        os_disk_type=disk.get("type"),
        os_disk_size_gb=disk.get("size_gib"),
        availability_zones=pool.get("zones") or None,
        max_pods=pool.get("max_pods"),
        enable_encryption_at_host=pool.get("encryption_at_host")
        or None,  # false would replace a pool where it was never set
        vnet_subnet_id=pool.get("subnet_id"),
        scale_down_mode=aks.ScaleDownMode.DELETE,
        tags=merged(args.get("tags", {}), pool.get("tags", {})) or None,
        opts=opts,
        **kind,
    )


def _ignored(pool: AgentPoolSpec) -> list[str]:
    spot = _is_spot(pool)
    unstated = {
        "capacityReservationGroupID": pool.get("capacity_reservation_group_id") is None,
        "enableEncryptionAtHost": not pool.get("encryption_at_host"),
        "gpuInstanceProfile": pool.get("gpu_instance_profile") is None,
        "scaleSetEvictionPolicy": not spot,
        "scaleSetPriority": not spot,
        "spotMaxPrice": not spot,
        "upgradeSettings": spot,
    }
    return [*ADOPTED, *(name for name, missing in unstated.items() if missing)]


def _is_system(pool: AgentPoolSpec) -> bool:
    return pool.get("mode") == "System"


def _is_spot(pool: AgentPoolSpec) -> bool:
    return pool.get("priority") == "Spot"


def _labels(pool: AgentPoolSpec) -> TextsByName:
    """The labels given, AKS's own, which an update without it would remove, and that of the device plugin.

    Source: github.com/Azure/AKS/issues/3152.
    """
    slices = pool.get("gpu_time_slices")
    return merged(
        pool.get("labels", {}),
        {SPOT_KEY: "spot"} if _is_spot(pool) else {},
        {} if slices is None else {TIME_SLICES_LABEL: when_known(str, slices)},
    )


def _taints(pool: AgentPoolSpec) -> Texts:
    """The pool's own taints, without which AKS refuses updates of a spot pool, and those given."""
    kinds = ((SPOT_TAINT, _is_spot(pool)), (GPU_TAINT, pool.get("gpus")), (SYSTEM_TAINT, _is_system(pool)))
    added = [taint for taint, kind in kinds if kind]

    def all_of(stated: Sequence[pulumi.Input[str]]) -> list[pulumi.Input[str]]:
        return [*(taint for taint in added if taint not in stated), *stated]

    return when_known(all_of, pool.get("taints", ()))


def _contract_pool(args: AgentPoolsArgs, pool: AgentPoolSpec) -> dict[str, pulumi.Input[Any]]:
    """The pool's entry in the contract, of which parts may be Outputs."""
    labels = _labels(pool)
    slices = pool.get("gpu_instance_profile"), pool.get("gpu_time_slices")
    gpus = when_known(announced_gpus, pool.get("gpus", 0), *slices)
    return {
        "name": pool["name"],
        "role": when_known(role, labels, gpus),
        "priority": pool.get("priority"),
        "vmSize": pool["vm_size"],
        "gpus": gpus,
        "maxCount": pool["max_count"],
        "labels": labels,
        "taints": _taints(pool),
        "fallback": pool.get("fallback"),
        "pool": pool.get("pool", pool["name"]),
        "region": args.get("location"),
        "zones": pool.get("zones", ()),
        "architecture": pool.get("architecture"),
        "gpuModel": pool.get("gpu_model"),
        "allocatable": when_known(
            allocatable, pool.get("vcpus"), pool.get("memory_gib"), whole(pool)["max_pods"]
        ),
    }


def _with_work(pools: Sequence[Mapping[str, Any]]) -> list[Any]:
    """The pools that work finds by their label."""
    return [pool for pool in pools if WORKLOAD_LABEL in pool["labels"]]


def _regular(pool: AgentPoolSpec) -> dict[str, Any]:
    """What only pools on demand have: how upgrades go, and where the nodes come from.

    The priority stays unset, because AKS takes the step from unset to Regular for a change of what cannot change
    (github.com/kubernetes-sigs/cluster-api-provider-azure/pull/1925).
    """
    return {
        "upgrade_settings": upgrade_settings(pool.get("upgrade", {})),
        "capacity_reservation_group_id": pool.get("capacity_reservation_group_id"),
    }


def _spot(pool: AgentPoolSpec) -> dict[str, Any]:
    """Spot: priority, eviction policy and price, and no upgrade settings.

    AKS refuses those on spot pools with "Spot pools can't set max surge"
    (github.com/hashicorp/terraform-provider-azurerm/pull/31129, 2025-11).
    """
    price = pool.get("max_price")
    return {
        "scale_set_priority": aks.ScaleSetPriority.SPOT,
        "scale_set_eviction_policy": pool.get("eviction_policy"),
        "spot_max_price": -1.0 if price is None else price,
    }


def _gpu(pool: AgentPoolSpec, driver: pulumi.Input[GpuDriver]) -> dict[str, Any]:
    """GPU: who installs the driver, and MIG slices if any."""
    return {
        "gpu_profile": aks.GPUProfileArgs(driver=driver),
        "gpu_instance_profile": pool.get("gpu_instance_profile"),
    }
