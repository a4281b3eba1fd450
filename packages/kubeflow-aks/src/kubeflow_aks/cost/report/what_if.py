"""How the bill depends on its uncertain inputs: the same bill at other eviction rates and spot prices."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Final

from kubeflow_aks.cost.bill import Bill, Part
from kubeflow_aks.cost.billing import Account
from kubeflow_aks.cost.figures import EvictionRate, Quote, Range, Source
from kubeflow_aks.cost.formatting import money, saving, share
from kubeflow_aks.cost.prices.market import Market
from kubeflow_aks.text.blocks import Paragraph, Section, Table

_RATES: Final = (0.01, 0.05, 0.10, 0.20)
_FACTORS: Final = {
    "10 % less": 0.9,
    "as expected": 1.0,
    "10 % more": 1.1,
    "twice as much": 2.0,
    "as on demand": None,
}
"""Azure raises and lowers spot prices by a tenth (`docs/facts/prices.md#spot-prices`)."""


def what_if(account: Account) -> Section:
    """Both tables, without one whose rows would all be the same: the blog's model has no rate.

    What was observed and measured counts as in the bill, so that its row is there as it is.
    """
    others = {f"{share(it)} an hour": account.at_rate(_supposed(it)) for it in _RATES}
    account.play_with(others.values())
    rates = {words: it.bill(brief=True) for words, it in others.items()}
    both = {"Evictions": rates, "Spot price": at_prices(account)}
    tables = tuple(
        _table(of, bills) for of, bills in both.items() if len({it.amount() for it in bills.values()}) > 1
    )
    nothing = (Paragraph("This bill depends on neither."),)
    return Section("With other eviction rates and spot prices", tables or nothing)


def at_prices(account: Account) -> dict[str, Bill]:
    """The bill at other spot prices, by these in words."""
    return {
        words: account.at_prices(_Repriced(account.market, factor)).bill(brief=True)
        for words, factor in _FACTORS.items()
    }


def _supposed(rate: float) -> EvictionRate:
    return EvictionRate(Range.exactly(rate), Source("supposed", assumed=True))


class _Repriced:
    """A market with other spot prices: by a factor, or the prices on demand."""

    def __init__(self, market: Market, factor: float | None) -> None:
        self._market, self._factor = market, factor
        self.currency = market.currency
        self.on_demand, self.service, self.evictions = market.on_demand, market.service, market.evictions
        self.offers = market.offers

    def spot(self, size: str, region: str) -> Quote:
        """The other price."""
        if self._factor is None:
            return self._market.on_demand(size, region)
        quote = self._market.spot(size, region)
        return replace(quote, price=quote.price * self._factor)


def _table(of: str, bills: Mapping[str, Bill]) -> Table:
    head = (of, "Batch work", "Change", "Whole stack", "Change")
    rows = ((words, *_part(it, "batch"), *_part(it)) for words, it in bills.items())
    return Table(head, tuple(rows), range(1, len(head)))


def _part(it: Bill, *parts: Part) -> Iterator[str]:
    amount, compared = it.amount(*parts).expected, it.on_demand(*parts).expected
    yield money(amount, it.currency)
    yield saving(amount, compared)
