"""Runs the checks: each gives results, and each result becomes a finding of the report."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, TypeVar

from kubeflow_aks.deployed.errors import StackError
from kubeflow_aks.deployed.outputs import Outputs
from kubeflow_aks.text.sentences import listed, one_line
from kubeflow_aks.verify.snapshot import ClusterSnapshot, UnknownError

First = TypeVar("First")

RESTORE: Final = (
    "run `pulumi refresh`, then `pulumi up --skip-preview` (docs/how-to/keep-or-undo-hand-edits.md)"
)
"""How an object of the program that is missing or was changed by hand is written again.

`pulumi up --refresh` alone ends with a conflict of field managers if Pulumi has updated the object before
(tests/local/engine/test_hand_edits.py)."""
_MOST_RESULTS: Final = 10
"""Results of one check that are listed; the rest are counted."""


class State(StrEnum):
    """Outcome of a check; `unknown` where it cannot be judged from here."""

    PASSED = "passed"
    FAILED = "failed"
    UNKNOWN = "unknown"


class Impact(StrEnum):
    """Since when a failed check hurts.

    `now` where something that should work does not: a pod, a node, a request, a program of this product. `later` where
    all works until something happens: an eviction, an upgrade, a new node or pod.
    """

    NOW = "now"
    LATER = "later"


@dataclass(frozen=True)
class CheckResult:
    """One result of a check.

    Attributes:
        message: what was found, or why nothing could be.
        impact: None if the check did not fail.
    """

    state: State
    message: str
    action: str = ""
    impact: Impact | None = None


@dataclass(frozen=True)
class Check:
    """A check of a deployed cluster.

    Attributes:
        id: in the JSON; never changes.
        title: what should be true, as a sentence.
        judge: yields results; no result means that the check passed.
    """

    id: str
    title: str
    judge: Callable[[ClusterSnapshot, Outputs], Iterable[CheckResult]]


@dataclass(frozen=True)
class Finding:
    """A result together with the check that it is from."""

    check: str
    title: str
    result: CheckResult


def run_checks(checks: Iterable[Check], snapshot: ClusterSnapshot, outputs: Outputs) -> Iterator[Finding]:
    """The findings of all checks; a check that cannot be judged is `unknown`, with the reason."""
    for check in checks:
        try:
            results = list(check.judge(snapshot, outputs)) or [passed(check.title)]
        except (UnknownError, StackError) as error:
            results = [unknown(f"{check.title}: cannot be checked here: {error}")]
        for result in results[:_MOST_RESULTS]:
            yield Finding(check.id, check.title, result)
        if (left := len(results) - _MOST_RESULTS) > 0:
            last = results[-1]
            more = CheckResult(last.state, f"and {left} more of this kind", impact=last.impact)
            yield Finding(check.id, check.title, more)


def passed(message: str, action: str = "") -> CheckResult:
    """The check passed."""
    return CheckResult(State.PASSED, one_line(message), action)


def failed(message: str, action: str) -> CheckResult:
    """The check failed, and something is broken now; `action` is what to do about it."""
    return CheckResult(State.FAILED, one_line(message), action, Impact.NOW)


def will_break(message: str, action: str) -> CheckResult:
    """The check failed, and something will break; `action` is what to do about it."""
    return CheckResult(State.FAILED, one_line(message), action, Impact.LATER)


def unknown(message: str) -> CheckResult:
    """The check cannot be judged from here; the message is the reason."""
    return CheckResult(State.UNKNOWN, one_line(message))


def pools_have(pools: Iterable[str]) -> str:
    """`pool a has`, `pools a and b have`."""
    names = list(pools)
    return f"pool {names[0]} has" if len(names) == 1 else f"pools {listed(names)} have"


def group_by_first(pairs: Iterable[tuple[First, str]]) -> Mapping[First, Sequence[str]]:
    """Second values by first value, in order of appearance."""
    grouped: dict[First, list[str]] = {}
    for first, second in pairs:
        grouped.setdefault(first, []).append(second)
    return grouped
