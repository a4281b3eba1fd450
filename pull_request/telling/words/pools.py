"""Agent pools that come, go, are made anew or scale otherwise, and where their work goes meanwhile."""

from collections.abc import Iterator, Mapping

from pull_request.observed import UNKNOWN, Change
from pull_request.telling.reading import at
from pull_request.telling.words.pool import REPLACED_KEY, TOLERATED, WORKLOAD_LABEL, Pool, pools
from pull_request.telling.words.sides import Sides, forced_by, refused
from pull_request.telling.words.word import Level, Word, counted, listed, quoted

_FIXED = ("vmSize", "osDiskSizeGB", "osDiskType", "availabilityZones", "maxPods", "vnetSubnetID")
"""What Azure changes on no pool, so not on the cluster's own either (docs/facts/aks.md#immutable-pool-properties)."""


def words(seen: Sides, *, with_cluster: bool) -> Iterator[Word]:
    """What changes of the pools.

    Args:
        seen: both sides.
        with_cluster: whether they go with their cluster, so that nothing more is to be said of what goes.
    """
    before, after = pools(seen.before), pools(seen.after)
    for name, pool in after.items():
        old = before.get(name)
        change = seen.changes.get(pool.urn)
        if old is None:
            yield _word(
                "pool-added", "news", pool, f"Pool {quoted(name)} is added: {pool.described}{_for(pool)}."
            )
        elif not pool.own and change and change.action == "replace" and not with_cluster:
            yield _replaced(seen, change, pool, old, after)
        if old:
            yield from _changed(pool, old)
    for name, pool in before.items():
        if name not in after and not with_cluster:
            yield _removed(seen, pool, after)


def _replaced(seen: Sides, change: Change, pool: Pool, old: Pool, after: Mapping[str, Pool]) -> Word:
    means, level = _meanwhile(seen, old, after, "until the new pool is there")
    return _word(
        "pool-replaced",
        level,
        pool,
        f"Pool {quoted(pool.name)} is replaced{forced_by(change)}: its nodes (at most {old.most}) are "
        f"deleted with what runs on them, then the pool is made anew. "
        f"{means}{refused(seen, pool.urn)}",
    )


def _removed(seen: Sides, pool: Pool, after: Mapping[str, Pool]) -> Word:
    if (
        pool.own or pool.urn not in seen.changes
    ):  # the cluster forgets a pool, or Pulumi does (retain on delete)
        text = f"Pool {quoted(pool.name)} is no longer described; its nodes stay until somebody deletes it."
        return _word("pool-forgotten", "caution", pool, text)
    means, level = _meanwhile(seen, pool, after, "from now on")
    return _word(
        "pool-removed",
        level,
        pool,
        f"Pool {quoted(pool.name)} is removed ({pool.described}): its nodes are deleted with what runs on them. "
        f"{means}{refused(seen, pool.urn)}",
    )


def _meanwhile(seen: Sides, pool: Pool, after: Mapping[str, Pool], when: str) -> tuple[str, Level]:
    """Where the work of a pool goes, and how bad that is."""
    others = [other for other in _takers(pool, after) if _stays(seen, other)]
    busy = [
        other
        for other in _takers(pool, after)
        if not _stays(seen, other) and other.urn in seen.before.resources
    ]
    if pool.role == "general" and not others:
        down = (
            f"It is the home of Charmed Kubeflow, which is down {when}; then pods start anew and their volumes "
            "are attached again, disks of one zone only to nodes of that zone. Page "
            "`docs/how-to/move-a-pool.md` moves it without this."
        )
        return down, "danger"
    if pool.role == "system" and not others:
        return f"AKS's own add-ons, such as DNS, have no other pool {when}.", "danger"
    if others:
        names = "; then ".join(
            f"{quoted(other.name)} ({other.kind}, at most {counted(other.most, 'node')})" for other in others
        )
        return f"Its work starts again on {names}, {when}.", "caution"
    if busy:
        names = listed([other.name for other in busy])
        return (
            f"Its work starts again on {names} while that pool is there: it is replaced too, at another moment.",
            "caution",
        )
    return f"No other pool takes its work, which waits as pending {when}.", "caution"


def _takers(pool: Pool, after: Mapping[str, Pool]) -> list[Pool]:
    """Pools that take the same work, in the order in which the autoscaler asks them: spot first.

    Work selects the workload label and tolerates the taints of its own pool and the program's own ones.
    """
    takers = [
        other
        for other in after.values()
        if other.name != pool.name
        and (other.role, other.workload) == (pool.role, pool.workload)
        and all(taint in pool.taints or taint.partition("=")[0] in TOLERATED for taint in other.taints)
    ]
    return sorted(takers, key=lambda other: (not other.spot, other.name != pool.fallback))


def _stays(seen: Sides, pool: Pool) -> bool:
    """Whether the pool is there before and after and all the while."""
    change = seen.changes.get(pool.urn)
    return pool.urn in seen.before.resources and not (change and change.action != "update" and not pool.own)


def _changed(pool: Pool, old: Pool) -> Iterator[Word]:
    name = quoted(pool.name)
    if (old.least, old.most) != (pool.least, pool.most):
        yield _word(
            "pool-scale",
            "news",
            pool,
            f"Pool {name} scales from {pool.least} to {counted(pool.most, 'node')}, until now from "
            f"{old.least} to {old.most}.",
        )
    if None not in (old.fallback, pool.fallback) and old.fallback != pool.fallback:
        yield _fallback(pool, old)
    if old.spot != pool.spot:
        means = "Azure may evict its nodes at any time" if pool.spot else "Azure evicts none of its nodes"
        yield _word("pool-priority", "caution", pool, f"Pool {name} becomes {pool.kind}: {means}.")
    elif pool.spot:
        yield from _spot(pool, old)
    if old.workload != pool.workload:
        yield _word(
            "pool-workload",
            "caution",
            pool,
            f"Pool {name} takes work that selects {quoted(f'{WORKLOAD_LABEL}={pool.workload}')}, no longer "
            f"{quoted(old.workload)}: pods that still select that wait as pending.",
        )
    yield from _taints(pool, old)
    if pool.own:
        fixed = [key for key in _FIXED if _fixed(old, pool, key)]
        if fixed:
            yield _word(
                "system-pool-fixed",
                "caution",
                pool,
                f"Azure never changes {listed(fixed)} of the cluster's own pool {name}: `pulumi up` will be "
                "refused. Page `docs/how-to/move-a-pool.md` shows how another pool takes over.",
            )


def _fallback(pool: Pool, old: Pool) -> Word:
    name = quoted(pool.name)
    if not pool.fallback:
        text = (
            f"Pool {name} loses its fallback {quoted(old.fallback)}: its work waits while spot is sold out."
        )
        return _word("pool-fallback", "caution", pool, text)
    former = f" instead of {quoted(old.fallback)}" if old.fallback else ""
    return _word(
        "pool-fallback", "news", pool, f"Pool {name} has {quoted(pool.fallback)} as its fallback{former}."
    )


def _spot(pool: Pool, old: Pool) -> Iterator[Word]:
    for kind, what, key in (  # a price of -1 is that of on demand
        ("pool-eviction", "Eviction policy", "scaleSetEvictionPolicy"),
        ("pool-price", "Highest price in USD per hour", "spotMaxPrice"),
    ):
        values = at(old.inputs, key), at(pool.inputs, key)
        if values[0] != values[1]:
            text = f"{what} of pool {quoted(pool.name)}: {quoted(values[0])} → {quoted(values[1])}."
            yield _word(kind, "news", pool, text)


def _taints(pool: Pool, old: Pool) -> Iterator[Word]:
    added = [taint for taint in pool.taints if taint not in old.taints]
    gone = [taint for taint in old.taints if taint not in pool.taints]
    for taint in added:
        if taint.startswith(f"{REPLACED_KEY}="):
            heir = taint.partition("=")[2].partition(":")[0]
            yield _word(
                "pool-handed-over",
                "caution",
                pool,
                f"Pool {quoted(pool.name)} hands over to {quoted(heir)}: running pods stay, new ones go there.",
            )
            return
    told = [f"{listed(values)} {verb}" for values, verb in ((added, "added"), (gone, "removed")) if values]
    if told:
        means = "; new pods need the tolerations" if added else ""
        text = f"Taints of pool {quoted(pool.name)}: {'; '.join(told)}{means}."
        yield _word("pool-taints", "news", pool, text)


def _fixed(old: Pool, pool: Pool, key: str) -> bool:
    values = at(old.inputs, key), at(pool.inputs, key)
    return values[0] != values[1] and None not in values and UNKNOWN not in values


def _for(pool: Pool) -> str:
    return f", for work that selects {quoted(f'{WORKLOAD_LABEL}={pool.workload}')}" if pool.workload else ""


def _word(kind: str, level: Level, pool: Pool, text: str) -> Word:
    return {"kind": kind, "level": level, "subject": pool.name, "text": text}
