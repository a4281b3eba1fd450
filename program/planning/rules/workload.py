"""Rules of the work that a stack is for (`workload`): whether it is possible, and whether its numbers are plausible."""

from collections import Counter
from collections.abc import Iterable, Iterator

from components.arguments.mistakes import Mistake
from components.pools.conventions import WORKLOAD_LABEL
from program.planning.office_hours import hours_a_day, hours_a_month
from program.planning.pools import Purpose, agent_pools, fallback_name
from program.planning.rules.pools import candidates
from program.settings import Settings, Work


def workload_problems(settings: Settings) -> Iterator[Mistake]:
    """Every broken rule of the work."""
    if not settings.workload:
        return
    yield from pool_problems(settings)
    yield from hour_problems(settings)
    yield from node_problems(settings)
    for name, work in settings.workload.items():
        yield from deadline_problems(name, work)
        yield from return_problems(name, work)
        yield from office_hour_problems(name, work, settings)


def pool_problems(settings: Settings) -> Iterator[Mistake]:
    """Each kind of work names a pool that exists."""
    names = list(dict.fromkeys(pool.pool for pool in agent_pools(settings) if pool.purpose is Purpose.WORK))
    unsized = [pool.name for pool in candidates(settings) if pool.size is None]  # its own rule reports it
    passed = {*names, *unsized, *map(fallback_name, unsized)}
    for name, work in settings.workload.items():
        if work.pool not in passed:
            yield Mistake(
                f"workload.{name}.pool", work.pool, f"the name of a CPU or GPU pool: {', '.join(names)}"
            )


def node_problems(settings: Settings) -> Iterator[Mistake]:
    """A step starts once all its nodes are there, and its head is on a pool whose nodes are not evicted."""
    work = [pool for pool in agent_pools(settings) if pool.purpose is Purpose.WORK]
    sized = not any(pool.size is None for pool in candidates(settings))  # their own rules report them
    most = Counter[str]()
    for pool in work:
        most[pool.pool] += pool.max_count
    heads = list(dict.fromkeys(pool.pool for pool in work if not pool.spot))
    for name, one in settings.workload.items():
        if one.pool in most and one.nodes_per_step > max(most[one.pool], 1):
            yield Mistake(
                f"workload.{name}.nodesPerStep",
                one.nodes_per_step,
                f"at most {most[one.pool]}, the maxCount of {one.pool}, because a step starts once all its nodes are "
                "there",
            )
        if one.head_pool is not None and sized and (one.head_pool not in heads or one.head_pool == one.pool):
            yield Mistake(
                f"workload.{name}.headPool",
                one.head_pool,
                f"the name of another pool for work, on demand: {', '.join(it for it in heads if it != one.pool)}",
            )


def hour_problems(settings: Settings) -> Iterator[Mistake]:
    """A month has hours enough for the work, on all the nodes it may run on.

    Work goes to whichever pool has its workload label (docs/facts/aks.md#shortage-and-fallback), so pools of one label
    are counted together. What evictions repeat comes on top and is in the bill.
    """
    hours = hours_a_month(settings)
    if hours <= 0 or any(pool.size is None for pool in candidates(settings)):  # their own rules report it
        return
    pools = [pool for pool in agent_pools(settings) if pool.purpose is Purpose.WORK]
    label = {pool.pool: pool.labels[WORKLOAD_LABEL] for pool in pools}
    for alike in dict.fromkeys(label.values()):
        work = {name: work for name, work in settings.workload.items() if label.get(work.pool) == alike}
        nodes = Counter[str]()
        for pool in pools:
            nodes[pool.pool] += pool.max_count if label[pool.pool] == alike else 0
        need = sum(one.hours_per_month for one in work.values())
        if need > (most := sum(nodes.values()) * hours):
            name = max(work, key=lambda name: work[name].hours_per_month)
            needs = f"{_and(work)} need{'s' if len(work) == 1 else ''} {need:g} hours a month"
            yield Mistake(
                f"workload.{name}.hoursPerMonth",
                work[name].hours_per_month,
                f"less work for {work[name].pool} or a larger maxCount: {needs}, and "
                f"{_and(f'{count} of {pool}' for pool, count in nodes.items() if count)} give at most {most:g}",
            )


def _and(names: Iterable[str]) -> str:
    *most, last = names
    return f"{', '.join(most)} and {last}" if most else last


def deadline_problems(name: str, work: Work) -> Iterator[Mistake]:
    """A step takes its hours, evicted or not."""
    if work.deadline_hours is not None and work.deadline_hours < work.step_hours:
        yield Mistake(
            f"workload.{name}.deadlineHours",
            work.deadline_hours,
            f"at least stepHours, {work.step_hours:g}, because no step is done sooner",
        )


def return_problems(name: str, work: Work) -> Iterator[Mistake]:
    """All nodes of a gang start over when one is moved back to spot (docs/how-to/return-work-to-spot.md)."""
    if work.return_to_spot and work.nodes_per_step > 1 and not work.elastic:
        yield Mistake(
            f"workload.{name}.returnToSpot",
            work.return_to_spot,
            f"false, because its {work.nodes_per_step} nodes start over together when one of them is moved",
        )


def office_hour_problems(name: str, work: Work, settings: Settings) -> Iterator[Mistake]:
    """Work that cannot be interrupted fits into one day: the stop drains every node (start-stop-cluster.md)."""
    if settings.office_hours is None or (day := hours_a_day(settings.office_hours)) <= 0:
        return
    if _in_one_go(work) > day:
        yield Mistake(
            f"workload.{name}.stepHours",
            work.step_hours,
            f"at most {day:g} hours, a day of officeHours, or checkpointMinutes up to {day * 60:g}: the stop at the "
            "end of each day throws away what is not saved, so the step never ends",
        )


def _in_one_go(work: Work) -> float:
    """Hours of a step that are lost together."""
    return min(work.step_hours, (work.checkpoint_minutes or float("inf")) / 60)


def workload_warnings(settings: Settings) -> Iterator[str]:
    """Work whose numbers are possible but unlikely to be meant."""
    nodes = Counter[str]()
    for pool in agent_pools(settings):
        nodes[pool.pool] += pool.max_count
    for name, work in settings.workload.items():
        fallback = fallback_name(work.pool)
        if not work.elastic and work.nodes_per_step > nodes.get(fallback, work.nodes_per_step):
            yield (
                f"workload.{name}.nodesPerStep is {work.nodes_per_step}: {fallback}, the fallback of {work.pool}, has "
                f"at most {nodes[fallback]} nodes, so while spot is sold out no such step starts; raise its maxCount"
            )
    for name, work in settings.workload.items():
        key = f"workload.{name}"
        if work.step_hours * work.nodes_per_step > work.hours_per_month:
            yield (
                f"{key}.stepHours is {work.step_hours:g}: with {work.hours_per_month:g} hours a month less than one "
                "step is done each month; check that both are hours of one node"
            )
        if work.return_to_spot and not settings.kubeflow.return_to_spot:
            yield f"{key}.returnToSpot changes nothing: set kubeflow.returnToSpot, which moves the work"
        if work.elastic and work.nodes_per_step == 1:
            yield f"{key}.elastic changes nothing: a step takes one node; set nodesPerStep"
        if work.checkpoint_minutes is None:
            continue
        if work.checkpoint_minutes >= work.step_hours * 60:
            yield (
                f"{key}.checkpointMinutes is {work.checkpoint_minutes:g}: the step is done before, so no checkpoint is "
                "ever written; leave it out, or set a shorter time"
            )
        if work.checkpoint_write_minutes >= work.checkpoint_minutes:
            yield (
                f"{key}.checkpointMinutes is {work.checkpoint_minutes:g}: writing a checkpoint takes "
                f"{work.checkpoint_write_minutes:g}, so nodes write at least as long as they work; set a longer time"
            )
