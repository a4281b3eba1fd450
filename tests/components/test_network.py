"""The virtual network, on its own."""

# pyright: reportUntypedFunctionDecorator=false, reportUnknownMemberType=false

from typing import Any

import pulumi
import pytest

from components.arguments.errors import ArgumentsError
from components.network.network import Network, NetworkArgs
from tests.components.conftest import Cloud

TABLE = (
    "/subscriptions/00000000-0000-0000-0000-000000001234/resourceGroups/hub"
    "/providers/Microsoft.Network/routeTables/hub"
)
ARGS = NetworkArgs(
    resource_group_name="group",
    location="westeurope",
    vnet_cidr="10.224.0.0/16",
    subnets={"system": "10.224.0.0/24", "cpu": "10.224.4.0/22"},
    outbound_type="loadBalancer",
    route_table_id=None,
    dns_label="kf-ml",
    tags={"owner": "ml"},
)
NAT: NetworkArgs = {**ARGS, "outbound_type": "userAssignedNATGateway"}


@pytest.fixture(scope="module", autouse=True)
def network(cloud: Cloud) -> Network:
    """The network that tests read unless they make one of their own."""
    return cloud.build(lambda: Network("kf", ARGS, cloud.opts))


@pulumi.runtime.test
def test_every_role_has_a_subnet_of_its_range(cloud: Cloud) -> Any:
    def check(body: dict[str, Any]) -> None:
        ranges = {subnet["name"]: subnet["addressPrefix"] for subnet in body["subnets"]}
        assert ranges == {"system": "10.224.0.0/24", "cpu": "10.224.4.0/22"}

    return cloud.request("kf-vnet").apply(check)


@pulumi.runtime.test
def test_the_subnets_lie_in_the_range_of_the_network(cloud: Cloud) -> Any:
    def check(body: dict[str, Any]) -> None:
        assert body["addressSpace"] == {"addressPrefixes": ["10.224.0.0/16"]}

    return cloud.request("kf-vnet").apply(check)


@pulumi.runtime.test
def test_a_subnet_is_found_by_its_role(network: Network) -> Any:
    def check(values: list[str]) -> None:
        system, cpu = values
        assert system.endswith("/kf-vnet/subnets/system")
        assert cpu.endswith("/kf-vnet/subnets/cpu")

    return pulumi.Output.all(network.subnet_ids["system"], network.subnet_ids["cpu"]).apply(check)


@pulumi.runtime.test
def test_the_ingress_has_a_static_standard_address(cloud: Cloud) -> Any:
    def check(body: dict[str, Any]) -> None:
        assert (body["publicIPAllocationMethod"], body["sku"]) == ("Static", {"name": "Standard"})

    return cloud.request("kf-ingress").apply(check)


@pulumi.runtime.test
def test_the_ingress_has_the_name_that_the_dns_label_gives(network: Network) -> Any:
    def check(values: list[str]) -> None:
        assert values == ["kf-ingress", "kf-ml.westeurope.cloudapp.azure.com"]

    return pulumi.Output.all(network.ingress_address_name, network.ingress_fqdn).apply(check)


@pulumi.runtime.test
def test_without_a_nat_gateway_there_is_one_address(cloud: Cloud) -> None:
    assert cloud.names("kf") == ["kf", "kf-vnet", "kf-ingress"]


@pulumi.runtime.test
def test_a_nat_gateway_stands_on_every_subnet(cloud: Cloud) -> Any:
    def check(body: dict[str, Any]) -> None:
        gateways = {subnet["natGateway"]["id"].rpartition("/")[2] for subnet in body["subnets"]}
        assert gateways == {"natted-nat"}

    Network("natted", NAT, cloud.opts)
    return cloud.request("natted-vnet").apply(check)


@pulumi.runtime.test
def test_a_nat_gateway_goes_out_by_an_address_of_its_own(cloud: Cloud) -> Any:
    def check(body: dict[str, Any]) -> None:
        [address] = body["publicIpAddresses"]
        assert address["id"].endswith("/outward-outbound")

    Network("outward", NAT, cloud.opts)
    return cloud.request("outward-nat").apply(check)


@pulumi.runtime.test
def test_behind_a_nat_gateway_nodes_come_from_its_address(cloud: Cloud) -> Any:
    def check(address: str) -> None:
        assert address == "198.51.100.4"

    left_by = Network("leaving", NAT, cloud.opts).outbound_address
    assert left_by
    return left_by.apply(check)


def test_otherwise_it_is_not_known_where_nodes_come_from(network: Network) -> None:
    assert network.outbound_address is None


@pulumi.runtime.test
def test_a_route_table_stands_on_every_subnet(cloud: Cloud) -> Any:
    def check(body: dict[str, Any]) -> None:
        assert [subnet["routeTable"] for subnet in body["subnets"]] == [{"id": TABLE}, {"id": TABLE}]

    Network("routed", {**ARGS, "outbound_type": "userDefinedRouting", "route_table_id": TABLE}, cloud.opts)
    return cloud.request("routed-vnet").apply(check)


@pytest.mark.parametrize("child", ["vnet", "ingress", "nat", "outbound"])
@pulumi.runtime.test
def test_tags_location_and_group_reach_every_child(cloud: Cloud, child: str) -> Any:
    def check(body: dict[str, Any]) -> None:
        assert body["tags"] == {"owner": "ml"}
        assert (body["location"], body["resourceGroupName"]) == ("westeurope", "group")

    Network(f"tagged-{child}", NAT, cloud.opts)
    return cloud.request(f"tagged-{child}-{child}").apply(check)


SUBNET = TABLE.replace("routeTables/hub", "virtualNetworks/spoke/subnets/nodes")


@pulumi.runtime.test
def test_in_subnets_of_others_only_the_ingress_s_address_is_made(cloud: Cloud) -> Any:
    theirs = Network("theirs", {**NAT, "subnet_ids": {"system": SUBNET}}, cloud.opts)
    assert cloud.names("theirs") == ["theirs", "theirs-ingress"]
    assert theirs.outbound_address is None

    def check(arm_id: str) -> None:
        assert arm_id == SUBNET

    return theirs.subnet_ids["system"].apply(check)


def test_an_id_of_no_subnet_is_refused(cloud: Cloud) -> None:
    with pytest.raises(
        ArgumentsError, match=r"subnetIds\.cpu: 'cpu' is not allowed; expected /subscriptions/"
    ):
        Network("wrong", {**ARGS, "subnet_ids": {"cpu": "cpu"}}, cloud.opts)


@pulumi.runtime.test
def test_new_subnets_are_private(cloud: Cloud) -> Any:
    def check(body: dict[str, Any]) -> None:
        assert [subnet["defaultOutboundAccess"] for subnet in body["subnets"]] == [False, False]

    return cloud.request("kf-vnet").apply(check)
