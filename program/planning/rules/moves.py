"""Rules of a pool that replaces the system pool or the one that hosts Kubeflow (docs/how-to/move-a-pool.md)."""

from collections.abc import Iterator

from components.arguments.mistakes import Mistake
from components.pools import pool_checks
from program.planning.pools import AgentPool, Purpose, successors
from program.planning.redundancy import disk_sku
from program.planning.rules.pools import Candidate, candidates, component_problems, system_node_problems
from program.settings import Settings

_PAGE = "docs/how-to/move-a-pool.md"


def move_problems(settings: Settings) -> Iterator[Mistake]:
    """Who takes over from whom, and whether the new pool can (resize-node-pool.md, use-system-pools.md)."""
    every = candidates(settings)
    movable = {pool.name for pool in every if pool.may_host and pool.settings.replaces is None}
    first: dict[str, str] = {}
    for pool in every:
        key, old = f"{pool.key}.replaces", pool.settings.replaces
        if old is None:
            continue
        if not pool.system and old not in movable:
            names = " or ".join([settings.system_pool.name, *sorted(movable)])
            yield Mistake(
                key,
                old,
                f"the system pool or the one that hosts Kubeflow: {names}; no value once that is gone",
            )
            continue
        if first.setdefault(old, pool.name) != pool.name:
            yield Mistake(key, old, f"another pool, because pools.{first[old]} takes over from it already")
        yield from _system_problems(settings, pool) if pool.system else _host_problems(pool, old)


def _host_problems(pool: Candidate, old: str) -> Iterator[Mistake]:
    """What the pool that hosts Kubeflow never is."""
    because = f"because it takes over from {old}"
    if pool.spot:
        yield Mistake(f"{pool.key}.priority", "Spot", f"Regular, {because}")
    if pool.settings.taints:
        yield Mistake(f"{pool.key}.taints", list(pool.settings.taints), f"no taints, {because}")
    if pool.size and pool.size.gpus:
        yield Mistake(f"{pool.key}.vmSize", pool.size.name, f"a size without GPU, {because}")


def _system_problems(settings: Settings, pool: Candidate) -> Iterator[Mistake]:
    """It has no setting that `systemPool` lacks, which will describe it in the end."""
    values = pool.settings
    yield from component_problems(pool.key, pool_checks.system_mistakes(values.priority, values.taints))
    yield from system_node_problems(settings, pool.key, pool.size, values.min_count)
    if values.os_disk.type == "Ephemeral":
        yield Mistake(f"{pool.key}.osDisk.type", "Ephemeral", "Managed in a system pool")
    for name, value in (("labels", values.labels), ("workload", values.workload)):
        if value:
            yield Mistake(f"{pool.key}.{name}", value, "no value, because a system pool takes no work")


def move_warnings(settings: Settings, pools: tuple[AgentPool, ...]) -> Iterator[str]:
    """What comes next in a move that is under way."""
    by_name = {pool.name: pool for pool in pools}
    for old, new in successors(settings).items():
        if by_name[new].purpose is Purpose.SYSTEM:
            yield (
                f"pools.{new}.replaces is {old}: the cluster has two system pools; next, move the values of "
                f"pools.{new} to systemPool, then drain and delete {old} ({_PAGE})"
            )
        else:
            yield (
                f"pools.{new}.replaces is {old}: new pods go to {new} only; next, drain the nodes of {old}, then "
                f"take pools.{old} and this line out ({_PAGE})"
            )
            yield from _volume_warnings(disk_sku(settings), by_name[old], by_name[new])


def _volume_warnings(sku: str, old: AgentPool, new: AgentPool) -> Iterator[str]:
    """An LRS disk is attached in its own zone only (docs/facts/charmed-kubeflow.md#storage)."""
    if sku.endswith("_LRS") and set(old.zones or ("",)) - set(new.zones or ("",)):
        yield (
            f"pools.{new.name}.zones is {list(new.zones)}: a pod whose {sku} volume lies where {new.name} has no "
            f"nodes stays Pending; give it the zones of {old.name}, {list(old.zones)}"
        )
