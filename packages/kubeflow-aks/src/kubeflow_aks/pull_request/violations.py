"""Applies the rules of `policy` to the resources of each of the two programs, with the exceptions of its own tree."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kubeflow_aks.json_values import entries, is_mapping
from kubeflow_aks.policy import RULES
from kubeflow_aks.policy.exceptions import FILE, Accepted, ExceptionsError, load
from kubeflow_aks.policy.results import RuleResult, reported, rule_results
from kubeflow_aks.policy.rule import STACK, Violation
from kubeflow_aks.policy.rule import UNKNOWN as NOT_KNOWN
from kubeflow_aks.policy.rule import Resource as PolicyResource
from kubeflow_aks.pull_request.observed import SECRET, Observed, Run, shown


@dataclass(frozen=True)
class Exceptions:
    """The exceptions of both trees."""

    base: tuple[Accepted, ...]
    head: tuple[Accepted, ...]
    notes: tuple[str, ...] = ()

    @classmethod
    def of(cls, base: Path, head: Path) -> Exceptions:
        """The rows of two project folders; the head's for both where today's rules can't read the base's.

        Raises:
            ExceptionsError: the head's have mistakes.
        """
        rules = {rule.name for rule in RULES}
        ours = load(head, rules=rules)
        try:
            return cls(load(base, rules=rules), ours)
        except ExceptionsError:
            return cls(ours, ours, (f"the {FILE} of the base can't be read, so the head's is used for it",))


@dataclass(frozen=True)
class ExceptionChange:
    """A row of `policy-exceptions.yaml` that differs for a stack; None where it is added or removed.

    Attributes:
        violations: that it accepts, or accepted before it was removed.
    """

    before: Accepted | None
    after: Accepted | None
    violations: int


@dataclass(frozen=True)
class Judged:
    """What the rules find in both programs.

    Attributes:
        base: violations without an exception, and undecided mandatory rules; empty if the base did not run.
        head: the same of the head.
        accepted: violations of the head with an exception.
    """

    base: Sequence[Violation] = ()
    head: Sequence[Violation] = ()
    accepted: Sequence[Violation] = ()
    exceptions: Sequence[ExceptionChange] = ()


def judge(observed: Observed, exceptions: Exceptions) -> Judged:
    """Applies the rules to both programs."""
    base = _results(observed.stack, observed.base, exceptions.base)
    head = _results(observed.stack, observed.head, exceptions.head)
    return Judged(
        reported(base),
        reported(head),
        [violation for result in head for violation, _ in result.accepted],
        list(_changes(observed.stack, exceptions, base, head)) if observed.base and observed.head else (),
    )


def _changes(
    stack: str, exceptions: Exceptions, base: Sequence[RuleResult], head: Sequence[RuleResult]
) -> Iterator[ExceptionChange]:
    before, after = (
        {(row.rule, row.stacks, row.resource, row.message): row for row in rows if row.names(stack)}
        for rows in (exceptions.base, exceptions.head)
    )
    for key in dict.fromkeys([*after, *before]):
        old, new = before.get(key), after.get(key)
        if old != new:
            results, row = (base, old) if new is None else (head, new)
            accepted = sum(accepting == row for result in results for _, accepting in result.accepted)
            yield ExceptionChange(old, new, accepted)


def _results(stack: str, run: Run | None, accepted: Sequence[Accepted]) -> list[RuleResult]:
    """The result of each rule; empty if the program failed."""
    if run is None or run.failure:
        return []
    resources = [
        PolicyResource(
            urn=resource.urn,
            type=resource.type,
            name=resource.name,
            inputs=shown(resource.inputs, NOT_KNOWN),
            secret_inputs=frozenset(_secret("", resource.inputs)),
            protect=resource.protect,
            ignore_changes=frozenset(resource.ignore_changes),
        )
        for resource in run.resources.values()
    ]
    outputs = PolicyResource(
        f"stack::{stack}", STACK, stack, shown(run.outputs, NOT_KNOWN), frozenset(_secret("", run.outputs))
    )
    return rule_results(stack, [outputs, *resources], accepted)


def _secret(path: str, value: Any) -> Iterator[str]:
    for key, item in value.items() if is_mapping(value) else ():
        yield from _secret(f"{path}.{key}" if path else key, item)
    for number, item in enumerate(entries(value)):
        yield from _secret(f"{path}[{number}]", item)
    if value == SECRET:
        yield path
