"""Where everything ran, and how long each step took: as rows, for the terminal and the page alike."""

from collections.abc import Sequence
from itertools import groupby

from kubeflow_aks.scenario.checks import attempts, evicted
from kubeflow_aks.scenario.observations import Observations, PodRecord, StepRecord
from kubeflow_aks.text.numbers import duration

WORK_HEADER = ("Work", "Pool", "Priority", "Created → running", "Evictions")


def work_rows(observed: Observations) -> list[tuple[str, ...]]:
    """One row for each task of the demo; a task that was evicted lists every pool it ran on, in order."""
    parts = dict.fromkeys(pod.part for pod in observed.pods if pod.part)
    return [
        _row(task, pods, observed)
        for part in parts
        for task, pods in sorted(attempts(observed.of(part)).items())
    ]


def step_rows(observed: Observations) -> list[tuple[str, ...]]:
    """One row for each step."""
    return [(step.title, *_took(step, simulated=observed.simulated)) for step in observed.steps]


def step_header(observed: Observations) -> tuple[str, ...]:
    """The heads of `step_rows`."""
    return ("Step", "Wall", "Simulated") if observed.simulated else ("Step", "Took")


def _took(step: StepRecord, *, simulated: bool) -> tuple[str, ...]:
    """How long a step took, on each clock."""
    took = duration(step.ended - step.began)
    return (f"{step.wall_seconds:.1f} s", took) if simulated else (took,)


def _row(task: str, pods: Sequence[PodRecord], observed: Observations) -> tuple[str, ...]:
    pools = [pod.pool or "–" for pod in pods]
    priorities = [pool.priority if (pool := observed.pool(pod.pool)) else "–" for pod in pods]
    waits = ["–" if pod.running is None else f"{pod.running - pod.created:.0f} s" for pod in pods]
    evictions = sum(evicted(pod, observed) for pod in pods)
    runs = " → ".join(name for name, _ in groupby(priorities))
    return task, " → ".join(pools), runs, ", ".join(waits), str(evictions)
