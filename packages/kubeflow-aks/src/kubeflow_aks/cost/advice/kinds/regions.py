"""Another region of the same geography."""

from __future__ import annotations

import math
from collections.abc import Iterator

from aks_facts import ondemand_prices, regions
from kubeflow_aks.cost.advice.advice import Change
from kubeflow_aks.cost.advice.situation import Situation

_TRIED = 3
"""Regions that a bill is guessed for, the cheapest on demand first (our choice)."""


def other_region(situation: Situation) -> Iterator[Change]:
    """The one with the lowest bill, a separate decision: everything is created anew there, and data must move."""
    here = regions().get(situation.bill.region)
    if here is None:
        return
    near = [
        there.name
        for there in regions().values()
        if there.name != here.name and there.geography == here.geography and not there.restricted
    ]
    listed = {name: _list_price(situation, name) for name in near}
    cheapest = sorted((name for name in near if math.isfinite(listed[name])), key=lambda name: listed[name])
    guesses = {
        name: guess
        for name in cheapest[:_TRIED]
        if (guess := situation.guess({"": {"location": name}})) is not None
    }
    if guesses:
        best = min(guesses, key=lambda name: guesses[name])
        yield Change(
            "region",
            f"the region {best} instead of {here.name}",
            {("location",): best},
            ("everything is created anew there; data and quota do not move",),
            alone=True,
        )


def _list_price(situation: Situation, region: str) -> float:
    """The stack's node hours on demand there; `math.inf` where a size is not sold."""
    pools = situation.cluster.pools
    return sum(
        line.hours.expected * ondemand_prices(pools[line.pool].size).get(region, math.inf)
        for line in situation.bill.lines
        if line.hours is not None and line.pool in pools and math.isfinite(line.hours.expected)
    )
