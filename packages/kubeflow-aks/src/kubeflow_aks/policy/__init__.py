"""Rules for the resources of a stack; they share no code with planning and do not depend on Pulumi."""

from collections.abc import Sequence
from typing import Final

from kubeflow_aks.policy.benchmark import RULES as _BENCHMARK
from kubeflow_aks.policy.rule import Resource, Rule, Violation
from kubeflow_aks.policy.rules import RULES as _OWN

RULES: Final[tuple[Rule, ...]] = (*_OWN, *_BENCHMARK)
"""Every rule: this product's own, then those of public benchmarks."""


def violations(resources: Sequence[Resource], rules: Sequence[Rule] = RULES) -> list[Violation]:
    """The violations of all resources of a stack, in the order of the rules."""
    return [violation for rule in rules for violation in rule.violations(resources)]
