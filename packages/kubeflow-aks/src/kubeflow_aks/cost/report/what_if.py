"""How the bill depends on its uncertain inputs: the eviction rate and the spot price."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from kubeflow_aks.cost.bill import Part
from kubeflow_aks.cost.figures import EvictionRate, Restart
from kubeflow_aks.cost.formatting import money, saving
from kubeflow_aks.cost.prices.market import Market
from kubeflow_aks.cost.sensitivity import Supposed, prices, rates
from kubeflow_aks.cost.stack import Stack
from kubeflow_aks.text.blocks import Paragraph, Section, Table


def what_if(
    stack: Stack,
    market: Market,
    observed: Mapping[str, EvictionRate] | None = None,
    measured: Mapping[str, Restart] | None = None,
) -> Section:
    """Both tables, without one whose rows would all be the same: the blog's model has no rate.

    What was observed and measured counts as in the bill, so that its row is there as it is.
    """
    both = {
        "Evictions": list(rates(stack, market, measured)),
        "Spot price": list(prices(stack, market, observed, measured)),
    }
    tables = tuple(
        _table(of, rows) for of, rows in both.items() if len({it.bill.amount() for it in rows}) > 1
    )
    nothing = (Paragraph("This bill depends on neither."),)
    return Section("With other eviction rates and spot prices", tables or nothing)


def _table(of: str, supposed: list[Supposed]) -> Table:
    head = (of, "Batch work", "Change", "Whole stack", "Change")
    return Table(head, tuple(_row(it) for it in supposed), range(1, len(head)))


def _row(it: Supposed) -> tuple[str, ...]:
    return (it.words, *_part(it, "batch"), *_part(it))


def _part(it: Supposed, *parts: Part) -> Iterator[str]:
    amount, compared = it.bill.amount(*parts).expected, it.bill.on_demand(*parts).expected
    yield money(amount, it.bill.currency)
    yield saving(amount, compared)
