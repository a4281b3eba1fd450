"""Who reaches the API server."""

from typing import Any

import pytest

from program.planning.rules.access import access_problems, access_warnings
from tests.program.planning.small_stack import refused, settings

GROUP = "11111111-2222-3333-4444-555555555555"


NAT = {"outboundType": "userAssignedNATGateway"}
ROUTED = {"outboundType": "userDefinedRouting"}


def refusals(network: dict[str, str] | None = None, **access: Any) -> list[str]:
    return refused(access_problems(settings(apiAccess=access, network=network or {})))


def warned(network: dict[str, str] | None = None, **access: Any) -> list[str]:
    return list(access_warnings(settings(apiAccess=access, network=network or {})))


def addresses(count: int) -> list[str]:
    """So many public addresses."""
    return [f"20.0.0.{index}/32" for index in range(count)]


def test_the_defaults_are_fine() -> None:
    assert refusals() == []


def test_authorised_ranges_exclude_a_private_cluster() -> None:
    ranges = ["203.0.113.0/24"]
    assert refusals(authorizedIpRanges=ranges) == []
    assert refusals(privateCluster=True) == []
    assert refusals(authorizedIpRanges=ranges, privateCluster=True) == ["apiAccess.authorizedIpRanges"]


@pytest.mark.parametrize(
    "text",
    ["203.0.113.1/24", "203.0.113", "20.1.2.3 ", "1", "all", "AzureCloud", "2001:db8::/32", " 20.1.2.3/32"],
)
def test_an_authorised_range_is_ipv4_in_cidr_form_without_host_bits(text: str) -> None:
    assert refusals(authorizedIpRanges=["198.51.100.7/32", text]) == ["apiAccess.authorizedIpRanges[1]"]


def test_local_accounts_off_requires_an_entra_group() -> None:
    assert refusals(localAccounts=False) == ["apiAccess.localAccounts"]
    assert refusals(localAccounts=False, adminGroupObjectIds=[GROUP]) == []


@pytest.mark.parametrize("text", ["", "admins", GROUP[:-1], GROUP + "0", GROUP.replace("-", "")])
def test_an_entra_group_is_a_guid(text: str) -> None:
    assert refusals(adminGroupObjectIds=[text]) == ["apiAccess.adminGroupObjectIds[0]"]


@pytest.mark.parametrize(
    "text",
    [
        "10.0.0.0/8",
        "10.1.2.3/32",
        "172.16.0.0/12",
        "192.168.1.0/24",
        "100.64.0.0/10",
        "127.0.0.1/32",
        "169.254.0.0/16",
        "0.0.0.1/32",
        "198.18.0.0/15",
        "224.0.0.0/4",
        "240.0.0.0/4",
        "255.255.255.255/32",
    ],
)
def test_an_authorised_range_is_public(text: str) -> None:
    assert refusals(authorizedIpRanges=["20.1.2.3/32", text]) == ["apiAccess.authorizedIpRanges[1]"]


@pytest.mark.parametrize(
    "text", ["20.1.2.3/32", "20.50.60.70", "73.140.245.0/24", "172.32.0.0/16", "100.128.0.0/16", "0.0.0.0/0"]
)
def test_any_public_range_may_be_authorised(text: str) -> None:
    assert refusals(authorizedIpRanges=[text]) == []


def test_the_address_of_the_cluster_alone_stands_alone() -> None:
    alone = "0.0.0.0/32".removesuffix("/32")
    assert refusals(authorizedIpRanges=["0.0.0.0/32"]) == refusals(authorizedIpRanges=[alone]) == []
    assert refusals(authorizedIpRanges=[alone, "20.1.2.3"]) == ["apiAccess.authorizedIpRanges"]
    assert refusals(authorizedIpRanges=["0.0.0.0/32", "20.1.2.3/32"]) == ["apiAccess.authorizedIpRanges"]


@pytest.mark.parametrize("network", [NAT, ROUTED])
def test_the_address_of_the_cluster_alone_is_that_of_its_load_balancer(network: dict[str, str]) -> None:
    assert refusals(network, authorizedIpRanges=["0.0.0.0/32"]) == ["apiAccess.authorizedIpRanges"]
    assert refusals(network, authorizedIpRanges=["20.1.2.3/32"]) == []


def test_a_nat_gateway_takes_one_of_the_200_places() -> None:
    assert refusals(authorizedIpRanges=addresses(200)) == []
    assert refusals(NAT, authorizedIpRanges=addresses(199)) == []
    assert refusals(NAT, authorizedIpRanges=addresses(200)) == ["apiAccess.authorizedIpRanges"]


def test_without_the_run_command_a_private_cluster_has_no_way_in_from_outside() -> None:
    assert warned(privateCluster=True) == warned(runCommand=False) == []
    assert warned(privateCluster=True, runCommand=False) == [
        (
            "apiAccess.runCommand is false on a private cluster: from outside its network nobody reaches it any more, "
            "not even by `az aks command invoke`; make sure that Pulumi, Juju and whoever repairs it run inside"
        )
    ]


def test_ranges_of_ones_own_are_not_warned_of() -> None:
    assert warned() == warned(NAT, authorizedIpRanges=["20.1.2.0/24", "51.0.0.0/8"]) == []


@pytest.mark.parametrize("text", ["192.0.2.0/24", "198.51.100.7/32", "203.0.113.0/24"])
def test_a_placeholder_is_reported(text: str) -> None:
    assert warned(authorizedIpRanges=[text]) == [
        (
            f"apiAccess.authorizedIpRanges[0] is {text}: a placeholder, from which nobody calls; write the range that "
            "Pulumi, Juju and you go out by"
        )
    ]


@pytest.mark.parametrize(
    ("text", "count"), [("0.0.0.0/0", "4,294,967,296"), ("128.0.0.0/1", "2,147,483,648")]
)
def test_a_range_for_everybody_is_reported(text: str, count: str) -> None:
    assert warned(authorizedIpRanges=[text]) == [
        f"apiAccess.authorizedIpRanges[0] is {text}: {count} addresses may call the API server; write only your own"
    ]


def test_a_range_inside_another_is_reported_whatever_the_order() -> None:
    covered = "is 20.1.2.0/24: 20.1.0.0/16 covers it; leave one of them out"
    assert warned(authorizedIpRanges=["20.1.0.0/16", "20.1.2.0/24"]) == [
        f"apiAccess.authorizedIpRanges[1] {covered}"
    ]
    assert warned(authorizedIpRanges=["20.1.2.0/24", "20.1.0.0/16"]) == [
        f"apiAccess.authorizedIpRanges[0] {covered}"
    ]


def test_a_range_that_is_there_three_times_is_reported_twice() -> None:
    covered = "is 20.1.2.0/24: 20.1.2.0/24 covers it; leave one of them out"
    assert warned(authorizedIpRanges=["20.1.2.0/24"] * 3) == [
        f"apiAccess.authorizedIpRanges[1] {covered}",
        f"apiAccess.authorizedIpRanges[2] {covered}",
    ]


def test_only_the_cluster_itself_is_warned_of() -> None:
    [warning] = warned(authorizedIpRanges=["0.0.0.0/32"])
    assert warning == (
        "apiAccess.authorizedIpRanges[0] is 0.0.0.0/32: only the cluster's own nodes may call; Pulumi and Juju must "
        "run there"
    )


def test_behind_a_firewall_its_address_is_requested() -> None:
    [warning] = warned(ROUTED, authorizedIpRanges=["20.1.2.3/32"])
    assert warning.startswith(
        "apiAccess.authorizedIpRanges while network.outboundType is userDefinedRouting: without"
    )
    assert warned(ROUTED) == []


@pytest.mark.parametrize(
    "text", [GROUP, "0" * 8 + "-0000-0000-0000-" + "0" * 12, "AAAAAAAA-bbbb-cccc-dddd-eeeeeeeeeeee"]
)
def test_a_group_that_is_a_placeholder_is_reported(text: str) -> None:
    assert warned(adminGroupObjectIds=[text]) == [
        (
            f"apiAccess.adminGroupObjectIds[0] is {text}: a placeholder, so nobody could sign in; write the object "
            "id of your group"
        )
    ]


def test_a_group_of_ones_own_is_not() -> None:
    assert warned(adminGroupObjectIds=["5c2bd1e7-4c1f-4f0a-9b39-6f1f3a1f7a10"]) == []


NETWORK = "/subscriptions/0a1b2c3d-0000-0000-0000-000000000000/resourceGroups/g/providers/Microsoft.Network"
SPOKE = f"{NETWORK}/virtualNetworks/spoke/subnets"
SUBNETS = {"subnetIds": dict.fromkeys(("system", "general", "cpu", "gpu"), f"{SPOKE}/nodes")}


def private(access: dict[str, Any], network: dict[str, Any] | None = None, **keys: Any) -> list[str]:
    return refused(access_problems(settings(apiAccess=access, network=network or {}, **keys)))


@pytest.mark.parametrize(
    ("zone", "keys"),
    [
        ("privatelink.westeurope.azmk8s.io", []),
        ("PrivateLink.WestEurope.azmk8s.io", []),
        ("ml.privatelink.westeurope.azmk8s.io", []),
        (f"{'m' * 32}.privatelink.westeurope.azmk8s.io", []),
        (f"{'m' * 33}.privatelink.westeurope.azmk8s.io", ["apiAccess.privateDnsZoneId"]),
        ("a.b.privatelink.westeurope.azmk8s.io", ["apiAccess.privateDnsZoneId"]),
        ("privatelink.northeurope.azmk8s.io", ["apiAccess.privateDnsZoneId"]),
        ("private.westeurope.azmk8s.io", ["apiAccess.privateDnsZoneId"]),
        ("example.com", ["apiAccess.privateDnsZoneId"]),
        ("zone", ["apiAccess.privateDnsZoneId"]),
    ],
)
def test_a_zone_of_others_is_named_as_aks_requires(zone: str, keys: list[str]) -> None:
    zone_id = f"{NETWORK}/privateDnsZones/{zone}"
    assert private({"privateCluster": True, "privateDnsZoneId": zone_id}) == keys


@pytest.mark.parametrize(
    ("location", "end", "keys"),
    [
        ("chinanorth3", "cx.prod.service.azk8s.cn", []),
        ("chinanorth3", "azmk8s.io", ["apiAccess.privateDnsZoneId"]),
        ("usgovvirginia", "cx.aks.containerservice.azure.us", []),
        ("usgovvirginia", "cx.prod.service.azk8s.cn", ["apiAccess.privateDnsZoneId"]),
        ("westeurope", "cx.prod.service.azk8s.cn", ["apiAccess.privateDnsZoneId"]),
        ("bleufrancecentral", "cx.prod-aks.sovcloud-api.fr", []),
    ],
)
def test_the_zone_ends_as_those_of_its_cloud(location: str, end: str, keys: list[str]) -> None:
    zone_id = f"{NETWORK}/privateDnsZones/ml.privatelink.{location}.{end}"
    assert private({"privateCluster": True, "privateDnsZoneId": zone_id}, location=location) == keys


def test_an_api_server_is_in_a_subnet_where_aks_has_that() -> None:
    access = {"subnetId": f"{SPOKE}/api"}
    assert private(access, SUBNETS, location="uaenorth") == []
    assert private(access, SUBNETS, location="qatarcentral") == ["apiAccess.subnetId"]
    elsewhere = settings(apiAccess=access, network=SUBNETS, location="usgovvirginia")
    assert list(access_problems(elsewhere)) == []
    assert [line[:18] for line in access_warnings(elsewhere)] == ["apiAccess.subnetId"]


def test_a_zone_is_for_a_private_cluster_alone() -> None:
    zone_id = f"{NETWORK}/privateDnsZones/privatelink.westeurope.azmk8s.io"
    assert private({"privateDnsZoneId": zone_id}) == ["apiAccess.privateDnsZoneId"]


def test_an_api_server_in_a_subnet_has_a_zone_of_another_name() -> None:
    access = {"privateCluster": True, "subnetId": f"{SPOKE}/api"}
    for zone, keys in {"private": [], "privatelink": ["apiAccess.privateDnsZoneId"]}.items():
        zone_id = f"{NETWORK}/privateDnsZones/{zone}.westeurope.azmk8s.io"
        assert private({**access, "privateDnsZoneId": zone_id}, SUBNETS) == keys


def test_the_subnet_of_an_api_server_is_another_one_of_the_network_of_the_nodes() -> None:
    assert private({"subnetId": f"{SPOKE}/api"}, SUBNETS) == []
    assert private({"subnetId": f"{SPOKE}/api"}) == ["apiAccess.subnetId"]
    assert private({"subnetId": "api"}, SUBNETS) == ["apiAccess.subnetId"]
    assert private({"subnetId": f"{SPOKE}/NODES"}, SUBNETS) == ["apiAccess.subnetId"]
    assert private({"subnetId": f"{SPOKE}/api".replace("spoke", "hub")}, SUBNETS) == ["apiAccess.subnetId"]


def test_the_address_of_a_gateway_of_others_is_not_known() -> None:
    access = {"authorizedIpRanges": ["20.50.60.0/24"]}
    network = {"outboundType": "userAssignedNATGateway"}
    assert list(access_warnings(settings(apiAccess=access, network=network))) == []
    [warning] = access_warnings(settings(apiAccess=access, network={**network, **SUBNETS}))
    assert "the subnets' NAT gateway" in warning


def test_an_api_server_in_a_subnet_may_not_start_again() -> None:
    hours = {"timeZone": "Europe/London"}
    stack = settings(apiAccess={"subnetId": f"{SPOKE}/api"}, network=SUBNETS, officeHours=hours)
    assert "gives up the capacity of its API server" in "".join(access_warnings(stack))
