"""What a change does to the expected bill, as JSON.

Its schema is the key `cost` of `kubeflow_aks/pull_request/report/change.schema.json`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final, TypedDict

from kubeflow_aks.cost.bill import Bill
from kubeflow_aks.cost.difference import Difference, LineChange
from kubeflow_aks.cost.figures import Range
from kubeflow_aks.cost.formatting import same
from kubeflow_aks.cost.report.page import prices_and_rates

_MOST: Final = 1e15
"""Amounts from here on count as without end; `kubeflow_aks/pull_request/report/change.schema.json` has none."""


class Amount(TypedDict):
    """A month; None for no end, as of work that would never get done."""

    expected: float | None
    low: float | None
    high: float | None


class LineEntry(TypedDict):
    """One line of either bill; None where that side does not have it."""

    name: str
    part: str
    before: Amount | None
    after: Amount | None


class BillEntry(TypedDict):
    """One of the two bills; `onDemand` is the same with all batch work on demand."""

    monthly: Amount
    onDemand: Amount
    batch: Amount
    batchOnDemand: Amount
    budget: float | None


class WhyNot(TypedDict):
    """Why there is no bill, one line each; empty where there is one, or no such stack."""

    base: list[str]
    head: list[str]


class CostChange(TypedDict):
    """Both bills at the same prices; None where the stack is new, or where a bill can't be made."""

    currency: str
    before: BillEntry | None
    after: BillEntry | None
    whyNot: WhyNot
    lines: list[LineEntry]
    assumptions: list[str]
    leftOut: list[str]
    notes: list[str]


def change_document(
    difference: Difference | None, why_not: Sequence[str] = (), notes: Sequence[str] = ()
) -> CostChange:
    """Both bills.

    Args:
        difference: None where the bill of what is to be can't be made.
        why_not: then why, one line each.
        notes: further notes for the reader, one sentence each.
    """
    return {
        "currency": difference.after.currency if difference else "",
        "before": _bill(difference.before) if difference and difference.before else None,
        "after": _bill(difference.after) if difference else None,
        "whyNot": {"base": list(difference.why_not) if difference else [], "head": list(why_not)},
        "lines": list(map(_line, difference.lines)) if difference else [],
        "assumptions": prices_and_rates(difference.after) if difference else [],
        "leftOut": list(difference.after.left_out) if difference else [],
        "notes": [*difference.notes, *difference.after.warnings, *notes] if difference else list(notes),
    }


def changes(change: CostChange | None) -> bool:
    """Whether the expected bill or the budget changes, as far as both are known."""
    if change is None or change["after"] is None:
        return False
    before, after = change["before"], change["after"]
    return before is None or before["budget"] != after["budget"] or bool(changed_lines(change))


def changed_lines(change: CostChange) -> list[LineEntry]:
    """The lines whose cost changes, and those that are added or removed, whatever they cost."""
    return [
        line
        for line in change["lines"]
        if not (line["before"] and line["after"] and same(expected(line["before"]), expected(line["after"])))
    ]


def expected(amount: Amount) -> float:
    """The expected amount; infinite for no end."""
    return math.inf if amount["expected"] is None else amount["expected"]


def _bill(bill: Bill) -> BillEntry:
    return {
        "monthly": _amount(bill.amount()),
        "onDemand": _amount(bill.on_demand()),
        "batch": _amount(bill.amount("batch")),
        "batchOnDemand": _amount(bill.on_demand("batch")),
        "budget": _figure(bill.budget) if bill.budget is not None else None,
    }


def _line(line: LineChange) -> LineEntry:
    return {
        "name": line.name,
        "part": line.part,
        "before": _amount(line.before) if line.before else None,
        "after": _amount(line.after) if line.after else None,
    }


def _amount(amount: Range) -> Amount:
    return {"expected": _figure(amount.expected), "low": _figure(amount.low), "high": _figure(amount.high)}


def _figure(figure: float) -> float | None:
    return figure if figure < _MOST else None
