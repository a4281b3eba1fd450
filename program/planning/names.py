"""Names of Azure resources: made from project and stack, or by the rule of a company."""

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from program.settings import Settings, Subnets

_TYPES: Final = {
    "resource_group": "rg",
    "node_resource_group": "rg-nodes",
    "cluster": "aks",
    "identity": "id-aks",
    "virtual_network": "vnet",
    "nat_gateway": "ng",
    "outbound_address": "pip-outbound",
    "ingress_address": "pip-ingress",
    "registry": "cr",
    "storage_account": "st",
    "log_workspace": "log",
    "diagnostic_setting": "diag",
}
"""What stands for `<type>` in a pattern: the abbreviation, and what a name is for where a stack has several of a type.

Source: "Abbreviation recommendations for Azure resources"; it has none of diagnostic settings.
"""
_SUBNET: Final = "snet"
_DATA_IDENTITY: Final = "id-data"
_PLAIN: Final = ("registry", "storage_account")
"""Whose names are letters and digits alone."""


@dataclass(frozen=True, kw_only=True)
class Names:
    """Names of Azure resources of one stack; None where the provider adds a random end to `base`."""

    base: str
    """`<project>-<stack>`: Pulumi's names begin with it, and those in Azure where no setting gives them."""
    resource_group: str
    node_resource_group: str
    cluster: str
    dns_prefix: str
    identity: str
    virtual_network: str
    subnets: Mapping[str, str]
    """Names of the subnets, by their name here."""
    nat_gateway: str
    outbound_address: str
    ingress_address: str
    registry: str | None
    storage_account: str | None
    data_identities: Mapping[str, str]
    """Names of the identities of profiles, by namespace."""
    log_workspace: str
    diagnostic_setting: str


def names(project: str, stack: str, settings: Settings) -> Names:
    """Names for one stack.

    Args:
        project: Pulumi project name.
        stack: Pulumi stack name.
        settings: the stack's; a single name goes before the pattern, and that before project and stack.
    """
    written, pattern = settings.names, _filled(settings, project, stack)
    result = _standard(f"{project}-{stack}", settings)
    if pattern is not None:
        result = _by_pattern(pattern, result)
    single = {key: value for key, value in written if isinstance(value, str) and key != "pattern"}
    if "cluster" in single and pattern is None:
        result = replace(result, **_of_cluster(single["cluster"]))
    result = replace(result, **single)
    if written.dns_prefix is None:
        result = replace(result, dns_prefix=result.cluster)
    subnets = {key: value for key, value in written.subnets if value is not None}
    group = settings.resource_group or result.resource_group
    return replace(result, subnets={**result.subnets, **subnets}, resource_group=group)


def given_names(settings: Settings) -> frozenset[str]:
    """The fields of `Names` that settings decide, not project and stack."""
    written = settings.names
    if written.pattern is not None:
        return frozenset({*_TYPES, "dns_prefix"})
    single = {key for key, value in written if isinstance(value, str)}
    if "cluster" in single:
        single |= {"dns_prefix", *_of_cluster("")}
    return frozenset({*single, *({"resource_group"} if settings.resource_group else ())})


def _standard(base: str, settings: Settings) -> Names:
    store = settings.data.store
    return Names(
        base=base,
        resource_group=base,
        cluster=base,
        dns_prefix=base,
        virtual_network=f"{base}-vnet",
        subnets={name: name for name in Subnets.model_fields},
        nat_gateway=f"{base}-nat",
        outbound_address=f"{base}-outbound",
        ingress_address=f"{base}-ingress",
        registry=None,
        storage_account=None,
        data_identities={
            namespace: f"{base}-{namespace}-data" for namespace in (store.profiles if store else ())
        },
        log_workspace=f"{base}-logs",
        diagnostic_setting=f"{base}-control-plane",
        **_of_cluster(base),
    )


def _of_cluster(cluster: str) -> dict[str, str]:
    """The names that begin with the cluster's."""
    return {"identity": f"{cluster}-identity", "node_resource_group": f"{cluster}-nodes"}


def _filled(settings: Settings, project: str, stack: str) -> str | None:
    """The pattern with all but the type filled in."""
    text = settings.names.pattern
    for placeholder, value in (("project", project), ("stack", stack), ("location", settings.location)):
        text = text and text.replace(f"<{placeholder}>", value)
    return text


def _by_pattern(pattern: str, standard: Names) -> Names:
    def name(kind: str) -> str:
        return pattern.replace("<type>", kind)

    made = {key: name(kind) for key, kind in _TYPES.items()}
    plain = {key: re.sub(r"[-_.]", "", made[key]).lower() for key in _PLAIN}
    return replace(
        standard,
        **{**made, **plain},
        subnets={subnet: name(f"{_SUBNET}-{subnet}") for subnet in standard.subnets},
        data_identities={
            namespace: name(f"{_DATA_IDENTITY}-{namespace}") for namespace in standard.data_identities
        },
    )


def agent_pool_name(pool: str, size: str) -> str:
    """Name of the agent pool of one of a pool's sizes: 8 characters of the pool's and 4 of a hash.

    It depends on nothing else, so that no other size's agent pool changes when a size comes or goes. AKS takes 12
    characters (docs/facts/aks.md#names-counts-and-limits).

    Args:
        pool: name of the pool in the settings.
        size: the VM size as Azure spells it.
    """
    return f"{pool[:8]}{hashlib.sha256(f'{pool} {size}'.encode()).hexdigest()[:4]}"


def dns_label(base: str, group_id: str) -> str:
    """First part of the ingress's public name, where a stack sets none.

    It never changes during a stack's life, because a new label would be a new address for everyone. The ARM id makes
    it unique among stacks of the same name in several subscriptions.

    Args:
        base: `Names.base`.
        group_id: ARM id of the stack's resource group, whose case Azure does not always keep.
    """
    return f"{base}-{hashlib.sha256(group_id.lower().encode()).hexdigest()[:8]}"
