"""The page that shows the cost model beside the simulated months."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from tests.cost.examples import SEED_ON_DEMAND, SEED_SPOT

_HEAD: Final = """\
# The cost model against simulated months

<!-- Generated in about eight minutes, do not edit:
     `PYTHONPATH=packages/kubeflow-aks:. .venv/bin/python -m tests.benchmarks.month --write` -->

`./kubeflow-aks cost` shows what a stack is *expected* to cost, by the model in
`packages/kubeflow-aks/src/kubeflow_aks/cost/model`. Here the same work is played on the local AKS: its scale sets, spot
market and cluster autoscaler as they are, with a control plane in memory and a clock that goes from event to event
(`packages/kubeflow-aks/tests/stepped`). The two share no code. A
month of the blog's work takes {steps:,} steps of the simulation instead of {ticks:,} ticks of a second, and
`packages/kubeflow-aks/tests/local_aks/stepped` checks that the skipped ones change nothing.

Each figure is the mean of {months} months of 730 hours, each from its own seed, with its 95 % interval (Student's t);
of gangs, mixed kinds and of [spot that is sold out](#spot-that-is-sold-out) {more} months are played, because they
differ more. Steps are submitted at random moments. Each running spot VM is evicted at the rate of its row, with 30 s of
notice, at any moment and independently of the others.

**{inside} of {all} expectations of this table lie inside their interval.** One in twenty intervals misses by chance,
so about {chance:.0f} would lie outside for a model without any error, and those of a row go together.{outside}
The largest difference of billed hours is {worst}. At 20 % the blog's work is left out, as it would hardly get done.

| Work of a month | Evictions | Spot: model | played | ratio | Fallback: model | played | Evicted: model | played |\
 Lost: model | played |
| --- | --: | --: | --: | --: | --: | --: | --: | --: | --: | --: |
"""

_NOTES: Final = """
`!` marks an expectation outside its interval. Hours on spot and on the fallback are those of the bill, from the request
for a VM until it is gone, so they contain boots and the time in which nodes idle. The work tolerates both, so the
fallback takes what finds the spot pool full: "on 5 nodes and 3" has at most 5 of spot and 3 of it, "on 5 nodes"
has no fallback, so that work waits, and all others have at most 100 of both. Lost are hours of work, not of
restarts. Where steps are given up, the last two columns count those.

An eviction costs 6 minutes beside the lost work, or 20 where the name has it: 30 s of notice, 90 s of boot, and the
rest on the new node. A first start takes as long on a new node, and nothing on one that a step ran on. Both, and the
time after which a node without work is gone, are the figures of `./kubeflow-aks cost`, by the same functions.

Where one of a step's nodes is evicted, the others stop, wait for 5 minutes and for the new node, and all go on from the
last checkpoint. "Lost alone" is elastic work: only the evicted node's part is repeated. Bursts of all kinds of work
find each other's idle nodes, so 40 kinds cost what one of as many steps costs.

What the simulation does and the model leaves out, all of it small here:

- No eviction hits a VM that boots or has its notice already; in the model all 6 minutes are exposed.
- A step that comes back may find an idle node, which needs no boot.
- An idle node can be evicted, too, and is billed no longer.
- The autoscaler removes no node for 10 minutes after it added one anywhere in the cluster.
- A gang may find some of its nodes idle, which then wait for those that boot.

## Evictions that hit all nodes at once

Azure can take many VMs of a pool at the same moment. If each VM's chance stays the same, so does the expected month,
but months differ more. "Months differ by" is the standard deviation of a month's billed hours.

| Work of a month | Evictions | Model | Each for itself | Months differ by | All at once | Months differ by |
| --- | --: | --: | --: | --: | --: | --: |
"""

_SOLD_OUT: Final = """
## Spot that is sold out

For a share of the month Azure has no spot VM, 4 hours at a time on average; VMs that run stay. The autoscaler learns it
from a failed request, leaves the pool alone for 5 to 30 minutes, and takes the fallback. Evictions: 5 % an hour.

| Work of a month | Sold out | Hours on spot: model | played | Hours on the fallback: model | played |
| --- | --: | --: | --: | --: | --: |
"""

_SOLD_OUT_NOTES: Final = """
"Returning" work is moved back by the program of [return to spot](../how-to/return-work-to-spot.md), the real one. All
other work that starts on the fallback stays there to its end, though spot is back, and each start after an eviction may
be such a one: so the longer the steps, the more of their hours run on the fallback than the share. The model leaves
out: the autoscaler leaves spot alone for some minutes after it is there again; and of a gang that loses a node during a
shortage the simulation puts only that one on the fallback, the model all. Intervals are wide because a month has few
shortages. Azure may also take the running VMs when spot sells out; the bill's range goes up to that.
"""

_NIGHTS_OFF: Final = """
## Office hours

The advice promises what a cluster saves that runs from Monday to Friday for 12 hours, with a spot pool of as many nodes
as the peak of its work needs then. What the nodes for the platform save is their hours; what the batch work costs is
held here against months in which all nodes are gone each evening, work goes on from what it saved, and steps are
submitted while the cluster runs. Amounts are USD a month, at {spot:.4f} an hour of spot and {on_demand:.3f} on demand;
evictions: 5 % an hour.

| Work of a month | Nodes advised | All the time: model | played | Office hours: model | played |
| --- | --: | --: | --: | --: | --: |
"""


@dataclass(frozen=True)
class Compared:
    """A figure of the model beside the mean of months, `half` of their interval and one month's deviation."""

    model: float
    mean: float
    half: float
    spread: float

    @property
    def inside(self) -> bool:
        """Whether the model lies inside the interval."""
        return abs(self.model - self.mean) <= self.half

    @property
    def off(self) -> float:
        """Share of the mean by which the model differs."""
        return self.model / self.mean - 1 if self.mean else 0.0


@dataclass(frozen=True, kw_only=True)
class Row:
    """A month's work at one rate."""

    name: str
    rate: float
    billed: Compared
    evictions: Compared
    lost: Compared | None
    failed: Compared | None
    fallback: Compared | None

    @property
    def all(self) -> list[Compared]:
        """What is compared."""
        return [
            one
            for one in (self.billed, self.fallback, self.evictions, self.lost, self.failed)
            if one is not None
        ]


@dataclass(frozen=True)
class Together:
    """Billed hours with evictions each for itself and all at once."""

    name: str
    rate: float
    alone: Compared
    together: Compared


@dataclass(frozen=True)
class SoldOut:
    """Hours by pool where spot is sold out for a share of the time."""

    name: str
    rate: float
    share: float
    spot: Compared
    fallback: Compared


@dataclass(frozen=True)
class NightsOff:
    """What batch work costs all the time, and in office hours on so many nodes of spot."""

    name: str
    rate: float
    nodes: int
    always: Compared
    office_hours: Compared


@dataclass(frozen=True)
class Found:
    """All that was played."""

    rows: Sequence[Row]
    together: Sequence[Together]
    sold_out: Sequence[SoldOut]
    nights_off: Sequence[NightsOff]


def page(played: Found, *, months: int, more: int, steps: int, ticks: int) -> str:
    """The whole page.

    Args:
        played: what its tables tell.
        months: how many were played for each figure.
        more: how many where they differ more.
        steps: of the simulation, for a month of the blog's work.
        ticks: seconds that such a month has.
    """
    rows = played.rows
    comparisons = [one for row in rows for one in row.all]
    outside = [one for one in comparisons if not one.inside]
    far = max((abs(one.model - one.mean) / one.half for one in outside), default=0.0)
    result = f" The farthest is {far:.1f} times the half of its interval from the middle." if outside else ""
    worst = max(rows, key=lambda row: abs(row.billed.off))
    head = _HEAD.format(
        steps=steps,
        ticks=ticks,
        months=months,
        more=more,
        inside=len(comparisons) - len(outside),
        all=len(comparisons),
        outside=result,
        chance=0.05 * len(comparisons),
        worst=f"{abs(worst.billed.off):.1%} ({worst.name} at {worst.rate:.0%})",
    )
    return "".join(
        (
            head,
            *(f"{line(row)}\n" for row in rows),
            _NOTES,
            *(f"{_together(one)}\n" for one in played.together),
            _SOLD_OUT,
            *(f"{_sold_out(one)}\n" for one in played.sold_out),
            _SOLD_OUT_NOTES,
            _NIGHTS_OFF.format(spot=SEED_SPOT, on_demand=SEED_ON_DEMAND),
            *(f"{nights_off(one)}\n" for one in played.nights_off),
        )
    )


def line(row: Row) -> str:
    """One line of the first table."""
    model, played = _both(row.lost or row.failed)
    cells = (
        row.name,
        f"{row.rate:.0%}/h",
        *_both(row.billed),
        f"{row.billed.model / row.billed.mean:.3f}",
        *_both(row.fallback),
        *_both(row.evictions),
        f"gives up {model}" if row.failed else model,
        played,
    )
    return _row(cells)


def _together(one: Together) -> str:
    cells = [one.name, f"{one.rate:.0%}/h", f"{one.alone.model:,.0f}"]
    for hours in (one.alone, one.together):
        cells += [f"{hours.mean:,.0f} ± {hours.half:,.0f}", f"± {hours.spread / hours.mean:.1%}"]
    return _row(cells)


def _sold_out(one: SoldOut) -> str:
    return _row((one.name, f"{one.share:.0%}", *_both(one.spot), *_both(one.fallback)))


def nights_off(one: NightsOff) -> str:
    """One line of the last table."""
    return _row((one.name, str(one.nodes), *_both(one.always, 2), *_both(one.office_hours, 2)))


def _both(one: Compared | None, places: int = 1) -> tuple[str, str]:
    if one is None:
        return "", ""
    digits = places if one.mean < 1000 else 0
    return (
        f"{one.model:,.{digits}f}{'' if one.inside else ' !'}",
        f"{one.mean:,.{digits}f} ± {one.half:,.{digits}f}",
    )


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"
