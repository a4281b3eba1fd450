"""Where everything ran, and how long each step took: as rows, for the terminal and the page alike."""

from collections.abc import Sequence
from itertools import groupby

from story.formatting import duration
from story.observations import Observations, PodRecord, SceneRecord
from story.promises import attempts, evicted

WORK_HEADER = ("Work", "Pool", "Priority", "Created → running", "Evictions")


def work_rows(seen: Observations) -> list[tuple[str, ...]]:
    """One row for each task of the demo; a task that was evicted lists every pool it ran on, in order."""
    parts = dict.fromkeys(pod.part for pod in seen.pods if pod.part)
    return [
        _row(task, pods, seen) for part in parts for task, pods in sorted(attempts(seen.of(part)).items())
    ]


def step_rows(seen: Observations) -> list[tuple[str, ...]]:
    """One row for each scene."""
    return [(scene.title, *_took(scene, simulated=seen.simulated)) for scene in seen.scenes]


def step_header(seen: Observations) -> tuple[str, ...]:
    """The heads of `step_rows`."""
    return ("Step", "Wall", "Simulated") if seen.simulated else ("Step", "Took")


def _took(scene: SceneRecord, *, simulated: bool) -> tuple[str, ...]:
    """How long a scene took, on each clock there is."""
    took = duration(scene.ended - scene.began)
    return (f"{scene.wall_seconds:.1f} s", took) if simulated else (took,)


def _row(task: str, pods: Sequence[PodRecord], seen: Observations) -> tuple[str, ...]:
    pools = [pod.pool or "–" for pod in pods]
    priorities = [pool.priority if (pool := seen.pool(pod.pool)) else "–" for pod in pods]
    waits = ["–" if pod.running is None else f"{pod.running - pod.created:.0f} s" for pod in pods]
    evictions = sum(evicted(pod, seen) for pod in pods)
    runs = " → ".join(name for name, _ in groupby(priorities))
    return task, " → ".join(pools), runs, ", ".join(waits), str(evictions)
