"""Names of Azure resources, all made from project and stack, so that an environment is found by its name."""

import hashlib
from dataclasses import dataclass


@dataclass(frozen=True)
class Names:
    """Names of Azure resources of one stack."""

    base: str
    """`<project>-<stack>`: resource group, cluster, network and identities carry it."""


def names(project: str, stack: str) -> Names:
    """Names for one stack.

    Args:
        project: Pulumi project name.
        stack: Pulumi stack name.
    """
    return Names(base=f"{project}-{stack}")


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
