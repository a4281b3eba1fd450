"""What a change does to the expected bill: one line above the fold, the lines that change below."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Final

from cost.report.change import Amount, BillTold, CostChange, changed_lines, changes, expected
from cost.words import money, step
from writing.blocks import Alert, Block, Items, Paragraph, Section, Table

_MOST_LINES: Final = 60
"""Lines of a bill that are shown."""
_MOST_TEXTS: Final = 30


def top(change: CostChange | None) -> Iterator[Block]:
    """Above the fold: one line, and the budget where this change goes over it."""
    if change is None:
        return
    before, after, currency = change["before"], change["after"], change["currency"]
    if after is None:
        yield Paragraph(f"Expected cost: not known. {' '.join(change['whyNot']['head'])}")
        return
    earlier = expected(before["monthly"]) if before else None
    said = f"Expected cost: {step(earlier, expected(after['monthly']), currency)}"
    if change["whyNot"]["base"]:
        said += " What it was is not known."
    over = _over(after, currency)
    if over and not changes(change):
        said, over = f"{said} {over}", ""  # no news of this change
    yield Paragraph(said)
    if over:
        yield Alert(danger=False, items=(over,))


def sections(change: CostChange | None) -> Iterator[Section]:
    """The lines that change, and what all figures rest on; none where nothing changes."""
    if change is None or change["after"] is None or not changes(change):
        return
    blocks = list(lines(change))
    for title, texts in (
        ("", change["notes"]),
        ("It rests on:", change["assumptions"]),
        ("Not counted:", change["leftOut"]),
    ):
        if texts:
            blocks += [Paragraph(title)] if title else []
            blocks.append(Items(tuple(texts[:_MOST_TEXTS])))
    yield Section("Expected cost", blocks)


def lines(change: CostChange) -> Iterator[Block]:
    """The lines that change and the sums, and why there is no bill of before."""
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
    """One line; what a side does not have costs nothing there."""
    old, new = (expected(amount) if amount else 0.0 for amount in (before, after))
    less_or_more = f"{'+' if new > old else ''}{money(new - old, currency)}"
    return (
        name,
        f"`{money(old, currency)}`" if before else "–",
        f"`{money(new, currency)}`" if after else "–",
        f"`{less_or_more}`" if math.isfinite(old) and math.isfinite(new) else "–",
    )


def _over(after: BillTold, currency: str) -> str:
    """By how much the budget is too small; empty where it is not, or where there is none."""
    budget, amount = after["budget"], expected(after["monthly"])
    if budget is None or amount <= budget:
        return ""
    more = f" by `{money(amount - budget, currency)}`" if math.isfinite(amount) else ""
    return f"Over the budget of `{money(budget, currency)}` a month{more}."
