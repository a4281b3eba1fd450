"""What a node of each pool costs, for the pod that weighs a move back to spot against its cost."""

from collections.abc import Iterable

import aks_facts
from program.planning.pools import AgentPool
from program.settings import Price, Settings

_LISTED = "USD"
"""Currency of the catalogue's prices."""


def node_prices(settings: Settings, pools: Iterable[AgentPool]) -> dict[str, float]:
    """USD per hour of a node, by pool; a pool without a price is left out.

    A price of the stack's file counts first, then the list price, of which spot is an assumed share: prices of spot
    change too fast to be kept (docs/facts/prices.md#spot-prices).
    """
    prices = {pool.name: _price(settings, pool) for pool in pools}
    return {name: price for name, price in prices.items() if price is not None}


def on_demand_price(settings: Settings, pool: AgentPool) -> float | None:
    """USD per hour of a node on demand of the size of a pool; None without a price."""
    negotiated = _negotiated(settings, pool)
    if negotiated and negotiated.on_demand is not None:
        return negotiated.on_demand
    return aks_facts.ondemand_prices(pool.vm_size).get(settings.location)


def is_assumed(settings: Settings, pool: AgentPool) -> bool:
    """Whether the price of a pool's node is assumed: spot, for which the stack's file has none."""
    negotiated = _negotiated(settings, pool)
    return pool.spot and (negotiated is None or negotiated.spot is None)


def _price(settings: Settings, pool: AgentPool) -> float | None:
    on_demand, negotiated = on_demand_price(settings, pool), _negotiated(settings, pool)
    if not pool.spot:
        return on_demand
    if negotiated and negotiated.spot is not None:
        return negotiated.spot
    share = aks_facts.assumed_spot_share(gpus=bool(pool.size.gpus))
    return None if on_demand is None else round(share * on_demand, 5)


def _negotiated(settings: Settings, pool: AgentPool) -> Price | None:
    return settings.cost.prices.get(pool.vm_size) if settings.cost.currency == _LISTED else None
