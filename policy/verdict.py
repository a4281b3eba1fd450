"""What became of each rule for one stack: satisfied, accepted for a reason, violated or undecided."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from policy import RULES
from policy.exceptions import Accepted, covering
from policy.rule import Resource, Rule, Violation

Status = Literal["satisfied", "exception", "undecided", "violated"]


@dataclass(frozen=True)
class Verdict:
    """One rule for one stack.

    Attributes:
        rule: the rule.
        violated: what nobody accepted.
        undecided: what depends on values that are not known here.
        accepted: what is accepted, each with the row that does so.
    """

    rule: Rule
    violated: tuple[Violation, ...]
    undecided: tuple[Violation, ...]
    accepted: tuple[tuple[Violation, Accepted], ...]

    @property
    def all(self) -> tuple[Violation, ...]:
        """Whatever the rule told."""
        return (*self.violated, *self.undecided, *(violation for violation, _ in self.accepted))

    @property
    def status(self) -> Status:
        """The verdict in one word."""
        if self.violated:
            return "violated"
        if self.undecided:
            return "undecided"
        return "exception" if self.accepted else "satisfied"


def verdicts(
    stack: str, resources: Sequence[Resource], rows: Sequence[Accepted], rules: Iterable[Rule] = RULES
) -> list[Verdict]:
    """What became of each rule.

    Args:
        stack: its name.
        resources: all it asks for.
        rows: what is accepted.
        rules: the rules.
    """
    return [_verdict(stack, rule, list(rule.violations(resources)), rows) for rule in rules]


def told(found: Iterable[Verdict]) -> list[Violation]:
    """What a preview tells: all that is violated, and what is undecided of what must be so."""
    return [
        violation
        for verdict in found
        for violation in (*verdict.violated, *(verdict.undecided if verdict.rule.mandatory else ()))
    ]


def counts(found: Iterable[Verdict]) -> Counter[Status]:
    """How many rules have each verdict."""
    return Counter(verdict.status for verdict in found)


def fails(found: Iterable[Verdict]) -> bool:
    """Whether a mandatory rule is violated."""
    return any(violation.mandatory for verdict in found for violation in verdict.violated)


def _verdict(stack: str, rule: Rule, found: Sequence[Violation], rows: Sequence[Accepted]) -> Verdict:
    covered = [(violation, covering(rows, stack, violation)) for violation in found]
    open_ = [violation for violation, row in covered if row is None]
    return Verdict(
        rule,
        violated=tuple(violation for violation in open_ if not violation.undecided),
        undecided=tuple(violation for violation in open_ if violation.undecided),
        accepted=tuple((violation, row) for violation, row in covered if row),
    )
