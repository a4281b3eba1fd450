"""Requests of other processes to the market: what may be requested, and what comes of it."""

import json
import time
from collections.abc import Mapping
from typing import Any, Final

from kubeflow_aks.json_values import is_mapping
from kubeflow_aks.local_aks.simulation.clock import Clock
from kubeflow_aks.local_aks.simulation.market import (
    ALL,
    Market,
    MarketEvent,
    MarketRefusedError,
    MarketUnansweredError,
    Reclaim,
    Supply,
    no_spot_pool,
    not_allowed,
)

_FORM: Final = "a JSON object with what, pool and count"
_WORDS: Final = (*Reclaim, *Supply)
_SHOWN: Final = 80


def carry_out(content: bytes, market: Market, clock: Clock, pools: Mapping[str, bool]) -> str:
    """Makes happen what a request is about, and waits for it.

    Args:
        content: a JSON object with what is to happen, the pool, how many nodes are taken, which one (empty where the
            market chooses), and until when, in seconds since the epoch, its sender waits. Later nothing is done.
        market: the market.
        clock: the simulation's.
        pools: names of the pools there are, and whether each is a spot pool.

    Returns:
        A sentence about what came of it.

    Raises:
        MarketRefusedError: it is not possible; each line is one mistake.
        MarketUnansweredError: it did not happen in time.
    """
    request = _parsed(content)
    event = _event(request, clock.now(), pools)
    seconds = max(0.0, request["until"] - time.time())
    if seconds:
        market.add(event)
    try:
        return event.outcome.result(seconds)
    except TimeoutError:
        raise MarketUnansweredError(
            f"the local AKS took the request but did not carry it out in {seconds:.0f} s; see its journal"
        ) from None


def _parsed(content: bytes) -> Mapping[str, Any]:
    try:
        request: object = json.loads(content)
    except (ValueError, RecursionError):
        request = content[:_SHOWN].decode(errors="replace")
    if not is_mapping(request):
        raise MarketRefusedError(not_allowed("request", request, _FORM))
    return request


def _event(request: Mapping[str, Any], now: float, pools: Mapping[str, bool]) -> MarketEvent:
    """The requested event, if there can be one."""
    what, pool, count, until = (request.get(key) for key in ("what", "pool", "count", "until"))
    node = request.get("node", "")
    spot = [name for name, is_spot in pools.items() if is_spot]
    mistakes: list[str] = []
    if what not in _WORDS:
        mistakes.append(not_allowed("what", what, f"one of {', '.join(_WORDS)}"))
    if what in list(Supply):
        if pool not in pools:
            # The supply of on-demand VMs ends, too: a quota is used up, a region is full.
            mistakes.append(not_allowed("pool", pool, f"a pool: {', '.join(pools) or 'none'}"))
    elif pool not in spot:
        mistakes.append(no_spot_pool(pool, spot))
    if not isinstance(count, int) or isinstance(count, bool) or count < ALL:
        mistakes.append(not_allowed("count", count, f"a whole number from 1, or {ALL} for all"))
        count = ALL
    if not isinstance(node, str):
        mistakes.append(not_allowed("node", node, "the name of a node"))
    if not isinstance(until, int | float):
        mistakes.append(not_allowed("until", until, "seconds since the epoch"))
    if mistakes:
        raise MarketRefusedError("\n".join(mistakes))
    word = Reclaim(what) if what in list(Reclaim) else Supply(what)
    return MarketEvent(now, word, str(pool), count, str(node))
