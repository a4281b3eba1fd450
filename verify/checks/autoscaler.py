"""The autoscaler is at work, looks after the contract's pools, and has taken the priority map.

What it writes: `clusterstate/api/types.go` (YAML since release 1.30) and `expander/priority/priority.go` of
kubernetes/autoscaler.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from typing import Any, Final

import yaml

from deployed.outputs import Outputs
from kube.objects import Object, at, fields, items
from story.formatting import counted
from verify.findings import Told, broken, kept, names, one_line
from verify.seen import NotSeenError, Seen, moment, pool_of, text

_STATUS: Final = "kube-system/cluster-autoscaler-status"
_MAP: Final = "kube-system/cluster-autoscaler-priority-expander"
_SILENT: Final = timedelta(minutes=10)
"""Our choice: many times the longest pause between two looks of the autoscaler."""
_REFUSALS: Final = (
    "PriorityConfigMapInvalid",
    "PriorityConfigMapNotMatchedGroup",
    "PriorityConfigMapNoGroupMatched",
)
_EVERYTHING: Final = ".*"
"""The map's last level, for pools that no other names."""
_RESTORE: Final = "run `pulumi up --refresh`, which writes the map anew"

Levels = Mapping[int, list[str]]


def at_work(seen: Seen, _: Outputs) -> Iterator[Told]:
    """It has written its status just now, and holds the cluster for healthy."""
    status = _status(seen)
    what = "AKS runs the autoscaler: see in `az aks show` whether an operation has failed"
    if (silent := seen.now - _written(status)) > _SILENT:
        told = (
            f"for {silent.total_seconds() / 60:.0f} min"
            if silent < timedelta(days=365)
            else "at any known time"
        )
        yield broken(
            f"the autoscaler has not written its status {told}, so pools neither grow nor shrink", what
        )
    elif (state := text(status, "autoscalerStatus")) != "Running":
        yield broken(f"the autoscaler is {state or 'in no known state'} instead of Running", what)
    elif (health := text(status, "clusterWide", "health", "status")) != "Healthy":
        yield broken(
            f"the autoscaler holds the cluster for {health or 'unknown'}: too many nodes are not ready, so it changes "
            "no pool",
            "see which nodes are not ready: `kubectl get nodes`",
        )


def looks_after(seen: Seen, outputs: Outputs) -> Iterator[Told]:
    """Each pool of the contract is one of its groups, with the contract's limit."""
    groups = {_pool(text(group, "name")): fields(group) for group in items(_status(seen).get("nodeGroups"))}
    has_nodes = {pool_of(node) for node in seen.nodes.found or []}
    pools = {str(pool["name"]): pool for pool in outputs.pools()}
    wrong = [
        told
        for name, pool in pools.items()
        for told in _group(name, pool, groups.get(name), name in has_nodes)
    ]
    yield from wrong
    if not wrong:
        paused = [_paused(name, groups[name]) for name in pools if _paused(name, groups[name])]
        pause = f"; for now it makes no node in {names(paused)}" if paused else ""
        yield kept(f"the autoscaler looks after all {counted(len(pools), 'pool')} of the contract{pause}")


def map_is_ours(seen: Seen, outputs: Outputs) -> Iterator[Told]:
    """The map names each pool that takes work above the catch-all, and spot before its fallback."""
    priorities = seen.priority_map.known()
    if not priorities:
        yield broken(f"ConfigMap {_MAP} does not exist, so the autoscaler picks pools at random", _RESTORE)
        return
    try:
        levels = _levels(text(priorities, "data", "priorities"))
        ranks = {str(pool["name"]): _rank(str(pool["name"]), levels) for pool in outputs.pools()}
    except (ValueError, re.error, yaml.YAMLError, RecursionError) as error:
        yield broken(f"the autoscaler can't read ConfigMap {_MAP}: {one_line(error)}", _RESTORE)
        return
    lost = {
        name
        for pool in outputs.pools()
        if not _named(name := str(pool["name"]), levels, everything=pool.get("role") == "general")
    }
    if lost:
        yield broken(f"the priority map does not name {names(lost)}", _RESTORE)
    for pool in outputs.pools():
        name, other = str(pool["name"]), pool.get("fallback")
        if (
            isinstance(other, str)
            and name not in lost
            and other in ranks.keys() - lost
            and ranks[name] <= ranks[other]
        ):
            yield broken(
                f"the priority map does not put the spot pool {name} before {other}, which is its fallback",
                _RESTORE,
            )


def map_is_taken(seen: Seen, _: Outputs) -> Iterator[Told]:
    """Since the map was last changed, the autoscaler has not complained of it."""
    priorities, newest = seen.priority_map.known(), ""
    if not priorities:
        raise NotSeenError(f"there is no ConfigMap {_MAP}")
    _status(seen)  # without one there is nobody who could complain
    changed = max(
        [
            moment(at(priorities, "metadata", "creationTimestamp")),
            *(moment(at(entry, "time")) for entry in items(at(priorities, "metadata", "managedFields"))),
        ]
    )
    for event in sorted(seen.expander_events.known(), key=_happened):
        if text(event, "reason") in _REFUSALS and _happened(event) >= changed:
            newest = one_line(text(event, "message")) or text(event, "reason")
    if newest:
        yield broken(f"the autoscaler complains of the priority map: {newest}", _RESTORE)


def _status(seen: Seen) -> Object:
    found = seen.autoscaler.known()
    if not found:
        raise NotSeenError(f"there is no ConfigMap {_STATUS}")
    try:
        # Every value as the text that it is: a time in it could be one that Python can't hold.
        status: Any = yaml.load(text(found, "data", "status"), Loader=yaml.BaseLoader)  # noqa: S506 - safe, texts only
    except (yaml.YAMLError, ValueError, RecursionError):
        status = None
    if "autoscalerStatus" not in fields(status):
        raise NotSeenError(f"ConfigMap {_STATUS} has another form than since Kubernetes 1.30")
    return fields(status)


def _written(status: Object) -> datetime:
    """When the status was written: `2026-11-22 10:00:00.123456789 +0000 UTC`, as Go writes it."""
    found = re.match(r"(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)\S* ([+-]\d{4})", text(status, "time"))
    try:
        return (
            datetime.strptime(" ".join(found.groups()), "%Y-%m-%d %H:%M:%S %z")
            if found
            else moment(status.get("time"))
        )
    except ValueError:
        return moment(None)


def _group(name: str, pool: Mapping[str, Any], group: Object | None, has_nodes: bool) -> Iterator[Told]:  # noqa: FBT001 - private
    """What is wrong with one pool's group."""
    if group is None:
        gone = "" if has_nodes else ", and it has no node: it may have been deleted"
        yield broken(f"the autoscaler knows no scale set of pool {name}{gone}", "run `pulumi up --refresh`")
        return
    limit = text(group, "health", "maxSize")
    if limit.isdecimal() and str(pool.get("maxCount")) != limit:
        yield broken(
            f"pool {name} may grow to {limit} nodes, and the contract says {pool.get('maxCount')}",
            "run `pulumi up --refresh`, or put the number into the stack file",
        )
    if (health := text(group, "health", "status")) and health != "Healthy":
        yield broken(
            f"the autoscaler holds pool {name} for {health}, so it makes no node there",
            f"see which nodes are not ready: `kubectl get nodes -l kubernetes.azure.com/agentpool={name}`",
        )


def _paused(name: str, group: Object) -> str:
    """The pool, and why the autoscaler makes no node there for now; empty where it would."""
    if text(group, "scaleUp", "status") != "Backoff":
        return ""
    why = one_line(text(group, "scaleUp", "backoffInfo", "errorMessage"))
    return f"{name} ({why})" if why else name


def _pool(scale_set: str) -> str:
    """The pool of a scale set's name, as AKS builds it: `aks-<pool>-<number>-vmss`."""
    found = re.fullmatch(r"aks-([a-z0-9]+)-[0-9]+-vmss", scale_set)
    return found[1] if found else ""


def _levels(priorities: str) -> Levels:
    """Levels of the map.

    Raises:
        ValueError: it has another form.
        yaml.YAMLError: it is no YAML.
    """
    found: Any = yaml.safe_load(priorities)
    if not fields(found):
        raise ValueError("it has no key `priorities` with levels")
    levels: dict[int, list[str]] = {}
    for level, patterns in found.items():
        if not isinstance(level, int) or not all(isinstance(each, str) for each in items(patterns)):
            raise ValueError(f"{level!r} is no level with a list of regular expressions")
        levels[level] = items(patterns)
    return levels


def _rank(pool: str, levels: Levels) -> int:
    """The highest level that names a pool's scale set; the lowest less one for none.

    Raises:
        re.error: what names it is no regular expression.
    """
    name = _scale_set(pool)
    ranks = [level for level, patterns in levels.items() if any(re.search(each, name) for each in patterns)]
    return max(ranks, default=min(levels) - 1)


def _named(pool: str, levels: Levels, *, everything: bool) -> bool:
    """Whether a pattern names a pool's scale set; one for every scale set counts only with `everything`."""
    patterns = [each for level in levels.values() for each in level if everything or each != _EVERYTHING]
    return any(re.search(each, _scale_set(pool)) for each in patterns)


def _scale_set(pool: str) -> str:
    return f"aks-{pool}-00000000-vmss"


def _happened(event: Object) -> datetime:
    times = (event.get("lastTimestamp"), event.get("eventTime"), at(event, "series", "lastObservedTime"))
    return max(map(moment, times))
