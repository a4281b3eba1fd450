"""The rules of the arguments of `AksCluster`, beside what their annotations say."""

from collections.abc import Iterator, Sequence

import pulumi

from ..arguments import defaults, limits
from ..arguments.checked import Rule, named, rule, rule_of_text, under
from ..arguments.mistakes import Mistake
from ..azure import azure_names, cidr
from ..azure.arm_ids import (
    IDENTITY,
    PRIVATE_DNS_ZONE,
    RESERVATION_GROUP,
    ROUTE_TABLE,
    SUBNET,
    arm_id_mistakes,
    group_id_mistakes,
)
from ..azure.tags import tag_mistakes
from ..network.network_checks import cluster_range_mistakes
from ..pools import pool_checks
from ..pools.pool_specs import SystemPoolSpec
from ..pools.upgrade_settings import upgrade_rules
from . import ssh_keys
from .access_checks import authorized_range_mistakes, sign_in_mistakes
from .aks_cluster_args import (
    AksClusterArgs,
    ApiAccessSpec,
    AutoscalerSpec,
    ClusterNetworkSpec,
    KubernetesSpec,
)
from .long_term_support import long_term_support_mistakes
from .tiers import cost_analysis_mistakes

_DURATIONS = {
    "scan_interval": ("scanInterval", limits.SECONDS),
    "max_node_provision_time": ("maxNodeProvisionTime", limits.MINUTES),
    "scale_down_delay_after_add": ("scaleDownDelayAfterAdd", limits.MINUTES_OR_NONE),
    "scale_down_unneeded_time": ("scaleDownUnneededTime", limits.MINUTES_OR_NONE),
}
_RANGES = {"podCidr": defaults.POD_CIDR, "serviceCidr": defaults.SERVICE_CIDR}


def cluster_rules(args: AksClusterArgs) -> Iterator[Rule]:
    """Every rule of these arguments."""
    kubernetes, network = args.get("kubernetes", {}), args.get("network", {})
    yield from under("systemPool", _system_pool_rules(args.get("system_pool", {})))
    yield from under("network", _network_rules(network))
    yield rule(_engine_mistakes, network.get("policy"), adopted=args.get("adopted", False))
    yield from under("kubernetes", _kubernetes_rules(kubernetes))
    outbound_type = network.get("outbound_type", defaults.OUTBOUND_TYPE)
    yield from _access_rules(args.get("api_access", {}), outbound_type)
    yield from _name_rules(args)
    groups = args.get("capacity_reservation_groups", {})
    for name, group in groups.items():
        yield from rule_of_text(
            arm_id_mistakes, f"capacityReservationGroups.{name}", group, RESERVATION_GROUP
        )
    yield rule(_reservation_mistakes, args.get("identity_id"), list(groups))
    yield from under("autoscaler", _autoscaler_rules(args.get("autoscaler", {})))
    if ssh := args.get("ssh"):
        yield from under("ssh", [rule(ssh_keys.key_mistakes, ssh["public_key"])])
        user = ssh.get("admin_username", defaults.SSH_USERNAME)
        yield from under("ssh", [rule(ssh_keys.name_mistakes, user)])


def _system_pool_rules(pool: SystemPoolSpec) -> Iterator[Rule]:
    min_count = pool.get("min_count", defaults.SYSTEM_MIN_COUNT)
    max_count = pool.get("max_count", defaults.SYSTEM_MAX_COUNT)
    yield rule(pool_checks.name_mistakes, pool.get("name", defaults.SYSTEM_POOL_NAME))
    yield rule(pool_checks.count_mistakes, min_count, max_count, system=True)
    yield rule(pool_checks.disk_size_mistakes, "osDiskGib", pool.get("os_disk_gib", defaults.OS_DISK_GIB))
    yield rule(pool_checks.pod_mistakes, pool.get("max_pods", defaults.MAX_PODS), system=True)
    yield rule(pool_checks.zone_mistakes, pool.get("zones", ()))
    yield from under("upgrade", upgrade_rules(pool.get("upgrade", {}), system=True))
    size = pool.get("vm_size", defaults.SYSTEM_VM_SIZE)
    yield from named(vm_size=(azure_names.VM_SIZE, size))
    yield rule(pool_checks.system_size_mistakes, size)
    yield from rule_of_text(arm_id_mistakes, "subnetId", pool.get("subnet_id"), SUBNET)


def _network_rules(network: ClusterNetworkSpec) -> Iterator[Rule]:
    pods = network.get("pod_cidr", defaults.POD_CIDR)
    services = network.get("service_cidr", defaults.SERVICE_CIDR)
    yield rule(cidr.together_mistakes, _RANGES, pods, services)
    yield rule(cluster_range_mistakes, _RANGES, pods, services)
    yield from rule_of_text(arm_id_mistakes, "routeTableId", network.get("route_table_id"), ROUTE_TABLE)
    for name, arm_id in (network.get("subnet_ids") or {}).items():
        yield from rule_of_text(arm_id_mistakes, f"subnetIds.{name}", arm_id, SUBNET)


def _engine_mistakes(policy: str | None, *, adopted: bool) -> Iterator[Mistake]:
    """Azure's own engine ends, so no cluster gets it any more."""
    if policy == "azure" and not adopted:
        yield Mistake("network.policy", policy, "none, calico or cilium, unless the cluster is adopted")


def _kubernetes_rules(kubernetes: KubernetesSpec) -> Iterator[Rule]:
    yield rule(
        limits.text_mistakes,
        "version",
        limits.MINOR_VERSION,
        kubernetes.get("version", defaults.KUBERNETES_VERSION),
    )
    tier = kubernetes.get("tier", defaults.TIER)
    yield rule(long_term_support_mistakes, tier, kubernetes.get("support_plan", defaults.SUPPORT_PLAN))
    yield rule(cost_analysis_mistakes, tier, kubernetes.get("cost_analysis"))
    window = kubernetes.get("maintenance", {})
    start = window.get("start_time", defaults.MAINTENANCE_START)
    offset = window.get("utc_offset", defaults.MAINTENANCE_UTC_OFFSET)
    hours = window.get("duration_hours", defaults.MAINTENANCE_HOURS)
    yield rule(limits.text_mistakes, "maintenance.startTime", limits.TIME_OF_DAY, start)
    yield rule(limits.number_mistakes, "maintenance.durationHours", limits.MAINTENANCE_HOURS, hours)
    yield rule(limits.text_mistakes, "maintenance.utcOffset", limits.UTC_OFFSET, offset)


def _access_rules(access: ApiAccessSpec, outbound_type: pulumi.Input[str]) -> Iterator[Rule]:
    private = access.get("private_cluster", defaults.PRIVATE_CLUSTER)
    ranges = access.get("authorized_ip_ranges")
    yield rule(authorized_range_mistakes, ranges, outbound_type, private=private)
    local_accounts = access.get("local_accounts", defaults.LOCAL_ACCOUNTS)
    yield rule(sign_in_mistakes, access.get("admin_group_object_ids", ()), local_accounts=local_accounts)
    zone, subnet = access.get("private_dns_zone_id"), access.get("subnet_id")
    yield from rule_of_text(arm_id_mistakes, "apiAccess.privateDnsZoneId", zone, PRIVATE_DNS_ZONE)
    yield from rule_of_text(arm_id_mistakes, "apiAccess.subnetId", subnet, SUBNET)
    yield rule(_zone_mistakes, zone, private=private)


def _zone_mistakes(zone: str | None, *, private: bool) -> Iterator[Mistake]:
    if zone is not None and not private:
        yield Mistake("apiAccess.privateDnsZoneId", zone, "no value unless privateCluster is true")


def _name_rules(args: AksClusterArgs) -> Iterator[Rule]:
    yield from named(
        resource_group_name=(azure_names.RESOURCE_GROUP, args["resource_group_name"]),
        location=(azure_names.LOCATION, args["location"]),
        cluster_name=(azure_names.CLUSTER, args.get("cluster_name")),
        dns_prefix=(azure_names.DNS_PREFIX, args.get("dns_prefix")),
        node_resource_group=(azure_names.NODE_RESOURCE_GROUP, args.get("node_resource_group")),
    )
    yield from rule_of_text(group_id_mistakes, "resourceGroupId", args["resource_group_id"])
    yield from rule_of_text(arm_id_mistakes, "identityId", args.get("identity_id"), IDENTITY)
    yield rule(tag_mistakes, args.get("tags", {}))


def _reservation_mistakes(identity_id: str | None, groups: Sequence[str]) -> Iterator[Mistake]:
    if identity_id is not None and groups:
        allowed = "no value beside identityId, whose rights are yours to give"
        yield Mistake("capacityReservationGroups", list(groups), allowed)


def _autoscaler_rules(profile: AutoscalerSpec) -> Iterator[Rule]:
    for name, (key, form) in _DURATIONS.items():
        if name in profile:
            yield rule(limits.text_mistakes, key, form, profile[name])
    share, seconds = "scaleDownUtilizationThreshold", "maxGracefulTerminationSec"
    yield rule(
        limits.number_mistakes, share, limits.SHARE, profile.get("scale_down_utilization_threshold", 0)
    )
    yield rule(
        limits.number_mistakes, seconds, limits.GRACE_SECONDS, profile.get("max_graceful_termination_sec", 0)
    )
