"""Today's prices by Azure's price list; if it does not answer, prices are unknown and one warning is printed."""

from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from threading import Lock
from typing import Final, Literal, TypeVar

from aks_facts import PRICES_READ, ondemand_prices, service_price, services
from kubeflow_aks.cost.figures import Offer, Quote, Range, Source
from kubeflow_aks.cost.prices import meters
from kubeflow_aks.cost.prices.estimates import by_siblings
from kubeflow_aks.cost.prices.market import HOUR, Origin
from kubeflow_aks.cost.prices.price_list import NoAnswerError, PriceList
from kubeflow_aks.cost.prices.snapshot import CURRENCY

_Entry = TypeVar("_Entry")
_AT_ONCE: Final = 8
_NAMES_A_QUESTION: Final = 15
_VMS: Final = "Virtual Machines"
_GLOBAL: Final = "Global"
_ODD: Final = 0.3
"""Part by which a price may have moved since the repository's list before the bill warns: a Windows price, which
has been found under a Linux size, is above it by more."""


class Retail(Origin):
    """Azure's price list as an origin."""

    def __init__(self, prices: PriceList, report: Callable[[str], None]) -> None:
        """Takes the list and a function for warnings."""
        self._list, self._report = prices, report
        self._in_dollars = prices.currency == CURRENCY
        """Whether the repository has prices to compare with and to fall back on."""
        self._answers: dict[str, tuple[datetime, list[meters.Row]]] = {}
        self._questions: dict[tuple[str, str], str] = {}
        """The query whose answer has a size or a service in a region."""
        self.down, self._lock = False, Lock()
        """Whether Azure did not answer, so that it is not queried again."""

    def prefetch(self, required: Iterable[tuple[str, str]]) -> None:
        """Queries many sizes and services at once, some in one request."""
        together: dict[tuple[str, str], dict[tuple[str, str], str]] = {}
        for name, region in dict.fromkeys(required):
            if name not in services():
                together.setdefault((_VMS, region), {})[name, region] = name
            elif meter := service_price(name, region).meter:
                where = _GLOBAL if meter.everywhere else region
                together.setdefault((meter.service, where), {})[name, region] = meter.name
        for (service, where), named in together.items():
            for some in _some(list(named.items()), _NAMES_A_QUESTION):
                question = _question(service, where, [called for _, called in some])
                self._questions |= {key: question for key, _ in some}
        pool = ThreadPoolExecutor(_AT_ONCE)
        try:
            for _ in pool.map(self._answer, dict.fromkeys(self._questions.values())):
                pass
        finally:
            pool.shutdown(wait=False, cancel_futures=True)  # an interrupt does not wait for a slow answer

    def on_demand(self, size: str, region: str) -> Quote | None:
        """Today's list price."""
        quote = self._vm(size, region, meters.on_demand)
        before = ondemand_prices(size).get(region) or by_siblings(size, region)
        if quote is None:
            if before and self._in_dollars and not self.down:
                self._report(
                    f"{size} in {region}: Azure's price list has no price for it; it may not be sold there"
                )
            return None
        now = quote.price.expected
        if self._in_dollars and before and abs(now / before - 1) > _ODD:
            warning = (
                f"{size} in {region}: {now:g} an hour, but {before:g} on {PRICES_READ}; check that price"
            )
            return Quote(quote.price, quote.unit, quote.source, (*quote.warnings, warning))
        return quote

    def spot(self, size: str, region: str) -> Quote | None:
        """Today's spot price."""
        return self._vm(size, region, meters.spot)

    def service(self, meter: str, region: str) -> Quote | None:
        """Today's list price of a service that has a known name in the list."""
        listed = service_price(meter, region) if meter in services() else None
        if listed is None or listed.meter is None:
            return None
        where = _GLOBAL if listed.meter.everywhere else region
        answer = self._answer(
            self._questions.get((meter, region))
            or _question(listed.meter.service, where, [listed.meter.name])
        )
        if answer is None:
            return None
        price = meters.service(answer[1], listed.meter, listed.unit, region, self._list.now())
        return self._quote(price, listed.unit, answer[0], f"{meter} in {region}")

    def offers(self, size: str, region: str) -> tuple[Offer, ...]:
        """Today's reservations and savings plans, those of the shortest term first."""
        now, offers = self._list.now(), list[Offer]()
        plans = self._answer(self._questions.get((size, region)) or _question(_VMS, region, [size]))
        reserved = self._answer(_question(_VMS, region, [size], "Reservation"))
        if plans:
            offers += _offers("savings plan", meters.savings_plans(plans[1], size, region, now), plans[0])
        if reserved:
            offers += _offers("reservation", meters.reservations(reserved[1], size, region, now), reserved[0])
        return tuple(sorted(offers, key=lambda it: (it.years, it.hourly.price.expected)))

    def _vm(
        self, size: str, region: str, choose: Callable[[list[meters.Row], str, str, datetime], meters.Found]
    ) -> Quote | None:
        answer = self._answer(self._questions.get((size, region)) or _question(_VMS, region, [size]))
        if answer is None:
            return None
        list_price = choose(answer[1], size, region, self._list.now())
        return self._quote(list_price, HOUR, answer[0], f"{size} in {region}")

    def _quote(self, list_price: meters.Found, unit: str, time: datetime, what: str) -> Quote | None:
        if list_price.price is None:
            return None
        warnings = (
            (f"{what}: Azure's price list has {len(list_price.several)} prices; the lowest counts",)
            if list_price.several
            else ()
        )
        price = Range(list_price.price, list_price.price, max((list_price.price, *list_price.several)))
        return Quote(price, unit, _source(time), warnings)

    def _answer(self, question: str) -> tuple[datetime, list[meters.Row]] | None:
        """The answer, requested once; None once Azure did not answer, so that later prices do not wait again."""
        if question not in self._answers and not self.down:
            try:
                self._answers[question] = self._list.rows(question)
            except NoAnswerError as error:
                with self._lock:
                    if not self.down:
                        then = "; prices are the repository's" if self._in_dollars else ""
                        self._report(f"Azure's price list does not answer ({error}){then}")
                    self.down = True
        return self._answers.get(question)


def _source(time: datetime) -> Source:
    return Source(f"Azure's price list, queried at {time:%H:%M} UTC", time.date())


def _offers(
    kind: Literal["reservation", "savings plan"], by_years: Mapping[int, float], time: datetime
) -> Iterable[Offer]:
    return (
        Offer(kind, years, Quote(Range.exactly(price), HOUR, _source(time)))
        for years, price in by_years.items()
    )


def _question(service: str, region: str, names: list[str], kind: str = "Consumption") -> str:
    """OData filter for sizes of VMs, or for meters of another service."""
    field = "armSkuName" if service == _VMS else "meterName"
    matches = " or ".join(f"{field} eq {_quoted(name)}" for name in names)
    return (
        f"serviceName eq {_quoted(service)} and armRegionName eq {_quoted(region)} and ({matches}) "
        f"and priceType eq {_quoted(kind)}"
    )


def _some(entries: list[_Entry], most: int) -> Iterable[list[_Entry]]:
    return (entries[first : first + most] for first in range(0, len(entries), most))


def _quoted(text: str) -> str:
    """A text of OData: a quote in it is doubled."""
    return "'" + text.replace("'", "''") + "'"
