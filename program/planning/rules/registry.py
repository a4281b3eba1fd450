"""Rules of the container registry (docs/facts/aks.md#identity-and-registry)."""

from collections.abc import Iterator
from typing import Final

from components.arm_ids import REGISTRY, arm_id_mistakes
from components.mistakes import Mistake
from program.planning.rules.public_ranges import covered_warnings, placeholder_warnings, range_problems
from program.settings import Settings

_RANGES: Final = "registry.authorizedIpRanges"
_MAX_RANGES: Final = 100
"""Rules that a registry takes (container-registry-access-selected-networks.md)."""


def registry_problems(settings: Settings) -> Iterator[Mistake]:
    """A registry to attach is named by its ARM id, and what only a new one of the highest tier has goes with it."""
    registry = settings.registry
    if registry.attach is not None:
        yield from arm_id_mistakes("registry.attach", registry.attach, REGISTRY)
    given = registry.authorized_ip_ranges
    for key, value in (("registry.retentionDays", registry.retention_days), (_RANGES, list(given) or None)):
        if value is not None and registry.attach is not None:
            yield Mistake(key, value, "no value with registry.attach, because that registry is its owner's")
        elif value is not None and registry.sku != "Premium":
            yield Mistake(key, value, f"no value unless registry.sku is Premium; it is {registry.sku}")
    yield from range_problems(_RANGES, given, "a registry")
    own = settings.network.makes_gateway
    if len(given) + own > _MAX_RANGES and given:
        beside = ", because the NAT gateway's address is one more" if own else ""
        yield Mistake(_RANGES, len(given), f"at most {_MAX_RANGES - own} ranges{beside}")


def registry_warnings(settings: Settings) -> Iterator[str]:
    """Ranges that keep the nodes out: Azure does not trust AKS to pass them (allow-access-trusted-services.md)."""
    given, outbound = settings.registry.authorized_ip_ranges, settings.network.outbound_type
    yield from placeholder_warnings(_RANGES, given, "those who push images")
    yield from covered_warnings(_RANGES, given)
    if given and outbound == "loadBalancer":
        yield (
            f"{_RANGES} while network.outboundType is loadBalancer: AKS picks the address by which nodes go out, so "
            "they pull nothing from the registry until you add it; the address of userAssignedNATGateway is added for "
            "you"
        )
    elif given and outbound == "userDefinedRouting":
        yield (
            f"{_RANGES} while network.outboundType is userDefinedRouting: without the public address of your firewall "
            "among them no node pulls from the registry; make sure that it is listed"
        )
    elif given and not settings.network.makes_gateway:
        yield (
            f"{_RANGES} with network.subnetIds: without the public address of the subnets' NAT gateway among them no "
            "node pulls from the registry; make sure that it is listed"
        )
