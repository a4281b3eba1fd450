"""The result of each rule for one stack: satisfied, exception, violated or undecided."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from kubeflow_aks.policy import RULES
from kubeflow_aks.policy.exceptions import Accepted, covering
from kubeflow_aks.policy.rule import Resource, Rule, Violation

Status = Literal["satisfied", "exception", "undecided", "violated"]


@dataclass(frozen=True)
class RuleResult:
    """The result of one rule for one stack.

    Attributes:
        rule: the rule.
        violated: violations without an exception.
        undecided: violations that depend on unknown values.
        accepted: violations with an exception, each with its row.
    """

    rule: Rule
    violated: tuple[Violation, ...]
    undecided: tuple[Violation, ...]
    accepted: tuple[tuple[Violation, Accepted], ...]

    @property
    def all(self) -> tuple[Violation, ...]:
        """All violations of the rule."""
        return (*self.violated, *self.undecided, *(violation for violation, _ in self.accepted))

    @property
    def status(self) -> Status:
        """The result in one word."""
        if self.violated:
            return "violated"
        if self.undecided:
            return "undecided"
        return "exception" if self.accepted else "satisfied"


def rule_results(
    stack: str, resources: Sequence[Resource], rows: Sequence[Accepted], rules: Iterable[Rule] = RULES
) -> list[RuleResult]:
    """The result of each rule for all resources of a stack, by the exceptions of its project."""
    return [_result(stack, rule, list(rule.violations(resources)), rows) for rule in rules]


def reported(results: Iterable[RuleResult]) -> list[Violation]:
    """Violations that a preview reports: all without an exception, and undecided ones of mandatory rules."""
    return [
        violation
        for result in results
        for violation in (*result.violated, *(result.undecided if result.rule.mandatory else ()))
    ]


def counts(results: Iterable[RuleResult]) -> Counter[Status]:
    """How many rules have each status."""
    return Counter(result.status for result in results)


def fails(results: Iterable[RuleResult]) -> bool:
    """Whether a mandatory rule is violated."""
    return any(violation.mandatory for result in results for violation in result.violated)


def _result(stack: str, rule: Rule, violations: Sequence[Violation], rows: Sequence[Accepted]) -> RuleResult:
    covered = [(violation, covering(rows, stack, violation)) for violation in violations]
    open_ = [violation for violation, row in covered if row is None]
    return RuleResult(
        rule,
        violated=tuple(violation for violation in open_ if not violation.undecided),
        undecided=tuple(violation for violation in open_ if violation.undecided),
        accepted=tuple((violation, row) for violation, row in covered if row),
    )
