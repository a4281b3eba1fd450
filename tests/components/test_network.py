"""The virtual network, on its own."""

import pytest

from components.arguments.errors import ArgumentsError
from components.network.network import Network, NetworkArgs
from tests.components.conftest import Cloud, value

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
    return Network("kf", ARGS, cloud.opts)


def test_every_role_has_a_subnet_of_its_range(cloud: Cloud) -> None:
    ranges = {subnet["name"]: subnet["addressPrefix"] for subnet in cloud.inputs("kf-vnet")["subnets"]}
    assert ranges == {"system": "10.224.0.0/24", "cpu": "10.224.4.0/22"}


def test_the_subnets_lie_in_the_range_of_the_network(cloud: Cloud) -> None:
    assert cloud.inputs("kf-vnet")["addressSpace"] == {"addressPrefixes": ["10.224.0.0/16"]}


def test_a_subnet_is_found_by_its_role(network: Network) -> None:
    for role in ("system", "cpu"):
        assert value(network.subnet_ids[role]).endswith(f"/kf-vnet/subnets/{role}")


def test_the_ingress_has_a_static_standard_address(cloud: Cloud) -> None:
    body = cloud.inputs("kf-ingress")
    assert (body["publicIPAllocationMethod"], body["sku"]) == ("Static", {"name": "Standard"})


def test_the_ingress_has_the_name_that_the_dns_label_gives(network: Network) -> None:
    assert value(network.ingress_address_name) == "kf-ingress"
    assert value(network.ingress_fqdn) == "kf-ml.westeurope.cloudapp.azure.com"


def test_without_a_nat_gateway_there_is_one_address(cloud: Cloud) -> None:
    assert cloud.names("kf") == ["kf", "kf-vnet", "kf-ingress"]


def test_a_nat_gateway_stands_on_every_subnet(cloud: Cloud) -> None:
    Network("natted", NAT, cloud.opts)
    gateways = {
        subnet["natGateway"]["id"].rpartition("/")[2] for subnet in cloud.inputs("natted-vnet")["subnets"]
    }
    assert gateways == {"natted-nat"}


def test_a_nat_gateway_goes_out_by_an_address_of_its_own(cloud: Cloud) -> None:
    Network("outward", NAT, cloud.opts)
    [address] = cloud.inputs("outward-nat")["publicIpAddresses"]
    assert address["id"].endswith("/outward-outbound")


def test_behind_a_nat_gateway_nodes_come_from_its_address(cloud: Cloud) -> None:
    left_by = Network("leaving", NAT, cloud.opts).outbound_address
    assert left_by
    assert value(left_by) == "198.51.100.4"


def test_otherwise_it_is_not_known_where_nodes_come_from(network: Network) -> None:
    assert network.outbound_address is None


def test_a_route_table_stands_on_every_subnet(cloud: Cloud) -> None:
    Network("routed", {**ARGS, "outbound_type": "userDefinedRouting", "route_table_id": TABLE}, cloud.opts)
    assert [subnet["routeTable"] for subnet in cloud.inputs("routed-vnet")["subnets"]] == [
        {"id": TABLE},
        {"id": TABLE},
    ]


@pytest.mark.parametrize("child", ["vnet", "ingress", "nat", "outbound"])
def test_tags_location_and_group_reach_every_child(cloud: Cloud, child: str) -> None:
    Network(f"tagged-{child}", NAT, cloud.opts)
    body = cloud.inputs(f"tagged-{child}-{child}")
    assert body["tags"] == {"owner": "ml"}
    assert (body["location"], body["resourceGroupName"]) == ("westeurope", "group")


SUBNET = TABLE.replace("routeTables/hub", "virtualNetworks/spoke/subnets/nodes")


def test_in_subnets_of_others_only_the_ingress_s_address_is_made(cloud: Cloud) -> None:
    theirs = Network("theirs", {**NAT, "subnet_ids": {"system": SUBNET}}, cloud.opts)
    assert cloud.names("theirs") == ["theirs", "theirs-ingress"]
    assert theirs.outbound_address is None
    assert value(theirs.subnet_ids["system"]) == SUBNET


def test_an_id_of_no_subnet_is_refused(cloud: Cloud) -> None:
    with pytest.raises(
        ArgumentsError, match=r"subnetIds\.cpu: 'cpu' is not allowed; expected /subscriptions/"
    ):
        Network("wrong", {**ARGS, "subnet_ids": {"cpu": "cpu"}}, cloud.opts)


def test_new_subnets_are_private(cloud: Cloud) -> None:
    assert [subnet["defaultOutboundAccess"] for subnet in cloud.inputs("kf-vnet")["subnets"]] == [
        False,
        False,
    ]
