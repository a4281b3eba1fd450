"""Reservations and savings plans on the bill: they pay for nodes on demand that are always there.

A commitment is paid for every hour of its term, used or not, and takes the place of the price on demand of as many
running VMs of its size (docs/facts/prices.md#commitments). It does not change the price of spot VMs.
Here only a pool's least nodes use it: those that come and go may, too, but nothing says that they do.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Final

from kubeflow_aks.cost.basis import Commitment
from kubeflow_aks.cost.bill import Line
from kubeflow_aks.cost.figures import HOURS_A_MONTH, Quote, Range, Source
from kubeflow_aks.cost.reading import Pool

_SOURCE: Final = "this stack's settings (commitments)"


def always_there(pools: Iterable[Pool]) -> Mapping[str, int]:
    """Nodes on demand that are there as long as the cluster runs, by VM size."""
    counts: Counter[str] = Counter()
    for pool in pools:
        for one in pool.agent_pools:
            if not pool.spot and one.minimum:
                counts[one.size] += one.minimum
    return counts


def committed(
    lines: Iterable[Line],
    pools: Mapping[str, Pool],
    commitments: Mapping[str, Commitment],
    running: float,
) -> Iterator[Line]:
    """The lines with what commitments pay for at their price, and a line for what nothing uses.

    The lines are at prices on demand, the commitments by VM size; `running` is the share of the month in which the
    cluster is not stopped.
    """
    left = {size: it.vms for size, it in commitments.items()}
    used: Counter[str] = Counter()
    hours = HOURS_A_MONTH * running
    for line in lines:
        pool, rest = pools.get(line.pool), line
        for one in pool.agent_pools if pool and not pool.spot and line.hours else ():
            if covered := min(left.get(one.size, 0), one.minimum):
                left[one.size] -= covered
                used[one.size] += covered
                paid = _line(f"{line.name}, committed", commitments[one.size], covered * hours)
                nodes = f"{covered} × {one.size.removeprefix('Standard_')}"
                yield replace(paid, part=line.part, pool=line.pool, nodes=nodes)
                rest = _without(rest, covered * hours)
        if rest is line or (rest.hours and rest.hours.high > 0):
            yield rest
    for size, commitment in commitments.items():
        idle = (commitment.vms - used[size] * running) * HOURS_A_MONTH
        if idle > 0:
            yield _line(f"unused commitment of {size.removeprefix('Standard_')}", commitment, idle)


def _line(name: str, commitment: Commitment, hours: float) -> Line:
    """So many hours at the commitment's price."""
    amount = Range.exactly(hours * commitment.hourly)
    quote = Quote(Range.exactly(commitment.hourly), "hour", Source(_SOURCE, commitment.as_of))
    return Line(name, "home", "", Range.exactly(hours), amount, amount, (quote,), hourly=quote.price)


def _without(line: Line, hours: float) -> Line:
    """The line without hours that something else pays for."""
    price = line.quotes[0].price if line.quotes else Range.exactly(0.0)
    less = price * hours
    return replace(
        line,
        hours=line.hours and line.hours - Range.exactly(hours),
        amount=line.amount - less,
        on_demand=line.on_demand - less,
    )
