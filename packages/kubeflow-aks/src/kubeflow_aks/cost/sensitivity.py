"""The same bill at other eviction rates and spot prices."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final

from kubeflow_aks.cost.bill import Bill
from kubeflow_aks.cost.billing import bill
from kubeflow_aks.cost.figures import EvictionRate, Quote, Range, Restart, Source
from kubeflow_aks.cost.formatting import share
from kubeflow_aks.cost.prices.market import Market
from kubeflow_aks.cost.stack import Stack

RATES: Final = (0.01, 0.05, 0.10, 0.20)
FACTORS: Final = {"10 % less": 0.9, "as expected": 1.0, "10 % more": 1.1, "twice as much": 2.0}
ON_DEMAND: Final = "as on demand"


@dataclass(frozen=True)
class Supposed:
    """A bill under an assumption, named in a few words."""

    words: str
    bill: Bill


def rates(stack: Stack, market: Market, measured: Mapping[str, Restart] | None = None) -> Iterator[Supposed]:
    """The bill at one eviction rate after the other, for all spot pools."""
    pools = bill(stack, market).rates
    for chance in RATES:
        rate = EvictionRate(Range.exactly(chance), Source("supposed", assumed=True))
        supposed = bill(stack, market, observed=dict.fromkeys(pools, rate), measured=measured)
        yield Supposed(f"{share(chance)} an hour", supposed)


def prices(
    stack: Stack,
    market: Market,
    observed: Mapping[str, EvictionRate] | None = None,
    measured: Mapping[str, Restart] | None = None,
) -> Iterator[Supposed]:
    """The bill at other spot prices; Azure raises and lowers them by a tenth (`docs/facts/prices.md#spot-prices`)."""
    for words, factor in FACTORS.items():
        yield Supposed(words, bill(stack, _Repriced(market, factor), observed=observed, measured=measured))
    yield Supposed(ON_DEMAND, bill(stack, _Repriced(market, None), observed=observed, measured=measured))


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
