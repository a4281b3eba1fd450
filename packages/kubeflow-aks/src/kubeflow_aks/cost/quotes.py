"""The market, queried once for each price; missing prices are collected, so that all are reported at once."""

from collections.abc import Callable, Iterator
from typing import Final, TypeVar

from kubeflow_aks.cost.figures import CostError, EvictionRate, Quote, Range, Source
from kubeflow_aks.cost.prices.market import Market

_T = TypeVar("_T", Quote, EvictionRate)
_NOTHING: Final = Source("unknown", assumed=True)
_NO_QUOTE: Final = Quote(Range.exactly(0.0), "month", _NOTHING)
_NO_RATE: Final = EvictionRate(Range.exactly(0.0), _NOTHING)


class Quotes:
    """Prices of one region."""

    def __init__(self, market: Market, region: str) -> None:
        self._market = market
        self._region = region
        self._quotes: dict[tuple[Callable[[str, str], Quote], str], Quote] = {}
        self._rates: dict[str, EvictionRate] = {}
        self._problems: dict[str, None] = {}

    @property
    def currency(self) -> str:
        """ISO code of every price."""
        return self._market.currency

    def on_demand(self, size: str) -> Quote:
        """An hour of a VM."""
        return self._quote(self._market.on_demand, size)

    def spot(self, size: str) -> Quote:
        """An hour of a spot VM."""
        return self._quote(self._market.spot, size)

    def service(self, meter: str) -> Quote:
        """A service other than a VM."""
        return self._quote(self._market.service, meter)

    def evictions(self, size: str) -> EvictionRate:
        """How often a spot VM is evicted."""
        if size not in self._rates:
            self._rates[size] = self._query(self._market.evictions, size, _NO_RATE)
        return self._rates[size]

    def check(self) -> None:
        """Ends the bill where a price is missing.

        Raises:
            CostError: one line for each.
        """
        if self._problems:
            raise CostError(*self._problems)

    @property
    def used(self) -> Iterator[Quote]:
        """Every price that was used."""
        yield from self._quotes.values()

    def _quote(self, query: Callable[[str, str], Quote], name: str) -> Quote:
        if (query, name) not in self._quotes:
            self._quotes[query, name] = self._query(query, name, _NO_QUOTE)
        return self._quotes[query, name]

    def _query(self, query: Callable[[str, str], _T], name: str, otherwise: _T) -> _T:
        try:
            return query(name, self._region)
        except CostError as error:
            self._problems.update(dict.fromkeys(error.problems))
            return otherwise
