"""What only a registry of the highest tier has, and who may use it."""

from typing import Any

import pytest

from program.planning.rules.registry import registry_problems, registry_warnings
from tests.program.planning.small_stack import refused, settings

EXISTING = (
    "/subscriptions/0a1b2c3d-0000-0000-0000-000000000000/resourceGroups/g/providers"
    "/Microsoft.ContainerRegistry/registries/teamimages"
)
PREMIUM: dict[str, Any] = {"sku": "Premium"}
NAT = {"outboundType": "userAssignedNATGateway"}
RANGES = ["20.1.2.0/24", "51.0.0.0/8"]


def refusals(network: dict[str, str] | None = None, **registry: Any) -> list[str]:
    return refused(registry_problems(settings(registry=registry, network=network or {})))


def warned(network: dict[str, str] | None = None, **registry: Any) -> list[str]:
    return list(registry_warnings(settings(registry=registry, network=network or {})))


@pytest.mark.parametrize("sku", ["Basic", "Standard"])
@pytest.mark.parametrize(
    "field", [{"retentionDays": 30}, {"retentionDays": 0}, {"authorizedIpRanges": RANGES}]
)
def test_only_the_highest_tier_takes_it(sku: str, field: dict[str, Any]) -> None:
    [key] = field
    assert refusals(sku=sku) == []
    assert refusals(sku=sku, **field) == [f"registry.{key}"]
    assert refusals(**PREMIUM, **field) == []


def test_a_registry_of_others_is_left_as_it_is() -> None:
    assert refusals(attach=EXISTING) == []
    assert refusals(attach=EXISTING, retentionDays=30) == ["registry.retentionDays"]
    assert refusals(attach=EXISTING, sku="Standard") == []  # the default
    assert refusals(attach=EXISTING, sku="Basic") == ["registry.sku"]
    assert refusals(attach=EXISTING, authorizedIpRanges=RANGES) == ["registry.authorizedIpRanges"]


@pytest.mark.parametrize("text", ["20.1.2", "20.1.2.3/24", "10.0.0.0/8", "127.0.0.1/32", "0.0.0.0/32", "all"])
def test_a_range_is_a_public_one_in_cidr_form(text: str) -> None:
    assert refusals(**PREMIUM, authorizedIpRanges=["20.1.2.3/32", text]) == ["registry.authorizedIpRanges[1]"]


def test_a_nat_gateway_takes_one_of_the_100_places() -> None:
    every = [f"20.0.0.{index}/32" for index in range(100)]
    assert refusals(**PREMIUM, authorizedIpRanges=every) == []
    assert refusals(NAT, **PREMIUM, authorizedIpRanges=every[1:]) == []
    assert refusals(NAT, **PREMIUM, authorizedIpRanges=every) == ["registry.authorizedIpRanges"]
    assert refusals(NAT, **PREMIUM) == []


def test_ranges_that_let_the_nodes_in_are_not_warned_of() -> None:
    assert warned() == warned(NAT, **PREMIUM, authorizedIpRanges=RANGES) == []


def test_nodes_whose_address_nobody_knows_are_kept_out() -> None:
    [warning] = warned(**PREMIUM, authorizedIpRanges=RANGES)
    assert warning.startswith(
        "registry.authorizedIpRanges while network.outboundType is loadBalancer: AKS picks"
    )
    [warning] = warned({"outboundType": "userDefinedRouting"}, **PREMIUM, authorizedIpRanges=RANGES)
    assert warning.startswith(
        "registry.authorizedIpRanges while network.outboundType is userDefinedRouting: without"
    )


def test_placeholders_and_ranges_inside_others_are_reported() -> None:
    assert warned(NAT, **PREMIUM, authorizedIpRanges=["203.0.113.0/24", "20.1.2.0/24", "20.1.2.7/32"]) == [
        (
            "registry.authorizedIpRanges[0] is 203.0.113.0/24: a placeholder, from which nobody calls; write the range "
            "that those who push images go out by"
        ),
        "registry.authorizedIpRanges[2] is 20.1.2.7/32: 20.1.2.0/24 covers it; leave one of them out",
    ]
