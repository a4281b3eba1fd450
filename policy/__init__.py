"""Rules for what a stack asks for, that share no code with planning and know nothing of Pulumi."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from policy.benchmark import RULES as _BENCHMARK
from policy.rule import Resource, Rule, Violation
from policy.rules import RULES as _OWN

RULES: Final[tuple[Rule, ...]] = (*_OWN, *_BENCHMARK)
"""Every rule: this product's own promises, then those of public benchmarks."""


def violations(resources: Sequence[Resource], rules: Sequence[Rule] = RULES) -> list[Violation]:
    """What breaks the rules among all resources of a stack, in the order of the rules."""
    return [violation for rule in rules for violation in rule.violations(resources)]
