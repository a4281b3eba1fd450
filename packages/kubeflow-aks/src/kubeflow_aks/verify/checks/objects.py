"""Objects of this product that pods and tools depend on exist as it made them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final

from kubeflow_aks.clients.kubernetes.objects import Object, at, is_list, name_of
from kubeflow_aks.deployed.outputs import Outputs
from kubeflow_aks.text.numbers import counted
from kubeflow_aks.text.sentences import listed, one_line
from kubeflow_aks.verify.findings import RESTORE, CheckResult, failed, passed, unknown
from kubeflow_aks.verify.snapshot import (
    CONTRACT,
    OUR_NAMESPACE,
    ClusterSnapshot,
    is_ready,
    labels,
    pool_of,
    seconds,
    text,
)

_LIMITS: Final = "inotify-limits"
_PLUGIN: Final = "nvidia-device-plugin"
_TIME_SLICES: Final = "kubeflow-aks/gpu-time-slices"
"""Label of nodes whose GPUs are shared, each by so many pods; a device plugin for that number runs there."""
_HANDLER: Final = "eviction-handler"
_RETURN: Final = "return-to-spot"
_BATCH: Final = "kubeflow-aks-batch"
_INTERACTIVE: Final = "kubeflow-aks-interactive"
_EXPENDABLE: Final = -10
"""Below it the autoscaler adds no node for a pod (kubernetes/autoscaler, cluster-autoscaler/FAQ.md)."""


def contract(snapshot: ClusterSnapshot, outputs: Outputs) -> Iterator[CheckResult]:
    """The ConfigMap with the pool contract is the outputs', and every user may read it."""
    config_map, name = snapshot.contract.required(), f"{OUR_NAMESPACE}/{CONTRACT}"
    if not config_map:
        yield failed(f"ConfigMap {name} does not exist, so ckf_spot knows no pool", RESTORE)
        return
    expected = {str(pool["name"]): pool for pool in outputs.pools()}
    found = _pools(text(config_map, "data", "pools.json"))
    if found is None:
        yield failed(f"ConfigMap {name} has no list of pools, so ckf_spot knows no pool", RESTORE)
    elif differ := {each for each in expected | found if expected.get(each) != found.get(each)}:
        yield failed(f"ConfigMap {name} differs from the stack in pool {listed(differ)}", RESTORE)
    if snapshot.contract_readers.value is None:
        yield unknown(
            f"whether notebooks may read ConfigMap {name} cannot be checked here: "
            f"{one_line(snapshot.contract_readers.reason)}"
        )
    elif not snapshot.contract_readers.value:
        yield failed(
            f"notebooks may not read ConfigMap {name}: Role or RoleBinding {CONTRACT}-reader is missing or was changed",
            RESTORE,
        )
    elif found == expected:
        yield passed(
            f"ConfigMap {name} has the stack's {counted(len(expected), 'pool')}, and notebooks may read it"
        )


def daemon_sets(snapshot: ClusterSnapshot, outputs: Outputs) -> Iterator[CheckResult]:
    """The stack's DaemonSets exist, and the one for kernel limits has a pod on each node of Kubeflow's own pool."""
    expected: list[str] = []
    if at(outputs.basis("kubeflow", "inotify"), "enabled"):
        expected.append(_LIMITS)
    if outputs.basis("gpu", "plugin") == "devicePlugin" and any(pool.get("gpus") for pool in outputs.pools()):
        expected.append(_PLUGIN)
        numbers = {str(it) for pool in outputs.pools() if (it := at(pool, "labels", _TIME_SLICES))}
        expected += [f"{_PLUGIN}-{number}" for number in sorted(numbers)]
    there = {name_of(each) for each in snapshot.daemon_sets.required()}
    for name in expected:
        if name not in there:
            yield failed(f"DaemonSet {OUR_NAMESPACE}/{name} does not exist", RESTORE)
    if _LIMITS in expected and _LIMITS in there:
        bare = _without_limits(snapshot, outputs)
        if bare:
            yield failed(
                f"DaemonSet {OUR_NAMESPACE}/{_LIMITS} has no pod on {counted(len(bare), 'node')} of Kubeflow's own "
                f"pool ({listed(bare)})",
                f"if it was changed, {RESTORE}; see `kubectl --namespace {OUR_NAMESPACE} describe "
                f"daemonset {_LIMITS}`",
            )
    if not expected:
        yield passed("the stack has no DaemonSet")


def eviction_handler(snapshot: ClusterSnapshot, outputs: Outputs) -> Iterator[CheckResult]:
    """Where there is a spot pool, a pod is ready that acts on Azure's notice of an eviction."""
    if not any(pool.get("priority") == "Spot" for pool in outputs.pools()):
        yield passed("the stack has no spot pool, so no eviction handler")
    elif not outputs.basis("kubeflow", "evictionHandler"):
        yield unknown("the stack has no eviction handler (kubeflow.evictionHandler: false)")
    else:
        yield from _not_ready(snapshot, _HANDLER, "nothing of this stack acts on notices of evictions")


def return_to_spot(snapshot: ClusterSnapshot, outputs: Outputs) -> Iterator[CheckResult]:
    """Where the stack asks for it and has a fallback, a pod is ready that moves work from there back to spot."""
    if not outputs.basis("kubeflow", "returnToSpot"):
        yield passed("the stack returns no work to spot (kubeflow.returnToSpot: false)")
    elif not any(pool.get("fallback") for pool in outputs.pools()):
        yield passed("the stack has no fallback, so nothing returns from one")
    else:
        yield from _not_ready(snapshot, _RETURN, "work stays on its fallback after spot is back")


def _not_ready(snapshot: ClusterSnapshot, deployment: str, so: str) -> Iterator[CheckResult]:
    if not any(_is_of(deployment, pod) and is_ready(pod) for pod in snapshot.pods.required()):
        yield failed(
            f"no pod of Deployment {OUR_NAMESPACE}/{deployment} is ready, so {so}",
            f"see `kubectl --namespace {OUR_NAMESPACE} describe pods --selector app.kubernetes.io/name={deployment}` "
            f"and their logs; {RESTORE} if the Deployment is missing",
        )


def _is_of(deployment: str, pod: Object) -> bool:
    ours = text(pod, "metadata", "namespace") == OUR_NAMESPACE
    return ours and labels(pod).get("app.kubernetes.io/name") == deployment


def priority_classes(snapshot: ClusterSnapshot, _: Outputs) -> Iterator[CheckResult]:
    """The priority classes exist; batch yields to interactive work, and the autoscaler adds nodes for both."""
    values = {name_of(each): each.get("value") for each in snapshot.priority_classes.required()}
    missing = [name for name in (_BATCH, _INTERACTIVE) if name not in values]
    batch, interactive = values.get(_BATCH), values.get(_INTERACTIVE)
    if missing:
        yield failed(
            f"priority class {listed(missing)} does not exist, so pods that name it are refused", RESTORE
        )
    elif not (
        isinstance(batch, int) and isinstance(interactive, int) and _EXPENDABLE <= batch < 0 < interactive
    ):
        yield failed(
            f"priority classes {_BATCH} ({batch}) and {_INTERACTIVE} ({interactive}) do not let batch work yield",
            f"delete them and {RESTORE}: nobody can change the value of a priority class",
        )


def _pools(data: str) -> dict[str, Any] | None:
    """The pools of the ConfigMap by name; None if they are no list of pools."""
    try:
        pools: Any = json.loads(data)
    except (ValueError, RecursionError):
        return None
    if not is_list(pools) or not all(isinstance(at(pool, "name"), str) for pool in pools):
        return None
    return {pool["name"]: pool for pool in pools}


def _without_limits(snapshot: ClusterSnapshot, outputs: Outputs) -> list[str]:
    """Nodes of Kubeflow's own pool that are old enough, and have no pod of the DaemonSet for kernel limits."""
    homes = {
        str(pool["name"])
        for pool in outputs.pools()
        if pool.get("role") == "general" and not pool.get("taints")
    }
    given = seconds(outputs.basis("autoscaler", "maxNodeProvisionTime"))
    covered = {
        text(pod, "spec", "nodeName")
        for pod in snapshot.pods.required()
        if labels(pod).get("app.kubernetes.io/name") == _LIMITS
    }
    return [
        name_of(node)
        for node in snapshot.nodes.required()
        if _is_old(node, homes, given, snapshot) and name_of(node) not in covered
    ]


def _is_old(node: Object, pools: set[str], given: Any, snapshot: ClusterSnapshot) -> bool:
    return pool_of(node) in pools and snapshot.age(at(node, "metadata", "creationTimestamp")) > given
