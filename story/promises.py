"""The promises of this product, each judged from what was observed and from nothing else."""

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final

from story.formatting import counted
from story.happenings import Kind
from story.observations import Observations, PodRecord
from story.scenes import AGAIN, BATCH, FALLBACK, GPU
from story.workloads.blog import BLOG, PIPELINES, TRAINING
from story.workloads.platform_and_jobs import NOTEBOOK, PLATFORM
from story.workloads.stage import PLATFORM_NAMESPACE

_REFUSED: Final = range(400, 500)
_DAEMONS: Final = frozenset({"DaemonSet", "Node"})
"""Kinds of owners whose pods belong on every node."""
_POLICY: Final = "ValidatingAdmissionPolicy"
_UNCHANGED: Final = frozenset({"same", "read"})
"""What the engine does to a resource that it leaves as it is; it reads what is not the stack's own."""


@dataclass(frozen=True)
class Verdict:
    """Whether a promise was kept, and what was seen; `kept` is None where it was not to be seen, `seen` says why."""

    promise: str
    kept: bool | None
    seen: str

    @property
    def mark(self) -> str:
        """The verdict as one sign."""
        return "–" if self.kept is None else "✔" if self.kept else "✘"


Judged = tuple[bool, str]


@dataclass(frozen=True)
class _Promise:
    key: str
    text: str
    judge: Callable[[Observations], Judged]
    scenes: tuple[str, ...]
    """What it is seen by: keys of scenes."""
    made: Callable[[Observations], bool] = lambda _: True
    """Whether the stack makes this promise at all, by its pools and its program."""

    def verdict(self, seen: Observations) -> Verdict:
        """The verdict, unless the promise or one of its scenes was left out."""
        reasons = (seen.left_out[key] for key in (self.key, *self.scenes) if key in seen.left_out)
        reason = next(reasons, None)
        return Verdict(self.text, *(self.judge(seen) if reason is None else (None, reason)))


def judge(seen: Observations) -> tuple[Verdict, ...]:
    """A verdict on every promise that the stack makes."""
    return tuple(promise.verdict(seen) for promise in _PROMISES if promise.made(seen))


def summary(verdicts: Iterable[Verdict]) -> str:
    """How many promises were kept, of those that could be seen."""
    marks = Counter(verdict.kept for verdict in verdicts)
    unseen = f", {marks[None]} not to be seen here" if marks[None] else ""
    return f"{marks[True]} of {marks[True] + marks[False]} promises kept{unseen}"


def attempts(pods: Iterable[PodRecord]) -> dict[str, list[PodRecord]]:
    """Pods by what they work on, in the order of their creation."""
    tasks: dict[str, list[PodRecord]] = {}
    for pod in sorted(pods, key=lambda pod: pod.created):
        tasks.setdefault(pod.task, []).append(pod)
    return tasks


def evicted(pod: PodRecord, seen: Observations) -> bool:
    """Whether a pod lost its node before it was done."""
    taken = {line["node"] for line in seen.lines(Kind.EVICTION)}
    return pod.node in taken and pod.phase != "Succeeded"


def _plan(seen: Observations) -> Judged:
    planned, made = set(seen.planned), set(seen.made)
    missing, extra = len(planned - made), len(made - planned)
    kept = bool(planned) and planned == made
    return kept, f"{len(planned)} planned, {missing} not made, {extra} not planned"


def _idempotent(seen: Observations) -> Judged:
    changes = {op: count for op, count in seen.second_up.items() if count}
    counts = ", ".join(f"{count} {op}" for op, count in changes.items()) or "nothing was reported"
    return "same" in changes and set(changes) <= _UNCHANGED, counts


def _platform(seen: Observations) -> Judged:
    """Of the story's own platform, or of the one that was there before it."""
    there = [pod for pod in seen.pods if pod.namespace == PLATFORM_NAMESPACE and pod.owner not in _DAEMONS]
    pods = [*seen.of(PLATFORM), *seen.of(NOTEBOOK), *(pod for pod in there if not pod.part)]
    where = {pool for pod in pods if (pool := seen.pool(pod.pool))}
    kept = bool(pods) and all(pod.running is not None for pod in pods if pod.part)
    kept = kept and all(pool.role == "general" and not pool.spot for pool in where)
    return kept, f"{counted(len(pods), 'pod')} on {_names(pool.name for pool in where)}"


def _guard(seen: Observations) -> Judged:
    if seen.refusal is None:
        return False, "it was not tried"
    kept = seen.refusal.status in _REFUSED and _POLICY in seen.refusal.message
    return kept, f"the API server answered {seen.refusal.status}"


def _batch_on_spot(seen: Observations) -> Judged:
    return _first_on_spot(seen, BATCH, seen.batch)


def _gpu_on_spot(seen: Observations) -> Judged:
    return _first_on_spot(seen, GPU, seen.gpu)


def _first_on_spot(seen: Observations, part: str, workload: str) -> Judged:
    """Whether the first attempt of every task ran on a spot pool of the lane that had no node beyond its minimum."""
    lane = [pool for pool in seen.pools if pool.workload == workload and pool.spot]
    first = [pods[0] for pods in attempts(seen.of(part)).values()]
    where = {pod.pool for pod in first}
    before = [node for node in seen.nodes if node.pool in where and first and node.seen < first[0].created]
    spare = len(before) - sum(pool.min_count for pool in lane if pool.name in where)
    kept = bool(first) and where <= {pool.name for pool in lane} and spare <= 0
    kept = kept and all(pod.running is not None for pod in first)
    size = counted(len(before), "node")
    return kept, f"{counted(len(first), 'task')} on {_names(where)}, which had {size} before"


def _nothing_else(seen: Observations) -> Judged:
    guarded = {pool.name for pool in seen.pools if pool.guarded}
    meant = {BATCH, GPU, FALLBACK, AGAIN, PIPELINES, TRAINING}
    there = [pod for pod in seen.pods if pod.pool in guarded]
    work = [pod for pod in there if pod.part in meant]
    strangers = [pod for pod in there if pod.part not in meant and pod.owner not in _DAEMONS]
    if strangers:
        return False, f"also {_names(f'{pod.namespace}/{pod.name}' for pod in strangers)}"
    return (
        bool(work),
        f"{counted(len(work), 'pod')} of batch work, pipelines and training, {len(there) - len(work)} of DaemonSets",
    )


def _survives(seen: Observations) -> Judged:
    """Whether work that lost its node ran again, with no failure counted by its Job."""
    hit = [pods for pods in attempts(seen.of(BATCH)).values() if any(evicted(pod, seen) for pod in pods)]
    lost = [pods for pods in hit if evicted(pods[-1], seen) or pods[-1].running is None]
    ended = [pod.disruption or "unknown" for pods in hit for pod in pods if evicted(pod, seen)]
    failures = sum(job.failed for job in seen.jobs)
    kept = bool(hit) and not lost and failures == 0
    fate = f"{len(lost)} of {counted(len(hit), 'task')} lost, {failures} failures counted"
    return kept, f"{counted(len(ended), 'pod')} evicted ({_names(ended)}), {fate}"


def _pipelines(seen: Observations) -> Judged:
    """Whether every workflow came to a good end, and steps of some were evicted meanwhile."""
    runs = [run for run in seen.runs if run.part == PIPELINES]
    steps = attempts(seen.of(PIPELINES))
    hit = [pods for pods in steps.values() if any(evicted(pod, seen) for pod in pods)]
    done = sum(run.state == "Succeeded" for run in runs)
    kept = len(runs) == len(BLOG) == done and bool(hit) and all(len(pods) > 1 for pods in hit)
    tried = sum(len(pods) for pods in hit)
    return (
        kept,
        f"{counted(len(hit), 'step')} evicted, {tried} attempts at them, {done} of {len(runs)} workflows done",
    )


def _training(seen: Observations) -> Judged:
    """Whether the training came to a good end though its workers were evicted, and its master stayed where it was."""
    runs = [run for run in seen.runs if run.part == TRAINING]
    replicas = attempts(seen.of(TRAINING))
    hit = [name for name, pods in replicas.items() if any(evicted(pod, seen) for pod in pods)]
    masters = [pod for name, pods in replicas.items() if ", master " in name for pod in pods]
    stayed = len(masters) == 1 and not any(pool.spot for pool in seen.pools if pool.name == masters[0].pool)
    kept = bool(runs) and all(run.state == "Succeeded" for run in runs) and bool(hit) and stayed
    ends = ", ".join(run.state or "not begun" for run in runs) or "none was started"
    return (
        kept,
        f"{counted(len(hit), 'worker')} evicted, master on {_names(pod.pool for pod in masters)}; {ends}",
    )


def _nothing_lost(seen: Observations) -> Judged:
    done, tasks = sum(job.succeeded for job in seen.jobs), sum(job.tasks for job in seen.jobs)
    kept = bool(tasks) and done == tasks and all(job.complete for job in seen.jobs)
    return kept, f"{done} of {counted(tasks, 'task')} in {counted(len(seen.jobs), 'Job')}"


def _fallback(seen: Observations) -> Judged:
    """Whether the work that came while spot was sold out ran on a twin in time."""
    twins = {pool.name for pool in seen.pools if pool.workload == seen.batch and not pool.spot}
    pods = seen.of(FALLBACK)
    waits = [pod.running - pod.created for pod in pods if pod.running is not None]
    kept = bool(seen.lines(Kind.SOLD_OUT)) and bool(pods) and {pod.pool for pod in pods} <= twins
    kept = kept and len(waits) == len(pods) and max(waits) <= seen.provision_limit
    slowest = f"running after {max(waits):.0f} s" if waits else "none ran"
    where = f"{counted(len(pods), 'task')} on {_names(pod.pool for pod in pods)}"
    return kept, f"{where}, {slowest}, limit {seen.provision_limit:.0f} s"


def _spot_again(seen: Observations) -> Judged:
    back = [line["time"] for line in seen.lines(Kind.SUPPLY) if line["supply"] == "available"]
    pods = seen.of(AGAIN)
    spot = {pool.name for pool in seen.pools if pool.workload == seen.batch and pool.spot}
    kept = bool(pods) and all(pod.pool in spot and pod.running is not None for pod in pods)
    kept = kept and bool(back) and min(pod.created for pod in pods) > max(back)
    return kept, f"{counted(len(pods), 'new task')} on {_names(pod.pool for pod in pods)}"


def _back_to_zero(seen: Observations) -> Judged:
    elastic = {pool.name: pool.min_count for pool in seen.pools if pool.elastic}
    left = {name: sum(node.pool == name and node.gone is None for node in seen.nodes) for name in elastic}
    used = {node.pool for node in seen.nodes if node.pool in elastic and node.ready is not None}
    kept = bool(used) and all(left[name] <= elastic[name] for name in elastic)
    return kept, ", ".join(f"{name} {count}" for name, count in left.items())


def _has_twin(seen: Observations) -> bool:
    return any(pool.workload == seen.batch and pool.twin_of for pool in seen.pools)


def _has_gpu(seen: Observations) -> bool:
    return bool(seen.gpu)


def _has_guard(seen: Observations) -> bool:
    return not seen.simulated or any(":ValidatingAdmissionPolicyBinding::" in urn for urn in seen.planned)


def _names(names: Iterable[str]) -> str:
    return ", ".join(sorted(set(names) - {""})) or "none"


_PROMISES: Final = (
    _Promise("plan", "`up` on the real engine made exactly what the plan showed", _plan, ("first-up",)),
    _Promise("idempotent", "a second `up` changes nothing", _idempotent, ("second-up",)),
    _Promise(
        "platform",
        "the platform and the notebook ran on the on-demand pool only",
        _platform,
        ("platform",),
    ),
    _Promise(
        "guard",
        "the API server refused a platform pod that tolerates spot",
        _guard,
        ("guard",),
        _has_guard,
    ),
    _Promise("batch-on-spot", "batch work ran on CPU spot, from zero nodes", _batch_on_spot, ("from-zero",)),
    _Promise(
        "gpu-on-spot", "GPU work ran on GPU spot, from zero nodes", _gpu_on_spot, ("from-zero",), _has_gpu
    ),
    _Promise(
        "nothing-else",
        "nothing else ran on spot or GPU nodes, DaemonSets apart",
        _nothing_else,
        ("from-zero",),
    ),
    _Promise(
        "survives",
        "evicted work ran again, and no failure was counted",
        _survives,
        ("eviction", "evicted-again"),
    ),
    _Promise(
        "fallback",
        "sold-out spot fell back to the on-demand twin within the node provision time",
        _fallback,
        ("sold-out",),
        _has_twin,
    ),
    _Promise(
        "spot-again",
        "new work went to spot again when spot was back",
        _spot_again,
        ("spot-again",),
        _has_twin,
    ),
    _Promise(
        "nothing-lost", "every task of every Job was done in the end", _nothing_lost, ("evicted-again",)
    ),
    _Promise(
        "pipelines",
        "pipelines whose spot nodes were taken came to their end",
        _pipelines,
        ("pipelines", "all-taken", "tried-again"),
    ),
    _Promise(
        "training",
        "a training whose workers' spot nodes were taken came to its end",
        _training,
        ("pipelines", "all-taken", "tried-again"),
    ),
    _Promise("minimum", "spot, GPU and fallback pools are back at their minimum", _back_to_zero, ("zero",)),
)
