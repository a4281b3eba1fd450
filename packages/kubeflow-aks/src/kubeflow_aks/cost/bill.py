"""The bill: what each line costs a month, and what the same work would cost on demand. Data only."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

from kubeflow_aks.cost.figures import EvictionRate, Quote, Range, Source, total

ASSUMED_WORK: Final = Source(
    "assumed: the work of Canonical's article, because the stack names none", assumed=True
)
"""Source of the work of a stack that names none."""
Part = Literal["batch", "home", "fixed"]
"""Work that may run on spot; the pools that are always there; everything else."""


@dataclass(frozen=True)
class Line:
    """One line of the bill.

    Attributes:
        name: what is paid for: a pool, `control plane`, `load balancer`, `OS disks of cpuspot`.
        part: which part of the bill it belongs to.
        pool: its agent pool; empty for what belongs to none.
        hours: a month, of all its nodes; None for what is not billed by the hour.
        amount: a month, in the bill's currency.
        on_demand: what the same would cost if all batch work ran on demand; the same as `amount` for what does not
            depend on it.
        quotes: the prices it is made from.
        notes: for the reader, one sentence each.
        nodes: how many of which VM; empty for what is no pool.
        hourly: what Azure charges for one of the hours, so that the expected ones make the expected amount; the mean of
            a pool of several VM sizes.
    """

    name: str
    part: Part
    pool: str
    hours: Range | None
    amount: Range
    on_demand: Range
    quotes: tuple[Quote, ...] = ()
    notes: tuple[str, ...] = ()
    nodes: str = ""
    hourly: Range | None = None


@dataclass(frozen=True)
class WorkCost:
    """One kind of work on its pool.

    Attributes:
        name: as the settings call it.
        assumed: whether it is the blog's profile, because the stack has no work.
        useful: node hours a month.
        multiple: billed hours for each useful hour; `math.inf` where it would never get done.
        evictions: a month.
        amount: a month on the pool as it is, fallback included.
        on_demand: a month on the fallback's size, or the pool's own, on demand.
        blog: a month by the blog's model, in which 5 % of all work runs twice.
        longest_step: longest useful hours of one step worth running without checkpoints; None on demand.
        best_interval: hours between checkpoints at which it costs least; None on demand.
        fails: chance that evictions alone use up one step's retries.
        misses: chance that one step misses its deadline on spot alone, nights aside; None without a deadline.
        stops_paying_at: price an hour above which spot costs more than on demand; None on demand.
        evenings: how often a month the end of office hours cuts off a step.
        cut_off: billed hours a month more, because of that.
        fallback: node hours a month on the fallback.
        overflow: those of them that are there because its pool is full.
        returned: node hours a month of work that is moved from the fallback back to spot.
        redone: node hours a month on spot because of that: work since the last checkpoint, and restarts.
        waits: node hours a month that it waits for a node, because spot is sold out, or its pool and the fallback full.
        in_part: whether only a part of so busy a month was played, so that it may wait longer.
        notes: for the reader, one sentence each.
    """

    name: str
    pool: str
    assumed: bool
    useful: float
    multiple: Range
    evictions: Range
    amount: Range
    on_demand: Range
    blog: float
    longest_step: float | None = None
    best_interval: float | None = None
    fails: Range | None = None
    misses: Range | None = None
    stops_paying_at: float | None = None
    evenings: float = 0.0
    cut_off: float = 0.0
    fallback: float = 0.0
    overflow: float = 0.0
    returned: float = 0.0
    redone: float = 0.0
    waits: float = 0.0
    in_part: bool = False
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Bill:
    """What a stack is expected to cost a month.

    Attributes:
        lines: home pools, batch pools, then the rest.
        work: each kind of work.
        rates: eviction rate of each spot pool.
        sources: of every figure, once each.
        budget: what may be spent a month, or None.
        left_out: what is not counted and why, one sentence each.
        warnings: for the reader, one sentence each.
    """

    stack: str
    region: str
    currency: str
    lines: tuple[Line, ...]
    work: tuple[WorkCost, ...]
    rates: Mapping[str, EvictionRate]
    sources: tuple[Source, ...]
    budget: float | None
    left_out: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()

    def amount(self, *parts: Part) -> Range:
        """A month, of some parts or all."""
        return total(line.amount for line in self.lines if not parts or line.part in parts)

    def on_demand(self, *parts: Part) -> Range:
        """The same with all batch work on demand."""
        return total(line.on_demand for line in self.lines if not parts or line.part in parts)

    @property
    def over_budget(self) -> bool:
        """Whether more is expected than may be spent."""
        return self.budget is not None and self.amount().expected > self.budget
