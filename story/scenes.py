"""The story, scene by scene. Every step waits for what the API server or the journal shows; none sleeps blindly."""

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from ckf_spot import Pools
from story.contract_pools import ContractPool, WorkloadPools
from story.demo_objects import DemoObjects
from story.formatting import counted
from story.hands import Hands
from story.happenings import Kind
from story.observations import Refusal
from story.scene_runner import NotSeenError, SceneRunner
from story.workloads import blog, platform_and_jobs
from story.workloads.blog import PIPELINES, TRAINING, WORKERS

BATCH: Final = "batch"
GPU: Final = "gpu"
FALLBACK: Final = "fallback"
AGAIN: Final = "again"
JOB_NAMES: Final = {BATCH: "prepare-features", GPU: "train", FALLBACK: "score", AGAIN: "evaluate"}
"""Part to name of its Job."""

TURN_ON: Final = "argo"
TurnOnRetries = Callable[[], str]
"""Runs the program again, now that Kubeflow is there, waits until Argo has read what it set, and says what it did."""


@dataclass(frozen=True)
class StackFacts:
    """What the stack has for the story.

    Attributes:
        pools: every pool.
        batch: where batch work runs.
        gpu: where GPU work runs; None where the stack has no GPU spot pool, or where that is the batch lane.
        guarded: whether the program brings the policy that keeps the platform off spot.
        named: the pools as a data scientist's tools see them.
    """

    pools: tuple[ContractPool, ...]
    batch: WorkloadPools
    gpu: WorkloadPools | None
    guarded: bool
    named: Pools


class Story:
    """The scenes, in their order."""

    def __init__(
        self,
        facts: StackFacts,
        scenes: SceneRunner,
        objects: DemoObjects,
        hands: Hands,
        turn_on_retries: TurnOnRetries,
        *,
        left_out: Collection[str] = (),
        batch_nodes: int = 2,
    ) -> None:
        """Nothing is played yet.

        Args:
            facts: what the stack has for the story.
            scenes: runs them.
            objects: makes what they need.
            hands: take nodes away.
            turn_on_retries: for scene `argo`.
            left_out: keys of scenes that are not played; whatever else would need them must be left out too.
            batch_nodes: how many nodes the first batch work fills.
        """
        self._left_out = left_out
        self._batch_nodes = batch_nodes
        self._stack = facts
        self._scenes = scenes
        self._objects = objects
        self._hands = hands
        self._turn_on_retries = turn_on_retries
        self.refusal: Refusal | None = None

    def play(self) -> None:
        """Plays it.

        Raises:
            NotSeenError: a scene did not come to its end.
        """
        for key, play in self._scenes_in_order():
            if key not in self._left_out:
                play()

    def _scenes_in_order(self) -> Iterator[tuple[str, Callable[[], None]]]:
        """Those that the stack has something for."""
        yield "platform", self._platform
        if self._stack.guarded:
            yield "guard", self._guard
        yield "from-zero", self._from_zero
        yield "eviction", self._eviction
        if self._stack.batch.twins and self._hands.sells_out:
            yield "sold-out", self._sold_out
            yield "spot-again", self._spot_again
        yield TURN_ON, self._argo_retries  # the real Job controller's pause goes on meanwhile
        yield "evicted-again", self._evicted_again
        yield (
            "pipelines",
            self._data_science,
        )  # higher priority: earlier, its pods would take nodes from batch
        yield "all-taken", self._all_spot_taken
        yield "tried-again", self._tried_again
        yield "zero", self._back_to_zero

    def _platform(self) -> None:
        with self._scenes.scene("platform", "Charmed Kubeflow's platform and a notebook start"):
            self._objects.create(platform_and_jobs.namespaces())
            charms = platform_and_jobs.platform()
            self._objects.create([*charms, platform_and_jobs.notebook()])
            self._scenes.until_running(platform_and_jobs.PLATFORM, len(charms), "platform")
            self._scenes.until_running(platform_and_jobs.NOTEBOOK, 1, "notebook")

    def _guard(self) -> None:
        with self._scenes.scene("guard", "A platform pod asks for spot nodes"):
            self.refusal = self._objects.attempt(
                platform_and_jobs.stray(self._stack.batch, self._objects.stage)
            )
            self._scenes.say(f"API server: {self.refusal.status} {self.refusal.message}")

    def _from_zero(self) -> None:
        lanes = [(BATCH, self._stack.batch), *([(GPU, self._stack.gpu)] if self._stack.gpu else [])]
        with self._scenes.scene("from-zero", "Batch and GPU work start on spot pools that have no nodes"):
            for part, lane in lanes:
                self._start(part, lane)
            for part, lane in lanes:
                self._until_running(part, lane)
            if self._stack.gpu and self._hands.sells_out:
                self._scenes.say(
                    "(a GPU here is a number in a simulated node's allocatable; no device plugin made it)"
                )
            spot = self._stack.batch.spot
            if self._hands.sells_out:  # they would take what comes while spot is sold out
                self._scenes.until(
                    lambda: not self._idle(spot), lambda: f"{', '.join(self._idle(spot))} stay without work"
                )

    def _eviction(self) -> None:
        with self._scenes.scene("eviction", "Azure takes a spot node back, with 30 s notice"):
            spot = {pool.name for pool in self._stack.batch.spot}
            hit = [pod.pool for pod in self._scenes.running(BATCH) if pod.pool in spot]
            if not hit:
                raise NotSeenError("no batch work runs on spot nodes, so there is none to take")
            self._hands.evict(hit[0], 1)
            self._scenes.until(self._one_is_taken, lambda: "no spot node was taken")
            self._scenes.say(
                "the real Job controller waits 10 s before it starts an evicted task again; meanwhile:"
            )

    def _sold_out(self) -> None:
        lane = self._stack.batch
        with self._scenes.scene("sold-out", "Spot sells out, and more work comes"):
            for pool in lane.spot:
                self._hands.sell_out(pool.name)
            self._start(FALLBACK, lane)
            self._until_running(FALLBACK, lane)

    def _spot_again(self) -> None:
        lane = self._stack.batch
        with self._scenes.scene(
            "spot-again", "Spot is back; running work stays, and after the back-off new work goes there"
        ):
            for pool in lane.spot:
                self._hands.bring_back(pool.name)
            self._until_running(FALLBACK, lane)
            self._scenes.until(
                lambda: not self._backing_off(), lambda: f"{self._backing_off()} is in back-off"
            )
            self._start(AGAIN, lane)  # while the fallback is full: whatever has room there would take it
            self._until_running(AGAIN, lane)
            self._finish(FALLBACK)

    def _evicted_again(self) -> None:
        with self._scenes.scene(
            "evicted-again", "The evicted tasks run again, and all batch work comes to its end"
        ):
            self._until_running(BATCH, self._stack.batch)
            self._finish(GPU, BATCH, AGAIN)

    def _argo_retries(self) -> None:
        with self._scenes.scene("argo", "Kubeflow is there: `pulumi up` with kubeflow.argoRetries"):
            self._scenes.say(self._turn_on_retries())

    def _data_science(self) -> None:
        with self._scenes.scene(
            "pipelines", "The blog's three workflows and a training, on the real Argo and training operator"
        ):
            pipelines = blog.workflows(self._stack.named, self._stack.batch)
            training = blog.training(self._stack.named, self._stack.gpu or self._stack.batch)
            self._objects.create([blog.account(), *pipelines, training])
            self._scenes.until_running(PIPELINES, len(pipelines), "workflows")
            self._scenes.until_running(TRAINING, 1 + WORKERS, "training")

    def _all_spot_taken(self) -> None:
        with self._scenes.scene("all-taken", "Azure takes every spot node they run on, with 30 s notice"):
            spot = {pool.name for pool in self._stack.pools if pool.spot}
            hit = [
                pod
                for part in (PIPELINES, TRAINING)
                for pod in self._scenes.running(part)
                if pod.pool in spot
            ]
            for pool in sorted({pod.pool for pod in hit}):
                self._hands.evict(pool, None)
            nodes = {pod.node for pod in hit}
            self._scenes.until(lambda: nodes <= self._taken(), lambda: "not every spot node was taken")
            self._scenes.say(
                f"{counted(len(hit), 'pod')} lost their nodes: {', '.join(pod.task for pod in hit)}"
            )

    def _tried_again(self) -> None:
        with self._scenes.scene("tried-again", "Argo and the training operator start again what was lost"):
            self._scenes.until_running(PIPELINES, len(blog.BLOG), "workflows")
            self._scenes.until_running(TRAINING, 1 + WORKERS, "training")
            finished: set[str] = set()

            def over() -> bool:
                """Lets every pod end as soon as it runs, once; a workflow's second step comes after its first."""
                new = [pod for part in (PIPELINES, TRAINING) for pod in self._scenes.running(part)]
                new = [pod for pod in new if pod.name not in finished]
                self._objects.finish_work(new)
                finished.update(pod.name for pod in new)
                return all(run.state in blog.OVER for run in self._objects.runs())

            self._scenes.until(
                over, lambda: ", ".join(f"{run.name}: {run.state}" for run in self._objects.runs())
            )
            for run in self._objects.runs():
                self._scenes.say(f"{run.kind} {run.name}: {run.state}")

    def _back_to_zero(self) -> None:
        with self._scenes.scene("zero", "Nothing left to do: spot, GPU and fallback nodes go"):
            self._scenes.until_smallest(self._stack.pools)
            sizes = (f"{pool.name} {self._scenes.size(pool)}" for pool in self._stack.pools if pool.elastic)
            self._scenes.say(f"nodes left: {', '.join(sizes)}")

    def _start(self, part: str, lane: WorkloadPools) -> None:
        name, tasks = JOB_NAMES[part], self._tasks(part, lane)
        self._objects.create([platform_and_jobs.job(name, part, lane, tasks, self._objects.stage)])
        self._scenes.say(f"Job {name}: {counted(tasks, 'task')} for {_either(lane)}")

    def _until_running(self, part: str, lane: WorkloadPools) -> None:
        self._scenes.until_running(part, self._tasks(part, lane), f"Job {JOB_NAMES[part]}")

    def _tasks(self, part: str, lane: WorkloadPools) -> int:
        return platform_and_jobs.tasks_for(lane, self._batch_nodes if part == BATCH else 1)

    def _finish(self, *parts: str) -> None:
        """Lets the work of some parts come to its end, and waits for their Jobs' own account of it."""
        told: set[tuple[str, str]] = set()

        def unfinished() -> list[str]:
            new = [pod for part in parts for pod in self._scenes.running(part)]
            new = [pod for pod in new if (pod.name, pod.node) not in told]  # a successor has another name
            self._objects.finish_work(new)
            told.update((pod.name, pod.node) for pod in new)
            return [job.name for job in self._objects.jobs() if job.part in parts and not job.complete]

        self._scenes.until(lambda: not unfinished(), lambda: f"not complete: {', '.join(unfinished())}")
        for job in self._objects.jobs():
            if job.part in parts:
                done = f"{job.succeeded} of {counted(job.tasks, 'task')} done"
                self._scenes.say(f"Job {job.name}: {done}, {job.failed} failures counted")

    def _one_is_taken(self) -> bool:
        return bool(self._taken())

    def _taken(self) -> set[str]:
        """Nodes that the market has taken."""
        return {line["node"] for line in self._scenes.watcher.lines if line["kind"] == Kind.EVICTION}

    def _idle(self, pools: Iterable[ContractPool]) -> list[str]:
        """Nodes without work, those that still boot included."""
        return [node for pool in pools for node in self._scenes.watcher.idle(pool.name)]

    def _backing_off(self) -> list[str]:
        """Spot pools that the autoscaler leaves alone now."""
        now, spot = self._scenes.watcher.now(), {pool.name for pool in self._stack.batch.spot}
        failures = (line for line in self._scenes.watcher.lines if line["kind"] == Kind.BACK_OFF)
        return sorted(
            {
                line["pool"]
                for line in failures
                if line["pool"] in spot and line["time"] + line["seconds"] > now
            }
        )


def _either(lane: WorkloadPools) -> str:
    return " or ".join(pool.name for pool in lane.pools)
