"""Nodes report no problem, and those of Kubeflow's own pool take new pods."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from kubeflow_aks.clients.kubernetes.objects import Object, at, condition, name_of
from kubeflow_aks.deployed.outputs import Outputs
from kubeflow_aks.text.numbers import counted
from kubeflow_aks.text.sentences import listed, one_line
from kubeflow_aks.verify.findings import CheckResult, failed, group_by_first, passed
from kubeflow_aks.verify.snapshot import ClusterSnapshot, UnknownError, is_ready, pool_of

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
_SCHEDULED: Final = "VMEventScheduled"
"""True while Azure plans to freeze, restart, move or take back the VM (docs/facts/aks.md#node-conditions)."""


def healthy(snapshot: ClusterSnapshot, _: Outputs) -> Iterator[CheckResult]:
    """No node has a condition that stands for a problem."""
    nodes = snapshot.nodes.required()
    if not nodes:
        raise UnknownError("there are no nodes")
    wrong = [
        (f"{type_}: {_message(node, type_)}", name_of(node))
        for node in nodes
        for type_ in _PROBLEMS
        if _is(node, type_)
    ]
    for problem, found in group_by_first(wrong).items():
        yield failed(
            f"{counted(len(found), 'node')} with the condition {problem} ({listed(found)})",
            "see `kubectl describe node`; if it does not pass, `kubectl drain` the node and delete its VM: AKS makes "
            "another one",
        )


def home_takes_pods(snapshot: ClusterSnapshot, outputs: Outputs) -> Iterator[CheckResult]:
    """A node of Kubeflow's own pool is ready, not cordoned and under no pressure."""
    homes = {
        str(pool["name"])
        for pool in outputs.pools()
        if pool.get("role") == "general" and not pool.get("taints")
    }
    nodes = [node for node in snapshot.nodes.required() if pool_of(node) in homes]
    closed = [(why, name_of(node)) for node in nodes if (why := _why_closed(node))]
    reasons = [f"{why} ({listed(found)})" for why, found in group_by_first(closed).items()]
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
        if _is(node, _SCHEDULED):
            yield passed(
                f"Azure has scheduled an event on {name_of(node)}: {_message(node, _SCHEDULED)}",
                "`kubectl drain` the node before it, so that Kubeflow's pods move in an orderly way",
            )


def _why_closed(node: Object) -> str:
    """Why the scheduler places no pod on a node; empty if it does."""
    if at(node, "spec", "unschedulable") is True:
        return "cordoned"
    if not is_ready(node):
        return "not ready"
    return next((type_ for type_ in _PRESSURES if _is(node, type_)), "")


def _is(node: Object, type_: str) -> bool:
    return condition(node, type_).get("status") == "True"


def _message(node: Object, type_: str) -> str:
    reported = condition(node, type_)
    return one_line(reported.get("message") or reported.get("reason") or "no reason given")
