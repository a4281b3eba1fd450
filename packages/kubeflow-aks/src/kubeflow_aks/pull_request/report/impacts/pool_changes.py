"""Agent pools that are added, removed, replaced or changed, and where their work runs meanwhile."""

from collections.abc import Iterator, Sequence
from typing import cast

from kubeflow_aks.json_values import at
from kubeflow_aks.pull_request.observed import UNKNOWN
from kubeflow_aks.pull_request.report.impacts.impact import (
    Impact,
    Level,
    added_and_removed,
    impact,
    listed,
    quoted,
)
from kubeflow_aks.pull_request.report.impacts.pools import (
    REPLACED_KEY,
    TOLERATED,
    WORKLOAD_LABEL,
    Pair,
    Pool,
    pairs,
)
from kubeflow_aks.pull_request.report.impacts.sides import Sides, forced_by, lost_clusters, refused
from kubeflow_aks.text.numbers import counted

_MANY = 10
"""New pools above which a reviewer reads their number, not each of them. Our choice."""
_NEVER_PENDING = ("general", "system")
"""Roles whose work must run all the time."""


def impacts(sides: Sides) -> Iterator[Impact]:
    """Changes of the pools, Charmed Kubeflow's own first; what goes with its whole cluster has no impact of its own."""
    all_pairs = sorted(pairs(sides), key=lambda pair: pair.either.role != "general")
    for pair in all_pairs:
        if pair.before is None:
            continue
        if not _with_cluster(sides, pair.before) and (loss := _loss(sides, pair, pair.before, all_pairs)):
            yield loss
        if pair.after:
            yield from _changed(pair.after, pair.before)
    yield from _added([pair.after for pair in all_pairs if pair.after and not pair.before])


def _added(pools: Sequence[Pool]) -> Iterator[Impact]:
    """One impact for each new pool; one for all if they are many, where pools were there."""
    if len(pools) > _MANY:
        nodes = sum(pool.most or 0 for pool in pools)
        names = listed([pool.name for pool in pools])
        text = f"{len(pools)} pools are added, with up to {counted(nodes, 'node')} together: {names}."
        yield impact("pools-added", "caution", pools[0].name, text)
        return
    for pool in pools:
        label = quoted(f"{WORKLOAD_LABEL}={pool.workload}")
        work = f", for work that selects {label}" if pool.workload else ""
        text = f"Pool {quoted(pool.name)} is added: {pool.described}{work}."
        yield impact("pool-added", "news", pool.name, text)


def _with_cluster(sides: Sides, pool: Pool) -> bool:
    lost = lost_clusters(sides)
    return bool(lost) and (pool.cluster in lost or pool.cluster in ("", UNKNOWN))


def _loss(sides: Sides, pair: Pair, pool: Pool, all_pairs: Sequence[Pair]) -> Impact | None:
    """The loss of a pool's nodes, if there is one."""
    change = sides.changes.get(pool.urn)
    # The cluster drops a pool, or Pulumi does (retain on delete).
    if pair.after is None and (pool.inline or change is None):
        text = f"Pool {quoted(pool.name)} is no longer defined; its nodes stay until it is deleted by hand."
        return impact("pool-forgotten", "caution", pool.name, text)
    replaced = pair.after and not pair.after.inline and change and change.action == "replace"
    if change is None or not (pair.after is None or pair.remade or replaced):
        return None
    if pair.after is None:
        kind, when = "pool-removed", "from now on"
        what = f"is removed ({pool.described}): its nodes are deleted with all pods on them."
    elif pair.remade:  # Pulumi first creates what has another URN; Azure refuses that while it has the pool
        kind, when = "pool-remade", "until the new pool is ready"
        moved = UNKNOWN not in (pool.cluster, pair.after.cluster) and pool.cluster != pair.after.cluster
        where = f" in cluster {quoted(pair.after.cluster)}" if moved else ""
        what = (
            f"is deleted and created again{where}, because its resource has another name or parent in Pulumi: its "
            f"nodes (at most {pool.most}) are deleted with all pods on them."
        )
    else:
        kind, when = "pool-replaced", "until the new pool is ready"
        what = (
            f"is replaced{forced_by(change)}: its nodes (at most {pool.most}) are deleted with all pods on them, then "
            "the pool is created again."
        )
    means, level = _meanwhile(sides, pair, all_pairs, when)
    return impact(
        kind, level, pool.name, f"Pool {quoted(pool.name)} {what} {means}{refused(sides, pool.urn)}"
    )


def _meanwhile(sides: Sides, pair: Pair, all_pairs: Sequence[Pair], when: str) -> tuple[str, Level]:
    """Where the work of a pool runs meanwhile, and how severe that is."""
    pool = cast(Pool, pair.before)
    takers = _takers(pair, pool, all_pairs)
    # Pulumi creates before it deletes; a pool that is replaced may be back before one that is added.
    added = pair.after is None or pool.role not in _NEVER_PENDING
    others = [one.either for one in takers if _stays(sides, one) or (added and one.before is None)]
    busy = [one.either.name for one in takers if one.before and not _stays(sides, one)]
    if pool.role == "general" and not others:
        down = (
            f"Charmed Kubeflow runs there and is down {when}; then its pods start again and their volumes are "
            "attached again, disks of one zone only to nodes of that zone. Page "
            "`docs/how-to/move-a-pool.md` shows how to move it without downtime."
        )
        return down, "danger"
    if pool.role == "system" and not others:
        return f"AKS's own add-ons, such as DNS, have no other pool to run on {when}.", "danger"
    if others:
        names = "; then ".join(
            f"{quoted(other.name)} ({other.kind}, at most {counted(other.most, 'node')})" for other in others
        )
        work = (
            "Charmed Kubeflow runs there and restarts: its pods start"
            if pool.role == "general"
            else "Its work starts"
        )
        return f"{work} again on {names}, {when}.", "caution"
    if busy:
        return (
            f"Its work starts again on {listed(busy)} while that pool exists: it is replaced too, at another time.",
            "caution",
        )
    return f"No other pool accepts its work, which stays pending {when}.", "caution"


def _takers(pair: Pair, pool: Pool, all_pairs: Sequence[Pair]) -> list[Pair]:
    """Pools that accept the same work, in the autoscaler's order: spot first."""
    takers = [one for one in all_pairs if one is not pair and one.after and _takes(one.after, pool)]
    return sorted(takers, key=lambda one: (not one.either.spot, one.either.pool != pool.fallback))


def _takes(other: Pool, pool: Pool) -> bool:
    """Whether a pool accepts another's work.

    Work selects the workload label and tolerates the taints of its own pool and the program's own taints.
    """
    return (
        (other.role, other.workload) == (pool.role, pool.workload)
        and (other.cluster == pool.cluster or UNKNOWN in (other.cluster, pool.cluster))
        and all(taint in pool.taints or taint.partition("=")[0] in TOLERATED for taint in other.taints)
    )


def _stays(sides: Sides, pair: Pair) -> bool:
    """Whether the pool exists before, during and after the change."""
    if pair.before is None or pair.after is None:
        return False
    change = sides.changes.get(pair.before.urn)
    return pair.after.inline or change is None or change.action == "update"


def _changed(pool: Pool, old: Pool) -> Iterator[Impact]:
    name = quoted(pool.name)
    if (old.least, old.most) != (pool.least, pool.most):
        text = (
            f"Pool {name} scales from {pool.least} to {counted(pool.most, 'node')}, until now from "
            f"{old.least} to {old.most}."
        )
        yield impact("pool-scale", "news", pool.name, text)
    if pool.spot and None not in (old.fallback, pool.fallback) and old.fallback != pool.fallback:
        yield _fallback(pool, old)
    if old.spot != pool.spot:
        means = "Azure may evict its nodes at any time" if pool.spot else "Azure evicts none of its nodes"
        yield impact("pool-priority", "caution", pool.name, f"Pool {name} becomes {pool.kind}: {means}.")
    elif pool.spot:
        yield from _spot(pool, old)
    if old.workload != pool.workload:
        text = (
            f"Pool {name} takes work that selects {quoted(f'{WORKLOAD_LABEL}={pool.workload}')}, no longer "
            f"{quoted(old.workload)}: pods that still select that stay pending."
        )
        yield impact("pool-workload", "caution", pool.name, text)
    yield from _taints(pool, old)


def _fallback(pool: Pool, old: Pool) -> Impact:
    name = quoted(pool.name)
    if not pool.fallback:
        text = f"Pool {name} loses its fallback {quoted(old.fallback)}: its work stays pending while spot is sold out."
        return impact("pool-fallback", "caution", pool.name, text)
    former = f" instead of {quoted(old.fallback)}" if old.fallback else ""
    text = f"Pool {name} has {quoted(pool.fallback)} as its fallback{former}."
    return impact("pool-fallback", "news", pool.name, text)


def _spot(pool: Pool, old: Pool) -> Iterator[Impact]:
    for kind, what, key in (  # a price of -1 means up to the on-demand price
        ("pool-eviction", "Eviction policy", "scaleSetEvictionPolicy"),
        ("pool-price", "Highest price in USD per hour", "spotMaxPrice"),
    ):
        values = at(old.inputs, key), at(pool.inputs, key)
        if values[0] != values[1]:
            text = f"{what} of pool {quoted(pool.name)}: {quoted(values[0])} → {quoted(values[1])}."
            yield impact(kind, "news", pool.name, text)


def _taints(pool: Pool, old: Pool) -> Iterator[Impact]:
    added = [taint for taint in pool.taints if taint not in old.taints]
    removed = [taint for taint in old.taints if taint not in pool.taints]
    for taint in added:
        if taint.startswith(f"{REPLACED_KEY}="):
            successor = taint.partition("=")[2].partition(":")[0]
            text = f"Pool {quoted(pool.name)} is replaced by {quoted(successor)}: running pods stay, new ones go there."
            yield impact("pool-handed-over", "caution", pool.name, text)
            return
    if changes := added_and_removed(added, removed):
        ends = any(taint.endswith(":NoExecute") for taint in added)
        means = "; pods without the toleration are ended at once" if ends else ""
        means += "; new pods need the tolerations" if added else ""
        text = f"Taints of pool {quoted(pool.name)}: {changes}{means}."
        yield impact("pool-taints", "caution" if ends else "news", pool.name, text)
