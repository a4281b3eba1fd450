"""A month of batch work on one spot pool and its fallback, played from a seed, and what it came to."""

import math
import random
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from kubeflow_aks.events import Kind
from kubeflow_aks.local_aks.simulation.journal import Source
from kubeflow_aks.local_aks.simulation.loop import Simulation
from kubeflow_aks.local_aks.simulation.market import ALL, Market, MarketEvent, Reclaim, Supply
from kubeflow_aks.local_aks.simulation.vms.scale_sets import Timings
from tests.stepped.clock import MemoryJournal, Steps
from tests.stepped.manual_clock import ManualClock
from tests.stepped.memory_azure import MemoryAzure, pool
from tests.stepped.memory_cluster import MemoryCluster, as_live
from tests.stepped.returning import ReturningJobs
from tests.stepped.work import Done, Jobs
from tests.stepped.work import Kind as StepKind

HOUR: Final = 3600.0
MONTH_HOURS: Final = 730
SPOT: Final = "cpuspot"
FALLBACK: Final = "cpuod"
PRIORITIES: Final = f"40:\n- ^aks-{SPOT}-[0-9]+-vmss$\n20:\n- ^aks-{FALLBACK}-[0-9]+-vmss$\n1:\n- .*\n"
POD: Final[Mapping[str, Any]] = {
    "tolerations": [
        {"key": "kubernetes.azure.com/scalesetpriority", "value": "spot", "effect": "NoSchedule"}
    ],
    "containers": [{"name": "main", "resources": {"requests": {"cpu": "6"}}}],
}
"""One pod takes one node of 8 cores."""
WITH_FALLBACK: Final = {
    **POD,
    "tolerations": [*POD["tolerations"], {"key": "ckf/fallback", "operator": "Exists"}],
}


@dataclass(frozen=True)
class Work:
    """Steps of one kind.

    Attributes:
        kind: what each takes.
        steps: how many in the month.
        at_once: how many are submitted together; the moments are drawn evenly over the month.
    """

    kind: StepKind
    steps: int
    at_once: int = 1


@dataclass(frozen=True, kw_only=True)
class Month:
    """What is played.

    Attributes:
        work: all of it.
        hazard: evictions of each running spot VM an hour.
        reclaim: how each is taken, unless all are taken together.
        together: whether all spot VMs are taken at the same moments instead of each at its own.
        sold_out: share of the month in which Azure has no spot VM; running ones stay.
        sold_out_hours: mean length of such a time.
        maximum: nodes of the spot pool.
        fallback: nodes of its fallback; None for as many.
        minimum: nodes of the spot pool that are always there.
        hours: length of the month, of which only those count in which the cluster runs.
        day: hours after which it is stopped, and started again at once; None where it always runs.
        profile: the cluster's `autoScalerProfile`; AKS's defaults where it is silent.
        boot: seconds from the request for a VM to its node.
    """

    work: Sequence[Work]
    hazard: float
    reclaim: Reclaim = Reclaim.EVICT
    together: bool = False
    sold_out: float = 0.0
    sold_out_hours: float = 4.0
    maximum: int = 100
    fallback: int | None = None
    minimum: int = 0
    hours: float = MONTH_HOURS
    day: float | None = None
    profile: Mapping[str, str] = field(default_factory=dict[str, str])
    boot: float = 90.0


@dataclass(frozen=True)
class MonthResult:
    """What a month came to.

    Attributes:
        node_hours: billed by pool: from the request for a VM until it is gone, those that Azure refused left out.
        evictions: spot VMs that were taken, with work or without.
        done: what became of the steps.
        machines: VMs by pool.
        hours: until the last VM was gone.
        steps: of the simulation.
        journal: its lines.
    """

    node_hours: Mapping[str, float]
    evictions: int
    done: Done
    machines: Mapping[str, int]
    hours: float
    steps: int
    journal: list[dict[str, Any]]


class _Market(MemoryJournal):
    """A journal that gives each new spot VM its lifetime."""

    def __init__(
        self, clock: ManualClock, market: Market, lifetime: Callable[[], float], reclaim: Reclaim
    ) -> None:
        super().__init__(clock)
        self._reclaim = reclaim
        self._market = market
        self._lifetime = lifetime

    def write(self, kind: Kind, source: Source, **fields: object) -> None:
        super().write(kind, source, **fields)
        if kind is Kind.NODE_REGISTERED and fields["pool"] == SPOT:
            at = self._clock.now() + self._lifetime()
            self._market.add(MarketEvent(at, self._reclaim, SPOT, node=str(fields["node"])))


def play(
    month: Month,
    seed: int,
    *,
    skip: bool = True,
    observe: Callable[[float, MemoryCluster], object] | None = None,
) -> MonthResult:
    """Play a month until all work is done and every node is gone.

    Args:
        month: what is played.
        seed: the same month from the same seed is the same.
        skip: False takes every tick, also those at which nothing can happen.
        observe: called after each step with the time of the next, until when the cluster stays as it is.
    """
    rng = random.Random(seed)  # noqa: S311 - repeatable on purpose
    clock = ManualClock()
    moves = any(work.kind.labels for work in month.work)
    cluster = ReturningJobs(clock, SPOT, FALLBACK) if moves else Jobs(clock)
    cluster.priority_text = PRIORITIES
    market = Market(_schedule(month, rng))
    journal = _lines(month, clock, market, rng)
    azure = MemoryAzure(_pools(month), {"expander": "priority", **month.profile})
    timings = Timings(boot=month.boot)
    simulation = Simulation(azure, as_live(cluster), clock, market, journal, timings=timings, seed=seed)
    for work in month.work:
        cluster.submit_steps(work.kind, _submissions(work, month.hours, rng))
    steps = Steps(simulation, cluster, clock, journal, cluster, skip=skip)
    evening = month.day * HOUR if month.day else math.inf
    while cluster.left or clock.now() < month.hours * HOUR or cluster.node_objects:
        if clock.now() >= evening:
            machines = [machine.name for machine in simulation.machines()]
            simulation._scale_sets.delete(machines, "stopped")  # pyright: ignore[reportPrivateUsage]
            cluster.stop()
            evening += (month.day or 0.0) * HOUR
        end = month.hours * HOUR if clock.now() < month.hours * HOUR else math.inf
        steps.step(until=min(evening, end))
        if observe:
            observe(clock.now(), cluster)
    hours, machines = billed(journal.lines)
    evictions = sum(line["kind"] is Kind.EVICTION for line in journal.lines)
    return MonthResult(
        hours, evictions, cluster.done, machines, clock.now() / HOUR, steps.taken, journal.lines
    )


def billed(lines: Iterable[Mapping[str, Any]]) -> tuple[Mapping[str, float], Mapping[str, int]]:
    """Node hours and number of VMs by pool, of VMs that are gone; a VM that Azure refused costs nothing."""
    since: dict[str, float] = {}
    hours: dict[str, float] = defaultdict(float)
    machines: dict[str, int] = defaultdict(int)
    for line in lines:
        match line["kind"]:
            case Kind.NODE_CREATING:
                since[line["node"]] = line["time"]
            case Kind.SOLD_OUT:
                del since[line["node"]]
            case Kind.NODE_GONE if line["node"] in since:
                hours[line["pool"]] += (line["time"] - since.pop(line["node"])) / HOUR
                machines[line["pool"]] += 1
            case _:
                pass
    return dict(hours), dict(machines)


def _pools(month: Month) -> list[dict[str, Any]]:
    size, most = "Standard_D8ds_v5", month.maximum
    of_spot = {"minCount": month.minimum, "count": month.minimum, "maxCount": most}
    spot = pool(SPOT, vmSize=size, scaleSetPriority="Spot", **of_spot)
    most = most if month.fallback is None else month.fallback
    return [spot, pool(FALLBACK, vmSize=size, nodeTaints=["ckf/fallback=true:NoSchedule"], maxCount=most)]


def _submissions(work: Work, hours: float, rng: random.Random) -> list[float]:
    bursts = -(-work.steps // work.at_once)
    moments = sorted(float(rng.randrange(int(hours * HOUR))) for _ in range(bursts))
    return [moment for moment in moments for _ in range(work.at_once)][: work.steps]


def _lines(month: Month, clock: ManualClock, market: Market, rng: random.Random) -> MemoryJournal:
    if month.together or not month.hazard:
        return MemoryJournal(clock)
    return _Market(clock, market, lambda: rng.expovariate(month.hazard / HOUR), month.reclaim)


def _schedule(month: Month, rng: random.Random) -> list[MarketEvent]:
    """What befalls the whole pool: evictions of all its VMs, and times without supply."""
    end = 2 * month.hours * HOUR  # what was submitted at the end is still to be done
    events: list[MarketEvent] = []
    if month.together and month.hazard:
        at = rng.expovariate(month.hazard / HOUR)
        while at < end:
            events.append(MarketEvent(at, Reclaim.EVICT, SPOT, ALL))
            at += rng.expovariate(month.hazard / HOUR)
    if month.sold_out:
        out = month.sold_out_hours * HOUR
        available = out * (1 - month.sold_out) / month.sold_out
        at = rng.expovariate(1 / available)
        while at < end:
            back = at + rng.expovariate(1 / out)
            events += [MarketEvent(at, Supply.SOLD_OUT, SPOT), MarketEvent(back, Supply.AVAILABLE, SPOT)]
            at = back + rng.expovariate(1 / available)
    return events
