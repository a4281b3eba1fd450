"""The report: work with its pods, the nodes, violations and notes, in the form that `report.schema.json` describes."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from ckf_spot.where.endings import Course, Ending, courses
from ckf_spot.where.observations import Look, Node, Pod
from ckf_spot.where.violations import Violation, awaited, blind_spots, violations
from ckf_spot.where.waiting import Wait, wait

VERSION: Final = 3
"""Version of the JSON form; a change that breaks a reader makes it 4. 2 brought `nodes`, 3 nodes that are silent and
the reasons of pods that wait."""


@dataclass(frozen=True)
class Report:
    """The report of one observation."""

    look: Look
    courses: tuple[Course, ...]
    violations: tuple[Violation, ...]
    notes: tuple[str, ...]
    waits: Mapping[str, Wait]


def report(look: Look, patience: timedelta) -> Report:
    """The report of a look; `patience` as in `violations`."""
    waits = {pod.uid: why for pod in look.pods if (why := wait(pod, look, patience))}
    broken = violations(look, patience)
    notes = (*awaited(look), *_waiting(look, waits, broken), *look.notes, *blind_spots(look))
    return Report(look, courses(look), broken, notes, waits)


def _waiting(look: Look, waits: Mapping[str, Wait], broken: Iterable[Violation]) -> Iterator[str]:
    """Why pods wait for a node, one sentence for all pods of a piece of work with the same cause."""
    broken_names = {(violation.namespace, violation.name) for violation in broken}
    names: dict[tuple[str, str, str], list[str]] = defaultdict(list)
    for pod in look.pods:
        if pod.uid in waits and (pod.namespace, pod.name) not in broken_names:
            whole = f"{pod.work.kind}/{pod.work.name}"
            names[pod.namespace, whole, waits[pod.uid].text].append(pod.name)
    for (namespace, whole, why), pods in names.items():
        yield f"{namespace}/{whole if len(pods) > 1 else pods[0]} waits{_count(len(pods))}: {why}"


def _count(pods: int) -> str:
    return f" with {pods} pods" if pods > 1 else ""


def state(pod: Pod, ending: Ending) -> str:
    """One word for where a pod stands: pending, starting, running, leaving, succeeded, failed, or how it ended."""
    if ending.end == "finished":
        return pod.phase.lower()
    if ending.end:
        return ending.end
    if pod.deletion:
        return "leaving"
    if pod.phase == "Pending":
        return "starting" if pod.node else "pending"
    return pod.phase.lower()


def as_dict(report: Report) -> dict[str, Any]:
    """The report as JSON's types."""
    look = report.look
    return {
        "version": VERSION,
        "time": stamp(look.time),
        "since": stamp(look.since),
        "namespace": look.namespace,
        "work": [
            {
                "namespace": course.work.namespace,
                "kind": course.work.kind,
                "name": course.work.name,
                "part": course.work.part,
                "role": course.pods[-1][0].role,
                "evictions": course.evictions,
                "unexplained": course.unexplained,
                "pods": [_pod(pod, ending, report) for pod, ending in course.pods],
            }
            for course in report.courses
        ],
        "nodes": None if look.nodes is None else [_node(node) for node in look.nodes],
        "violations": [
            {
                "rule": violation.rule,
                "namespace": violation.namespace or None,
                "name": violation.name,
                "message": violation.message,
                "advice": violation.advice,
            }
            for violation in report.violations
        ],
        "notes": list(report.notes),
    }


def stamp(moment: datetime | None) -> str | None:
    """A moment as JSON has it: `2026-11-21T07:40:00Z`."""
    return moment.isoformat(timespec="seconds").replace("+00:00", "Z") if moment else None


def lost_on(course: Course, look: Look) -> list[str]:
    """Pools that a piece of work was evicted from, once each."""
    pools: Iterable[str] = (
        look.place(pod.node).pool for pod, ending in course.pods if ending.end == "evicted"
    )
    return list(dict.fromkeys(pool for pool in pools if pool))


def _node(node: Node) -> dict[str, Any]:
    return {
        "name": node.name,
        "pool": node.pool or None,
        "capacity": "spot" if node.spot else "on-demand",
        "created": stamp(node.created),
        "notice": stamp(node.notice),
        "silent": stamp(node.silent),
        "gone": stamp(node.gone),
    }


def _pod(pod: Pod, ending: Ending, report: Report) -> dict[str, Any]:
    place = report.look.place(pod.node)
    waits = report.waits.get(pod.uid)
    return {
        "name": pod.name,
        "uid": pod.uid,
        "node": pod.node or None,
        "pool": place.pool or None,
        "capacity": place.capacity if pod.node else None,
        "state": state(pod, ending),
        "created": stamp(pod.created),
        "scheduled": stamp(pod.scheduled),
        "started": stamp(pod.started),
        "ended": stamp(ending.at) if ending.end else None,
        "why": ending.why or (waits.text if waits else None),
        "source": pod.source,
    }
