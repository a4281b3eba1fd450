"""Hours in which a pool's new nodes start and its old ones wait for the autoscaler, of all work on it together."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, replace

from kubeflow_aks.cost.basis import Work
from kubeflow_aks.cost.figures import HOURS_A_MONTH, Range
from kubeflow_aks.cost.model.hourly import boot
from kubeflow_aks.cost.model.idle import Bursts, Idle, idle
from kubeflow_aks.cost.restarts import steps
from kubeflow_aks.cost.terms import Terms


@dataclass(frozen=True)
class Idling:
    """Idle hours of one kind of work, a month.

    Attributes:
        hours: node hours on its pool.
        calm: those that were expected without evictions.
        head: node hours of its steps' heads, on theirs.
        boots: share of its bursts that find no nodes and boot their own.
    """

    hours: Range
    calm: float
    head: Range
    boots: float


@dataclass(frozen=True)
class _Kind:
    """Bursts on one pool, with the expected boot, the shortest, the longest, and that without evictions."""

    name: str
    number: float
    nodes: int
    boots: tuple[float, float, float, float]


def idling(batch: Mapping[str, tuple[Work, Terms]]) -> Mapping[str, Idling]:
    """Idle hours of each kind of work.

    A new node takes as long to its first step as a restart does, for it boots and loads the same.
    """
    on: dict[str, Terms] = {}
    kinds: dict[str, list[_Kind]] = defaultdict(list)
    for name, (work, terms) in batch.items():
        number = work.steps_a_month / work.steps_at_once
        of = _Kind(name, number, work.steps_at_once * work.nodes_per_step, _boots(work, terms))
        on[terms.pool.name] = terms
        kinds[terms.pool.name].append(of)
        if terms.head:
            on[terms.head.pool.name] = terms.head
            kinds[terms.head.pool.name].append(replace(of, nodes=work.steps_at_once))
    by_pool = {
        pool: {of.name: hours for of, hours in zip(every, _of_pool(every, on[pool]), strict=True)}
        for pool, every in kinds.items()
    }
    nothing = Range.exactly(0.0)
    return {
        name: Idling(
            hours=by_pool[terms.pool.name][name].hours,
            calm=by_pool[terms.pool.name][name].calm,
            head=by_pool[terms.head.pool.name][name].hours if terms.head else nothing,
            boots=by_pool[terms.pool.name][name].boots,
        )
        for name, (_, terms) in batch.items()
    }


def _boots(work: Work, terms: Terms) -> tuple[float, float, float, float]:
    rate, (step, quick, slow) = terms.evictions.expected, steps(work, terms)
    expected = boot(step, rate)
    if terms.restart is None:
        return expected, expected, expected, step.restart
    return expected, boot(quick, rate), boot(slow, rate), step.restart


def _of_pool(kinds: list[_Kind], terms: Terms) -> list[Idling]:
    expected, shortest, longest, calm = (_at(kinds, terms, which) for which in range(4))
    every = zip(expected.hours, shortest.hours, longest.hours, calm.hours, strict=True)
    return [
        Idling(Range(mean, min(low, mean), max(high, mean)), without, Range.exactly(0.0), expected.boots)
        for mean, low, high, without in every
    ]


def _at(kinds: list[_Kind], terms: Terms, which: int) -> Idle:
    pool, running = terms.pool, HOURS_A_MONTH * terms.running
    return idle(
        [
            Bursts(
                of.number,
                max(0, min(of.nodes, pool.maximum) - pool.minimum),
                min(of.boots[which], running),  # a boot that never ends, where every VM is taken at once
            )
            for of in kinds
        ],
        unneeded=terms.tail,
        running=running,
    )
