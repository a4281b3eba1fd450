"""Which group to scale up for the pending pods (cluster-autoscaler core/scaleup/orchestrator)."""

import random
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from kubeflow_aks.local_aks.simulation.autoscaler.decisions import Notice, NotTriggered, ScaleUp
from kubeflow_aks.local_aks.simulation.autoscaler.expander import Option, choose
from kubeflow_aks.local_aks.simulation.autoscaler.model import (
    Controller,
    NodeGroup,
    Pod,
    Scheduling,
    Snapshot,
)
from kubeflow_aks.local_aks.simulation.autoscaler.packing import Bin, estimate, place, template_bin
from kubeflow_aks.local_aks.simulation.autoscaler.predicates import why_not
from kubeflow_aks.local_aks.simulation.autoscaler.profile import Profile

PRIORITY_CUTOFF: Final = -10
"""Pods of a lower priority are expendable: no scale-up for them, and they hold no room.

Source: docs/facts/aks.md#shortage-and-fallback.
"""

_NEW_POD_SECONDS: Final = 2
_NEW_GPU_POD_SECONDS: Final = 30
"""How long pods must be pending before a scale-up, those that ask for a GPU longer (recording S4)."""


@dataclass(frozen=True)
class Plan:
    """One loop's scale-up: nothing, or a decision and what was noted on the way."""

    scale_up: ScaleUp | None = None
    notices: tuple[Notice, ...] = ()
    not_triggered: tuple[NotTriggered, ...] = ()
    waiting: bool = False
    """The pending pods are very new: no scale-up yet, and no scale-down either."""


def plan_scale_up(
    snapshot: Snapshot, *, backing_off: Callable[[str], bool], max_nodes_total: int, rng: random.Random
) -> Plan:
    """Decide on at most one group, as each loop of the real autoscaler does."""
    pods = pods_to_help(snapshot)
    if not pods:
        return Plan()
    if _all_new(pods, snapshot.now):
        return Plan(waiting=True)
    options: list[Option] = []
    refusals: list[Callable[[Pod], str | None]] = []
    for group in snapshot.groups:
        box = template_bin(group.template, snapshot.daemon_sets)
        if backing_off(group.id):
            refusals.append(_always("in backoff after failed scale-up"))
        elif group.target >= group.max_size:
            refusals.append(_always("max node group size reached"))
        else:
            refusals.append(_fit(box))
            count, helped = estimate(pods, box, group.max_size - group.target)
            if helped:
                options.append(Option(group, count, tuple(helped), box))
    not_triggered = tuple(_not_triggered(pods, refusals))
    room = max_nodes_total - len(snapshot.nodes) - sum(upcoming(group, snapshot) for group in snapshot.groups)
    if not options or room <= 0:
        return Plan(not_triggered=not_triggered)
    option, notices = choose(options, snapshot.profile.expander, snapshot.priorities, rng)
    group = option.group
    scale_up = ScaleUp(
        group.id,
        group.pool,
        group.target,
        group.target + min(option.node_count, room),
        group.max_size,
        tuple(pod.key for pod in option.pods),
        tuple(_backing_off_but_fit(option, snapshot, backing_off)),
    )
    return Plan(scale_up, tuple(notices), not_triggered)


def restore_minimum(snapshot: Snapshot, backing_off: Callable[[str], bool]) -> list[ScaleUp]:
    """Groups below their minimum, after an eviction or a change of the setting (cluster-autoscaler.md)."""
    return [
        ScaleUp(group.id, group.pool, group.target, group.min_size, group.max_size, ())
        for group in snapshot.groups
        if group.target < group.min_size and not backing_off(group.id)
    ]


def pods_to_help(snapshot: Snapshot) -> list[Pod]:
    """Pods the real scheduler found no node for, and that no node there is or comes has room for."""
    pending = [
        pod
        for pod in snapshot.pods
        if pod.node is None
        and pod.unschedulable
        and not pod.nominated
        and not pod.terminating
        and pod.controller is not Controller.DAEMON_SET
        and pod.priority >= PRIORITY_CUTOFF
    ]
    if not pending:
        return []
    pending.sort(key=lambda pod: -pod.priority)
    left = place(pending, [*occupied_bins(snapshot), *_upcoming_bins(snapshot)])
    delay = snapshot.profile.new_pod_scale_up_delay
    return [pod for pod in left if snapshot.now - pod.first_observed > delay]


def occupied_bins(snapshot: Snapshot) -> list[Bin]:
    """Every node with what its pods leave free."""
    pods = pods_by_node(snapshot)
    return [
        Bin(node, (pod.scheduling for pod in pods.get(node.name, ())))
        for node in snapshot.nodes
        if node.ready
    ]


def pods_by_node(snapshot: Snapshot) -> dict[str, list[Pod]]:
    """The pods that hold room, by the name of their node."""
    by_node: dict[str, list[Pod]] = {}
    for pod in snapshot.pods:
        if pod.node is not None and pod.priority >= PRIORITY_CUTOFF:
            by_node.setdefault(pod.node, []).append(pod)
    return by_node


def upcoming(group: NodeGroup, snapshot: Snapshot) -> int:
    """Requested VMs that are no ready node yet."""
    ready = {node.name for node in snapshot.nodes if node.ready}
    return sum(vm.name not in ready for vm in group.instances)


def _upcoming_bins(snapshot: Snapshot) -> list[Bin]:
    return [
        template_bin(group.template, snapshot.daemon_sets)
        for group in snapshot.groups
        for _ in range(upcoming(group, snapshot))
    ]


def _backing_off_but_fit(
    option: Option, snapshot: Snapshot, backing_off: Callable[[str], bool]
) -> Iterable[str]:
    kinds = {pod.scheduling for pod in option.pods}
    for group in snapshot.groups:
        if backing_off(group.id):
            box = template_bin(group.template, snapshot.daemon_sets)
            if any(why_not(kind, box.node, box.free) is None for kind in kinds):
                yield group.pool


def new_until(pod: Pod, profile: Profile) -> tuple[float, ...]:
    """Simulated seconds at which a pending pod is no longer too new for a scale-up."""
    new = _NEW_GPU_POD_SECONDS if _requests_gpu(pod) else _NEW_POD_SECONDS
    return tuple(
        pod.first_observed + wait for wait in {_NEW_POD_SECONDS, new, profile.new_pod_scale_up_delay}
    )


def _all_new(pods: Sequence[Pod], now: float) -> bool:
    """Whether to wait for more pods; one new GPU pod holds up the whole loop, as in the real autoscaler."""
    if min(pod.first_observed for pod in pods) + _NEW_POD_SECONDS > now:
        return True
    with_gpu = [pod.first_observed for pod in pods if _requests_gpu(pod)]
    return bool(with_gpu) and min(with_gpu) + _NEW_GPU_POD_SECONDS > now


def _requests_gpu(pod: Pod) -> bool:
    return any(name == "nvidia.com/gpu" for name, _ in pod.scheduling.requests)


def _always(reason: str) -> Callable[[Pod], str | None]:
    return lambda _: reason


def _fit(box: Bin) -> Callable[[Pod], str | None]:
    return lambda pod: why_not(pod.scheduling, box.node, box.free)


def _not_triggered(
    pods: Iterable[Pod], refusals: Sequence[Callable[[Pod], str | None]]
) -> Iterable[NotTriggered]:
    """Pods that no group can help, with the reasons counted by group as in the real autoscaler's event."""
    texts: dict[Scheduling, str | None] = {}
    for pod in pods:
        if pod.scheduling not in texts:
            reasons = [refusal(pod) for refusal in refusals]
            texts[pod.scheduling] = None if None in reasons else _summary(reasons)
        text = texts[pod.scheduling]
        if text is not None:
            yield NotTriggered(pod.key, text)


def _summary(reasons: Iterable[str | None]) -> str:
    counted = Counter(str(reason) for reason in reasons)
    return ", ".join(f"{count} {reason}" for reason, count in sorted(counted.items()))
