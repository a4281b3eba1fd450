"""Rules of public benchmarks (Checkov, Azure Policy, CIS, Kyverno and more), one module for each subject.

Each is implemented from its source's text, and corrected where the source is outdated, for example on tiers and
add-ons. All are advisory: accepted deviations of a stack are rows of `policy-exceptions.yaml`.
"""

from typing import Final

from kubeflow_aks.policy.benchmark import (
    add_ons,
    cluster_access,
    containers,
    logs,
    names,
    network,
    objects,
    pools,
    registry,
    upgrades,
    workloads,
)
from kubeflow_aks.policy.rule import Rule

RULES: Final[tuple[Rule, ...]] = (
    *cluster_access.RULES,
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
"""All of them."""
