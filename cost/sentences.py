"""What decides the cost of a kind of work, one sentence each."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Final

from cost.basis import Work
from cost.bill import WorkCost
from cost.reading import Pool
from cost.terms import Node, Terms
from cost.words import duration, hours, money, share
from cost.work import with_checkpoints

_WORTH_SAYING: Final = 0.01
"""Share of a kind of work's cost below which a better checkpoint interval is no news."""
_RARE: Final = 0.001
"""Chance below which nobody wants to hear of steps that fail or come late."""


def of(work: Work, cost: WorkCost, terms: Terms, currency: str) -> Iterator[str]:
    """What the reader should know of one kind of work."""
    if terms.rate is None:
        return
    rate = terms.rate.rate.expected
    if not terms.blog:  # which knows no hours of a step
        yield from _viable(work, cost, rate, currency)
        yield from _checkpoints(work, cost, terms, rate, currency)
        yield from _chances(work, cost)
    if cost.waits:
        yield (
            f"{terms.pool.name} has no fallback: its steps wait {hours(cost.waits)} hours a month in all for spot VMs"
        )


def of_disks(pool: Pool, node: Node) -> Iterator[str]:
    """What an OS disk adds to a spot node."""
    if pool.spot and pool.disk.managed and node.vm.expected > 0:
        yield f"a managed OS disk adds {share(node.disk.expected / node.vm.expected)} to each hour of a spot node"
    elif pool.spot:
        yield "its spot nodes have ephemeral OS disks, which cost nothing; on demand they would be managed"


def _viable(work: Work, cost: WorkCost, rate: float, currency: str) -> Iterator[str]:
    if not math.isfinite(cost.multiple.expected):
        length = duration(work.step_hours)
        yield f"never done: at {share(rate)} an hour nearly every try at a step of {length} is evicted"
    elif cost.amount.expected > cost.on_demand.expected:
        yield (
            f"spot costs more here: {money(cost.amount.expected, currency)} a month, "
            f"{money(cost.on_demand.expected, currency)} on demand"
        )


def _checkpoints(work: Work, cost: WorkCost, terms: Terms, rate: float, currency: str) -> Iterator[str]:
    longest = cost.longest_step
    if work.checkpoint_minutes is None and longest is not None and work.step_hours > longest:
        yield (
            f"its steps of {duration(work.step_hours)} are too long for spot without checkpoints: at {share(rate)} an "
            f"hour those of up to {duration(longest)} pay"
        )
    best = cost.best_interval
    if best is None or best >= work.step_hours:
        return
    now, then = cost.multiple.expected, with_checkpoints(work, rate, best)
    if then < now * (1 - _WORTH_SAYING):
        set_to = "no checkpoints" if work.checkpoint_minutes is None else f"{work.checkpoint_minutes:g} min"
        on_spot = cost.useful * (1 - terms.on_twin)
        saved = (now - then) * on_spot * terms.own.hour.expected
        effect = f"save {money(saved, currency)} a month" if math.isfinite(now) else "get it done"
        often = f"a checkpoint every {duration(best)}" if best else "saving its work all the time"
        yield f"{often} instead of {set_to} would {effect}"


def _chances(work: Work, cost: WorkCost) -> Iterator[str]:
    if cost.fails and cost.fails.expected > _RARE:
        yield f"{share(cost.fails.expected)} of its steps use up their {work.retries} retries and fail"
    if cost.misses and work.deadline_hours and cost.misses.expected > _RARE:
        yield f"{share(cost.misses.expected)} of its steps miss their deadline of {duration(work.deadline_hours)}"
