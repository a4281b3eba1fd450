"""Notes on the main factors of the cost of a kind of work, one sentence each."""

import math
from collections.abc import Iterator
from typing import Final

from kubeflow_aks.cost.basis import Work
from kubeflow_aks.cost.bill import WorkCost
from kubeflow_aks.cost.formatting import duration, hours, money, share
from kubeflow_aks.cost.model.evenings import fits
from kubeflow_aks.cost.reading import Pool
from kubeflow_aks.cost.terms import Node, Terms
from kubeflow_aks.cost.work import with_checkpoints

_NOTABLE: Final = 0.01
"""Share of a kind of work's cost below which a better checkpoint interval is not mentioned."""
_FEW: Final = 10
_RARE: Final = 0.001
"""Chance below which failing or late steps are not mentioned."""


def cost_notes(work: Work, cost: WorkCost, terms: Terms, currency: str) -> Iterator[str]:
    """The notes on one kind of work."""
    yield from _evenings(work, cost, terms)
    if terms.rate is None:
        yield from _full(cost, terms)
        return
    yield from _sizes(terms)
    rate = terms.rate.rate.expected
    if not terms.blog:  # which has no hours of a step
        if _fits(work, terms):
            yield from _viable(work, cost, rate, currency)
        yield from _checkpoints(work, cost, terms, rate, currency)
        yield from _chances(work, cost, terms)
        yield from _shortage(cost, terms)
    yield from _nodes(work, terms)
    yield from _full(cost, terms)


def _full(cost: WorkCost, terms: Terms) -> Iterator[str]:
    """What a pool without room does with its work."""
    pool, fallback = terms.pool.name, terms.fallback
    if fallback and cost.overflow > _RARE * cost.useful:
        yield (
            f"{pool} is full at times, with {terms.pool.maximum} nodes: {hours(cost.overflow)} hours a month run on "
            f"{fallback.name} instead, where a step stays {'until it is moved' if cost.returned else 'to its end'}"
        )
    if fallback and cost.returned > _RARE * cost.useful:
        yield (
            f"`kubeflow.returnToSpot` moves {hours(cost.returned)} hours a month from {fallback.name} back to {pool}, "
            f"where work since the last checkpoint and restarts take {hours(cost.redone)} hours more"
        )
    if cost.waits > _RARE * cost.useful:
        without = f"{pool} has no fallback" if terms.rate else f"{pool} is full"
        why = f"{fallback.name} is full, too" if fallback else without
        least = "at least " if cost.in_part else ""
        more = "; only a part of so busy a month is played" if least else ""
        yield f"{why}: its steps wait {least}{hours(cost.waits)} hours a month in all for nodes{more}"


def _nodes(work: Work, terms: Terms) -> Iterator[str]:
    """What an eviction stops where a step takes several nodes."""
    number = work.nodes_per_step
    if number == 1:
        return
    if work.elastic:
        yield f"an eviction of one of its {number} nodes repeats that node's part alone; the others go on"
    else:
        yield (
            f"its {number} nodes start again together when one of them is evicted, and wait for each other, billed"
        )
    if terms.fallback_share and not work.elastic:
        yield "while spot is sold out all its nodes run on the fallback; a mixture of both is not counted"


def _shortage(cost: WorkCost, terms: Terms) -> Iterator[str]:
    """What the range of the hours on a fallback is."""
    if terms.fallback_share:
        stays = "until it is moved" if cost.returned else "to its end"
        yield (
            f"what starts on {terms.fallback.name if terms.fallback else ''} while spot is sold out stays there "
            f"{stays}; the range goes up to Azure taking the running VMs, too, each time spot sells out for "
            f"{duration(terms.outage)}"
        )


def _sizes(terms: Terms) -> Iterator[str]:
    """Which of a pool's sizes its hours are billed on."""
    first, *others = (one.size for one in terms.pool.agent_pools)
    if not others:
        return
    if terms.sold_out:
        yield (
            f"{terms.pool.name} runs on {first}, and while that is sold out on {', then '.join(others)}; each is taken "
            f"to be sold out independently of the others, all of them {share(terms.sold_out)} of the time"
        )
    else:
        yield f"{terms.pool.name} is billed on {first}, which the autoscaler tries before {', '.join(others)}"


def of_price(pool: Pool, node: Node) -> Iterator[str]:
    """Where a spot node is charged less than its price."""
    dearest = max((quote.price.expected for quote in node.quotes), default=0.0)
    if pool.spot and len(node.quotes) == 1 and node.vm.expected < dearest:
        yield f"a spot VM is quoted at {dearest:.4f} an hour; Azure charges no more than the price on demand"


def of_disks(pool: Pool, node: Node) -> Iterator[str]:
    """What an OS disk adds to a spot node."""
    if pool.spot and pool.disk.managed and node.vm.expected > 0:
        yield f"a managed OS disk adds {share(node.disk.expected / node.vm.expected)} to each hour of a spot node"
    elif pool.spot:
        yield "its spot nodes have ephemeral OS disks, which cost nothing; on demand they would be managed"


def _fits(work: Work, terms: Terms) -> bool:
    return terms.day is None or fits(work.step, terms.day)


def _evenings(work: Work, cost: WorkCost, terms: Terms) -> Iterator[str]:
    if terms.day is None:
        return
    if not _fits(work, terms):
        yield (
            "never done: the work of a step between two checkpoints and a restart take longer than a day of office "
            f"hours, {duration(terms.day)}; it needs checkpoints, or longer days"
        )
    elif math.isfinite(cost.evenings) and cost.evenings >= _NOTABLE:
        per_step = cost.evenings / work.steps_a_month
        yield (
            f"each evening stops what runs: {_number(cost.evenings)} times a month a step loses what it has not "
            f"saved, for which {hours(cost.cut_off)} more hours are billed; a retry is used up each time"
        )
        if per_step > work.retries:
            yield (
                f"a step meets {_number(per_step)} evenings and has {work.retries} retries: most fail; raise `retries`"
            )


def _number(count: float) -> str:
    return f"{count:,.0f}" if count >= _FEW else f"{count:.1f}"


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
    now, then = cost.multiple.expected, with_checkpoints(work, rate, best, terms)
    if then < now * (1 - _NOTABLE):
        set_to = "no checkpoints" if work.checkpoint_minutes is None else f"{work.checkpoint_minutes:g} min"
        on_spot = cost.useful * (1 - terms.fallback_share)
        saved = (now - then) * on_spot * terms.node.hour.expected
        effect = f"save {money(saved, currency)} a month" if math.isfinite(now) else "get it done"
        often = f"a checkpoint every {duration(best)}" if best else "saving its work all the time"
        yield f"{often} instead of {set_to} would {effect}"


def _chances(work: Work, cost: WorkCost, terms: Terms) -> Iterator[str]:
    aside = ("", "") if terms.day is None else (", without those that evenings use up", ", nights aside")
    if cost.fails and cost.fails.expected > _RARE:
        yield f"{share(cost.fails.expected)} of its steps use up their {work.retries} retries and fail{aside[0]}"
    if cost.misses and work.deadline_hours and cost.misses.expected > _RARE:
        deadline = duration(work.deadline_hours)
        yield f"{share(cost.misses.expected)} of its steps miss their deadline of {deadline}{aside[1]}"
