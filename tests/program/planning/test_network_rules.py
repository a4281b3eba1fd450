"""Address ranges that fit each other and the pools."""

from ipaddress import IPv4Network
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from program.planning.hardware import CPU, GPU
from program.planning.pools import agent_pools
from program.planning.rules.network import network_problems, network_warnings, subnets
from program.settings._model import ENCRYPTED, SettingsError
from tests.program.planning.small_stack import GENERAL, SPOT, planned, refused, settings

NETWORK = "/subscriptions/0a1b2c3d-0000-0000-0000-000000000000/resourceGroups/g/providers/Microsoft.Network"


def refusals(network: dict[str, Any], **keys: Any) -> list[str]:
    stack = settings(network=network, **keys)
    return refused(network_problems(stack, agent_pools(stack)))


def test_the_defaults_fit() -> None:
    assert refusals({}) == []


@pytest.mark.parametrize(
    "text",
    ["", "10.224.0.0", "10.224.0.1/16", "10.224.0.0/33", "10.224.0.0/255.255.0.0", "fd00::/64", "vnet"],
)
def test_a_range_is_ipv4_in_cidr_form_without_host_bits(text: str) -> None:
    assert "network.vnetCidr" in refusals({"vnetCidr": text})


def test_a_subnet_lies_inside_the_network() -> None:
    assert refusals({"subnets": {"gpu": "10.225.0.0/22"}}) == ["network.subnets.gpu"]


def test_subnets_lie_apart() -> None:
    assert refusals({"subnets": {"gpu": "10.224.4.0/22"}}) == ["network.subnets.gpu"]


@pytest.mark.parametrize(
    ("key", "cidr"),
    [("podCidr", "10.224.0.0/16"), ("serviceCidr", "10.224.16.0/20"), ("serviceCidr", "10.244.16.0/20")],
)
def test_network_pods_and_services_lie_apart(key: str, cidr: str) -> None:
    assert refusals({key: cidr}) == [f"network.{key}"]


def test_pods_have_a_24_for_each_node_at_its_peak() -> None:
    pools = {"general": {**GENERAL, "maxCount": 3}, "work": {**SPOT, "maxCount": 55}}
    # 55 spot, and 3 + 3 Regular nodes that surge by one each: 63
    assert refusals({"podCidr": "10.244.0.0/18"}, pools=pools) == []
    pools["work"] = {**SPOT, "maxCount": 57}
    assert refusals({"podCidr": "10.244.0.0/18"}, pools=pools) == ["network.podCidr"]


def test_a_pod_range_smaller_than_a_24_holds_no_node() -> None:
    assert refusals({"podCidr": "10.244.0.0/25"}) == ["network.podCidr"]


def test_a_subnet_has_room_for_its_role_beside_azures_five_addresses() -> None:
    pools = {"general": GENERAL, "work": {**SPOT, "maxCount": 27}}
    assert refusals({"subnets": {"cpu": "10.224.4.0/27"}}, pools=pools) == []
    pools["work"] = {**SPOT, "maxCount": 28}
    assert refusals({"subnets": {"cpu": "10.224.4.0/27"}}, pools=pools) == ["network.subnets.cpu"]


def test_a_regular_pool_needs_one_more_address_for_its_surge() -> None:
    pools = {"general": {**GENERAL, "maxCount": 26}}
    assert refusals({"subnets": {"general": "10.224.1.0/27"}}, pools=pools) == []
    pools["general"]["maxCount"] = 27
    assert refusals({"subnets": {"general": "10.224.1.0/27"}}, pools=pools) == ["network.subnets.general"]


@pytest.mark.parametrize(
    ("cidr", "keys"), [("11.0.0.0/13", []), ("10.0.0.0/24", []), ("10.0.0.0/25", ["network.serviceCidr"])]
)
def test_the_service_range_is_smaller_than_a_12_and_no_smaller_than_a_24(cidr: str, keys: list[str]) -> None:
    assert refusals({"serviceCidr": cidr}) == keys


def test_a_service_range_of_a_12_is_too_large() -> None:
    assert refusals({"serviceCidr": "11.0.0.0/12"}) == ["network.serviceCidr"]


def test_every_pool_has_a_subnet() -> None:
    pools = agent_pools(settings())
    assert {pool.subnet for pool in pools} == set(subnets(settings().network))
    assert {kind.subnet for kind in (CPU, GPU)} <= set(subnets(settings().network))


def test_a_route_table_comes_with_user_defined_routing() -> None:
    table = f"{NETWORK}/routeTables/t"
    routed = {"outboundType": "userDefinedRouting"}
    assert refusals({**routed, "routeTableId": table}) == []
    assert refusals(routed) == ["network.routeTableId"]


@pytest.mark.parametrize("outbound", ["loadBalancer", "userAssignedNATGateway"])
def test_a_route_table_goes_with_nothing_else(outbound: str) -> None:
    table = f"{NETWORK}/routeTables/t"
    assert refusals({"outboundType": outbound, "routeTableId": table}) == ["network.routeTableId"]


RESERVED = {
    "169.254.0.0/16": "169.254.8.0/21",
    "172.30.0.0/16": "172.30.0.0/17",
    "172.31.0.0/16": "172.31.128.0/20",
    "192.0.2.0/24": "192.0.0.0/16",
    "127.0.0.0/8": "127.16.0.0/16",
    "168.63.129.16/32": "168.63.128.0/17",
    "224.0.0.0/4": "230.0.0.0/16",
    "255.255.255.255/32": "255.255.0.0/16",
    "0.0.0.0/8": "0.1.0.0/16",
}


@pytest.mark.parametrize(
    ("key", "example"),
    [("vnetCidr", "10.224.0.0/16"), ("podCidr", "10.244.0.0/16"), ("serviceCidr", "10.0.0.0/16")],
)
@pytest.mark.parametrize(("reserved", "cidr"), RESERVED.items())
def test_what_azure_reserves_is_no_range_of_a_cluster(
    key: str, example: str, reserved: str, cidr: str
) -> None:
    stack = settings(network={key: cidr, "subnets": {}})
    problems = [p for p in network_problems(stack, ()) if p.key == f"network.{key}"]
    assert [problem.expected for problem in problems] == [
        f"a range like {example}, apart from what Azure reserves: {reserved}"
    ]


def test_subnets_in_a_reserved_network_are_not_reported_again() -> None:
    subnets = {
        "system": "172.30.0.0/24",
        "general": "172.30.1.0/24",
        "cpu": "172.30.4.0/22",
        "gpu": "172.30.8.0/22",
    }
    assert refusals({"vnetCidr": "172.30.0.0/16", "subnets": subnets}) == ["network.vnetCidr"]


@given(
    st.sampled_from(["10.0.0.0/8", "172.16.0.0/13", "192.168.0.0/16", "100.64.0.0/10"]),
    st.integers(17, 20),
    st.data(),
)
def test_any_private_range_apart_from_the_others_is_fine_for_pods(
    block: str, prefix: int, data: st.DataObject
) -> None:
    network = IPv4Network(block)
    index = data.draw(st.integers(0, 2 ** (prefix - network.prefixlen) - 1))
    pods = IPv4Network((int(network.network_address) + (index << (32 - prefix)), prefix))
    taken = [IPv4Network(cidr) for cidr in ("10.224.0.0/16", "10.0.0.0/16")]
    assume(not any(pods.overlaps(other) for other in taken))
    chosen = settings(network={"podCidr": str(pods)})
    assert list(network_problems(chosen, ())) == []
    assert list(network_warnings(chosen)) == []


def test_a_public_range_is_warned_of() -> None:
    chosen = {"vnetCidr": "10.224.0.0/16", "podCidr": "20.0.0.0/16", "serviceCidr": "11.0.0.0/16"}
    warnings = list(network_warnings(settings(network=chosen)))
    assert [warning.split(":")[0] for warning in warnings] == [
        "network.podCidr is 20.0.0.0/16",
        "network.serviceCidr is 11.0.0.0/16",
    ]


@pytest.mark.parametrize("key", ["vnetCidr", "podCidr", "serviceCidr"])
def test_a_range_that_a_preview_cannot_decrypt_is_not_warned_of(key: str) -> None:
    assert planned(network={key: ENCRYPTED}).warnings == planned().warnings


def test_a_subnet_without_nodes_is_a_29_as_well() -> None:
    pools = {"general": GENERAL}
    assert refusals({"subnets": {"gpu": "10.224.8.0/29"}}, pools=pools) == []
    assert refusals({"subnets": {"gpu": "10.224.8.0/30"}}, pools=pools) == ["network.subnets.gpu"]


SPOKE = f"{NETWORK}/virtualNetworks/spoke/subnets"
IDS = {role: f"{SPOKE}/{role}" for role in ("system", "general", "cpu", "gpu")}


def test_subnets_of_others_take_the_place_of_a_new_network() -> None:
    assert refusals({"subnetIds": IDS}) == []
    assert refusals({"subnetIds": {**IDS, "gpu": IDS["cpu"]}}) == []  # roles may share one
    assert refusals({"subnetIds": {**IDS, "cpu": IDS["cpu"].upper()}}) == []


def test_a_range_has_no_meaning_with_subnets_of_others() -> None:
    assert refusals({"subnetIds": IDS, "vnetCidr": "10.0.0.0/8"}) == ["network.vnetCidr"]
    assert refusals({"subnetIds": IDS, "subnets": {"gpu": "10.224.8.0/22"}}) == ["network.subnets"]
    assert refusals({"subnetIds": IDS, "podCidr": "10.0.0.0/16"}) == ["network.serviceCidr"]


def test_all_four_subnets_are_given_or_none() -> None:
    with pytest.raises(SettingsError) as refusal:
        settings(network={"subnetIds": {"system": IDS["system"], "cpu": IDS["cpu"]}})
    assert [problem.key for problem in refusal.value.problems] == [
        "network.subnetIds.general",
        "network.subnetIds.gpu",
    ]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "gpu",
        f"{NETWORK}/virtualNetworks/spoke",
        f"{SPOKE}/",
        f"{SPOKE}/{'a' * 64}",
        f"{SPOKE}/gpu/x",
        f"{SPOKE}/AzureFirewallSubnet",
        IDS["gpu"].replace("/g/", f"/{'g' * 64}/"),
        IDS["gpu"].replace("spoke", "s" * 64),
    ],
)
def test_a_subnet_is_an_id_whose_names_are_labels_of_nodes(text: str) -> None:
    assert refusals({"subnetIds": {**IDS, "gpu": text}}) == ["network.subnetIds.gpu"]


def test_all_subnets_are_of_one_network() -> None:
    other = IDS["gpu"].replace("spoke", "hub")
    assert refusals({"subnetIds": {**IDS, "gpu": other}}) == ["network.subnetIds.gpu"]


def test_routes_and_gateways_of_others_go_with_their_subnets() -> None:
    table = f"{NETWORK}/routeTables/hub"
    routed = {"subnetIds": IDS, "outboundType": "userDefinedRouting"}
    assert refusals(routed) == ["network.routeTableId"]
    assert refusals({**routed, "routeTableId": table}) == []
    assert refusals({"subnetIds": IDS, "outboundType": "userAssignedNATGateway"}) == []


def test_what_can_no_longer_be_checked_is_a_warning() -> None:
    [warning] = network_warnings(settings(network={"subnetIds": IDS}))
    assert "`./kubeflow-aks quota` compares them" in warning
    assert list(network_warnings(settings(network={"subnetIds": IDS}, created="2026-11-01"))) == []
