"""The story, scene by scene. Every step waits for what the API server or the journal shows; none sleeps blindly."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final

from ckf_spot import Pools
from local_aks.demo import data_science, workloads
from local_aks.demo.data_science import PIPELINES, TRAINING, WORKERS
from local_aks.demo.hands import Hands
from local_aks.demo.observations import Refusal
from local_aks.demo.pools import Lane, Pool
from local_aks.demo.stage import Stage
from local_aks.demo.words import counted
from local_aks.simulation.journal import Kind
from local_aks.simulation.market import ALL, Reclaim, Supply

BATCH: Final = "batch"
GPU: Final = "gpu"
FALLBACK: Final = "fallback"
AGAIN: Final = "again"
JOB_NAMES: Final = {BATCH: "prepare-features", GPU: "train", FALLBACK: "score", AGAIN: "evaluate"}
"""Part to name of its Job."""

AskMarket = Callable[[Supply | Reclaim, str, int], object]
SecondStage = Callable[[], str]
"""Runs the program again, now that Kubeflow is there, waits until Argo has read what it set, and says what it did."""


@dataclass(frozen=True)
class Cast:
    """What the stack has for the story.

    Attributes:
        pools: every pool.
        batch: where batch work runs.
        gpu: where GPU work runs; None where the stack has no GPU spot pool, or where that is the batch lane.
        guarded: whether the program brings the policy that keeps the platform off spot.
        named: the pools as a data scientist's tools see them.
    """

    pools: tuple[Pool, ...]
    batch: Lane
    gpu: Lane | None
    guarded: bool
    named: Pools


class Story:
    """The scenes, in their order."""

    def __init__(
        self, cast: Cast, stage: Stage, hands: Hands, ask_market: AskMarket, second_stage: SecondStage
    ) -> None:
        self._cast = cast
        self._stage = stage
        self._hands = hands
        self._ask_market = ask_market
        self._run_second_stage = second_stage
        self.refusal: Refusal | None = None

    def play(self) -> None:
        """Plays it.

        Raises:
            NotSeenError: a scene did not come to its end.
        """
        self._platform()
        if self._cast.guarded:
            self._guard()
        self._from_zero()
        self._eviction()
        if self._cast.batch.twins:
            self._sold_out()
            self._spot_again()
        self._evicted_again()
        self._second_stage()
        self._data_science()
        self._all_spot_taken()
        self._tried_again()
        self._back_to_zero()

    def _platform(self) -> None:
        with self._stage.scene("platform", "Charmed Kubeflow's platform and a notebook start"):
            self._hands.create(workloads.namespaces())
            charms = workloads.platform()
            self._hands.create([*charms, workloads.notebook()])
            self._stage.until_running(workloads.PLATFORM, len(charms), "platform")
            self._stage.until_running(workloads.NOTEBOOK, 1, "notebook")

    def _guard(self) -> None:
        with self._stage.scene("guard", "A platform pod asks for spot nodes"):
            self.refusal = self._hands.attempt(workloads.stray(self._cast.batch))
            self._stage.say(f"API server: {self.refusal.status} {self.refusal.message}")

    def _from_zero(self) -> None:
        lanes = [(BATCH, self._cast.batch), *([(GPU, self._cast.gpu)] if self._cast.gpu else [])]
        with self._stage.scene("from-zero", "Batch and GPU work start on spot pools that have no nodes"):
            for part, lane in lanes:
                self._start(part, lane)
            for part, lane in lanes:
                self._until_running(part, lane)
            if self._cast.gpu:
                self._stage.say(
                    "(a GPU here is a number in a simulated node's allocatable; no device plugin made it)"
                )
            spot = self._cast.batch.spot
            self._stage.until(
                lambda: not self._idle(spot), lambda: f"{', '.join(self._idle(spot))} stay without work"
            )

    def _eviction(self) -> None:
        with self._stage.scene("eviction", "Azure takes a spot node back, with 30 s notice"):
            self._ask_market(Reclaim.EVICT, self._stage.running(BATCH)[0].pool, 1)
            self._stage.until(self._one_is_taken, lambda: "no spot node was taken")
            self._stage.say(
                "the real Job controller waits 10 s before it starts an evicted task again; meanwhile:"
            )

    def _sold_out(self) -> None:
        lane = self._cast.batch
        with self._stage.scene("sold-out", "Spot sells out, and more work comes"):
            for pool in lane.spot:
                self._ask_market(Supply.SOLD_OUT, pool.name, 1)
            self._start(FALLBACK, lane)
            self._until_running(FALLBACK, lane)

    def _spot_again(self) -> None:
        lane = self._cast.batch
        with self._stage.scene(
            "spot-again", "Spot is back; running work stays, and after the back-off new work goes there"
        ):
            for pool in lane.spot:
                self._ask_market(Supply.AVAILABLE, pool.name, 1)
            self._stage.until(
                lambda: not self._backing_off(), lambda: f"{self._backing_off()} is in back-off"
            )
            self._finish(FALLBACK)
            self._stage.until(
                lambda: not self._idle(lane.twins),
                lambda: f"{', '.join(self._idle(lane.twins))} stay without work",
            )
            self._start(AGAIN, lane)
            self._until_running(AGAIN, lane)

    def _evicted_again(self) -> None:
        with self._stage.scene("evicted-again", "The evicted tasks run again, and all work comes to its end"):
            self._until_running(BATCH, self._cast.batch)
            self._finish(GPU, BATCH, AGAIN)

    def _second_stage(self) -> None:
        with self._stage.scene(
            "argo", "Kubeflow is there: `pulumi up` with kubeflow.argoRetries, the second stage"
        ):
            self._stage.say(self._run_second_stage())

    def _data_science(self) -> None:
        with self._stage.scene(
            "pipelines", "The blog's three workflows and a training, on the real Argo and training operator"
        ):
            pipelines = data_science.workflows(self._cast.named, self._cast.batch)
            training = data_science.training(self._cast.named, self._cast.gpu or self._cast.batch)
            self._hands.create([data_science.account(), *pipelines, training])
            self._stage.until_running(PIPELINES, len(pipelines), "workflows")
            self._stage.until_running(TRAINING, 1 + WORKERS, "training")

    def _all_spot_taken(self) -> None:
        with self._stage.scene("all-taken", "Azure takes every spot node they run on, with 30 s notice"):
            spot = {pool.name for pool in self._cast.pools if pool.spot}
            hit = [
                pod for part in (PIPELINES, TRAINING) for pod in self._stage.running(part) if pod.pool in spot
            ]
            for pool in sorted({pod.pool for pod in hit}):
                self._ask_market(Reclaim.EVICT, pool, ALL)
            nodes = {pod.node for pod in hit}
            self._stage.until(lambda: nodes <= self._taken(), lambda: "not every spot node was taken")
            self._stage.say(
                f"{counted(len(hit), 'pod')} lost their nodes: {', '.join(pod.task for pod in hit)}"
            )

    def _tried_again(self) -> None:
        with self._stage.scene("tried-again", "Argo and the training operator start again what was lost"):
            self._stage.until_running(PIPELINES, len(data_science.BLOG), "workflows")
            self._stage.until_running(TRAINING, 1 + WORKERS, "training")
            told: set[str] = set()

            def over() -> bool:
                """Lets every pod end as soon as it runs, once; a workflow's second step comes after its first."""
                new = [pod for part in (PIPELINES, TRAINING) for pod in self._stage.running(part)]
                new = [pod for pod in new if pod.name not in told]
                self._hands.finish_work(new)
                told.update(pod.name for pod in new)
                return all(run.state in data_science.OVER for run in self._hands.runs())

            self._stage.until(
                over, lambda: ", ".join(f"{run.name}: {run.state}" for run in self._hands.runs())
            )
            for run in self._hands.runs():
                self._stage.say(f"{run.kind} {run.name}: {run.state}")

    def _back_to_zero(self) -> None:
        with self._stage.scene("zero", "Nothing left to do: spot, GPU and fallback nodes go"):
            self._stage.until_smallest(self._cast.pools)
            sizes = (f"{pool.name} {self._stage.size(pool)}" for pool in self._cast.pools if pool.elastic)
            self._stage.say(f"nodes left: {', '.join(sizes)}")

    def _start(self, part: str, lane: Lane) -> None:
        name, tasks = JOB_NAMES[part], _tasks(part, lane)
        self._hands.create([workloads.job(name, part, lane, tasks)])
        self._stage.say(f"Job {name}: {counted(tasks, 'task')} for {_either(lane)}")

    def _until_running(self, part: str, lane: Lane) -> None:
        self._stage.until_running(part, _tasks(part, lane), f"Job {JOB_NAMES[part]}")

    def _finish(self, *parts: str) -> None:
        """Lets the work of some parts come to its end, and waits for their Jobs' own account of it."""
        for part in parts:
            self._hands.finish_work(self._stage.running(part))

        def unfinished() -> list[str]:
            return [job.name for job in self._hands.jobs() if job.part in parts and not job.complete]

        self._stage.until(lambda: not unfinished(), lambda: f"not complete: {', '.join(unfinished())}")
        for job in self._hands.jobs():
            if job.part in parts:
                done = f"{job.succeeded} of {counted(job.tasks, 'task')} done"
                self._stage.say(f"Job {job.name}: {done}, {job.failed} failures counted")

    def _one_is_taken(self) -> bool:
        return bool(self._taken())

    def _taken(self) -> set[str]:
        """Nodes that the market has taken."""
        return {line["node"] for line in self._stage.watcher.lines if line["kind"] == Kind.EVICTION}

    def _idle(self, pools: Iterable[Pool]) -> list[str]:
        """Nodes without work, those that still boot included; they would take whatever comes next."""
        return [node for pool in pools for node in self._stage.watcher.idle(pool.name)]

    def _backing_off(self) -> list[str]:
        """Spot pools that the autoscaler leaves alone now."""
        now, spot = self._stage.watcher.now(), {pool.name for pool in self._cast.batch.spot}
        failures = (line for line in self._stage.watcher.lines if line["kind"] == Kind.BACK_OFF)
        return sorted(
            {
                line["pool"]
                for line in failures
                if line["pool"] in spot and line["time"] + line["seconds"] > now
            }
        )


def _tasks(part: str, lane: Lane) -> int:
    return workloads.tasks_for(lane, 2 if part == BATCH else 1)


def _either(lane: Lane) -> str:
    return " or ".join(pool.name for pool in lane.pools)
