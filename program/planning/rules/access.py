"""Who can reach the API server and the nodes, and sign in (docs/facts/aks.md#api-server-access)."""

import re
from collections.abc import Iterator, Sequence
from typing import Final

import aks_facts
from components.arguments.mistakes import Mistake
from components.azure.arm_ids import PRIVATE_DNS_ZONE, SUBNET, arm_id_mistakes, name_of, parent_id
from components.azure.cidr import DOCUMENTATION, address_or_range, is_in
from components.cluster.access_checks import (
    MAX_RANGES,
    ONLY_THE_CLUSTER,
    RANGES,
    authorized_range_mistakes,
    sign_in_mistakes,
)
from components.cluster.ssh_keys import ED25519, MIN_BITS, key_mistakes, name_mistakes
from program.planning.rules.pools import component_problems
from program.settings import Settings

_ZONE: Final = "apiAccess.privateDnsZoneId"
_SUBNET: Final = "apiAccess.subnetId"
_LARGEST: Final = 8
"""Prefix of the largest range that one network has."""


def access_problems(settings: Settings) -> Iterator[Mistake]:
    """Settings of the API server that AKS refuses, or with which nobody could sign in."""
    access, outbound = settings.api_access, settings.network.outbound_type
    ranges = access.authorized_ip_ranges
    yield from authorized_range_mistakes(ranges, outbound, private=access.private_cluster)
    if len(ranges) == MAX_RANGES and settings.makes_gateway:
        yield Mistake(
            RANGES,
            len(ranges),
            f"at most {MAX_RANGES - 1} ranges, because AKS takes {MAX_RANGES} and the NAT gateway's address is one",
        )
    yield from _private_problems(settings)
    yield from sign_in_mistakes(
        access.admin_group_object_ids, local_accounts=access.local_accounts, adopted=settings.adopted
    )


def _private_problems(settings: Settings) -> Iterator[Mistake]:
    """A zone and a subnet that others own for the API server.

    Source: private-clusters.md, "Configuration options for private DNS"; api-server-vnet-integration.md.
    """
    access, subnets = settings.api_access, settings.network.subnet_ids
    zone, subnet = access.private_dns_zone_id, access.subnet_id
    if zone is not None:
        wrong = list(arm_id_mistakes(_ZONE, zone, PRIVATE_DNS_ZONE))
        yield from wrong
        start, end = f"{'private' if subnet else 'privatelink'}.{settings.location}.", _zone_end(settings)
        form = rf"([^.]{{1,32}}\.)?{re.escape(start)}{re.escape(end) if end else '.+'}"
        if not access.private_cluster:
            yield Mistake(_ZONE, zone, "no value unless apiAccess.privateCluster is true")
        elif not wrong and not re.fullmatch(form, name_of(zone).lower()):
            named = start + (end or "<end of its cloud>")
            yield Mistake(
                _ZONE, zone, f"a zone named {named}, or with one label of 32 characters at most before it"
            )
    if subnet is None:
        return
    region = aks_facts.region(settings.location)
    if region and not region.server_in_subnet:
        yield Mistake(
            _SUBNET, subnet, f"no value, because AKS puts no API server into a subnet in {region.name}"
        )
    wrong = list(arm_id_mistakes(_SUBNET, subnet, SUBNET))
    yield from wrong
    nodes = [text.lower() for _, text in subnets or ()]
    if not nodes:
        yield Mistake(_SUBNET, subnet, "no value unless network.subnetIds has subnets of the same network")
    elif not wrong and parent_id(nodes[0]) != parent_id(subnet).lower():
        yield Mistake(_SUBNET, subnet, "a subnet of the network of network.subnetIds")
    elif subnet.lower() in nodes:
        yield Mistake(_SUBNET, subnet, "a subnet without nodes, because it is delegated to AKS")


def _zone_end(settings: Settings) -> str | None:
    """End of an API server's name in the region's cloud; None of a region that the catalogue lacks."""
    cloud = aks_facts.clouds().get(settings.location)
    return cloud.zone if cloud else "azmk8s.io" if aks_facts.region(settings.location) else None


def access_warnings(settings: Settings) -> Iterator[str]:
    """Ranges and groups that AKS accepts but that admit everybody or nobody."""
    ranges = settings.api_access.authorized_ip_ranges
    yield from placeholder_warnings(RANGES, ranges, "Pulumi, Juju and you")
    for index, network in enumerate(map(address_or_range, ranges)):
        key = f"{RANGES}[{index}] is {network}"
        if network == ONLY_THE_CLUSTER:
            yield f"{key}: only the cluster's own nodes may call; Pulumi and Juju must run there"
        elif network.prefixlen < _LARGEST:
            yield f"{key}: {network.num_addresses:,} addresses may call the API server; write only your own"
    yield from covered_warnings(RANGES, ranges)
    outbound = settings.network.outbound_type
    if ranges and outbound == "userDefinedRouting":
        yield (
            f"{RANGES} while network.outboundType is userDefinedRouting: without the public address of your firewall "
            "among them no node joins the cluster; make sure that it is listed"
        )
    elif ranges and outbound == "userAssignedNATGateway" and not settings.makes_gateway:
        yield (
            f"{RANGES} with network.subnetIds: without the public address of the subnets' NAT gateway among them no "
            "node joins the cluster; make sure that it is listed"
        )
    if settings.api_access.subnet_id is not None and settings.location in aks_facts.clouds():
        yield (
            f"apiAccess.subnetId while location is {settings.location}: Microsoft's page has API Server VNet "
            "Integration for the public cloud only (api-server-vnet-integration.md, 2026-04-15); ask before the first "
            "`up`, or leave it out"
        )
    if settings.api_access.subnet_id is not None and settings.office_hours is not None:
        yield (
            "apiAccess.subnetId with officeHours: stopping the cluster gives up the capacity of its API server, and "
            "Azure may have none when it is to start; leave one of the two out"
        )
    if settings.api_access.private_cluster and settings.api_access.run_command is False:
        yield (
            "apiAccess.runCommand is false on a private cluster: from outside its network nobody reaches it any more, "
            "not even by `az aks command invoke`; make sure that Pulumi, Juju and whoever repairs it run inside"
        )
    for index, text in enumerate(settings.api_access.admin_group_object_ids):
        if all(len(set(part)) == 1 for part in text.lower().split("-")):
            yield (
                f"apiAccess.adminGroupObjectIds[{index}] is {text}: a placeholder, so nobody could sign in; "
                "write the object id of your group"
            )


def placeholder_warnings(key: str, ranges: Sequence[str], who: str) -> Iterator[str]:
    """Placeholder ranges of examples; `who` must write the real ones."""
    for index, text in enumerate(ranges):
        if is_in(address_or_range(text), DOCUMENTATION):
            yield (
                f"{key}[{index}] is {text}: a placeholder, from which nobody calls; write the range that {who} go out "
                "by"
            )


def covered_warnings(key: str, texts: Sequence[str]) -> Iterator[str]:
    """Ranges that others cover."""
    ranges = list(map(address_or_range, texts))
    for index, network in enumerate(ranges):
        wider = (other for at, other in enumerate(ranges) if network != other or at < index)
        if outer := next(filter(network.subnet_of, wider), None):
            yield f"{key}[{index}] is {network}: {outer} covers it; leave one of them out"


def ssh_problems(settings: Settings) -> Iterator[Mistake]:
    """User names and keys that Azure refuses."""
    if settings.ssh is not None:
        yield from component_problems("ssh", name_mistakes(settings.ssh.admin_username))
        yield from component_problems("ssh", key_mistakes(settings.ssh.public_key))


def ssh_warnings(settings: Settings) -> Iterator[str]:
    """Keys that AKS is known to refuse."""
    if settings.ssh and settings.ssh.public_key.startswith(ED25519):
        yield (
            f"ssh.publicKey is an {ED25519} key: AKS refused such keys as invalid (Azure/AKS#4431) and documents RSA "
            f"keys only; an RSA key of {MIN_BITS} bits or more is safe"
        )
