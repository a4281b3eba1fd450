"""Address ranges that fit each other and the pools."""

from typing import Any

import pytest

from planning.hardware import EVERY
from planning.network_rules import network_problems, subnets
from planning.pools import agent_pools
from tests.planning.given import GENERAL, SPOT, refused, settings


def found(network: dict[str, Any], **keys: Any) -> list[str]:
    given = settings(network=network, **keys)
    return refused(network_problems(given, agent_pools(given)))


def test_the_defaults_fit() -> None:
    assert found({}) == []


@pytest.mark.parametrize(
    "text",
    ["", "10.224.0.0", "10.224.0.1/16", "10.224.0.0/33", "10.224.0.0/255.255.0.0", "fd00::/64", "vnet"],
)
def test_a_range_is_ipv4_in_cidr_form_without_host_bits(text: str) -> None:
    assert "network.vnetCidr" in found({"vnetCidr": text})


def test_a_subnet_lies_inside_the_network() -> None:
    assert found({"subnets": {"gpu": "10.225.0.0/22"}}) == ["network.subnets.gpu"]


def test_subnets_lie_apart() -> None:
    assert found({"subnets": {"gpu": "10.224.4.0/22"}}) == ["network.subnets.gpu"]


@pytest.mark.parametrize(
    ("key", "cidr"),
    [("podCidr", "10.224.0.0/16"), ("serviceCidr", "10.224.16.0/20"), ("serviceCidr", "10.244.16.0/20")],
)
def test_network_pods_and_services_lie_apart(key: str, cidr: str) -> None:
    assert found({key: cidr}) == [f"network.{key}"]


def test_pods_have_a_24_for_each_node_at_its_peak() -> None:
    pools = {"general": {**GENERAL, "maxCount": 3}, "work": {**SPOT, "maxCount": 55}}
    # 55 spot, and 3 + 3 Regular nodes that surge by one each: 63
    assert found({"podCidr": "10.244.0.0/18"}, pools=pools) == []
    pools["work"] = {**SPOT, "maxCount": 57}
    assert found({"podCidr": "10.244.0.0/18"}, pools=pools) == ["network.podCidr"]


def test_a_pod_range_smaller_than_a_24_holds_no_node() -> None:
    assert found({"podCidr": "10.244.0.0/25"}) == ["network.podCidr"]


def test_a_subnet_has_room_for_its_role_beside_azures_five_addresses() -> None:
    pools = {"general": GENERAL, "work": {**SPOT, "maxCount": 27}}
    assert found({"subnets": {"cpu": "10.224.4.0/27"}}, pools=pools) == []
    pools["work"] = {**SPOT, "maxCount": 28}
    assert found({"subnets": {"cpu": "10.224.4.0/27"}}, pools=pools) == ["network.subnets.cpu"]


def test_a_regular_pool_needs_one_more_address_for_its_surge() -> None:
    pools = {"general": {**GENERAL, "maxCount": 26}}
    assert found({"subnets": {"general": "10.224.1.0/27"}}, pools=pools) == []
    pools["general"]["maxCount"] = 27
    assert found({"subnets": {"general": "10.224.1.0/27"}}, pools=pools) == ["network.subnets.general"]


@pytest.mark.parametrize(
    ("cidr", "keys"), [("11.0.0.0/13", []), ("10.0.0.0/24", []), ("10.0.0.0/25", ["network.serviceCidr"])]
)
def test_the_service_range_is_smaller_than_a_12_and_no_smaller_than_a_24(cidr: str, keys: list[str]) -> None:
    assert found({"serviceCidr": cidr}) == keys


def test_a_service_range_of_a_12_is_too_large() -> None:
    assert found({"serviceCidr": "11.0.0.0/12"}) == ["network.serviceCidr"]


def test_every_pool_has_a_subnet() -> None:
    pools = agent_pools(settings())
    assert {pool.subnet for pool in pools} == set(subnets(settings().network))
    assert {kind.subnet for kind in EVERY} <= set(subnets(settings().network))


def test_a_route_table_comes_with_user_defined_routing() -> None:
    table = "/subscriptions/s/resourceGroups/g/providers/Microsoft.Network/routeTables/t"
    routed = {"outboundType": "userDefinedRouting"}
    assert found({**routed, "routeTableId": table}) == []
    assert found(routed) == ["network.routeTableId"]


@pytest.mark.parametrize("outbound", ["loadBalancer", "userAssignedNATGateway"])
def test_a_route_table_goes_with_nothing_else(outbound: str) -> None:
    table = "/subscriptions/s/resourceGroups/g/providers/Microsoft.Network/routeTables/t"
    assert found({"outboundType": outbound, "routeTableId": table}) == ["network.routeTableId"]
