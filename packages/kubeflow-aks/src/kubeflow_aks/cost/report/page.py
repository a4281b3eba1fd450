"""A bill as one page: for a terminal and for a comment."""

import itertools
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

from kubeflow_aks.cost.bill import Bill, Line, Part, WorkCost
from kubeflow_aks.cost.figures import EvictionRate, Range, Source, total
from kubeflow_aks.cost.formatting import duration, hours, money, price, saving, share, spread
from kubeflow_aks.cost.report import folding
from kubeflow_aks.text.blocks import Alert, Block, Items, Page, Paragraph, Section, Table

ASSUMED: Final = "*"
"""Mark of a price that nobody quotes, and of what rests on one."""
_PARTS: Final[dict[Part, str]] = {"home": "always there", "batch": "batch work", "fixed": "the rest"}
_MODELS: Final = (
    "Why Canonical's article counts something else: 5 % of all work runs twice there, however long a step is, and no "
    "node idles; Azure's rates are for an hour, so a long step without checkpoints is repeated more often than a short "
    "one."
)


def page(bill: Bill, *more: Section) -> Page:
    """The whole bill: headline, lines, main factors; then folded details."""
    return Page(headline(bill), tuple(_top(bill)), (*more, *_sections(bill)))


def headline(bill: Bill) -> str:
    """One sentence."""
    amount, compared = bill.amount().expected, bill.on_demand().expected
    where = f"stack {bill.stack}, {bill.region}, list prices in {bill.currency}"
    if any(it.assumed for it in bill.work):
        where = f"the work is assumed, because the stack names none; {where}"
    if not math.isfinite(amount):
        return f"Expected cost: no figure, because some work is never done; {where}"
    beside = f", {saving(amount, compared)} against the same work on demand" if bill.work else ""
    return f"Expected cost: {money(amount, bill.currency)} a month{beside}; {where}"


def budget(bill: Bill) -> Block | None:
    """The bill compared with the budget; None without a budget."""
    if bill.budget is None:
        return None
    amount, limit = bill.amount().expected, money(bill.budget, bill.currency)
    if not bill.over_budget:
        left = money(bill.budget - amount, bill.currency)
        return Paragraph(f"Within the budget of {limit} a month: {left} are left.")
    over = f"by {money(amount - bill.budget, bill.currency)}" if math.isfinite(amount) else "without end"
    return Alert(danger=True, items=(f"Over the budget of {limit} a month {over}.",))


def lines(bill: Bill) -> Table:
    """The lines, each part with its sum."""
    head = ("", "Nodes", "an hour", "Hours", "Expected", "Range", "On demand", "Change")
    return Table(head, tuple(_rows(bill)), range(2, len(head)))


def work(bill: Bill) -> Iterator[Block]:
    """Each kind of work, by both models, and the main factors of its cost."""
    head = (
        "Work",
        "Pool",
        "Useful h",
        "Billed ×",
        "On fallback",
        "Evictions",
        "Expected",
        "As Canonical's article counts",
        "On demand",
        "Change",
    )
    shown, others = folding.work(bill.work)
    rows = [_work(it, bill.currency) for it in shown]
    if others:
        rows.append(_other_work(others, bill.currency))
    yield Table(head, tuple(rows), range(2, len(head)))
    if any(not math.isclose(it.amount.expected, it.blog) for it in bill.work):  # not by that model itself
        yield Paragraph(_MODELS)
    spot = [it for it in shown if it.stops_paying_at is not None]
    if spot:
        head = (
            "Work",
            "Longest step worth it",
            "Best checkpoints",
            "Retries run out",
            "Late",
            "Spot pays below",
        )
        yield Table(head, tuple(_decides(it, bill.currency) for it in spot), range(1, len(head)))


def _top(bill: Bill) -> Iterator[Block]:
    if block := budget(bill):
        yield block
    yield lines(bill)
    if any(map(_assumed, bill.lines)):
        yield Paragraph(f"{ASSUMED} nobody quotes this price: it is assumed.")
    if ranges := folding.notes(_ranges(bill)):
        yield Paragraph("What the ranges are:")
        yield Items(ranges)
    if bill.work:
        yield from work(bill)
    notes = [(line.name, text) for line in bill.lines if line.pool for text in line.notes]
    notes += [(it.name, text) for it in folding.work(bill.work)[0] for text in it.notes]
    if notes:
        yield Items(folding.notes(notes))
    if bill.warnings:
        yield Alert(danger=False, items=folding.cut(bill.warnings))


def _ranges(bill: Bill) -> Iterator[tuple[str, str]]:
    """Why a pool's amount is a range, by its name."""
    for line in bill.lines:
        if not line.hourly or line.amount.exact:
            continue
        if line.part == "home":
            yield line.name, "its least nodes to its most"
            continue
        reasons: list[str] = []
        if (evictions := bill.rates.get(line.pool)) and not evictions.rate.exact:
            low, high = share(evictions.rate.low), share(evictions.rate.high)
            between = f"{low} to {high}" if evictions.rate.high < 1 else f"{low} or more"
            reasons.append(f"evictions of {between} an hour ({_source(evictions.source)})")
        if not line.hourly.exact:
            sources = "; ".join(dict.fromkeys(_source(quote.source) for quote in line.quotes))
            low, high = price(line.hourly.low, bill.currency), price(line.hourly.high, bill.currency)
            reasons.append(f"a price of {low} to {high} an hour ({sources})")
        if reasons:
            yield line.name, " and ".join(reasons)


def _rows(bill: Bill) -> Iterator[tuple[str, ...]]:
    for part, name in _PARTS.items():
        lines = [line for line in bill.lines if line.part == part]
        yield from (_row(line, bill.currency) for line in folding.lines(lines))
        if lines:
            yield _sum(name, bill.amount(part), bill.on_demand(part), bill.currency)
    yield _sum("whole stack", bill.amount(), bill.on_demand(), bill.currency)


def _row(line: Line, currency: str) -> tuple[str, ...]:
    return (
        line.name,
        line.nodes,
        ""
        if line.hourly is None
        else f"{price(line.hourly.expected, currency)}{ASSUMED if _assumed(line) else ''}",
        hours(line.hours.expected) if line.hours else "",
        money(line.amount.expected, currency),
        _range(line.amount, currency),
        *_compared(line.amount, line.on_demand, currency),
    )


def _assumed(line: Line) -> bool:
    return any(quote.source.assumed for quote in line.quotes)


def _sum(name: str, amount: Range, compared: Range, currency: str) -> tuple[str, ...]:
    total = money(amount.expected, currency)
    return (f"= {name}", "", "", "", total, _range(amount, currency), *_compared(amount, compared, currency))


def _work(it: WorkCost, currency: str) -> tuple[str, ...]:
    multiple = it.multiple.expected
    return (
        it.name,
        it.pool,
        hours(it.useful),
        f"{multiple:.2f}" if math.isfinite(multiple) else "no end",
        hours(it.fallback) if it.fallback else "",
        hours(it.evictions.expected),
        money(it.amount.expected, currency),
        money(it.blog, currency),
        money(it.on_demand.expected, currency),
        saving(it.amount.expected, it.on_demand.expected),
    )


def _other_work(others: Sequence[WorkCost], currency: str) -> tuple[str, ...]:
    useful, amount = sum(it.useful for it in others), total(it.amount for it in others).expected
    compared = total(it.on_demand for it in others).expected
    return (
        f"{len(others)} cheaper kinds",
        "",
        hours(useful),
        "",
        hours(sum(it.fallback for it in others)),
        hours(total(it.evictions for it in others).expected),
        money(amount, currency),
        money(sum(it.blog for it in others), currency),
        money(compared, currency),
        saving(amount, compared),
    )


def _decides(it: WorkCost, currency: str) -> tuple[str, ...]:
    best = "none" if it.best_interval is None else f"every {duration(it.best_interval)}"
    return (
        it.name,
        "" if it.longest_step is None else duration(it.longest_step),
        best if it.best_interval != 0 else "all the time",
        share(it.fails.expected) if it.fails else "",
        share(it.misses.expected) if it.misses else "",
        price(it.stops_paying_at or 0.0, currency),
    )


def _compared(amount: Range, compared: Range, currency: str) -> tuple[str, str]:
    if amount == compared:
        return "", ""
    return money(compared.expected, currency), saving(amount.expected, compared.expected)


def _range(amount: Range, currency: str) -> str:
    return "" if amount.exact else spread(amount, currency)


def _sections(bill: Bill) -> Iterator[Section]:
    yield Section("Prices and rates used", (Items(folding.cut(prices_and_rates(bill, folded=True))),))
    if bill.left_out:
        yield Section("What is not counted", (Items(folding.cut(bill.left_out)),))


def prices_and_rates(bill: Bill, *, folded: bool = False) -> list[str]:
    """Every rate and price with its source and day, one sentence each; `folded` names some of many pools."""
    items = list(_rates(bill.rates) if folded else itertools.starmap(_rate, bill.rates.items()))
    rates = {rate.source for rate in bill.rates.values()}
    items += [
        _with_lines(source, bill, folding.few if folded else ", ".join)
        for source in bill.sources
        if source not in rates or _rest_on(source, bill)
    ]
    return list(dict.fromkeys(items))


def _rates(rates: Mapping[str, EvictionRate]) -> Iterator[str]:
    """Each pool's rate; of many pools those with the same in one sentence."""
    if len(rates) <= folding.MOST:
        yield from (_rate(pool, rate) for pool, rate in rates.items())
        return
    pools: dict[EvictionRate, list[str]] = {}
    for pool, rate in rates.items():
        pools.setdefault(rate, []).append(pool)
    yield from (_rate(folding.few(of), rate) for rate, of in pools.items())


def _rate(pool: str, evictions: EvictionRate) -> str:
    rate = evictions.rate
    if rate.exact:
        between = ""
    elif rate.high >= 1:
        between = f", at least {share(rate.low)}"
    else:
        between = f", {share(rate.low)} to {share(rate.high)}"
    return f"evictions of {pool}, {share(rate.expected)} an hour{between}: {_source(evictions.source)}"


def _with_lines(source: Source, bill: Bill, joined: Callable[[list[str]], str]) -> str:
    """A source, and the lines that rest on it."""
    names = _rest_on(source, bill)
    return f"{_source(source)}: {joined(names)}" if names else _source(source)


def _rest_on(source: Source, bill: Bill) -> list[str]:
    return [line.name for line in bill.lines if any(quote.source == source for quote in line.quotes)]


def _source(source: Source) -> str:
    mark = "assumed: " if source.assumed and not source.name.startswith("assumed") else ""
    return f"{mark}{source}"
