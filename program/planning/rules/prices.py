"""Prices and price limits of spot pools, compared with the price on demand (aks_facts/ondemand_prices.csv)."""

from collections.abc import Iterator

import aks_facts
from program.planning.pools import AgentPool
from program.settings import Settings

_CHEAPEST_SPOT = 0.1
"""Least that spot costs of the price on demand ("Azure Spot pricing": up to 90 percent off)."""

_LEAST_SAVING = 0.3
"""Share of the price on demand below which spot hardly pays for what evictions cost (our choice)."""


def saving_warnings(settings: Settings, pools: tuple[AgentPool, ...]) -> Iterator[str]:
    """Sizes that were hardly cheaper as spot, by the stack's own prices or a published one.

    Source: `cost.prices`, else aks_facts/quoted_spot_prices.csv; without either there is no warning.
    """
    cost, location = settings.cost, settings.location
    for size, pool in {pool.vm_size: pool for pool in reversed(pools) if pool.spot}.items():
        stated, quoted = cost.prices.get(size), aks_facts.quoted_spot_price(size, location)
        listed, agreed = aks_facts.ondemand_prices(size).get(location), stated.on_demand if stated else None
        if stated and stated.spot is not None:
            spot, day, currency = stated.spot, stated.as_of, cost.currency
            usual = agreed or (listed if currency == "USD" else None)
        elif quoted:
            spot, day, currency = quoted.usd, quoted.day, "USD"
            usual = agreed if agreed and cost.currency == "USD" else listed
        else:
            continue
        if usual and usual * (1 - _LEAST_SAVING) < spot <= usual:
            yield (
                f"pools.{pool.pool}: on {day} {size} cost {spot:g} {currency} an hour as spot in {location}, only "
                f"{(1 - spot / usual) * 100:.0f} % below on demand, though Azure may take it at any time; take another "
                f"size or region, or priority Regular, or write today's price as cost.prices.{size}.spot"
            )


def price_warnings(location: str, pools: tuple[AgentPool, ...]) -> Iterator[str]:
    """A price limit costs nodes, or does nothing (docs/facts/prices.md#spot-prices)."""
    for pool in pools:
        limit = pool.max_price
        if not pool.spot or limit in (None, -1):
            continue
        key = f"pools.{pool.pool}.maxPrice is {limit}"
        listed = aks_facts.ondemand_prices(pool.vm_size).get(location)
        if listed is None or listed * _CHEAPEST_SPOT <= limit <= listed:
            yield f"{key}: nodes are evicted whenever the price rises above it"
        elif limit > listed:
            yield (
                f"{key}: it limits nothing, as spot never costs more than {pool.vm_size} on demand, about {listed} "
                "USD; leave it out"
            )
        else:
            yield (
                f"{key}: spot is at most 90 % cheaper than {pool.vm_size} on demand, about {listed} USD, so no node "
                "will start; leave it out, or set a higher price"
            )
