"""Schedules of the spot market that are drawn from a seed."""

import random
from collections.abc import Iterable
from dataclasses import dataclass

from kubeflow_aks.local_aks.simulation.market import MarketEvent, Reclaim, Supply


@dataclass(frozen=True, kw_only=True)
class Weather:
    """How rough a seeded market is; rates per simulated hour and pool."""

    evictions_per_hour: float = 2.0
    shortages_per_hour: float = 0.5
    shortage_seconds: float = 900.0
    """Mean length of a shortage."""
    silent_share: float = 0.0
    """Share of shortages without an error."""
    vanish_share: float = 0.0
    """Share of evictions without notice."""


def seeded(
    seed: int, pools: Iterable[str], seconds: float, weather: Weather | None = None
) -> tuple[MarketEvent, ...]:
    """A schedule drawn from a seed: Poisson evictions and shortages for each pool over `seconds`.

    A pool's events depend on the seed and its own name only, so that another pool does not change them.
    """
    weather = weather or Weather()
    events: list[MarketEvent] = []
    for pool in pools:
        rng = random.Random(f"{seed}/{pool}")  # noqa: S311 - repeatable on purpose
        events += [
            MarketEvent(at, Reclaim.VANISH if rng.random() < weather.vanish_share else Reclaim.EVICT, pool)
            for at in _arrivals(rng, weather.evictions_per_hour, seconds)
        ]
        back = 0.0
        for at in _arrivals(rng, weather.shortages_per_hour, seconds):
            if at < back:
                continue
            back = at + rng.expovariate(1 / weather.shortage_seconds)
            supply = Supply.SILENT if rng.random() < weather.silent_share else Supply.SOLD_OUT
            events += [MarketEvent(at, supply, pool), MarketEvent(back, Supply.AVAILABLE, pool)]
    return tuple(sorted(events, key=lambda event: (event.at, event.pool, event.what)))


def _arrivals(rng: random.Random, per_hour: float, seconds: float) -> list[float]:
    if per_hour <= 0:
        return []
    times: list[float] = []
    at = rng.expovariate(per_hour / 3600)
    while at < seconds:
        times.append(at)
        at += rng.expovariate(per_hour / 3600)
    return times
