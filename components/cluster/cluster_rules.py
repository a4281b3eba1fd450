"""The rules of the arguments of `AksCluster`, beside what their annotations say."""

from collections.abc import Iterator, Sequence

from ..arguments.checked import Rule, named, rule, rule_of_text, under
from ..arguments.declaration import Input, default_of
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
from .aks_cluster_args import AksClusterArgs, ApiAccessSpec, ClusterNetworkSpec, KubernetesSpec
from .tiers import cost_analysis_mistakes, long_term_support_mistakes

_RANGES = {
    "podCidr": default_of(ClusterNetworkSpec, "pod_cidr"),
    "serviceCidr": default_of(ClusterNetworkSpec, "service_cidr"),
}


def cluster_rules(args: AksClusterArgs) -> Iterator[Rule]:
    """Every rule of these arguments, whose defaults are there."""
    kubernetes, network = args.get("kubernetes", {}), args.get("network", {})
    adopted = args.get("adopted", False)
    yield from under("systemPool", _system_pool_rules(args.get("system_pool", {})))
    yield from under("network", _network_rules(network))
    yield rule(_engine_mistakes, network.get("policy"), adopted=adopted)
    yield from under("kubernetes", _kubernetes_rules(kubernetes))
    yield from _access_rules(args.get("api_access", {}), network.get("outbound_type"), adopted=adopted)
    yield from _name_rules(args)
    groups = args.get("capacity_reservation_groups", {})
    for name, group in groups.items():
        yield from rule_of_text(
            arm_id_mistakes, f"capacityReservationGroups.{name}", group, RESERVATION_GROUP
        )
    yield rule(_reservation_mistakes, args.get("identity_id"), list(groups))
    if ssh := args.get("ssh"):
        yield from under("ssh", [rule(ssh_keys.key_mistakes, ssh["public_key"])])
        yield from under("ssh", [rule(ssh_keys.name_mistakes, ssh.get("admin_username"))])


def _system_pool_rules(pool: SystemPoolSpec) -> Iterator[Rule]:
    yield rule(pool_checks.name_mistakes, pool.get("name"))
    yield rule(pool_checks.count_mistakes, pool.get("min_count"), pool.get("max_count"))
    yield rule(pool_checks.zone_mistakes, pool.get("zones", ()))
    yield from under("upgrade", upgrade_rules(pool.get("upgrade", {}), system=True))
    yield rule(tag_mistakes, pool.get("tags", {}))
    size = pool.get("vm_size")
    yield from named(vm_size=(azure_names.VM_SIZE, size))
    yield rule(pool_checks.system_size_mistakes, size)
    yield from rule_of_text(arm_id_mistakes, "subnetId", pool.get("subnet_id"), SUBNET)


def _network_rules(network: ClusterNetworkSpec) -> Iterator[Rule]:
    pods, services = network.get("pod_cidr"), network.get("service_cidr")
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
    tier = kubernetes.get("tier")
    yield rule(long_term_support_mistakes, tier, kubernetes.get("support_plan"))
    yield rule(cost_analysis_mistakes, tier, kubernetes.get("cost_analysis"))


def _access_rules(
    access: ApiAccessSpec, outbound_type: Input[str] | None, *, adopted: bool
) -> Iterator[Rule]:
    private = access.get("private_cluster")
    ranges = access.get("authorized_ip_ranges")
    yield rule(authorized_range_mistakes, ranges, outbound_type, private=private)
    local_accounts = access.get("local_accounts")
    yield rule(
        sign_in_mistakes,
        access.get("admin_group_object_ids", ()),
        local_accounts=local_accounts,
        adopted=adopted,
    )
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
