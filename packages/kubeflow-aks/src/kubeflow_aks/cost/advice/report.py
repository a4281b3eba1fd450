"""Advice as a section of a bill's page, and as JSON."""

import math
from collections.abc import Iterator
from typing import Any

from kubeflow_aks.cost.advice.advice import Advice, Advised
from kubeflow_aks.cost.formatting import money, saving
from kubeflow_aks.cost.report.document import amount, number
from kubeflow_aks.cost.report.page import ASSUMED
from kubeflow_aks.text.blocks import Block, Items, Lines, Paragraph, Section, Table


def section(advised: Advised) -> Section:
    """What would lower the bill: a table, best first, then the lines for the stack file."""
    return Section("What would lower it", tuple(_blocks(advised)), unfolded=True)


def document(advised: Advised) -> dict[str, Any]:
    """The same as JSON; what has no end is null."""
    return {
        "each": [_advice(one) for one in advised.advice],
        "unknown": list(advised.unknown),
        "refused": list(advised.refused),
        "together": None
        if advised.together is None
        else _advice(advised.together)
        | {
            "changes": [sentence for sentence, _ in advised.changes],
            "onDemand": None if advised.on_demand_then is None else amount(advised.on_demand_then),
        },
    }


def _blocks(advised: Advised) -> Iterator[Block]:
    yield from _useful_changes(advised) if advised.advice else [Paragraph("No known change would lower it.")]
    if advised.unknown:
        yield Paragraph("Without a figure:")
        yield Items(advised.unknown)
    if advised.refused:
        yield Paragraph("Not possible with the subscription's quota:")
        yield Items(advised.refused)


def _useful_changes(advised: Advised) -> Iterator[Block]:
    head = ("Change", "Expected", "Saves", "Change of the bill")
    yield Table(head, tuple(_row(one, advised) for one in advised.advice), range(1, len(head)))
    if any(one.assumed for one in advised.advice):
        yield Paragraph(f"{ASSUMED} rests on a price that nobody quotes.")
    if advised.together:
        yield _combination(advised, advised.together)
        yield Paragraph("In the stack file, under `config:`, in place of the same keys:")
        yield from _lines(advised.together, advised.currency)
    for one in advised.advice:
        alone = " (a separate decision, not part of the combination)" if one.alone else ""
        yield Paragraph(f"{one.sentence[:1].upper()}{one.sentence[1:]}{alone}:")
        yield from _lines(one, advised.currency)


def _combination(advised: Advised, together: Advice) -> Table:
    """The bill after each change and all before it, beside what the same work costs on demand, before and after."""
    head = (
        "All of these together",
        "Expected",
        "Saves",
        "Against today's on demand",
        "Against its own on demand",
    )
    now, before = advised.on_demand.expected, together.before.expected
    then = now if advised.on_demand_then is None else advised.on_demand_then.expected
    bills = [("the stack as it is", before, "", saving(before, now))]
    for sentence, bill in advised.changes:
        saved = money(before - bill.expected, advised.currency) if math.isfinite(before) else ""
        bills.append((sentence, bill.expected, saved, ""))
    bills[-1] = (*bills[-1][:-1], saving(together.after.expected, then))
    rows = [
        (sentence, money(amount, advised.currency), saved, saving(amount, now), against)
        for sentence, amount, saved, against in bills
    ]
    rows.append(("today's stack with its work on demand", money(now, advised.currency), "", "", ""))
    rows.append(
        ("the stack with these changes and its work on demand", money(then, advised.currency), "", "", "")
    )
    return Table(head, tuple(rows), range(1, len(head)))


def _lines(one: Advice, currency: str) -> Iterator[Block]:
    yield Lines(tuple(f"  {line}" for line in one.lines))
    if notes := (*_needs(one, currency), *one.notes):
        yield Items(notes)


def _needs(one: Advice, currency: str) -> Iterator[str]:
    if one.without is not None:
        first = one.before.expected - one.without.expected
        alone = f"save {money(first, currency)}" if math.isfinite(first) else "get the work done"
        yield (
            f"the lines contain the checkpoints that it needs, which {alone} without it; its own saving of "
            f"{money(one.saves, currency)} comes on top"
        )


def _row(one: Advice, advised: Advised) -> tuple[str, ...]:
    return (
        one.sentence,
        money(one.after.expected, advised.currency),
        f"{money(one.saves, advised.currency)}{ASSUMED if one.assumed else ''}"
        if math.isfinite(one.saves)
        else "",
        _change(one),
    )


def _change(one: Advice) -> str:
    before = (one.without or one.before).expected
    return saving(one.after.expected, before) if math.isfinite(before) else ""


def _advice(one: Advice) -> dict[str, Any]:
    return {
        "change": one.sentence,
        "lines": list(one.lines),
        "before": amount(one.before),
        "beforeWithNeeds": None if one.without is None else amount(one.without),
        "after": amount(one.after),
        "saves": number(one.saves),
        "share": one.share,
        "notes": list(one.notes),
        "alone": one.alone,
        "assumed": one.assumed,
    }
