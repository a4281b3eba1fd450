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
    for line in lines:
        pool = pools.get(line.pool)
        if pool is None or pool.spot or line.hours is None:
            yield line
            continue
        for one in pool.agent_pools:
            covered = min(left.get(one.size, 0), one.minimum)
            if covered:
                left[one.size] -= covered
                used[one.size] += covered
                line = _at_its_price(line, commitments[one.size], covered, HOURS_A_MONTH * running)  # noqa: PLW2901
        yield line
    for size, commitment in commitments.items():
        idle = (commitment.vms - used[size] * running) * HOURS_A_MONTH
        if idle > 0:
            amount = Range.exactly(idle * commitment.hourly)
            yield Line(
                f"unused commitment of {size.removeprefix('Standard_')}",
                "home",
                "",
                None,
                amount,
                amount,
                (_quote(commitment),),
                (f"{idle:,.0f} hours of it are paid for without a node",),
            )


def _at_its_price(line: Line, commitment: Commitment, covered: int, hours: float) -> Line:
    """The line with the hours of some nodes at the commitment's price instead of the one on demand."""
    price = line.quotes[0].price if line.quotes else Range.exactly(0.0)
    less = (price - Range.exactly(commitment.hourly)) * covered * hours
    note = f"{covered} of its nodes are paid for by a commitment, {commitment.hourly:g} an hour each"
    return replace(
        line,
        amount=line.amount - less,
        on_demand=line.on_demand - less,
        quotes=(*line.quotes, _quote(commitment)),
        notes=(*line.notes, note),
    )


def _quote(commitment: Commitment) -> Quote:
    return Quote(Range.exactly(commitment.hourly), "hour", Source(_SOURCE, commitment.as_of))
