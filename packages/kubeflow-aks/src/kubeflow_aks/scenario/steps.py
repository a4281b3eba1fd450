"""The scenario, step by step. Every step waits for what the API server or the journal shows; none sleeps blindly."""

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from typing import Final, Protocol

from ckf_spot import Pools
from kubeflow_aks.events import Kind
from kubeflow_aks.scenario.contract_pools import ContractPool, WorkloadPools
from kubeflow_aks.scenario.demo_objects import DemoObjects
from kubeflow_aks.scenario.observations import Refusal
from kubeflow_aks.scenario.step_runner import StepRunner, StepTimeoutError
from kubeflow_aks.scenario.workloads import blog, platform_and_jobs
from kubeflow_aks.scenario.workloads.blog import PIPELINES, TRAINING, WORKERS
from kubeflow_aks.text.numbers import counted

BATCH: Final = "batch"
GPU: Final = "gpu"
FALLBACK: Final = "fallback"
AGAIN: Final = "again"
JOB_NAMES: Final = {BATCH: "prepare-features", GPU: "train", FALLBACK: "score", AGAIN: "evaluate"}
"""Part to name of its Job."""

TURN_ON: Final = "argo"
TurnOnRetries = Callable[[], str]
"""Runs the program again after Kubeflow's start, waits until Argo has reloaded its settings, and returns a summary."""


@dataclass(frozen=True)
class StackFacts:
    """The parts of the stack that the scenario uses.

    Without a GPU spot pool, or if `batch` uses it, `gpu` is None; `guarded` is whether the platform is kept off spot.
    """

    pools: tuple[ContractPool, ...]
    batch: WorkloadPools
    gpu: WorkloadPools | None
    guarded: bool
    named: Pools


class SpotEvictor(Protocol):
    """Evicts spot nodes. Every method returns when the request is accepted, not when it is done."""

    @property
    def sells_out(self) -> bool:
        """Whether spot capacity can be made to sell out; on Azure it cannot."""
        ...

    def evict(self, pool: str, count: int | None) -> None:
        """Evict nodes of a spot pool, with notice; all of them where `count` is None."""
        ...

    def sell_out(self, pool: str, *, over: bool = False) -> None:
        """From now on requests for a VM of a spot pool fail with an allocation error, or no longer."""
        ...


class Scenario:
    """The steps, in their order."""

    def __init__(
        self,
        facts: StackFacts,
        steps: StepRunner,
        objects: DemoObjects,
        evictor: SpotEvictor,
        turn_on_retries: TurnOnRetries,
        *,
        left_out: Collection[str] = (),
        batch_nodes: int = 2,
    ) -> None:
        """Plays nothing yet, and never the steps left out: whatever needs them must be left out too.

        The first batch work fills `batch_nodes` nodes.
        """
        self._left_out = left_out
        self._batch_nodes = batch_nodes
        self._stack = facts
        self._steps = steps
        self._objects = objects
        self._evictor = evictor
        self._turn_on_retries = turn_on_retries
        self.refusal: Refusal | None = None

    def play(self) -> None:
        """Plays all steps.

        Raises:
            StepTimeoutError: a step did not come to its end.
        """
        for key, title, play in self._steps_in_order():
            if key not in self._left_out:
                with self._steps.step(key, title):
                    play()

    def _steps_in_order(self) -> Iterator[tuple[str, str, Callable[[], None]]]:
        """The steps that the stack has pools and policies for: key, title and what is played."""
        yield "platform", "Charmed Kubeflow's platform and a notebook start", self._platform
        if self._stack.guarded:
            yield "guard", "A platform pod requests spot nodes", self._guard
        yield "from-zero", "Batch and GPU work start on spot pools that have no nodes", self._from_zero
        yield "eviction", "Azure evicts a spot node, with 30 s notice", self._eviction
        if self._stack.batch.fallbacks and self._evictor.sells_out:
            yield "sold-out", "Spot sells out, and more work comes", self._sold_out
            yield (
                "spot-again",
                "Spot is back; running work stays, and after the back-off new work goes there",
                self._spot_again,
            )
        # During the real Job controller's pause.
        yield TURN_ON, "Kubeflow is there: `pulumi up` with kubeflow.argoRetries", self._argo_retries
        yield (
            "evicted-again",
            "The evicted tasks run again, and all batch work comes to its end",
            self._evicted_again,
        )
        # Of a higher priority: earlier, its pods would take nodes from batch.
        yield (
            "pipelines",
            "The blog's three workflows and a training, on the real Argo and training operator",
            self._data_science,
        )
        yield (
            "all-evicted",
            "Azure evicts every spot node they run on, with 30 s notice",
            self._all_spot_evicted,
        )
        yield "retried", "Argo and the training operator start again what was lost", self._retried
        yield "zero", "Nothing left to do: spot, GPU and fallback nodes go", self._back_to_zero

    def _platform(self) -> None:
        self._objects.create(platform_and_jobs.namespaces())
        charms = platform_and_jobs.platform()
        self._objects.create([*charms, platform_and_jobs.notebook()])
        self._steps.until_running(platform_and_jobs.PLATFORM, len(charms), "platform")
        self._steps.until_running(platform_and_jobs.NOTEBOOK, 1, "notebook")

    def _guard(self) -> None:
        self.refusal = self._objects.attempt(platform_and_jobs.stray(self._stack.batch, self._objects.stage))
        self._steps.say(f"API server: {self.refusal.status} {self.refusal.message}")

    def _from_zero(self) -> None:
        lanes = [(BATCH, self._stack.batch), *([(GPU, self._stack.gpu)] if self._stack.gpu else [])]
        for part, lane in lanes:
            self._start(part, lane)
        for part, lane in lanes:
            self._until_running(part, lane)
        if self._stack.gpu and self._evictor.sells_out:
            self._steps.say(
                "(a GPU here is a number in a simulated node's allocatable; no device plugin made it)"
            )
        spot = self._stack.batch.spot
        if self._evictor.sells_out:  # idle nodes would run the work that starts while spot is sold out
            self._steps.until(
                lambda: not self._idle(spot), lambda: f"{', '.join(self._idle(spot))} stay without work"
            )

    def _eviction(self) -> None:
        spot = {pool.name for pool in self._stack.batch.spot}
        hit = [pod.pool for pod in self._steps.running(BATCH) if pod.pool in spot]
        if not hit:
            raise StepTimeoutError("no batch work runs on spot nodes, so there is none to evict")
        self._evictor.evict(hit[0], 1)
        self._steps.until(lambda: bool(self._evicted()), lambda: "no spot node was evicted")
        self._steps.say("the real Job controller waits 10 s before it restarts an evicted task; meanwhile:")

    def _sold_out(self) -> None:
        lane = self._stack.batch
        for pool in lane.spot:
            self._evictor.sell_out(pool.name)
        self._start(FALLBACK, lane)
        self._until_running(FALLBACK, lane)

    def _spot_again(self) -> None:
        lane = self._stack.batch
        for pool in lane.spot:
            self._evictor.sell_out(pool.name, over=True)
        self._until_running(FALLBACK, lane)
        self._steps.until(lambda: not self._backing_off(), lambda: f"{self._backing_off()} is in back-off")
        self._start(AGAIN, lane)  # while the fallback is full, because it would run there otherwise
        self._until_running(AGAIN, lane)
        self._finish(FALLBACK)

    def _evicted_again(self) -> None:
        self._until_running(BATCH, self._stack.batch)
        self._finish(GPU, BATCH, AGAIN)

    def _argo_retries(self) -> None:
        self._steps.say(self._turn_on_retries())

    def _data_science(self) -> None:
        pipelines = blog.workflows(self._stack.named, self._stack.batch)
        training = blog.training(self._stack.named, self._stack.gpu or self._stack.batch)
        self._objects.create([blog.account(), *pipelines, training])
        self._steps.until_running(PIPELINES, len(pipelines), "workflows")
        self._steps.until_running(TRAINING, 1 + WORKERS, "training")

    def _all_spot_evicted(self) -> None:
        spot = {pool.name for pool in self._stack.pools if pool.spot}
        hit = [pod for part in (PIPELINES, TRAINING) for pod in self._steps.running(part) if pod.pool in spot]
        for pool in sorted({pod.pool for pod in hit}):
            self._evictor.evict(pool, None)
        nodes = {pod.node for pod in hit}
        self._steps.until(lambda: nodes <= self._evicted(), lambda: "not every spot node was evicted")
        self._steps.say(f"{counted(len(hit), 'pod')} lost their nodes: {', '.join(pod.task for pod in hit)}")

    def _retried(self) -> None:
        self._steps.until_running(PIPELINES, len(blog.BLOG), "workflows")
        self._steps.until_running(TRAINING, 1 + WORKERS, "training")
        finished: set[tuple[str, str]] = set()

        def over() -> bool:
            """Ends every pod as soon as it runs; a workflow's second step starts after its first."""
            self._end_running((PIPELINES, TRAINING), finished)
            return all(run.state in blog.OVER for run in self._objects.runs())

        self._steps.until(over, lambda: ", ".join(f"{run.name}: {run.state}" for run in self._objects.runs()))
        for run in self._objects.runs():
            self._steps.say(f"{run.kind} {run.name}: {run.state}")

    def _back_to_zero(self) -> None:
        self._steps.until_smallest(self._stack.pools)
        sizes = (f"{pool.name} {self._steps.size(pool)}" for pool in self._stack.pools if pool.elastic)
        self._steps.say(f"nodes left: {', '.join(sizes)}")

    def _start(self, part: str, lane: WorkloadPools) -> None:
        name, tasks = JOB_NAMES[part], self._tasks(part, lane)
        self._objects.create([platform_and_jobs.job(name, part, lane, tasks, self._objects.stage)])
        pools = " or ".join(pool.name for pool in lane.pools)
        self._steps.say(f"Job {name}: {counted(tasks, 'task')} for {pools}")

    def _until_running(self, part: str, lane: WorkloadPools) -> None:
        self._steps.until_running(part, self._tasks(part, lane), f"Job {JOB_NAMES[part]}")

    def _tasks(self, part: str, lane: WorkloadPools) -> int:
        return platform_and_jobs.tasks_for(lane, self._batch_nodes if part == BATCH else 1)

    def _finish(self, *parts: str) -> None:
        """Ends the work of some parts and waits until their Jobs report it."""
        finished: set[tuple[str, str]] = set()

        def unfinished() -> list[str]:
            self._end_running(parts, finished)
            return [job.name for job in self._objects.jobs() if job.part in parts and not job.complete]

        self._steps.until(lambda: not unfinished(), lambda: f"not complete: {', '.join(unfinished())}")
        for job in self._objects.jobs():
            if job.part in parts:
                done = f"{job.succeeded} of {counted(job.tasks, 'task')} done"
                self._steps.say(f"Job {job.name}: {done}, {job.failed} failures counted")

    def _end_running(self, parts: Iterable[str], ended: set[tuple[str, str]]) -> None:
        """Ends the work of the parts' pods that run, each once; a successor has another name."""
        new = [pod for part in parts for pod in self._steps.running(part)]
        new = [pod for pod in new if (pod.name, pod.node) not in ended]
        self._objects.finish_work(new)
        ended.update((pod.name, pod.node) for pod in new)

    def _evicted(self) -> set[str]:
        """Nodes that the market has evicted."""
        return {line["node"] for line in self._steps.watcher.lines if line["kind"] == Kind.EVICTION}

    def _idle(self, pools: Iterable[ContractPool]) -> list[str]:
        """Nodes without work, also those that still boot."""
        return [node for pool in pools for node in self._steps.watcher.idle(pool.name)]

    def _backing_off(self) -> list[str]:
        """Spot pools that are in the autoscaler's back-off now."""
        now, spot = self._steps.watcher.now(), {pool.name for pool in self._stack.batch.spot}
        failures = (line for line in self._steps.watcher.lines if line["kind"] == Kind.BACK_OFF)
        return sorted(
            {
                line["pool"]
                for line in failures
                if line["pool"] in spot and line["time"] + line["seconds"] > now
            }
        )
