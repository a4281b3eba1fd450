"""The document of a change, as JSON; `change.schema.json` is its contract. All other forms are made from it."""

from collections import Counter
from operator import itemgetter
from pathlib import Path
from typing import Any, Literal, TypedDict, TypeGuard, cast

from kubeflow_aks.cost.report.change import CostChange, changes
from kubeflow_aks.json_values import is_mapping, whole
from kubeflow_aks.policy.rule import Violation
from kubeflow_aks.pull_request.observed import UNKNOWN, Change, Observed, Run
from kubeflow_aks.pull_request.report.impacts import Impact, impacts_of
from kubeflow_aks.pull_request.report.pool_entries import PoolEntry, pool_entries
from kubeflow_aks.pull_request.violations import Judged
from kubeflow_aks.revisions.repository import Revision

VERSION = 1
SCHEMA = Path(__file__).with_name("change.schema.json")

Outcome = Literal["unchanged", "changed", "new", "removed", "baseFailed", "headFailed", "notJudged"]
_ACTIONS = ("replace", "delete", "create", "update")


class RevisionEntry(TypedDict):
    """One of the two trees; the day as ISO date."""

    ref: str
    commit: str
    day: str
    edited: bool


class DifferenceEntry(TypedDict):
    """One property that changes."""

    path: str
    kind: str
    before: Any
    after: Any


class ChangeEntry(TypedDict):
    """One resource that changes."""

    urn: str
    type: str
    name: str
    action: str
    forcedBy: list[str]
    simulated: bool
    differences: list[DifferenceEntry]


class ViolationEntry(TypedDict):
    """One resource that violates one rule; `urn` is empty for the whole stack."""

    rule: str
    severity: str
    mandatory: bool
    urn: str
    message: str


Policy = dict[str, list[ViolationEntry]]
"""Violations of the head only (`new`), of the base only, because an exception accepts them (`accepted`) or because they
are mended (`gone`), and of both (`staying`)."""


class AzureEntry(TypedDict):
    """How many requests to Azure were tried, and the resources of those that were not."""

    tried: int
    untried: list[str]


class QuotaEntry(TypedDict):
    """vCPU quota of one family that the stack needs; None if that side is not known."""

    family: str
    before: int | None
    after: int | None


class OutputEntry(TypedDict):
    """One output that changes."""

    name: str
    before: Any
    after: Any


class Failures(TypedDict):
    """Why a program did not run; empty if it did."""

    base: str
    head: str


class ChangeDocument(TypedDict):
    """The whole document."""

    version: int
    stack: str
    base: RevisionEntry
    head: RevisionEntry
    outcome: Outcome
    counts: dict[str, int]
    words: list[Impact]
    pools: list[PoolEntry]
    policy: Policy
    azure: AzureEntry
    quota: list[QuotaEntry]
    changes: list[ChangeEntry]
    outputs: list[OutputEntry]
    warnings: dict[str, list[str]]
    looksReplaced: list[str]
    notes: list[str]
    failures: Failures
    cost: CostChange | None


def change_document(
    observed: Observed, judged: Judged | None = None, cost: CostChange | None = None
) -> ChangeDocument:
    """The document of one stack; everything in a stable order."""
    judged = judged or Judged()
    outputs, quota, words = _outputs(observed), _quota(observed), impacts_of(observed, judged.exceptions)
    return {
        "version": VERSION,
        "stack": observed.stack,
        "base": _revision(observed.base_revision),
        "head": _revision(observed.head_revision),
        "outcome": _outcome(
            observed, changed=bool(observed.changes or outputs or quota or words or changes(cost))
        ),
        "counts": _counts(observed),
        "words": words,
        "pools": pool_entries(observed),
        "policy": _policy(observed, judged),
        "azure": {"tried": observed.azure.tried, "untried": list(observed.azure.untried)},
        "quota": quota,
        "changes": [
            _change(change)
            for change in sorted(observed.changes, key=lambda it: (_ACTIONS.index(it.action), it.urn))
        ],
        "outputs": outputs,
        "warnings": _warnings(observed),
        "looksReplaced": sorted(observed.looks_replaced),
        "notes": list(observed.notes),
        "failures": {"base": _failure(observed.base), "head": _failure(observed.head)},
        "cost": cost,
    }


def _revision(revision: Revision) -> RevisionEntry:
    return cast(RevisionEntry, vars(revision) | {"day": revision.day.isoformat()})


def _outcome(observed: Observed, *, changed: bool) -> Outcome:
    if failure := _failure(observed.head):
        return "notJudged" if failure in observed.not_judged else "headFailed"
    if observed.head is None:
        return "removed"
    if _failure(observed.base):
        return "baseFailed"
    if observed.base is None:
        return "new"
    return "changed" if changed else "unchanged"


def _ran(run: Run | None) -> TypeGuard[Run]:
    return run is not None and not run.failure


def _failure(run: Run | None) -> str:
    return run.failure if run else ""


def _change(change: Change) -> ChangeEntry:
    return {
        "urn": change.urn,
        "type": change.type,
        "name": change.name,
        "action": change.action,
        "forcedBy": list(change.forced_by),
        "simulated": change.simulated,
        "differences": [cast(DifferenceEntry, dict(vars(difference))) for difference in change.differences],
    }


def _counts(observed: Observed) -> dict[str, int]:
    """Resources by what happens to them; `same` are those of both sides that do not change."""
    counts = {action: sum(change.action == action for change in observed.changes) for action in _ACTIONS}
    both = observed.base and observed.head and observed.base.resources.keys() & observed.head.resources.keys()
    changed = {change.urn for change in observed.changes}
    return {**counts, "same": len((both or set[str]()) - changed)}


def _policy(observed: Observed, judged: Judged) -> Policy:
    """A violation stays if both sides violate the same rule with the same resource, whatever its message."""
    left = Counter((violation.rule.name, violation.urn) for violation in judged.base)
    excepted = {(violation.rule.name, violation.urn) for violation in judged.accepted}
    new: list[Violation] = []
    staying: list[Violation] = []
    for violation in judged.head:
        key = violation.rule.name, violation.urn
        (staying if left[key] > 0 else new).append(violation)
        left[key] -= 1
    gone: list[Violation] = []
    accepted: list[Violation] = []
    for violation in judged.base if _ran(observed.head) else ():
        key = violation.rule.name, violation.urn
        if left[key] > 0:
            (accepted if key in excepted else gone).append(violation)
            left[key] -= 1
    sides = {"new": new, "accepted": accepted, "gone": gone, "staying": staying}
    return {when: _violations(violations) for when, violations in sides.items()}


def _violations(violations: list[Violation]) -> list[ViolationEntry]:
    """Mandatory ones first, then by severity."""
    severities = ("high", "medium", "low")
    entries: list[ViolationEntry] = [
        {
            "rule": violation.rule.name,
            "severity": violation.rule.severity,
            "mandatory": violation.mandatory,
            "urn": violation.urn,
            "message": violation.message,
        }
        for violation in violations
    ]
    entries.sort(key=itemgetter("rule", "urn", "message"))
    return sorted(entries, key=lambda one: (not one["mandatory"], severities.index(one["severity"])))


def _quota(observed: Observed) -> list[QuotaEntry]:
    """Families whose need changes, by name, the region's two sums last; none where the head does not run."""
    if _failure(observed.head):
        return []
    before, after = _needed(observed.base), _needed(observed.head)
    names = [
        name for name in {**(before or {}), **(after or {})} if _vcpus(before, name) != _vcpus(after, name)
    ]
    names.sort(key=lambda name: (name in _SUMS, name.casefold(), name))
    return [{"family": name, "before": _vcpus(before, name), "after": _vcpus(after, name)} for name in names]


_SUMS = ("cores", "lowPriorityCores")
"""Quotas of a whole region, all on demand and all spot, as `az vm list-usage` names them."""


def _needed(run: Run | None) -> dict[str, int] | None:
    """The output `vcpuQuota`; empty for a missing stack, None if it cannot be read."""
    if not _ran(run):
        return {}
    quota = run.outputs.get("vcpuQuota")
    if not is_mapping(quota):
        return None
    return {name: vcpus for name, vcpus in quota.items() if whole(vcpus) is not None}


def _vcpus(needed: dict[str, int] | None, name: str) -> int | None:
    return None if needed is None else needed.get(name, 0)


def _warnings(observed: Observed) -> dict[str, list[str]]:
    """Warnings of the head, and those that only the base has."""
    before = observed.base.warnings if _ran(observed.base) else ()
    after = observed.head.warnings if observed.head else ()
    return {
        "new": [text for text in after if text not in before],
        "gone": [text for text in before if text not in after and _ran(observed.head)],
        "staying": [text for text in after if text in before],
    }


def _outputs(observed: Observed) -> list[OutputEntry]:
    """Outputs that change, without those that are unknown until the next `up`."""
    if not (_ran(observed.base) and _ran(observed.head)):
        return []
    before, after = observed.base.outputs, observed.head.outputs
    return [
        {"name": name, "before": before.get(name), "after": after.get(name)}
        for name in sorted({*before, *after} - _SHOWN_ELSEWHERE)
        if before.get(name) != after.get(name) and not (name in before and after.get(name) == UNKNOWN)
    ]


_SHOWN_ELSEWHERE = {"poolContract", "vcpuQuota", "costBasis", "clusterBasis"}
