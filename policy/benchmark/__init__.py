"""Public rules of others (Checkov, Azure Policy, CIS, Kyverno and more), one module a subject.

Each is written anew from what its source demands, and right where the source is wrong today, as with tiers and add-ons
that are younger than it. All are advisory: what a stack does otherwise is a row of `policy/exceptions.yaml`.
"""

from __future__ import annotations

from typing import Final

from policy.benchmark import (
    add_ons,
    cluster_access,
    containers,
    identity,
    logs,
    names,
    network,
    objects,
    pools,
    registry,
    upgrades,
    workloads,
)
from policy.rule import Rule

RULES: Final[tuple[Rule, ...]] = (
    *cluster_access.RULES,
    *identity.RULES,
    *upgrades.RULES,
    *network.RULES,
    *names.RULES,
    *pools.RULES,
    *add_ons.RULES,
    *logs.RULES,
    *registry.RULES,
    *containers.RULES,
    *workloads.RULES,
    *objects.RULES,
)
"""All of them; the ids of one rule are its names elsewhere."""
