"""The autoscaler is running, manages the contract's pools, and accepts the priority map.

Its status and events: `clusterstate/api/types.go` (YAML since release 1.30) and `expander/priority/priority.go` of
kubernetes/autoscaler.
"""

import re
from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from functools import lru_cache
from typing import Any, Final

import yaml

from kubeflow_aks.clients.kubernetes.objects import Object, at, fields, items, name_of
from kubeflow_aks.deployed.outputs import Outputs
from kubeflow_aks.recorder.document import shared_name
from kubeflow_aks.text.numbers import counted
from kubeflow_aks.text.sentences import listed, one_line
from kubeflow_aks.verify.findings import RESTORE, CheckResult, failed, passed, will_break
from kubeflow_aks.verify.snapshot import ClusterSnapshot, UnknownError, moment, pool_of, text

_STATUS: Final = "kube-system/cluster-autoscaler-status"
_MAP: Final = "kube-system/cluster-autoscaler-priority-expander"
_SILENT: Final = timedelta(minutes=10)
"""Our choice: many times the longest pause between two scans of the autoscaler."""
_REFUSALS: Final = (
    "PriorityConfigMapInvalid",
    "PriorityConfigMapNotMatchedGroup",
    "PriorityConfigMapNoGroupMatched",
)
_EVERYTHING: Final = ".*"
"""The map's last level, for pools that no other names."""

Levels = Mapping[int, list[str]]


def is_running(snapshot: ClusterSnapshot, _: Outputs) -> Iterator[CheckResult]:
    """Its status is recent, and it reports the cluster as healthy."""
    if not snapshot.autoscaler.required():
        yield from _no_status(snapshot)
        return
    status = _status(snapshot)
    action = "AKS runs the autoscaler: check with `az aks show` whether an operation failed"
    if (silent := snapshot.now - _written(status)) > _SILENT:
        since = (
            f"for {silent.total_seconds() / 60:.0f} min"
            if silent < timedelta(days=365)
            else "at any known time"
        )
        yield failed(
            f"the autoscaler has not written its status {since}, so pools neither grow nor shrink", action
        )
    elif (state := text(status, "autoscalerStatus")) != "Running":
        yield failed(f"the autoscaler is {state or 'in no known state'} instead of Running", action)
    elif (health := text(status, "clusterWide", "health", "status")) != "Healthy":
        yield failed(
            f"the autoscaler reports the cluster as {health or 'unknown'}: too many nodes are not ready, so it changes "
            "no pool",
            "list the nodes that are not ready: `kubectl get nodes`",
        )


def manages_pools(snapshot: ClusterSnapshot, outputs: Outputs) -> Iterator[CheckResult]:
    """Each pool of the contract is one of its node groups, with the contract's limit."""
    groups = {
        _pool(text(group, "name")): fields(group) for group in items(_status(snapshot).get("nodeGroups"))
    }
    pools_with_nodes = {pool_of(node) for node in snapshot.nodes.value or []}
    pools = {str(pool["name"]): pool for pool in outputs.pools()}
    wrong = [
        result
        for name, pool in pools.items()
        for result in _group(name, pool, groups.get(name), has_nodes=name in pools_with_nodes)
    ]
    yield from wrong
    if not wrong:
        paused = [_paused(name, groups[name]) for name in pools if _paused(name, groups[name])]
        pause = f"; for now it adds no node to {listed(paused)}" if paused else ""
        yield passed(f"the autoscaler manages all {counted(len(pools), 'pool')} of the contract{pause}")


def map_is_complete(snapshot: ClusterSnapshot, outputs: Outputs) -> Iterator[CheckResult]:
    """The map lists each pool that takes work above the catch-all, and spot before its fallback."""
    priorities = snapshot.priority_map.required()
    if not priorities:
        yield will_break(
            f"ConfigMap {_MAP} does not exist, so the autoscaler chooses pools at random", RESTORE
        )
        return
    try:
        levels = _levels(text(priorities, "data", "priorities"))
        ranks = {str(pool["name"]): _rank(str(pool["name"]), levels) for pool in outputs.pools()}
    except (ValueError, re.error, yaml.YAMLError, RecursionError) as error:
        yield will_break(f"the autoscaler cannot read ConfigMap {_MAP}: {one_line(error)}", RESTORE)
        return
    lost = {
        name
        for pool in outputs.pools()
        if not _named(name := str(pool["name"]), levels, everything=pool.get("role") == "general")
    }
    if lost:
        yield will_break(f"the priority map does not list {listed(lost)}", RESTORE)
    for pool in outputs.pools():
        name, fallback = str(pool["name"]), pool.get("fallback")
        fallbacks = {str(it["name"]) for it in outputs.pools() if fallback and shared_name(it) == fallback}
        for other in sorted(fallbacks - lost) if name not in lost else ():
            if ranks[name] <= ranks[other]:
                yield will_break(
                    f"the priority map does not put the spot pool {name} before {other}, which is its fallback",
                    RESTORE,
                )


def map_is_accepted(snapshot: ClusterSnapshot, _: Outputs) -> Iterator[CheckResult]:
    """Since the map was last changed, the autoscaler has written no event that refuses it."""
    priorities, newest = snapshot.priority_map.required(), ""
    if not priorities:
        raise UnknownError(f"ConfigMap is missing: {_MAP}")
    _status(snapshot)  # without a status there is no autoscaler to judge the map
    changed = max(
        [
            moment(at(priorities, "metadata", "creationTimestamp")),
            *(moment(at(entry, "time")) for entry in items(at(priorities, "metadata", "managedFields"))),
        ]
    )
    for event in sorted(snapshot.expander_events.required(), key=_happened):
        if text(event, "reason") in _REFUSALS and _happened(event) >= changed:
            newest = one_line(text(event, "message")) or text(event, "reason")
    if newest:
        yield will_break(f"the autoscaler refuses the priority map: {newest}", RESTORE)


def _no_status(snapshot: ClusterSnapshot) -> Iterator[CheckResult]:
    """No status at all: in a new cluster the autoscaler has not started yet."""
    ages = [
        snapshot.age(at(namespace, "metadata", "creationTimestamp"))
        for namespace in snapshot.namespaces.required()
        if name_of(namespace) == "kube-system"
    ]
    if ages and min(ages) < _SILENT:
        raise UnknownError(f"the cluster is new, and the autoscaler has not written ConfigMap {_STATUS} yet")
    yield failed(
        f"ConfigMap {_STATUS} does not exist: no autoscaler is at work, so pools neither grow nor shrink",
        "check `az aks nodepool list` (enableAutoScaling) and run `pulumi up --refresh`, which switches it on again; "
        "AKS's autoscaler writes the ConfigMap within a minute",
    )


def _status(snapshot: ClusterSnapshot) -> Object:
    config_map = snapshot.autoscaler.required()
    if not config_map:
        raise UnknownError(f"ConfigMap is missing: {_STATUS}")
    status = _read(text(config_map, "data", "status"))
    if "autoscalerStatus" not in status:
        raise UnknownError(
            f"ConfigMap {_STATUS} has an unexpected form; expected the YAML that the autoscaler "
            "writes since Kubernetes 1.30"
        )
    return status


@lru_cache(maxsize=1)
def _read(status: str) -> Object:
    """Fields of a status, kept for the next check; each is text, for a time could be one that Python cannot hold."""
    try:
        return fields(yaml.load(status, Loader=yaml.BaseLoader))  # noqa: S506 - safe, texts only
    except (yaml.YAMLError, ValueError, RecursionError):
        return {}


def _written(status: Object) -> datetime:
    """When the status was written: `2026-11-22 10:00:00.123456789 +0000 UTC`, as Go writes it."""
    parts = re.match(r"(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)\S* ([+-]\d{4})", text(status, "time"))
    try:
        return (
            datetime.strptime(" ".join(parts.groups()), "%Y-%m-%d %H:%M:%S %z")
            if parts
            else moment(status.get("time"))
        )
    except ValueError:
        return moment(None)


def _group(
    name: str, pool: Mapping[str, Any], group: Object | None, *, has_nodes: bool
) -> Iterator[CheckResult]:
    if group is None:
        gone = "" if has_nodes else ", and the pool has no node: it may have been deleted"
        yield failed(f"the autoscaler has no node group for pool {name}{gone}", "run `pulumi up --refresh`")
        return
    limit = text(group, "health", "maxSize")
    if limit.isdecimal() and str(pool.get("maxCount")) != limit:
        yield will_break(
            f"pool {name} may grow to {limit} nodes, but the contract says {pool.get('maxCount')}",
            "run `pulumi up --refresh`, or write the number into the stack file",
        )
    if (health := text(group, "health", "status")) and health != "Healthy":
        yield failed(
            f"the autoscaler reports pool {name} as {health}, so it adds no node to it",
            f"list the nodes that are not ready: `kubectl get nodes -l kubernetes.azure.com/agentpool={name}`",
        )


def _paused(name: str, group: Object) -> str:
    """The pool, and why the autoscaler adds no node to it for now; empty if it does."""
    if text(group, "scaleUp", "status") != "Backoff":
        return ""
    why = one_line(text(group, "scaleUp", "backoffInfo", "errorMessage"))
    return f"{name} ({why})" if why else name


def _pool(scale_set: str) -> str:
    """The pool of a scale set's name, as AKS builds it: `aks-<pool>-<number>-vmss`."""
    match = re.fullmatch(r"aks-([a-z0-9]+)-[0-9]+-vmss", scale_set)
    return match[1] if match else ""


def _levels(priorities: str) -> Levels:
    """Levels of the map; ValueError or yaml.YAMLError where it has another form."""
    content: Any = yaml.safe_load(priorities)
    if not fields(content):
        raise ValueError("it has no key `priorities` with levels")
    levels: dict[int, list[str]] = {}
    for level, patterns in content.items():
        if not isinstance(level, int) or not all(isinstance(pattern, str) for pattern in items(patterns)):
            raise ValueError(f"{level!r} is not a level with a list of regular expressions")
        levels[level] = items(patterns)
    return levels


def _rank(pool: str, levels: Levels) -> int:
    """The highest level that names a pool's scale set; the lowest less one for none.

    Raises:
        re.error: what names it is no regular expression.
    """
    name = _scale_set(pool)
    ranks = [
        level for level, patterns in levels.items() if any(re.search(pattern, name) for pattern in patterns)
    ]
    return max(ranks, default=min(levels) - 1)


def _named(pool: str, levels: Levels, *, everything: bool) -> bool:
    """Whether a pattern names a pool's scale set; one for every scale set counts only with `everything`."""
    patterns = [
        pattern for level in levels.values() for pattern in level if everything or pattern != _EVERYTHING
    ]
    return any(re.search(pattern, _scale_set(pool)) for pattern in patterns)


def _scale_set(pool: str) -> str:
    return f"aks-{pool}-00000000-vmss"


def _happened(event: Object) -> datetime:
    times = (event.get("lastTimestamp"), event.get("eventTime"), at(event, "series", "lastObservedTime"))
    return max(map(moment, times))
