"""Agent pools that are added, removed, replaced or changed, and where their work runs meanwhile."""

from collections.abc import Iterator, Mapping

from kubeflow_aks.json_values import at
from kubeflow_aks.pull_request.observed import UNKNOWN, Change
from kubeflow_aks.pull_request.report.impacts.impact import Impact, Level, added_and_removed, listed, quoted
from kubeflow_aks.pull_request.report.impacts.pools import (
    REPLACED_KEY,
    TOLERATED,
    WORKLOAD_LABEL,
    Pool,
    pools,
)
from kubeflow_aks.pull_request.report.impacts.sides import Sides, forced_by, refused
from kubeflow_aks.text.numbers import counted

_FIXED = ("vmSize", "osDiskSizeGB", "osDiskType", "availabilityZones", "maxPods", "vnetSubnetID")
"""Properties that Azure cannot change on any pool (docs/facts/aks.md#immutable-pool-properties)."""


def impacts(sides: Sides, *, with_cluster: bool) -> Iterator[Impact]:
    """Changes of the pools.

    Args:
        sides: both sides.
        with_cluster: whether the whole cluster is lost, so that removed and replaced pools need no impact of their own.
    """
    before, after = pools(sides.before), pools(sides.after)
    for name, pool in after.items():
        old = before.get(name)
        change = sides.changes.get(pool.urn)
        if old is None:
            yield _impact(
                "pool-added", "news", pool, f"Pool {quoted(name)} is added: {pool.described}{_for(pool)}."
            )
        elif not pool.own and change and change.action == "replace" and not with_cluster:
            yield _replaced(sides, change, pool, old, after)
        if old:
            yield from _changed(pool, old)
    for name, pool in before.items():
        if name not in after and not with_cluster:
            yield _removed(sides, pool, after)


def _replaced(sides: Sides, change: Change, pool: Pool, old: Pool, after: Mapping[str, Pool]) -> Impact:
    means, level = _meanwhile(sides, old, after, "until the new pool is ready")
    return _impact(
        "pool-replaced",
        level,
        pool,
        f"Pool {quoted(pool.name)} is replaced{forced_by(change)}: its nodes (at most {old.most}) are "
        f"deleted with all pods on them, then the pool is created again. "
        f"{means}{refused(sides, pool.urn)}",
    )


def _removed(sides: Sides, pool: Pool, after: Mapping[str, Pool]) -> Impact:
    if (
        pool.own or pool.urn not in sides.changes
    ):  # the cluster drops a pool, or Pulumi does (retain on delete)
        text = f"Pool {quoted(pool.name)} is no longer defined; its nodes stay until it is deleted by hand."
        return _impact("pool-forgotten", "caution", pool, text)
    means, level = _meanwhile(sides, pool, after, "from now on")
    return _impact(
        "pool-removed",
        level,
        pool,
        f"Pool {quoted(pool.name)} is removed ({pool.described}): its nodes are deleted with all pods on them. "
        f"{means}{refused(sides, pool.urn)}",
    )


def _meanwhile(sides: Sides, pool: Pool, after: Mapping[str, Pool], when: str) -> tuple[str, Level]:
    """Where the work of a pool runs meanwhile, and how severe that is."""
    others = [other for other in _takers(pool, after) if _stays(sides, other)]
    busy = [
        other
        for other in _takers(pool, after)
        if not _stays(sides, other) and other.urn in sides.before.resources
    ]
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
        return f"Its work starts again on {names}, {when}.", "caution"
    if busy:
        names = listed([other.name for other in busy])
        return (
            f"Its work starts again on {names} while that pool exists: it is replaced too, at another time.",
            "caution",
        )
    return f"No other pool accepts its work, which stays pending {when}.", "caution"


def _takers(pool: Pool, after: Mapping[str, Pool]) -> list[Pool]:
    """Pools that accept the same work, in the autoscaler's order: spot first.

    Work selects the workload label and tolerates the taints of its own pool and the program's own taints.
    """
    takers = [
        other
        for other in after.values()
        if other.name != pool.name
        and (other.role, other.workload) == (pool.role, pool.workload)
        and all(taint in pool.taints or taint.partition("=")[0] in TOLERATED for taint in other.taints)
    ]
    return sorted(takers, key=lambda other: (not other.spot, other.name != pool.fallback))


def _stays(sides: Sides, pool: Pool) -> bool:
    """Whether the pool exists before, during and after the change."""
    change = sides.changes.get(pool.urn)
    return pool.urn in sides.before.resources and not (change and change.action != "update" and not pool.own)


def _changed(pool: Pool, old: Pool) -> Iterator[Impact]:
    name = quoted(pool.name)
    if (old.least, old.most) != (pool.least, pool.most):
        yield _impact(
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
        yield _impact("pool-priority", "caution", pool, f"Pool {name} becomes {pool.kind}: {means}.")
    elif pool.spot:
        yield from _spot(pool, old)
    if old.workload != pool.workload:
        yield _impact(
            "pool-workload",
            "caution",
            pool,
            f"Pool {name} takes work that selects {quoted(f'{WORKLOAD_LABEL}={pool.workload}')}, no longer "
            f"{quoted(old.workload)}: pods that still select that stay pending.",
        )
    yield from _taints(pool, old)
    if pool.own:
        fixed = [key for key in _FIXED if _fixed(old, pool, key)]
        if fixed:
            yield _impact(
                "system-pool-fixed",
                "caution",
                pool,
                f"Azure never changes {listed(fixed)} of the cluster's own pool {name}: `pulumi up` "
                "will fail. Page `docs/how-to/move-a-pool.md` shows how another pool takes over.",
            )


def _fallback(pool: Pool, old: Pool) -> Impact:
    name = quoted(pool.name)
    if not pool.fallback:
        text = f"Pool {name} loses its fallback {quoted(old.fallback)}: its work stays pending while spot is sold out."
        return _impact("pool-fallback", "caution", pool, text)
    former = f" instead of {quoted(old.fallback)}" if old.fallback else ""
    return _impact(
        "pool-fallback", "news", pool, f"Pool {name} has {quoted(pool.fallback)} as its fallback{former}."
    )


def _spot(pool: Pool, old: Pool) -> Iterator[Impact]:
    for kind, what, key in (  # a price of -1 means up to the on-demand price
        ("pool-eviction", "Eviction policy", "scaleSetEvictionPolicy"),
        ("pool-price", "Highest price in USD per hour", "spotMaxPrice"),
    ):
        values = at(old.inputs, key), at(pool.inputs, key)
        if values[0] != values[1]:
            text = f"{what} of pool {quoted(pool.name)}: {quoted(values[0])} → {quoted(values[1])}."
            yield _impact(kind, "news", pool, text)


def _taints(pool: Pool, old: Pool) -> Iterator[Impact]:
    added = [taint for taint in pool.taints if taint not in old.taints]
    removed = [taint for taint in old.taints if taint not in pool.taints]
    for taint in added:
        if taint.startswith(f"{REPLACED_KEY}="):
            successor = taint.partition("=")[2].partition(":")[0]
            yield _impact(
                "pool-handed-over",
                "caution",
                pool,
                f"Pool {quoted(pool.name)} is replaced by {quoted(successor)}: running pods stay, new ones go there.",
            )
            return
    if changes := added_and_removed(added, removed):
        means = "; new pods need the tolerations" if added else ""
        text = f"Taints of pool {quoted(pool.name)}: {changes}{means}."
        yield _impact("pool-taints", "news", pool, text)


def _fixed(old: Pool, pool: Pool, key: str) -> bool:
    values = at(old.inputs, key), at(pool.inputs, key)
    return values[0] != values[1] and None not in values and UNKNOWN not in values


def _for(pool: Pool) -> str:
    return f", for work that selects {quoted(f'{WORKLOAD_LABEL}={pool.workload}')}" if pool.workload else ""


def _impact(kind: str, level: Level, pool: Pool, text: str) -> Impact:
    return {"kind": kind, "level": level, "subject": pool.name, "text": text}
