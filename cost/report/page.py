"""A bill as one page: for a terminal and for a comment."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import groupby

from cost.bill import Bill, Line, Part
from cost.figures import EvictionRate, Range, Source
from cost.words import hours, money, price, saving, share, spread
from writing.blocks import Alert, Block, Items, Page, Paragraph, Section, Table

_PARTS: dict[Part, str] = {"home": "always there", "batch": "batch", "fixed": "the rest"}
_MODELS = (
    "Why they differ: the blog has 5 % of all work run twice, however long a step is; Azure's rates are for an hour, "
    "so a long step without checkpoints is repeated more often and a short one less."
)


def page(bill: Bill) -> Page:
    """All of a bill: its headline, its lines, what decides, and folded what it rests on."""
    return Page(headline(bill), tuple(_top(bill)), tuple(_sections(bill)))


def headline(bill: Bill) -> str:
    """One sentence."""
    amount, compared = bill.amount().expected, bill.on_demand().expected
    total = money(amount, bill.currency)
    where = f"{bill.stack}, {bill.region}, list prices in {bill.currency}"
    if not math.isfinite(amount):
        return f"AKS cost: some work is {total} ({where})"
    beside = f" ({saving(amount, compared)} against all on demand)" if bill.work else ""
    return f"AKS cost: expected {total} a month{beside}: {where}"


def _top(bill: Bill) -> Iterator[Block]:
    if bill.budget is not None:
        yield from _budget(bill, bill.budget)
    yield Table(
        (
            "Line",
            "VM",
            "$/h" if bill.currency == "USD" else "an hour",
            "Hours",
            "Expected",
            "Range",
            "On demand",
            "",
        ),
        tuple(_rows(bill)),
    )
    if bill.work:
        yield Table(
            (
                "Work",
                "Pool",
                "Useful h",
                "Billed for 1 h",
                "Evictions",
                "Expected",
                "Range",
                "By the blog",
                "On demand",
                "",
            ),
            tuple(_work_rows(bill)),
        )
        yield Paragraph(_MODELS)
    said = [f"{line.name}: {text}" for line in bill.lines if line.part == "batch" for text in line.said[1:]]
    said += [
        f"{line.name}: {text}" for line in bill.lines if line.name.startswith("OS") for text in line.said
    ]
    said += [f"{work.name}: {text}" for work in bill.work for text in work.said]
    if said:
        yield Items(tuple(dict.fromkeys(said)))
    if bill.warnings:
        yield Alert(False, bill.warnings)


def _budget(bill: Bill, budget: float) -> Iterator[Block]:
    amount, limit = bill.amount().expected, money(budget, bill.currency)
    if bill.over_budget:
        over = money(amount - budget, bill.currency) if math.isfinite(amount) else ""
        more = f" by {over}" if over else ", because some work is never done"
        yield Alert(True, (f"Over the budget of {limit} a month{more}.",))
    else:
        yield Paragraph(
            f"Within the budget of {limit} a month: {money(budget - amount, bill.currency)} are left."
        )


def _rows(bill: Bill) -> Iterator[tuple[str, ...]]:
    order: tuple[Part, ...] = ("home", "batch", "fixed")
    lines = sorted(bill.lines, key=lambda line: order.index(line.part))
    for part, group in groupby(lines, key=lambda line: line.part):
        found = list(group)
        yield from (_row(line, bill.currency) for line in found)
        if len(found) > 1 or part == "batch":
            yield _sum(_PARTS[part], bill.amount(part), bill.on_demand(part), bill.currency)
    yield _sum("whole stack", bill.amount(), bill.on_demand(), bill.currency)


def _row(line: Line, currency: str) -> tuple[str, ...]:
    vm = line.said[0] if line.pool and line.hours and line.said else ""
    hourly = [quote.price.expected for quote in line.quotes if quote.unit == "hour"]
    return (
        line.name,
        vm,
        price(hourly[0], currency) if hourly else "",
        hours(line.hours.expected) if line.hours else "",
        money(line.amount.expected, currency),
        _range(line.amount, currency),
        money(line.on_demand.expected, currency),
        saving(line.amount.expected, line.on_demand.expected) if line.part == "batch" else "",
    )


def _sum(name: str, amount: Range, compared: Range, currency: str) -> tuple[str, ...]:
    return (
        f"= {name}",
        "",
        "",
        "",
        money(amount.expected, currency),
        _range(amount, currency),
        money(compared.expected, currency),
        saving(amount.expected, compared.expected),
    )


def _work_rows(bill: Bill) -> Iterator[tuple[str, ...]]:
    for work in bill.work:
        multiple = work.multiple.expected
        yield (
            f"{work.name} (assumed)" if work.assumed else work.name,
            work.pool,
            hours(work.useful),
            f"{multiple:.2f}" if math.isfinite(multiple) else "no end",
            hours(work.evictions.expected),
            money(work.amount.expected, bill.currency),
            _range(work.amount, bill.currency),
            money(work.blog, bill.currency),
            money(work.on_demand.expected, bill.currency),
            saving(work.amount.expected, work.on_demand.expected),
        )


def _range(amount: Range, currency: str) -> str:
    return "" if amount.exact else spread(amount, currency)


def _sections(bill: Bill) -> Iterator[Section]:
    yield Section("What it rests on", (Items(tuple(rests_on(bill))),))
    if bill.left_out:
        yield Section("What is not counted", (Items(bill.left_out),))


def rests_on(bill: Bill) -> list[str]:
    """Every rate and price with its source and day, one sentence each."""
    return [
        *(_rate(pool, rate) for pool, rate in bill.rates.items()),
        *(_source(source) for source in bill.sources),
    ]


def _rate(pool: str, found: EvictionRate) -> str:
    rate = found.rate
    between = (
        ""
        if rate.exact
        else f", between {share(rate.low)} and {'any' if rate.high >= 1 else share(rate.high)}"
    )
    return f"evictions of {pool}: {share(rate.expected)} an hour{between}; {_source(found.source)}"


def _source(source: Source) -> str:
    mark = "assumed: " if source.assumed and not source.name.startswith("assumed") else ""
    return f"{mark}{source.name}{f', as of {source.day}' if source.day else ''}"
