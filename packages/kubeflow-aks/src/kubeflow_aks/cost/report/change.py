"""What a change does to the expected bill, as JSON and as blocks of a page.

Schemas: the key `cost` of `kubeflow_aks/pull_request/report/change.schema.json` for the change,
`kubeflow_aks/cost/report/against.schema.json` for a bill beside that of another commit.
"""

import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final, TypedDict

from kubeflow_aks.cost.bill import ASSUMED_WORK, Bill
from kubeflow_aks.cost.difference import Difference, LineChange
from kubeflow_aks.cost.figures import Range
from kubeflow_aks.cost.formatting import money, same, step
from kubeflow_aks.cost.report import document
from kubeflow_aks.cost.report.page import page as page_of
from kubeflow_aks.cost.report.page import prices_and_rates
from kubeflow_aks.revisions.repository import Revision
from kubeflow_aks.text.blocks import Alert, Block, Items, Page, Paragraph, Section, Table

VERSION: Final = 2
"""Version of the document of two bills."""
SCHEMA: Final = Path(__file__).parent / "against.schema.json"
_MOST_LINES: Final = 60
"""Lines of a bill that are shown."""
_MOST_TEXTS: Final = 30
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


_ASSUMED: Final = "The work is assumed, because the stack names none."


def change_document(
    difference: Difference | None, why_not: Sequence[str] = (), notes: Sequence[str] = ()
) -> CostChange:
    """Both bills; where the bill of what is to be can't be made, there is no difference but why, one line each."""
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


def top(change: CostChange | None) -> Iterator[Block]:
    """What stands above the fold: one line, and a warning where this change exceeds the budget."""
    if change is None:
        return
    before, after, currency = change["before"], change["after"], change["currency"]
    if after is None:
        yield Paragraph(f"Expected cost: unknown. {' '.join(change['whyNot']['head'])}")
        return
    earlier = expected(before["monthly"]) if before else None
    sentence = f"Expected cost: {step(earlier, expected(after['monthly']), currency)}"
    if any(ASSUMED_WORK.name in text for text in change["assumptions"]):
        sentence += f" {_ASSUMED}"
    if change["whyNot"]["base"]:
        sentence += " The earlier cost is unknown."
    over = _over(after, currency)
    if over and not changes(change):
        sentence, over = f"{sentence} {over}", ""  # not caused by this change
    yield Paragraph(sentence)
    if over:
        yield Alert(danger=False, items=(over,))


def sections(change: CostChange | None) -> Iterator[Section]:
    """The lines that change, and the prices and rates used; none where nothing changes."""
    if change is None or change["after"] is None or not changes(change):
        return
    blocks = list(lines(change))
    for title, texts in (
        ("", change["notes"]),
        ("Prices and rates used:", change["assumptions"]),
        ("Not counted:", change["leftOut"]),
    ):
        if texts:
            blocks += [Paragraph(title)] if title else []
            blocks.append(Items(tuple(texts[:_MOST_TEXTS])))
    yield Section("Expected cost", blocks)


def lines(change: CostChange) -> Iterator[Block]:
    """The lines that change and the sums, and why there is no earlier bill."""
    before, after, currency = change["before"], change["after"], change["currency"]
    if after is None:
        return
    changed = changed_lines(change)
    rows = [(line["name"], line["before"], line["after"]) for line in changed[:_MOST_LINES]]
    rows.append(("all batch work", before and before["batch"], after["batch"]))
    rows.append(("the whole stack", before and before["monthly"], after["monthly"]))
    rows.append(("the same on demand", before and before["onDemand"], after["onDemand"]))
    head = ("Expected a month", "before", "after", "difference")
    yield Table(head, tuple(_row(*row, currency) for row in rows), range(1, len(head)))
    if len(changed) > _MOST_LINES:
        yield Paragraph(f"And {len(changed) - _MOST_LINES} more lines.")
    if change["whyNot"]["base"]:
        yield Items(tuple(change["whyNot"]["base"][:_MOST_TEXTS]))


def _row(name: str, before: Amount | None, after: Amount | None, currency: str) -> tuple[str, ...]:
    """One line; a side without it costs nothing there."""
    old, new = (expected(amount) if amount else 0.0 for amount in (before, after))
    less_or_more = f"{'+' if new > old else ''}{money(new - old, currency)}"
    return (
        name,
        f"`{money(old, currency)}`" if before else "–",
        f"`{money(new, currency)}`" if after else "–",
        f"`{less_or_more}`" if math.isfinite(old) and math.isfinite(new) else "–",
    )


def _over(after: BillEntry, currency: str) -> str:
    """The amount by which the bill exceeds the budget; empty where it does not, or without a budget."""
    budget, amount = after["budget"], expected(after["monthly"])
    if budget is None or amount <= budget:
        return ""
    more = f" by `{money(amount - budget, currency)}`" if math.isfinite(amount) else ""
    return f"Over the budget of `{money(budget, currency)}` a month{more}."


def difference_page(difference: Difference, revision: Revision, *more: Section) -> Page:
    """The difference first, then both bills, then what they rest on."""
    change, now = change_document(difference), page_of(difference.after, *more)
    where = f"`{revision.ref}` (`{revision.commit[:12]}` of `{revision.day}`)"
    bills = [Section("The bill now", now.top)]
    if difference.before:
        bills.append(Section("The bill before", page_of(difference.before).top))
    return Page(
        f"Stack `{difference.after.stack}` against {where}",
        (
            *top(change),
            *lines(change),
            *([Items(difference.notes)] if difference.notes else []),
        ),
        (*bills, *now.sections),
    )


def difference_document(difference: Difference, revision: Revision) -> dict[str, Any]:
    """Both bills whole, and each line of either."""
    return {
        "version": VERSION,
        "against": {
            "ref": revision.ref,
            "commit": revision.commit,
            "day": revision.day.isoformat(),
        },
        "before": document.document(difference.before) if difference.before else None,
        "after": document.document(difference.after),
        "whyNot": list(difference.why_not),
        "notes": list(difference.notes),
        "lines": change_document(difference)["lines"],
    }
