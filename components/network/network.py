"""The virtual network: a subnet for each kind of pool, new or of others, outbound routing, the ingress's address."""

from collections.abc import Iterator
from typing import Final

import pulumi
from pulumi_azure_native import network

from ..arguments.checked import Rule, checked, named, rule, rule_of_text, whole
from ..arguments.declaration import default_of
from ..arguments.limits import text_mistakes
from ..azure import azure_names
from ..azure.arm_ids import ROUTE_TABLE, SUBNET, arm_id_mistakes
from ..azure.cidr import range_mistakes, together_mistakes
from ..azure.tags import tag_mistakes
from .network_args import SUBNETS, NetworkArgs
from .network_checks import route_table_mistakes, vnet_mistakes

_VNET_CIDR: Final = default_of(NetworkArgs, "vnet_cidr")


class Network(pulumi.ComponentResource):
    """The virtual network of one cluster."""

    subnet_ids: dict[str, pulumi.Output[str]]
    """ARM id of each subnet, by name; empty in a network that AKS makes."""
    outbound_address: pulumi.Output[str] | None
    """Public address that nodes come from, or None where the cluster, the user's routes or subnets of others decide."""
    ingress_address_name: pulumi.Output[str]
    """Name of the public address kept for the ingress."""
    ingress_fqdn: pulumi.Output[str]
    """Public name of the ingress; empty without a DNS label."""

    def __init__(self, name: str, args: NetworkArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        args = checked("Network", NetworkArgs, args, _rules)
        super().__init__("kubeflow-aks:index:Network", name, {}, opts)
        child = pulumi.ResourceOptions(parent=self)
        self.outbound_address = None
        others = (args.get("subnet_ids") or {}).items()
        self.subnet_ids = {subnet: pulumi.Output.from_input(arm_id) for subnet, arm_id in others}
        if not self.subnet_ids and not args.get("managed_by_aks"):
            self.subnet_ids = self._made(name, args, child)
        label = args.get("dns_label")
        dns = network.PublicIPAddressDnsSettingsArgs(domain_name_label=label) if label else None
        kept = args.get("ingress_address_name", f"{name}-ingress")
        ingress = _static_address(f"{name}-ingress", kept, args, child, dns)
        self.ingress_address_name = ingress.name
        self.ingress_fqdn = ingress.dns_settings.apply(
            lambda settings: settings.fqdn or "" if settings else ""
        )
        self.register_outputs(
            {
                "subnetIds": self.subnet_ids,
                "ingressAddressName": self.ingress_address_name,
                "ingressFqdn": self.ingress_fqdn,
            }
        )

    def _made(
        self, name: str, args: NetworkArgs, opts: pulumi.ResourceOptions
    ) -> dict[str, pulumi.Output[str]]:
        """The ARM ids of the subnets of a new network."""
        gateway = None
        if args.get("outbound_type") == "userAssignedNATGateway":
            outbound = args.get("outbound_address_name", f"{name}-outbound")
            address = _static_address(f"{name}-outbound", outbound, args, opts)
            gateway = _nat_gateway(name, args, address, opts)
            self.outbound_address = address.ip_address.apply(lambda ip: ip or "")
        names, subnets = args.get("subnet_names", {}), args.get("subnets", SUBNETS)
        vnet = _virtual_network(name, args, gateway, opts)
        return {
            subnet: pulumi.Output.concat(vnet.id, "/subnets/", names.get(subnet, subnet))
            for subnet in subnets
        }


def _virtual_network(
    name: str, args: NetworkArgs, gateway: network.NatGateway | None, opts: pulumi.ResourceOptions
) -> network.VirtualNetwork:
    """A network with its subnets inline.

    Separate ones would be changed in parallel, which Azure refuses with 409
    (github.com/pulumi/pulumi-azure-native/issues/1024, 2021-07-26).
    """
    names, subnets = args.get("subnet_names", {}), args.get("subnets", SUBNETS)
    route_table = args.get("route_table_id")
    # Private: nodes always have a way out of their own, and Azure would give every VM another one by default
    # (learn.microsoft.com/azure/virtual-network/ip-services/default-outbound-access, 2026-01-30).
    # Documents disagree whether that can change later, so it stays as it is where a network is there already.
    unchanged = pulumi.ResourceOptions(ignore_changes=["subnets[*].defaultOutboundAccess"])
    return network.VirtualNetwork(
        f"{name}-vnet",
        virtual_network_name=args.get("vnet_name", f"{name}-vnet"),
        resource_group_name=args["resource_group_name"],
        location=args["location"],
        address_space=network.AddressSpaceArgs(address_prefixes=[whole(args)["vnet_cidr"]]),
        subnets=[
            network.SubnetArgs(
                name=names.get(subnet, subnet),
                address_prefix=cidr,
                default_outbound_access=False,
                nat_gateway=network.SubResourceArgs(id=gateway.id) if gateway else None,
                route_table=network.RouteTableArgs(id=route_table) if route_table else None,
            )
            for subnet, cidr in subnets.items()
        ],
        tags=args.get("tags"),
        opts=pulumi.ResourceOptions.merge(opts, unchanged),
    )


def _rules(args: NetworkArgs) -> Iterator[Rule]:
    subnets, vnet = args.get("subnets", SUBNETS), args.get("vnet_cidr")
    yield rule(range_mistakes, "vnetCidr", vnet, _VNET_CIDR)
    examples = {f"subnets.{name}": SUBNETS["system"] for name in subnets}
    yield rule(together_mistakes, examples, *subnets.values())
    for name, arm_id in (args.get("subnet_ids") or {}).items():
        yield from rule_of_text(arm_id_mistakes, f"subnetIds.{name}", arm_id, SUBNET)
    yield rule(vnet_mistakes, {"vnetCidr": _VNET_CIDR, **examples}, vnet, *subnets.values())
    routes = args.get("route_table_id")
    yield from rule_of_text(arm_id_mistakes, "routeTableId", routes, ROUTE_TABLE)
    if not (args.get("subnet_ids") or args.get("managed_by_aks")):
        yield rule(route_table_mistakes, args.get("outbound_type"), routes)
    yield from named(
        resource_group_name=(azure_names.RESOURCE_GROUP, args["resource_group_name"]),
        location=(azure_names.LOCATION, args["location"]),
        vnet_name=(azure_names.NETWORK, args.get("vnet_name")),
        ingress_address_name=(azure_names.NETWORK_PART, args.get("ingress_address_name")),
        outbound_address_name=(azure_names.NETWORK_PART, args.get("outbound_address_name")),
        nat_gateway_name=(azure_names.NETWORK_PART, args.get("nat_gateway_name")),
        dns_label=(azure_names.DNS_LABEL, args.get("dns_label")),
    )
    for subnet, name in args.get("subnet_names", {}).items():
        yield rule(text_mistakes, f"subnetNames.{subnet}", azure_names.SUBNET, name)
    yield rule(tag_mistakes, args.get("tags", {}))


def _nat_gateway(
    name: str, args: NetworkArgs, address: network.PublicIPAddress, opts: pulumi.ResourceOptions
) -> network.NatGateway:
    return network.NatGateway(
        f"{name}-nat",
        nat_gateway_name=args.get("nat_gateway_name", f"{name}-nat"),
        resource_group_name=args["resource_group_name"],
        location=args["location"],
        sku=network.NatGatewaySkuArgs(name=network.NatGatewaySkuName.STANDARD),
        public_ip_addresses=[network.SubResourceArgs(id=address.id)],
        tags=args.get("tags"),
        opts=opts,
    )


def _static_address(
    name: str,
    physical_name: pulumi.Input[str],
    args: NetworkArgs,
    opts: pulumi.ResourceOptions,
    dns: network.PublicIPAddressDnsSettingsArgs | None = None,
) -> network.PublicIPAddress:
    """A static standard address, the only kind a standard load balancer or a NAT gateway takes.

    Source: MicrosoftDocs/azure-aks-docs, articles/aks/static-ip.md (2026-08-21).
    """
    return network.PublicIPAddress(
        name,
        public_ip_address_name=physical_name,
        resource_group_name=args["resource_group_name"],
        location=args["location"],
        public_ip_allocation_method=network.IPAllocationMethod.STATIC,
        sku=network.PublicIPAddressSkuArgs(name=network.PublicIPAddressSkuName.STANDARD),
        dns_settings=dns,
        tags=args.get("tags"),
        opts=opts,
    )
