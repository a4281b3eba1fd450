"""A bill beside what was charged for the same time, and the reasons for the difference."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import pairwise
from typing import Final

from kubeflow_aks.cost.actual.charged import Charge, Charged, Place, total
from kubeflow_aks.cost.bill import Bill
from kubeflow_aks.cost.evictions import PoolEvictions
from kubeflow_aks.cost.figures import HOURS_A_MONTH
from kubeflow_aks.cost.formatting import hours, money, price
from kubeflow_aks.cost.observed import Observed
from kubeflow_aks.cost.reading import Pool
from kubeflow_aks.cost.usage import NodeLife

_KIND: Final = {
    "load balancer traffic": "load balancer",
    "NAT gateway traffic": "NAT gateway",
    "traffic to the internet": "traffic",
}
"""Lines of the bill that Azure charges on another line's resource."""
_OF_NODES: Final = frozenset({"load balancer", "traffic"})
"""What AKS makes in the group of the nodes, beside them."""
_ROUNDING: Final = 0.005
_MOST_REASONS: Final = 3
_SHORTEST: Final = timedelta(days=1)
"""Length of a record from which on its share on the fallback is taken: our choice."""
_DIGITS: Final = 4


@dataclass(frozen=True)
class Record:
    """What the record of nodes has of a pool: its node hours, evictions, and those expected in its time.

    Attributes:
        fallback_share: share of the hours that ran on its fallback while the pool was not full; None where it has no
            fallback, or others use that too.
    """

    hours: float
    evictions: PoolEvictions | None
    expected_evictions: float
    fallback_share: float | None = None


@dataclass(frozen=True)
class PoolRow:
    """One pool; amounts in the bill's currency for the whole period, OS disks included.

    Attributes:
        charged: None where only a record of nodes was read.
        hourly: price of a node hour in the bill.
        on_demand: of the same node on demand.
    """

    pool: Pool
    expected: float
    expected_hours: float
    charged: Charge | None
    hourly: float
    on_demand: float
    record: Record | None = None

    @property
    def paid(self) -> float | None:
        """What a node hour cost, OS disk included."""
        return self.charged.amount / self.charged.hours if self.charged and self.charged.hours else None


@dataclass(frozen=True)
class Row:
    """What is no pool: a line of the bill, or what cannot be attributed."""

    name: str
    expected: float
    charged: float


@dataclass(frozen=True)
class Reason:
    """One part of the difference; all parts together are the difference."""

    words: str
    amount: float


@dataclass(frozen=True)
class Actual:
    """All of it.

    Attributes:
        start, end: of what was charged; of the record where nothing was.
        charged: None where only a record of nodes was read.
        files: names of those that were read.
        record_start, record_end: None without a record of nodes.
        not_compared: what the files have elsewhere or not at all, one sentence each.
    """

    start: datetime
    end: datetime
    currency: str
    pools: tuple[PoolRow, ...]
    others: tuple[Row, ...]
    unattributed: tuple[Row, ...]
    charged: Charged | None
    files: tuple[str, ...]
    record_start: datetime | None = None
    record_end: datetime | None = None
    not_compared: tuple[str, ...] = ()

    @property
    def settings(self) -> Mapping[tuple[str, ...], float]:
        """What the record shows, by path in the stack file; nothing of a record that is too short for it."""
        values: dict[tuple[str, ...], float] = {}
        length = (
            self.record_end - self.record_start if self.record_start and self.record_end else timedelta(0)
        )
        for row in self.pools:
            record, key = row.record, ("cost", "pools", row.pool.name)
            evictions = record.evictions if record else None
            if evictions and evictions.conclusive and (rate := evictions.rate):
                values[*key, "evictionRate"] = round(rate.rate.expected, _DIGITS)
            if record and record.fallback_share is not None and length >= _SHORTEST:
                values[*key, "soldOutShare"] = min(round(record.fallback_share, _DIGITS), 1 - 10**-_DIGITS)
        return values

    @property
    def total(self) -> Row:
        """Everything that the cluster was charged."""
        rows = (*self.others, *self.unattributed)
        charged = sum(it.charged.amount for it in self.pools if it.charged) + sum(it.charged for it in rows)
        return Row("total", sum(it.expected for it in (*self.pools, *rows)), charged)

    @property
    def spot(self) -> Row | None:
        """What spot pools and their fallbacks were charged, and the same hours on demand; None of no hours."""
        names = {it.pool.fallback for it in self.pools if it.pool.spot}
        rows = [it for it in self.pools if it.charged and (it.pool.spot or it.pool.name in names)]
        compared = sum(it.on_demand * it.charged.hours for it in rows if it.charged)
        if compared <= 0:
            return None
        return Row("spot", compared, sum(it.charged.amount for it in rows if it.charged))

    def hours(self, *, spot: bool) -> float:
        """Node hours of spot pools that were charged at a spot price; or those of their fallbacks."""
        names = {it.pool.fallback for it in self.pools if it.pool.spot}
        rows = [it for it in self.pools if it.charged and (it.pool.spot if spot else it.pool.name in names)]
        return sum(it.charged.hours for it in rows if it.charged)

    @property
    def reasons(self) -> tuple[Reason, ...]:
        """Why it was not as expected, the largest first; none without charges or with work that is never done."""
        if self.charged is None or not math.isfinite(self.total.expected):
            return ()
        every = [*_of_pools(self.pools, self.currency)]
        for row in (*self.others, *self.unattributed):
            words = f"{money(row.charged, self.currency)} instead of {money(row.expected, self.currency)}"
            every.append(Reason(f"{row.name}: {words}", row.charged - row.expected))
        every = [it for it in every if abs(it.amount) >= _ROUNDING]
        every.sort(key=lambda it: -abs(it.amount))
        if len(every) <= _MOST_REASONS:
            return tuple(every)
        rest = Reason(
            f"{len(every) - _MOST_REASONS} smaller ones", sum(it.amount for it in every[_MOST_REASONS:])
        )
        return (*every[:_MOST_REASONS], rest)


def _of_pools(pools: Iterable[PoolRow], currency: str) -> Iterator[Reason]:
    served = {it.pool.fallback: it.pool.name for it in pools if it.pool.spot and it.pool.fallback}
    for row in pools:
        charge, name = row.charged or Charge(), row.pool.name
        if charge.amount and not charge.hours:
            yield Reason(f"{name}: charged without node hours", charge.amount - row.expected)
            continue
        expected_price = row.expected / row.expected_hours if row.expected_hours else row.hourly
        words = f"{hours(charge.hours)} node hours instead of {hours(row.expected_hours)}"
        if name in served:
            words += f", as the fallback of {served[name]}"
        yield Reason(f"{name}: {words}", (charge.hours - row.expected_hours) * expected_price)
        if row.paid is not None:
            words = (
                f"a node hour cost {price(row.paid, currency)} instead of {price(expected_price, currency)}"
            )
            yield Reason(f"{name}: {words}", charge.amount - charge.hours * expected_price)


@dataclass(frozen=True)
class Expected:
    """What the charges are compared with.

    Attributes:
        bill: of the stack, of a month.
        pools: the stack's, by name.
        hourly: expected price of a node hour by agent pool, and on demand.
    """

    bill: Bill
    pools: Mapping[str, Pool]
    hourly: Mapping[str, tuple[float, float]]


def compare(
    expected: Expected,
    place: Place,
    charged: Charged | None,
    observed: Observed | None,
    files: tuple[str, ...],
) -> Actual:
    """The bill's share of a month beside the charges of some files, and a record with nodes."""
    bill = expected.bill
    recorded = (observed.since, observed.time) if observed and observed.since else None
    period = charged.period if charged else recorded
    assert period  # noqa: S101 - one of both was read
    months = _months(*period)
    amounts: dict[str, float] = {}
    skipped: list[str] = []
    for line in bill.lines:
        amount = line.amount.expected * months
        name = _KIND.get(line.name, line.name)
        if not line.pool and (name.startswith("unused commitment") or not _is_in(charged, place, name)):
            skipped.append(f"{line.name} ({money(amount, bill.currency)})")
        elif not line.pool:
            amounts[name] = amounts.get(name, 0.0) + amount
    others: Mapping[str, Charge] = charged.others if charged else {}
    unattributed: Mapping[str, Charge] = charged.unattributed if charged else {}
    return Actual(
        *period,
        bill.currency,
        tuple(_row(expected, pool, months, charged, observed) for pool in expected.pools.values()),
        tuple(
            Row(name, amounts.get(name, 0.0), others.get(name, Charge()).amount)
            for name in dict.fromkeys((*amounts, *others))
        ),
        tuple(Row(name, 0.0, it.amount) for name, it in unattributed.items()),
        charged,
        files,
        *(recorded or (None, None)),
        tuple(_not_compared(skipped, expected, place, charged)),
    )


def _not_compared(
    skipped: list[str], expected: Expected, place: Place, charged: Charged | None
) -> Iterator[str]:
    if skipped:
        yield f"not compared, because the files do not have it, or not by cluster: {', '.join(skipped)}"
    if charged and not place.group:
        yield "the plan does not name the stack's resource group: what is in it is not looked at"
    elif charged and not charged.list_prices and place.group.lower() not in charged.groups:
        yield f"no row of resource group {place.group}: what it has is not looked at"
    worked = {it.pool for it in expected.bill.work}
    for pool in expected.pools.values():
        if pool.spot and pool.fallback in worked:
            yield f"{pool.fallback} does other work too: not all of its hours are those of a fallback"


def _is_in(charged: Charged | None, place: Place, name: str) -> bool:
    """Whether the files have a line of the bill that is no pool's."""
    if charged is None or charged.list_prices:
        return charged is None
    return name in _OF_NODES or place.group.lower() in charged.groups


def _months(start: datetime, end: datetime) -> float:
    return (end - start) / timedelta(hours=HOURS_A_MONTH)


def _row(
    expected: Expected, pool: Pool, months: float, charged: Charged | None, observed: Observed | None
) -> PoolRow:
    lines = [line for line in expected.bill.lines if line.pool == pool.name]
    agents = [one.name for one in pool.agent_pools]
    hourly, on_demand = (
        sum(it) / len(agents) for it in zip(*(expected.hourly[name] for name in agents), strict=True)
    )
    return PoolRow(
        pool,
        sum(line.amount.expected for line in lines) * months,
        sum(line.hours.expected for line in lines if line.hours) * months,
        total(charged.pools[name] for name in agents if name in charged.pools) if charged else None,
        hourly,
        on_demand,
        _record(expected, pool, observed) if observed else None,
    )


def _record(expected: Expected, pool: Pool, observed: Observed) -> Record:
    agents = [one.name for one in pool.agent_pools]
    lives = [it for it in observed.nodes or () if it.pool in agents]
    evictions = [observed.pools[name] for name in agents if name in observed.pools]
    months = _months(observed.since, observed.time) if observed.since else 0.0
    of_work = sum(it.evictions.expected for it in expected.bill.work if it.pool == pool.name)
    return Record(
        _hours(lives),
        _together(pool.name, evictions),
        of_work * months,
        _fallback_share(expected, pool, observed) if pool.spot else None,
    )


def _together(name: str, pools: list[PoolEvictions]) -> PoolEvictions | None:
    """The evictions of a pool of several sizes."""
    if not pools:
        return None
    nodes, node_hours, evictions, moments = (
        sum(getattr(it, what) for it in pools) for what in ("nodes", "hours", "evictions", "moments")
    )
    return PoolEvictions(name, nodes, node_hours, evictions, moments, pools[0].day)


def _fallback_share(expected: Expected, pool: Pool, observed: Observed) -> float | None:
    """Share of the node hours that the fallback had to run while the pool had room for more nodes.

    What runs there because the pool is full is no lack of spot VMs. None where other work may be on the fallback.
    """
    fallback = expected.pools.get(pool.fallback)
    if fallback is None or fallback.minimum or any(it.pool == fallback.name for it in expected.bill.work):
        return None
    if sum(it.fallback == fallback.name for it in expected.pools.values()) > 1:
        return None
    lives = observed.nodes or ()
    on_spot = [it for it in lives if it.pool in {one.name for one in pool.agent_pools}]
    beside = [it for it in lives if it.pool in {one.name for one in fallback.agent_pools}]
    every = _hours(on_spot) + _hours(beside)
    return _while_below(pool.maximum, on_spot, beside) / every if every else None


def _hours(lives: Iterable[NodeLife]) -> float:
    return sum((it.end - it.start) / timedelta(hours=1) for it in lives)


def _while_below(most: int, lives: Iterable[NodeLife], beside: Iterable[NodeLife]) -> float:
    """Hours of some nodes while there were fewer than `most` of the others."""
    edges = sorted(
        (moment, place, change)
        for place, nodes in enumerate((lives, beside))
        for it in nodes
        for moment, change in ((it.start, 1), (it.end, -1))
    )
    counts, total = [0, 0], 0.0
    for (moment, place, change), (after, _, _) in pairwise(edges):
        counts[place] += change
        if counts[0] < most:
            total += counts[1] * ((after - moment) / timedelta(hours=1))
    return total
