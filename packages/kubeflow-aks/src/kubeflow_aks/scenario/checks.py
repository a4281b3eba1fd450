"""What this product promises, as checks; each is evaluated from the observations alone."""

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final

from kubeflow_aks.events import Kind
from kubeflow_aks.scenario.observations import Observations, PodRecord, Where
from kubeflow_aks.scenario.steps import AGAIN, BATCH, FALLBACK, GPU
from kubeflow_aks.scenario.workloads.blog import BLOG, PIPELINES, TRAINING
from kubeflow_aks.scenario.workloads.platform_and_jobs import NOTEBOOK, PLATFORM
from kubeflow_aks.scenario.workloads.stage import PLATFORM_NAMESPACE
from kubeflow_aks.text.numbers import counted

_REFUSED: Final = range(400, 500)
_DAEMONS: Final = frozenset({"DaemonSet", "Node"})
"""Kinds of owners whose pods belong on every node."""
_POLICY: Final = "ValidatingAdmissionPolicy"
_UNCHANGED: Final = frozenset({"same", "read"})
"""The engine's operations that change no resource; it reads resources that the stack does not own."""


@dataclass(frozen=True)
class CheckResult:
    """The result of one check; `passed` is None where it could not be checked, and `observed` says why."""

    check: str
    passed: bool | None
    observed: str

    @property
    def mark(self) -> str:
        """The result as one sign."""
        return "–" if self.passed is None else "✔" if self.passed else "✘"


Evaluation = tuple[bool, str]
"""Whether a check passed, and the observation."""


@dataclass(frozen=True)
class _Check:
    key: str
    text: str
    evaluate: Callable[[Observations], Evaluation]
    steps: tuple[str, ...]
    """Keys of the steps that it needs."""
    applies: Callable[[Observations], bool]
    """Whether the stack's pools and program have what is checked."""

    def result(self, observed: Observations) -> CheckResult:
        """The result, unless the check or one of its steps was left out."""
        reasons = (observed.left_out[key] for key in (self.key, *self.steps) if key in observed.left_out)
        reason = next(reasons, None)
        return CheckResult(self.text, *(self.evaluate(observed) if reason is None else (None, reason)))


_CHECKS: Final[list[_Check]] = []


def _check(
    key: str, text: str, *steps: str, applies: Callable[[Observations], bool] = lambda _: True
) -> Callable[[Callable[[Observations], Evaluation]], object]:
    """Makes a function a check, after those above it."""

    def checked(evaluate: Callable[[Observations], Evaluation]) -> object:
        _CHECKS.append(_Check(key, text, evaluate, steps, applies))
        return evaluate

    return checked


def check_all(observed: Observations) -> tuple[CheckResult, ...]:
    """The result of every check that applies to the stack."""
    return tuple(check.result(observed) for check in _CHECKS if check.applies(observed))


def summary(results: Iterable[CheckResult]) -> str:
    """How many checks passed, of those that could be made."""
    counts = Counter(result.passed for result in results)
    left_out = f", {counts[None]} could not be made here" if counts[None] else ""
    return f"{counts[True]} of {counts[True] + counts[False]} checks passed{left_out}"


def attempts(pods: Iterable[PodRecord]) -> dict[str, list[PodRecord]]:
    """Pods by what they work on, in the order of their creation."""
    tasks: dict[str, list[PodRecord]] = {}
    for pod in sorted(pods, key=lambda pod: pod.created):
        tasks.setdefault(pod.task, []).append(pod)
    return tasks


def evicted(pod: PodRecord, observed: Observations) -> bool:
    """Whether a pod lost its node before it was done."""
    nodes = {line["node"] for line in observed.lines(Kind.EVICTION)}
    return pod.node in nodes and pod.phase != "Succeeded"


def _has_fallback(observed: Observations) -> bool:
    return any(pool.workload == observed.batch and pool.fallback_for for pool in observed.pools)


def _has_gpu(observed: Observations) -> bool:
    return bool(observed.gpu)


def _has_guard(observed: Observations) -> bool:
    return not observed.simulated or any(
        ":ValidatingAdmissionPolicyBinding::" in urn for urn in observed.planned
    )


def _has_notice(observed: Observations) -> bool:
    """Whether Azure itself announced an eviction; a local AKS runs no handler that keeps up with its quick time."""
    return observed.where == Where.AZURE and bool(_announced(observed))


@_check("plan", "`up` on the real engine made exactly what the plan showed", "first-up")
def _plan(observed: Observations) -> Evaluation:
    planned, made = set(observed.planned), set(observed.made)
    missing, extra = len(planned - made), len(made - planned)
    passed = bool(planned) and planned == made
    return passed, f"{len(planned)} planned, {missing} missing, {extra} not planned"


@_check("idempotent", "a second `up` changes nothing", "second-up")
def _idempotent(observed: Observations) -> Evaluation:
    changes = {op: count for op, count in observed.second_up.items() if count}
    counts = ", ".join(f"{count} {op}" for op, count in changes.items()) or "nothing was reported"
    return "same" in changes and set(changes) <= _UNCHANGED, counts


@_check("platform", "the platform and the notebook ran on the on-demand pool only", "platform")
def _platform(observed: Observations) -> Evaluation:
    """The scenario's own platform, or the one that the cluster had before."""
    there = [
        pod for pod in observed.pods if pod.namespace == PLATFORM_NAMESPACE and pod.owner not in _DAEMONS
    ]
    pods = [*observed.of(PLATFORM), *observed.of(NOTEBOOK), *(pod for pod in there if not pod.part)]
    where = {pool for pod in pods if (pool := observed.pool(pod.pool))}
    passed = bool(pods) and all(pod.running is not None for pod in pods if pod.part)
    passed = passed and all(pool.role == "general" and not pool.spot for pool in where)
    return passed, f"{counted(len(pods), 'pod')} on {_names(pool.name for pool in where)}"


@_check("guard", "the API server refused a platform pod that tolerates spot", "guard", applies=_has_guard)
def _guard(observed: Observations) -> Evaluation:
    if observed.refusal is None:
        return False, "it was not tried"
    passed = observed.refusal.status in _REFUSED and _POLICY in observed.refusal.message
    return passed, f"the API server responded {observed.refusal.status}"


@_check("batch-on-spot", "batch work ran on CPU spot, from zero nodes", "from-zero")
def _batch_on_spot(observed: Observations) -> Evaluation:
    return _first_on_spot(observed, BATCH, observed.batch)


@_check("gpu-on-spot", "GPU work ran on GPU spot, from zero nodes", "from-zero", applies=_has_gpu)
def _gpu_on_spot(observed: Observations) -> Evaluation:
    return _first_on_spot(observed, GPU, observed.gpu)


@_check("nothing-else", "nothing else ran on spot or GPU nodes, DaemonSets apart", "from-zero")
def _nothing_else(observed: Observations) -> Evaluation:
    guarded = {pool.name for pool in observed.pools if pool.guarded}
    meant = {BATCH, GPU, FALLBACK, AGAIN, PIPELINES, TRAINING}
    there = [pod for pod in observed.pods if pod.pool in guarded]
    work = [pod for pod in there if pod.part in meant]
    strangers = [pod for pod in there if pod.part not in meant and pod.owner not in _DAEMONS]
    if strangers:
        return False, f"also {_names(f'{pod.namespace}/{pod.name}' for pod in strangers)}"
    return (
        bool(work),
        f"{counted(len(work), 'pod')} of batch work, pipelines and training, {len(there) - len(work)} of DaemonSets",
    )


@_check("survives", "evicted work ran again, and no failure was counted", "eviction", "evicted-again")
def _survives(observed: Observations) -> Evaluation:
    hit = [
        pods for pods in attempts(observed.of(BATCH)).values() if any(evicted(pod, observed) for pod in pods)
    ]
    lost = [pods for pods in hit if evicted(pods[-1], observed) or pods[-1].running is None]
    ended = [pod.disruption or "unknown" for pods in hit for pod in pods if evicted(pod, observed)]
    failures = sum(job.failed for job in observed.jobs)
    passed = bool(hit) and not lost and failures == 0
    fate = f"{len(lost)} of {counted(len(hit), 'task')} lost, {failures} failures counted"
    return passed, f"{counted(len(ended), 'pod')} evicted ({_names(ended)}), {fate}"


@_check("handled", "the eviction handler acted on Azure's notices", "eviction", applies=_has_notice)
def _handled(observed: Observations) -> Evaluation:
    announced = _announced(observed)
    notices = {
        line["node"]: line["time"]
        for line in observed.lines(Kind.EVICTION_NOTICE)
        if line["node"] in announced
    }
    acted = [
        node.handled - notices[node.name]
        for node in observed.nodes
        if node.name in notices and node.handled is not None
    ]
    passed = len(acted) == len(notices)
    slowest = f", at most {max(0.0, *acted):.0f} s after the notice" if acted else ""
    return passed, f"{len(acted)} of {counted(len(notices), 'node')} with a notice{slowest}"


@_check(
    "fallback",
    "work fell back from sold-out spot to on-demand nodes within the node provision time",
    "sold-out",
    applies=_has_fallback,
)
def _fallback(observed: Observations) -> Evaluation:
    fallbacks = {pool.name for pool in observed.pools if pool.workload == observed.batch and not pool.spot}
    pods = observed.of(FALLBACK)
    waits = [pod.running - pod.created for pod in pods if pod.running is not None]
    passed = bool(observed.lines(Kind.SOLD_OUT)) and bool(pods) and {pod.pool for pod in pods} <= fallbacks
    passed = passed and len(waits) == len(pods) and max(waits) <= observed.provision_limit
    slowest = f"running after {max(waits):.0f} s" if waits else "none ran"
    where = f"{counted(len(pods), 'task')} on {_names(pod.pool for pod in pods)}"
    return passed, f"{where}, {slowest}, limit {observed.provision_limit:.0f} s"


@_check(
    "spot-again", "new work ran on spot again when spot was available", "spot-again", applies=_has_fallback
)
def _spot_again(observed: Observations) -> Evaluation:
    back = [line["time"] for line in observed.lines(Kind.SUPPLY) if line["supply"] == "available"]
    pods = observed.of(AGAIN)
    spot = {pool.name for pool in observed.pools if pool.workload == observed.batch and pool.spot}
    passed = bool(pods) and all(pod.pool in spot and pod.running is not None for pod in pods)
    passed = passed and bool(back) and min(pod.created for pod in pods) > max(back)
    return passed, f"{counted(len(pods), 'new task')} on {_names(pod.pool for pod in pods)}"


@_check("nothing-lost", "every task of every Job completed", "evicted-again")
def _nothing_lost(observed: Observations) -> Evaluation:
    done, tasks = sum(job.succeeded for job in observed.jobs), sum(job.tasks for job in observed.jobs)
    passed = bool(tasks) and done == tasks and all(job.complete for job in observed.jobs)
    return passed, f"{done} of {counted(tasks, 'task')} in {counted(len(observed.jobs), 'Job')}"


@_check(
    "pipelines", "pipelines whose spot nodes were evicted completed", "pipelines", "all-evicted", "retried"
)
def _pipelines(observed: Observations) -> Evaluation:
    runs = [run for run in observed.runs if run.part == PIPELINES]
    steps = attempts(observed.of(PIPELINES))
    hit = [pods for pods in steps.values() if any(evicted(pod, observed) for pod in pods)]
    done = sum(run.state == "Succeeded" for run in runs)
    passed = len(runs) == len(BLOG) == done and bool(hit) and all(len(pods) > 1 for pods in hit)
    tried = sum(len(pods) for pods in hit)
    return (
        passed,
        f"{counted(len(hit), 'step')} evicted, {tried} attempts at them, {done} of {len(runs)} workflows done",
    )


@_check(
    "training",
    "a training whose workers' spot nodes were evicted completed",
    "pipelines",
    "all-evicted",
    "retried",
)
def _training(observed: Observations) -> Evaluation:
    """Whether the training succeeded though its workers were evicted, and its master was not."""
    runs = [run for run in observed.runs if run.part == TRAINING]
    replicas = attempts(observed.of(TRAINING))
    hit = [name for name, pods in replicas.items() if any(evicted(pod, observed) for pod in pods)]
    masters = [pod for name, pods in replicas.items() if ", master " in name for pod in pods]
    stayed = len(masters) == 1 and not any(
        pool.spot for pool in observed.pools if pool.name == masters[0].pool
    )
    passed = bool(runs) and all(run.state == "Succeeded" for run in runs) and bool(hit) and stayed
    ends = ", ".join(run.state or "not started" for run in runs) or "none started"
    return (
        passed,
        f"{counted(len(hit), 'worker')} evicted, master on {_names(pod.pool for pod in masters)}; {ends}",
    )


@_check("minimum", "spot, GPU and fallback pools are back at their minimum", "zero")
def _back_to_zero(observed: Observations) -> Evaluation:
    elastic = {pool.name: pool.min_count for pool in observed.pools if pool.elastic}
    left = {name: sum(node.pool == name and node.gone is None for node in observed.nodes) for name in elastic}
    used = {node.pool for node in observed.nodes if node.pool in elastic and node.ready is not None}
    passed = bool(used) and all(left[name] <= elastic[name] for name in elastic)
    return passed, ", ".join(f"{name} {count}" for name, count in left.items())


def _first_on_spot(observed: Observations, part: str, workload: str) -> Evaluation:
    """Whether the first attempt of every task ran on a spot pool of the lane that had no node beyond its minimum."""
    lane = [pool for pool in observed.pools if pool.workload == workload and pool.spot]
    first = [pods[0] for pods in attempts(observed.of(part)).values()]
    where = {pod.pool for pod in first}
    before = [
        node for node in observed.nodes if node.pool in where and first and node.appeared < first[0].created
    ]
    spare = len(before) - sum(pool.min_count for pool in lane if pool.name in where)
    passed = bool(first) and where <= {pool.name for pool in lane} and spare <= 0
    passed = passed and all(pod.running is not None for pod in first)
    size = counted(len(before), "node")
    return passed, f"{counted(len(first), 'task')} on {_names(where)}, which had {size} before"


def _announced(observed: Observations) -> set[str]:
    """Nodes that were evicted after a notice."""
    return {line["node"] for line in observed.lines(Kind.EVICTION) if line["notice"]}


def _names(names: Iterable[str]) -> str:
    return ", ".join(sorted(set(names) - {""})) or "none"
