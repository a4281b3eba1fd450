"""Rules of the settings for the expected bill (`cost`)."""

from collections.abc import Collection, Iterator
from datetime import date
from typing import Final

import aks_facts
from components.arguments.mistakes import Mistake
from program.planning.pools import agent_pools
from program.planning.sizes import spelling
from program.settings import Price, Settings

_HIGH_RATE: Final = 0.2


def cost_problems(settings: Settings, today: date) -> Iterator[Mistake]:
    """Settings of spot pools name one that exists, and no price is of a day after `today`, whatever `asOf` is."""
    spot = [name for name, pool in settings.pools.items() if pool.spot]
    for name in settings.cost.pools:
        if name not in spot:
            names = (
                f"the name of a spot pool: {', '.join(spot)}"
                if spot
                else "no value, as no pool is a spot pool"
            )
            yield Mistake(f"cost.pools.{name}", name, f"{names}; Azure evicts no other")
    for size, price in settings.cost.prices.items():
        key = f"cost.prices.{size}"
        yield from _day_problems(key, price.as_of, today, "the prices were read")
        if price.on_demand is None and price.spot is None:
            yield Mistake(key, size, "onDemand, spot or both")
    for size, commitment in settings.cost.commitments.items():
        what = "they were bought or the price was read"
        yield from _day_problems(f"cost.commitments.{size}", commitment.as_of, today, what)


def _day_problems(key: str, day: date, today: date, what: str) -> Iterator[Mistake]:
    if day > today:
        yield Mistake(f"{key}.asOf", day.isoformat(), f"the day {what}, {today} or earlier")


def cost_warnings(settings: Settings) -> Iterator[str]:
    """Rates that disturb most work, prices that count nowhere, and spot prices that save nothing."""
    cost = settings.cost
    yield from _rate_warnings(settings)
    if not cost.prices and not cost.commitments:
        return
    pools = agent_pools(settings)
    used = {pool.vm_size for pool in pools}
    for size, price in cost.prices.items():
        if size not in used:
            yield _unused(
                f"cost.prices.{size} is of a size that no pool has, so it counts nowhere", size, used
            )
        yield from _spot_warnings(size, price, settings)
    on_demand = {pool.vm_size for pool in pools if not pool.spot}
    for size in sorted(cost.commitments.keys() - on_demand):
        about = (
            f"cost.commitments.{size} is of a size that no pool on demand has, so it is paid for and not used"
        )
        yield _unused(about, size, on_demand)


def _rate_warnings(settings: Settings) -> Iterator[str]:
    """Rates in the highest of Azure's bands (docs/facts/prices.md#eviction-rates)."""
    spot = [name for name, pool in settings.pools.items() if pool.spot]
    rates = {name: rates.eviction_rate for name, rates in settings.cost.pools.items()}
    of_all = any(rates.get(name) is None for name in spot)
    stated = {"cost.evictionRate": settings.cost.eviction_rate if of_all else None}
    for key, rate in (stated | {f"cost.pools.{name}.evictionRate": rates.get(name) for name in spot}).items():
        if rate == "20+" or (isinstance(rate, int | float) and rate >= _HIGH_RATE):
            yield (
                f"{key} is {rate}: Azure takes one spot node in five or more within an hour, so at best half of the "
                "steps of 3 hours run undisturbed; take another size or region, or checkpoint often"
            )


def _unused(about: str, size: str, used: Collection[str]) -> str:
    meant = spelling(size, used)
    return f"{about}; " + (f"did you mean {meant}?" if meant else "leave it out")


def _spot_warnings(size: str, price: Price, settings: Settings) -> Iterator[str]:
    """Azure never takes more for spot than on demand (spot-vms.md), though list prices may be above negotiated ones."""
    usual = price.on_demand
    if usual is None and settings.cost.currency == "USD":
        usual = aks_facts.ondemand_prices(size).get(settings.location)
    if price.spot is not None and usual is not None and price.spot > usual:
        yield (
            f"cost.prices.{size}.spot is {price.spot:g}: an hour on demand costs {usual:g}, so spot costs more here; "
            "check that both are prices of one hour, or use the size on demand"
        )
