"""How pods ended, and how often each piece of work was evicted."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from ckf_spot.where.observations import Look, Pod
from ckf_spot.where.work import Work

End = Literal["", "finished", "evicted", "unexplained", "deleted"]
"""Empty: it has not ended. `unexplained`: it vanished and another pod goes on with its work, for an unknown reason;
`deleted`: it vanished and nothing goes on with its work."""


@dataclass(frozen=True)
class Ending:
    """How a pod ended.

    Attributes:
        why: Kubernetes' reason or ours, empty where it ended by itself.
        at: when, None where that is not known.
    """

    end: End
    why: str = ""
    at: datetime | None = None


@dataclass(frozen=True)
class Course:
    """A piece of work with all its pods that are known of, oldest first."""

    work: Work
    pods: tuple[tuple[Pod, Ending], ...]

    @property
    def evictions(self) -> int:
        """How often it was evicted for certain."""
        return sum(ending.end == "evicted" for _, ending in self.pods)

    @property
    def unexplained(self) -> int:
        """How many more pods it lost for an unknown reason: evicted, or deleted by someone."""
        return sum(ending.end == "unexplained" for _, ending in self.pods)


def courses(look: Look) -> tuple[Course, ...]:
    """Every piece of work, in order; daemons are left out."""
    pods: Mapping[Work, list[Pod]] = defaultdict(list)
    for pod in sorted(look.pods, key=lambda pod: (pod.created, pod.name)):
        if pod.role != "daemon":
            pods[pod.work].append(pod)
    return tuple(
        Course(work, tuple((pod, ending(pod, its[number + 1 :], look)) for number, pod in enumerate(its)))
        for work, its in sorted(pods.items(), key=lambda item: item[0])
    )


def ending(pod: Pod, heirs: Sequence[Pod], look: Look) -> Ending:
    """How a pod ended.

    A condition DisruptionTarget is proof unless the pod succeeded all the same: a drained pod reports Failed before it
    goes. Without one, a pod whose node is gone went with it if it is still there, or if it is missed: another pod goes
    on with its work, or its workflow says that it did not end by itself.

    Args:
        pod: the pod.
        heirs: pods that went on with its work, oldest first.
        look: the nodes.
    """
    node = look.nodes_by_name.get(pod.node)
    at = pod.ended or (node.gone if node else None)
    at = at or next((heir.created for heir in heirs if heir.created > pod.created), None)
    if pod.phase == "Succeeded":
        return Ending("finished", "", pod.ended)
    if pod.disruption:
        return Ending("evicted", pod.disruption, at)
    if pod.finished:
        return Ending("finished", "", pod.ended)
    missed = bool(heirs) or not pod.gone or pod.source == "workflow"
    if look.lost(pod.node) and missed:
        return Ending("evicted", "its node is gone", at)
    if not pod.gone:
        return Ending("")
    return (
        Ending("unexplained", "its pod is gone", at) if missed else Ending("deleted", "its pod is gone", at)
    )
