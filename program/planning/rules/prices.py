"""Price limits of spot pools, compared with the on-demand list price (aks_facts/ondemand_prices.csv)."""

from collections.abc import Iterator

import aks_facts
from program.planning.pools import AgentPool

_CHEAPEST_SPOT = 0.1
"""Least that spot costs of the price on demand ("Azure Spot pricing": up to 90 percent off)."""


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
