"""Names that Azure accepts, tags, and API versions."""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from kubeflow_aks.policy.benchmark.values import (
    Inputs,
    Look,
    at,
    in_turn,
    items,
    must_be_set,
    of_type,
    on,
    shown,
)
from kubeflow_aks.policy.rule import Resource
from kubeflow_aks.policy.rules.resources import CLUSTER, POOL
from kubeflow_aks.policy.table import PerResource, rules

PUBLIC_ADDRESS: Final = "azure-native:network:PublicIPAddress"
NETWORK: Final = "azure-native:network:VirtualNetwork"
SUBNET: Final = "azure-native:network:Subnet"
REGISTRY: Final = "azure-native:containerregistry:Registry"
_TAGGABLE: Final = (
    CLUSTER,
    POOL,
    NETWORK,
    PUBLIC_ADDRESS,
    REGISTRY,
    "azure-native:managedidentity:UserAssignedIdentity",
    "azure-native:network:NatGateway",
    "azure-native:operationalinsights:Workspace",
    "azure-native:resources:ResourceGroup",
    "azure-native:storage:StorageAccount",
)
_PREVIEW: Final = re.compile(r"azure-native:\w+/v\d{8}preview:\w+|azure-native_\w+_v\d{8}preview:.*")


def named(path: str, pattern: str, rule: str) -> Look:
    """The name matches; a missing name is generated, and an unknown one is not checked."""
    accepted = re.compile(pattern)

    def look(inputs: Inputs) -> Iterator[str]:
        if (name := at(inputs, path)) is not None and not accepted.fullmatch(str(name)):
            yield f"{path} is {shown(name)}; expected {rule}"

    return look


_HAS_TAGS: Final = must_be_set("tags")
_ADDRESS_OR_SUBNET: Final = r"[A-Za-z0-9](?:[-.\w]{0,78}\w)?"
_ADDRESS_OR_SUBNET_RULE: Final = (
    "at most 80 letters, digits, underscores, periods and hyphens, beginning with a letter or digit and not ending "
    "with a period or hyphen"
)
_SUBNET: Final = named("name", _ADDRESS_OR_SUBNET, _ADDRESS_OR_SUBNET_RULE)
_OWN_SUBNET: Final = named("subnetName", _ADDRESS_OR_SUBNET, _ADDRESS_OR_SUBNET_RULE)


def _subnets(resource: Resource) -> Iterator[str]:
    """Subnets of a network, or one that is a resource of its own."""
    if resource.kind == SUBNET:
        yield from _OWN_SUBNET(resource.inputs)
    if resource.kind == NETWORK:
        for number, subnet in enumerate(items(resource.inputs, "subnets")):
            yield from (f"subnets[{number}].{message}" for message in _SUBNET(subnet))


def _tagged(resources: Sequence[Resource]) -> Iterator[tuple[str, str]]:
    return in_turn(of_type(resources, *_TAGGABLE), lambda it: _HAS_TAGS(it.inputs))


def _stable(resources: Sequence[Resource]) -> Iterator[tuple[str, str]]:
    for resource in resources:
        if _PREVIEW.fullmatch(resource.type):
            yield resource.urn, f"the type is {resource.type}; expected a stable API version"


RULES: Final = rules(
    {
        "aks-name": on(
            CLUSTER,
            named(
                "resourceName",
                r"[A-Za-z0-9](?:[-\w]{0,61}[A-Za-z0-9])?",
                "at most 63 letters, digits, underscores and hyphens, with a letter or digit at both ends",
            ),
        ),
        "aks-dns-prefix": on(
            CLUSTER,
            named(
                "dnsPrefix",
                r"[A-Za-z0-9](?:[-A-Za-z0-9]{0,52}[A-Za-z0-9])?",
                "at most 54 letters, digits and hyphens, with a letter or digit at both ends",
            ),
        ),
        "address-name": on(
            PUBLIC_ADDRESS, named("publicIpAddressName", _ADDRESS_OR_SUBNET, _ADDRESS_OR_SUBNET_RULE)
        ),
        "address-dns-label": on(
            PUBLIC_ADDRESS,
            named(
                "dnsSettings.domainNameLabel",
                r"[a-z][-a-z0-9]{1,61}[a-z0-9]",
                "3 to 63 small letters, digits and hyphens, beginning with a letter and not ending with a hyphen",
            ),
        ),
        "subnet-names": PerResource(_subnets),
        "acr-name": on(REGISTRY, named("registryName", r"[A-Za-z0-9]{5,50}", "5 to 50 letters and digits")),
        "azure-tags": _tagged,
        "azure-no-preview-api": _stable,
    }
)
