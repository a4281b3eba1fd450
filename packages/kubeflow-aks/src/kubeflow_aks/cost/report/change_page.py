"""What a change does to the expected bill: one line above the fold, the lines that change below."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Final

from kubeflow_aks.cost.formatting import money, step
from kubeflow_aks.cost.report.change import Amount, BillEntry, CostChange, changed_lines, changes, expected
from kubeflow_aks.text.blocks import Alert, Block, Items, Paragraph, Section, Table

_MOST_LINES: Final = 60
"""Lines of a bill that are shown."""
_MOST_TEXTS: Final = 30


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
