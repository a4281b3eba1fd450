"""Nodes report no problem, and those of Kubeflow's own pool take new pods."""

import re
from collections.abc import Iterator
from datetime import timedelta
from email.utils import parsedate_to_datetime
from typing import Final

from kubeflow_aks.clients.kubernetes.objects import Object, at, condition, is_true, items, name_of
from kubeflow_aks.deployed.outputs import Outputs
from kubeflow_aks.text.numbers import counted
from kubeflow_aks.text.sentences import listed
from kubeflow_aks.verify.findings import CheckResult, failed, group_by_first, passed, will_break
from kubeflow_aks.verify.snapshot import (
    ClusterSnapshot,
    UnknownError,
    home_pools,
    is_ready,
    pool_of,
    text,
    why,
)

_PRESSURES: Final = ("DiskPressure", "MemoryPressure", "PIDPressure")
"""While one is True the kubelet evicts pods, and the scheduler places none ("Node-pressure Eviction")."""
_PROBLEMS: Final = (
    *_PRESSURES,
    "NetworkUnavailable",
    "FilesystemCorruptionProblem",
    "KubeletProblem",
    "ContainerRuntimeProblem",
    "FrequentUnregisterNetDevice",
    "FrequentKubeletRestart",
    "FrequentContainerdRestart",
    "FrequentDockerRestart",
    "KernelDeadlock",
    "ReadonlyFilesystem",
)
"""Conditions that are True for a problem (docs/facts/aks.md#node-conditions)."""
_LONG_CORDON: Final = timedelta(hours=1)
"""Our choice: twice what AKS gives an upgrade to drain a node."""
_UNSCHEDULABLE: Final = "node.kubernetes.io/unschedulable"
"""Taint of a cordoned node, with the time (kubernetes/kubernetes, pkg/util/taints, pkg/controller/nodelifecycle)."""
_SCHEDULED: Final = "VMEventScheduled"
"""True while Azure plans to freeze, restart, move or take back the VM (docs/facts/aks.md#node-conditions)."""

_NOTICES: Final = (_SCHEDULED, "PreemptionScheduled")
"""Conditions with Azure's scheduled events; newer node images have the second too (docs/facts/aks.md#evictions)."""
_EVENT: Final = re.compile(
    r"\s*(?:Freeze|Preempt|Reboot|Redeploy|Terminate)\s+(?:Scheduled|Started)\b[\s:]*(?P<begins>[^.]*)"
)
"""Beginning of the message on an event, with the time before which it does not begin; mere advice has none."""
_UNDER_WAY: Final = timedelta(minutes=15)
"""Azure's longest notice of an event (`linux/scheduled-events.md`, "Event scheduling"); by then it is over, too."""


def healthy(snapshot: ClusterSnapshot, _: Outputs) -> Iterator[CheckResult]:
    """No node has a condition that stands for a problem."""
    nodes = snapshot.nodes.required()
    if not nodes:
        raise UnknownError("there are no nodes")
    wrong = [
        (f"{type_}: {why(condition(node, type_))}", name_of(node))
        for node in nodes
        for type_ in _PROBLEMS
        if is_true(node, type_)
    ]
    for problem, names in group_by_first(wrong).items():
        yield failed(
            f"{counted(len(names), 'node')} with the condition {problem} ({listed(names)})",
            "see `kubectl describe node`; if it does not pass, `kubectl drain` the node and delete its VM: AKS makes "
            "another one",
        )


def home_takes_pods(snapshot: ClusterSnapshot, outputs: Outputs) -> Iterator[CheckResult]:
    """A node of Kubeflow's own pool is ready, not cordoned and under no pressure."""
    homes = home_pools(outputs)
    nodes = [node for node in snapshot.nodes.required() if pool_of(node) in homes]
    closed = [(reason, name_of(node)) for node in nodes if (reason := _why_closed(node))]
    reasons = [f"{reason} ({listed(names)})" for reason, names in group_by_first(closed).items()]
    if not nodes:
        yield failed(
            f"pool {listed(homes)} has no node, so Kubeflow's pods stay pending",
            "run `pulumi up --refresh`, which sets the pool's minimum again",
        )
    elif len(closed) == len(nodes):
        yield failed(
            f"no node of pool {listed(homes)} takes new pods: {listed(reasons)}",
            "`kubectl uncordon` a cordoned node; see `kubectl describe node` for the others",
        )
    elif closed:
        yield passed(
            f"{len(nodes) - len(closed)} of {counted(len(nodes), 'node')} of pool {listed(homes)} take new pods; the "
            f"others do not: {listed(reasons)}",
            "if no upgrade is at work, `kubectl uncordon` a cordoned node",
        )
    else:
        yield passed(f"each node of pool {listed(homes)} takes new pods")
    for node in nodes:
        if is_true(node, _SCHEDULED):
            yield passed(
                f"Azure has scheduled an event on {name_of(node)}: {why(condition(node, _SCHEDULED))}",
                "`kubectl drain` the node before it, so that Kubeflow's pods move in an orderly way",
            )


def work_takes_pods(snapshot: ClusterSnapshot, outputs: Outputs) -> Iterator[CheckResult]:
    """No node for work is cordoned for long, unless an event of Azure is ahead: it would be paid for in vain.

    An upgrade cordons a node as well, for 30 minutes at most by default (docs/facts/aks.md).
    """
    pools = {str(pool["name"]) for pool in outputs.pools() if pool.get("role") != "general"}
    closed = [
        (f"{age.total_seconds() / 3600:.0f} h", name_of(node))
        for node in snapshot.nodes.required()
        if pool_of(node) in pools
        and is_ready(node)
        and at(node, "spec", "unschedulable") is True
        and not any(_is_ahead(condition(node, notice), snapshot) for notice in _NOTICES)
        and (age := _cordoned_for(node, snapshot)) > _LONG_CORDON
    ]
    for age, names in group_by_first(closed).items():
        yield will_break(
            f"{counted(len(names), 'node')} cordoned for {age} with no event of Azure ahead ({listed(names)}), so no "
            "work runs there",
            "`kubectl uncordon` the node, or `kubectl drain` it, so that the autoscaler removes it",
        )


def _is_ahead(notice: Object, snapshot: ClusterSnapshot) -> bool:
    """Whether a condition announces an event of the VM that is ahead or under way; an old one may stay true."""
    event = _EVENT.match(text(notice, "message"))
    if at(notice, "status") != "True" or not event:
        return False
    try:
        passed_by = snapshot.now - parsedate_to_datetime(event["begins"].strip())
    except (TypeError, ValueError):  # `Preempt Started` has no time
        passed_by = snapshot.age(at(notice, "lastTransitionTime"))
    return passed_by <= _UNDER_WAY


def _cordoned_for(node: Object, snapshot: ClusterSnapshot) -> timedelta:
    """How long a node has been cordoned, by the taint that the node controller then gives it; 0 without one."""
    times = [
        snapshot.age(taint["timeAdded"])
        for taint in items(at(node, "spec", "taints"))
        if at(taint, "key") == _UNSCHEDULABLE and at(taint, "timeAdded")
    ]
    return max(times, default=timedelta())


def _why_closed(node: Object) -> str:
    """Why the scheduler places no pod on a node; empty if it does."""
    if at(node, "spec", "unschedulable") is True:
        return "cordoned"
    if not is_ready(node):
        return "not ready"
    return next((type_ for type_ in _PRESSURES if is_true(node, type_)), "")
