"""Advice as a section of a bill's page, and as JSON."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from kubeflow_aks.cost.advice.advice import Advice, Advised
from kubeflow_aks.cost.figures import Range
from kubeflow_aks.cost.formatting import money, saving
from kubeflow_aks.text.blocks import Block, Items, Lines, Paragraph, Section, Table


def section(advised: Advised) -> Section:
    """What would lower the bill: a table, best first, then the lines for the stack file."""
    return Section("What would lower it", tuple(_blocks(advised)), unfolded=True)


def document(advised: Advised) -> dict[str, Any]:
    """The same as JSON; what has no end is null."""
    return {
        "each": [_advice(one) for one in advised.each],
        "together": None
        if advised.together is None
        else _advice(advised.together) | {"changes": list(advised.changes)},
    }


def _blocks(advised: Advised) -> Iterator[Block]:
    if not advised.each:
        yield Paragraph("No known change would lower it.")
        return
    head = ("Change", "Expected", "Saves", "Change of the bill")
    yield Table(head, tuple(_row(one, advised) for one in advised.each), range(1, len(head)))
    if advised.together:
        before, after = (
            f"{money(it.expected, advised.currency)} ({saving(it.expected, advised.on_demand.expected)})"
            for it in (advised.together.before, advised.together.after)
        )
        on_demand = money(advised.on_demand.expected, advised.currency)
        yield Paragraph(
            f"All of these together, without separate decisions: {before} → {after}, against {on_demand} for "
            "today's stack with its work on demand:"
        )
        yield Items(advised.changes)
        yield Paragraph("In the stack file, under `config:`, in place of the same keys:")
        yield from _lines(advised.together)
    for one in advised.each:
        alone = " (a separate decision, not part of the combination)" if one.alone else ""
        yield Paragraph(f"{one.sentence[:1].upper()}{one.sentence[1:]}{alone}:")
        yield from _lines(one)


def _lines(one: Advice) -> Iterator[Block]:
    yield Lines(tuple(f"  {line}" for line in one.lines))
    if one.notes:
        yield Items(one.notes)


def _row(one: Advice, advised: Advised) -> tuple[str, ...]:
    return (
        one.sentence,
        money(one.after.expected, advised.currency),
        money(one.saves, advised.currency) if math.isfinite(one.saves) else "",
        saving(one.after.expected, one.before.expected) if math.isfinite(one.before.expected) else "",
    )


def _advice(one: Advice) -> dict[str, Any]:
    return {
        "change": one.sentence,
        "lines": list(one.lines),
        "before": _range(one.before),
        "after": _range(one.after),
        "saves": _number(one.saves),
        "share": one.share,
        "notes": list(one.notes),
        "alone": one.alone,
    }


def _range(amount: Range) -> dict[str, float | None]:
    return {"expected": _number(amount.expected), "low": _number(amount.low), "high": _number(amount.high)}


def _number(value: float) -> float | None:
    return value if math.isfinite(value) else None
