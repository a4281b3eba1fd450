"""Rules of the container registry (docs/facts/aks.md#identity-and-registry)."""

from collections.abc import Iterator
from typing import Final

from components.arguments.mistakes import Mistake
from components.azure.arm_ids import REGISTRY, arm_id_mistakes
from components.azure.cidr import public_range_mistakes
from components.registry.registry_checks import MAX_RANGES, premium_mistakes
from program.planning.rules.access import covered_warnings, placeholder_warnings
from program.settings import Registry, Settings

_RANGES: Final = "registry.authorizedIpRanges"


def registry_problems(settings: Settings) -> Iterator[Mistake]:
    """A registry to attach is named by its ARM id, and what only a new one of the highest tier has goes with it."""
    registry = settings.registry
    if registry.attach is not None:
        yield from arm_id_mistakes("registry.attach", registry.attach, REGISTRY)
        if registry.sku != Registry().sku:  # that one may be a copy of the defaults
            yield Mistake(
                "registry.sku",
                registry.sku,
                "no value with registry.attach, because that registry is its owner's",
            )
    ranges = registry.authorized_ip_ranges
    yield from premium_mistakes(
        registry.attach, registry.sku, registry.retention_days, ranges, at="registry."
    )
    yield from public_range_mistakes(ranges, key=_RANGES, what="a registry")
    gateway = settings.makes_gateway
    if len(ranges) + gateway > MAX_RANGES and ranges:
        beside = ", because the NAT gateway's address is one more" if gateway else ""
        yield Mistake(_RANGES, len(ranges), f"at most {MAX_RANGES - gateway} ranges{beside}")


def registry_warnings(settings: Settings) -> Iterator[str]:
    """Ranges that keep the nodes out: Azure does not trust AKS to pass them (allow-access-trusted-services.md)."""
    ranges, outbound = settings.registry.authorized_ip_ranges, settings.network.outbound_type
    yield from placeholder_warnings(_RANGES, ranges, "those who push images")
    yield from covered_warnings(_RANGES, ranges)
    if ranges and outbound == "loadBalancer":
        yield (
            f"{_RANGES} while network.outboundType is loadBalancer: AKS picks the address by which nodes go out, so "
            "they pull nothing from the registry until you add it; the address of userAssignedNATGateway is added for "
            "you"
        )
    elif ranges and outbound == "userDefinedRouting":
        yield (
            f"{_RANGES} while network.outboundType is userDefinedRouting: without the public address of your firewall "
            "among them no node pulls from the registry; make sure that it is listed"
        )
    elif ranges and not settings.makes_gateway:
        yield (
            f"{_RANGES} with network.subnetIds: without the public address of the subnets' NAT gateway among them no "
            "node pulls from the registry; make sure that it is listed"
        )
