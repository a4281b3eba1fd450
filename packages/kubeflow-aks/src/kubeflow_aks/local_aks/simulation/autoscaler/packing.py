"""Bin packing: which pending pods find room on nodes there are, and how many new ones the others need."""

from collections import defaultdict
from collections.abc import Iterable, Sequence

from kubeflow_aks.local_aks.simulation.autoscaler.model import Node, Pod, Scheduling
from kubeflow_aks.local_aks.simulation.autoscaler.predicates import why_never, why_no_room, why_not


class Bin:
    """A node, real or upcoming, and what is free on it."""

    def __init__(self, node: Node, taken: Iterable[Scheduling] = ()) -> None:
        """An empty node less what the pods `taken` hold."""
        self.node = node
        self.free = dict(node.allocatable)
        for scheduling in taken:
            self.take(scheduling)

    def copy(self) -> "Bin":
        """Another node with as much free."""
        copy = Bin(self.node)
        copy.free = dict(self.free)
        return copy

    def take(self, scheduling: Scheduling) -> None:
        """Put a pod on the node; room is not checked again."""
        for name, amount in scheduling.requests:
            self.free[name] = self.free.get(name, 0) - amount


def template_bin(template: Node, daemon_sets: Iterable[Scheduling]) -> Bin:
    """A group's next node, less the DaemonSet pods that will run on it."""
    return Bin(template, (daemon for daemon in daemon_sets if why_never(daemon, template) is None))


def place(pods: Iterable[Pod], bins: Sequence[Bin]) -> list[Pod]:
    """Put each pod on the first bin that fits, and return those that fit none.

    Bins that had no room for a pod are skipped for later pods of the same scheduling, so that the cost is
    nodes + pods for each kind of pod, not nodes x pods.
    """
    left: list[Pod] = []
    candidates: dict[Scheduling, list[Bin]] = {}
    for pod in pods:
        scheduling = pod.scheduling
        if scheduling not in candidates:
            candidates[scheduling] = [
                box for box in reversed(bins) if why_never(scheduling, box.node) is None
            ]
        open_bins = candidates[scheduling]
        while open_bins and why_no_room(scheduling.requests, open_bins[-1].free) is not None:
            open_bins.pop()
        if open_bins:
            open_bins[-1].take(scheduling)
        else:
            left.append(pod)
    return left


def estimate(pods: Iterable[Pod], template: Bin, limit: int) -> tuple[int, list[Pod]]:
    """How many nodes like `template` the pods need, at most `limit`, and which pods those nodes hold.

    First fit with the largest pod first, as the real estimator (estimator/binpacking_estimator.go).
    """
    bins: list[Bin] = []
    placed: list[Pod] = []
    first_open: dict[Scheduling, int] = defaultdict(int)
    for pod in sorted(pods, key=lambda pod: _share(pod.scheduling, template), reverse=True):
        scheduling = pod.scheduling
        index = first_open[scheduling]
        while index < len(bins) and why_no_room(scheduling.requests, bins[index].free) is not None:
            index += 1
        if index == len(bins) and index < limit and why_not(scheduling, template.node, template.free) is None:
            bins.append(template.copy())
        first_open[scheduling] = index
        if index < len(bins):
            bins[index].take(scheduling)
            placed.append(pod)
    return len(bins), placed


def _share(scheduling: Scheduling, template: Bin) -> float:
    """A pod's size: its share of the node's cores plus its share of the memory."""
    allocatable = template.node.allocatable
    return sum(
        amount / allocatable[name]
        for name, amount in scheduling.requests
        if name in {"cpu", "memory"} and allocatable.get(name)
    )
