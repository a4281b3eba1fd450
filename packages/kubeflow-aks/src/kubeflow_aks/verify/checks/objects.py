"""Objects of the stack are as the program registered them, and its programs run."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from datetime import timedelta
from typing import Any, Final

from kubeflow_aks.clients.kubernetes.objects import Object, at, condition, is_list, name_of
from kubeflow_aks.deployed.outputs import Outputs
from kubeflow_aks.text.numbers import counted
from kubeflow_aks.text.sentences import first_of, listed, one_line
from kubeflow_aks.verify.comparison import ADDITION, differences
from kubeflow_aks.verify.findings import RESTORE, CheckResult, State, failed, passed, unknown, will_break
from kubeflow_aks.verify.snapshot import (
    CONTRACT,
    OUR_NAMESPACE,
    ClusterSnapshot,
    StackObject,
    home_pools,
    is_ready,
    labels,
    pool_of,
    seconds,
    text,
)

_LIMITS: Final = "inotify-limits"
_HANDLER: Final = "eviction-handler"
_RETURN: Final = "return-to-spot"
_STARTING: Final = timedelta(minutes=5)
"""Our choice: far more than a pod takes that pulls its image and starts."""
_INTERACTIVE: Final = 1000
"""Value of kubeflow-aks-interactive; that of kubeflow-aks-batch is below 0 (docs/reference)."""
_STORAGE_CLASS: Final = "StorageClass"
_DAEMON_SET: Final = "DaemonSet"
_PRIORITY_CLASS: Final = "PriorityClass"
_OF_OTHER_CHECKS: Final = {_STORAGE_CLASS, _DAEMON_SET, _PRIORITY_CLASS}
_MOST_FIELDS: Final = 3


def contract(snapshot: ClusterSnapshot, outputs: Outputs) -> Iterator[CheckResult]:
    """The ConfigMap with the pool contract is the outputs', and every user may read it."""
    config_map, name = snapshot.contract.required(), f"{OUR_NAMESPACE}/{CONTRACT}"
    if not config_map:
        yield failed(f"ConfigMap {name} does not exist, so ckf_spot knows no pool", RESTORE)
        return
    expected = {str(pool["name"]): pool for pool in outputs.pools()}
    pools = _pools(text(config_map, "data", "pools.json"))
    if pools is None:
        yield failed(f"ConfigMap {name} has no list of pools, so ckf_spot knows no pool", RESTORE)
    elif differ := {name for name in expected | pools if expected.get(name) != pools.get(name)}:
        yield will_break(f"ConfigMap {name} differs from the stack in pool {listed(differ)}", RESTORE)
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
    elif pools == expected:
        yield passed(
            f"ConfigMap {name} has the stack's {counted(len(expected), 'pool')}, and notebooks may read it"
        )


def registered(snapshot: ClusterSnapshot, _: Outputs) -> Iterator[CheckResult]:
    """Each object of the stack that no other check compares is as the program registered it."""
    yield from _compared(
        obj
        for obj in snapshot.objects.required()
        if obj.kind not in _OF_OTHER_CHECKS and obj.name != f"ConfigMap {OUR_NAMESPACE}/{CONTRACT}"
    )


def storage_classes(snapshot: ClusterSnapshot, _: Outputs) -> Iterator[CheckResult]:
    """The stack's storage classes are as the program registered them."""
    action = f"{RESTORE}, which makes the class anew; volumes that exist already keep what they have"
    yield from _compared_kind(snapshot, _STORAGE_CLASS, action)


def daemon_sets(snapshot: ClusterSnapshot, outputs: Outputs) -> Iterator[CheckResult]:
    """The stack's DaemonSets are as registered, and that of kernel limits has a pod on each node of Kubeflow's pool."""
    results = [*_without_limits(snapshot, outputs), *_compared_kind(snapshot, _DAEMON_SET)]
    yield from (result for result in results if result.state is not State.PASSED)
    yield from (result for result in results if len(results) == 1)


def priority_classes(snapshot: ClusterSnapshot, _: Outputs) -> Iterator[CheckResult]:
    """The stack's priority classes are as registered, and the default of others lets batch work yield to all else."""
    defaults = [obj for obj in snapshot.priority_classes.required() if obj.get("globalDefault") is True]
    for obj in defaults:
        value = obj.get("value")
        if not (isinstance(value, int) and 0 <= value < _INTERACTIVE):
            yield will_break(
                f"pods without a priority class get {one_line(value)} by {name_of(obj)}, which is marked as the global "
                f"default; expected 0 to {_INTERACTIVE - 1}, between batch and interactive work",
                "set its globalDefault to false",
            )
    action = f"delete them and {RESTORE}: nobody can change the value of a priority class"
    yield from _compared_kind(snapshot, _PRIORITY_CLASS, action)


def _compared_kind(snapshot: ClusterSnapshot, kind: str, action: str = RESTORE) -> Iterator[CheckResult]:
    yield from _compared((obj for obj in snapshot.objects.required() if obj.kind == kind), action)


def _compared(objects: Iterable[StackObject], action: str = RESTORE) -> Iterator[CheckResult]:
    names: list[str] = []
    for obj in objects:
        result = _judged(obj, action)
        names += [] if result else [obj.name]
        yield from result
    if names:
        yield passed(f"{counted(len(names), 'object')} of the stack as registered: {listed(names)}")


def _judged(obj: StackObject, action: str) -> list[CheckResult]:
    """What is wrong with an object, or why that cannot be judged; empty where it is as registered."""
    if obj.live.value is None:
        return [unknown(f"{obj.name} cannot be checked here: {one_line(obj.live.reason)}")]
    if not obj.live.value:
        return [failed(f"{obj.name} does not exist", RESTORE)]
    if at(obj.live.value, "metadata", "deletionTimestamp"):
        return [failed(f"{obj.name} is being deleted", f"{RESTORE} when it is gone; a finalizer may hold it")]
    if obj.expected.value is None:
        return [
            unknown(
                f"whether {obj.name} is as registered cannot be checked here: {one_line(obj.expected.reason)}"
            )
        ]
    differ = list(differences({"kind": obj.kind, **obj.expected.value}, obj.live.value))
    if any(difference.endswith(ADDITION) for difference in differ):
        action = f"take away by hand what was added; for all else, {action}"
    return (
        [will_break(f"{obj.name} differs from the stack: {first_of(differ, _MOST_FIELDS)}", action)]
        if differ
        else []
    )


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
    """No pod of a Deployment is ready; one unready for less than `_STARTING`, or still to be made, may become so."""
    pods = [pod for pod in snapshot.pods.required() if _is_of(deployment, pod)]
    if any(map(is_ready, pods)):
        return
    times = [_unready_since(pod) for pod in pods] or [_created(deployment, snapshot)]
    if any(snapshot.age(time) <= _STARTING for time in times):
        yield passed(f"a pod of Deployment {OUR_NAMESPACE}/{deployment} is starting")
    else:
        yield failed(
            f"no pod of Deployment {OUR_NAMESPACE}/{deployment} is ready, so {so}",
            f"see `kubectl --namespace {OUR_NAMESPACE} describe pods --selector app.kubernetes.io/name={deployment}` "
            f"and their logs; {RESTORE} if the Deployment is missing",
        )


def _created(deployment: str, snapshot: ClusterSnapshot) -> object:
    """When a Deployment of the stack was created; None where it does not exist or cannot be read."""
    name = f"Deployment {OUR_NAMESPACE}/{deployment}"
    lives = (obj.live.value for obj in snapshot.objects.value or [] if obj.name == name)
    return at(next(lives, None), "metadata", "creationTimestamp")


def _unready_since(pod: Object) -> object:
    changed = condition(pod, "Ready").get("lastTransitionTime")
    return changed or at(pod, "metadata", "creationTimestamp")


def _is_of(deployment: str, pod: Object) -> bool:
    ours = text(pod, "metadata", "namespace") == OUR_NAMESPACE
    return ours and labels(pod).get("app.kubernetes.io/name") == deployment


def _pools(data: str) -> dict[str, Any] | None:
    """The pools of the ConfigMap by name; None if they are no list of pools."""
    try:
        pools: Any = json.loads(data)
    except (ValueError, RecursionError):
        return None
    if not is_list(pools) or not all(isinstance(at(pool, "name"), str) for pool in pools):
        return None
    return {pool["name"]: pool for pool in pools}


def _without_limits(snapshot: ClusterSnapshot, outputs: Outputs) -> Iterator[CheckResult]:
    """Nodes of Kubeflow's own pool that are old enough, and have no pod of the DaemonSet for kernel limits."""
    if not at(outputs.basis("kubeflow", "inotify"), "enabled"):
        return
    homes = home_pools(outputs)
    limit = seconds(outputs.basis("autoscaler", "maxNodeProvisionTime"))
    covered = {
        text(pod, "spec", "nodeName")
        for pod in snapshot.pods.required()
        if labels(pod).get("app.kubernetes.io/name") == _LIMITS
    }
    bare = [
        name_of(node)
        for node in snapshot.nodes.required()
        if pool_of(node) in homes
        and snapshot.age(at(node, "metadata", "creationTimestamp")) > limit
        and name_of(node) not in covered
    ]
    if bare:
        yield will_break(
            f"DaemonSet {OUR_NAMESPACE}/{_LIMITS} has no pod on {counted(len(bare), 'node')} of Kubeflow's own "
            f"pool ({listed(bare)})",
            f"if it was changed, {RESTORE}; see `kubectl --namespace {OUR_NAMESPACE} describe daemonset {_LIMITS}`",
        )
