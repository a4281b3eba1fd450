"""What Ray really does again when workers are evicted: tasks and actors, all workers on spot and some on demand.

    python tests/benchmarks/ray_workers.py

Needs Ray (`pip install ray`), which this repository does not install; so it is no part of `make bench`. Each worker is
a raylet with one CPU on this machine, and the head, on which nothing runs, is one more. An evicted raylet and its
processes get SIGTERM; as many new ones are there again after `--boot` seconds.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")

WORKERS: Final = 4
STEP_SECONDS: Final = 0.2
TASKS: Final = 24
STEPS_OF_TASK: Final = 10
STEPS_OF_ACTOR: Final = TASKS * STEPS_OF_TASK // WORKERS
EVERY: Final = 10
"""Steps between two checkpoints of an actor."""
NEEDED: Final = TASKS * STEPS_OF_TASK
WARM_STEPS: Final = NEEDED // 2 + WORKERS * STEPS_OF_TASK // 2
"""Steps before the eviction: half of the tasks, and half of those that run."""
_LARGE: Final = 2**20
"""Bytes of a result that Ray keeps on the worker which made it; one of up to 100 KiB is sent to who waits for it."""
_STORE_BYTES: Final = 100 * 2**20
_FOREVER: Final = {"max_restarts": -1, "max_task_retries": -1}
LOSSES: Final[Mapping[str, int]] = {
    "1 of 4 workers": 1,
    "all 4 workers": WORKERS,
    "2 of 4 workers, the others are on demand": WORKERS // 2,
}


@dataclass(frozen=True)
class Log:
    """What was done, in steps: a file to which each worker appends a line for each.

    Attributes:
        folder: where the file and checkpoints are.
    """

    folder: str

    def step(self, part: int, number: int) -> None:
        """One step of a part of the work."""
        time.sleep(STEP_SECONDS)
        with (Path(self.folder) / "steps").open("a", encoding="utf-8") as file:
            file.write(f"{time.time()} {part} {number}\n")

    def steps(self) -> list[tuple[float, str]]:
        """When each was done, and which it was."""
        file = Path(self.folder) / "steps"
        lines = file.read_text(encoding="utf-8").splitlines() if file.exists() else []
        return [(float(at), which) for at, _, which in (line.partition(" ") for line in lines)]

    def save(self, part: int, number: int) -> None:
        """A checkpoint: so many steps of the part are done."""
        new = Path(self.folder) / f"new-{part}"
        new.write_text(str(number), encoding="utf-8")
        new.replace(Path(self.folder) / f"saved-{part}")

    def saved(self, part: int) -> int:
        """How many steps the checkpoint holds; 0 without one."""
        file = Path(self.folder) / f"saved-{part}"
        return int(file.read_text(encoding="utf-8")) if file.exists() else 0


def _task(log: Log, part: int, size: int) -> bytes:
    for number in range(STEPS_OF_TASK):
        log.step(part, number)
    return bytes(size)


class _Actor:
    """Work with a state, here the number of steps that are done."""

    def __init__(self, log: Log, part: int, every: int) -> None:
        self.log, self.part, self.every = log, part, every
        self.done = log.saved(part)

    def train(self) -> None:
        """All steps that are left."""
        while self.done < STEPS_OF_ACTOR:
            self.log.step(self.part, self.done)
            self.done += 1
            if self.every and self.done % self.every == 0:
                self.log.save(self.part, self.done)


@dataclass(frozen=True)
class _Started:
    """Work that runs.

    Attributes:
        results: references to them.
        actors: those that make them.
    """

    results: Sequence[Any]
    actors: Sequence[Any] = ()


def _tasks(ray: Any, log: Log, size: int) -> _Started:
    remote = ray.remote(num_cpus=1)(_task)
    return _Started([remote.remote(log, part, size) for part in range(TASKS)])


def _actors(ray: Any, log: Log, every: int, options: Mapping[str, int]) -> _Started:
    remote = ray.remote(num_cpus=1, **options)(_Actor)
    actors = [remote.remote(log, part, every) for part in range(WORKERS)]
    return _Started([actor.train.remote() for actor in actors], actors)


Work = Callable[[Any, Log], _Started]
WORK: Final[Mapping[str, Work]] = {
    "tasks with results of 1 MiB": partial(_tasks, size=_LARGE),
    "tasks with small results": partial(_tasks, size=1),
    "actors": partial(_actors, every=0, options={}),
    "actors with max_restarts": partial(_actors, every=0, options=_FOREVER),
    "actors with max_restarts and a checkpoint every 10 steps": partial(
        _actors, every=EVERY, options=_FOREVER
    ),
}


class _Cluster:
    """Ray's own cluster for tests: real processes, on this machine."""

    def __init__(self) -> None:
        made: Any = importlib.import_module("ray.cluster_utils")
        head = {"num_cpus": 0, "include_dashboard": False, **self._node()}
        self.cluster = made.Cluster(initialize_head=True, head_node_args=head)
        self.nodes = [self.add() for _ in range(WORKERS)]

    def add(self) -> Any:
        return self.cluster.add_node(num_cpus=1, **self._node())

    def evict(self, amount: int) -> None:
        for node in self.nodes[:amount]:
            self.cluster.remove_node(node)

    @staticmethod
    def _node() -> dict[str, Any]:
        return {"object_store_memory": _STORE_BYTES}


def main() -> int:
    """Prints one line of JSON for each work and loss; returns the exit code."""
    parser = argparse.ArgumentParser(
        prog="python packages/kubeflow-aks/tests/benchmarks/ray_workers.py", description=__doc__
    )
    parser.add_argument(
        "--boot", type=float, default=15.0, help="seconds until evicted workers are there again"
    )
    parser.add_argument("--only", nargs=2, metavar=("WORK", "LOSS"))
    options = parser.parse_args()
    for name, work in WORK.items():
        for loss, amount in LOSSES.items():
            if options.only is None or [name, loss] == options.only:
                with TemporaryDirectory() as folder:
                    result = _played(work, Log(folder), amount, options.boot)
                print(json.dumps({"work": name, "loss": loss, **result}), flush=True)
    return 0


def _played(work: Work, log: Log, amount: int, boot: float) -> dict[str, Any]:
    """One piece of work that loses so many workers when half of it is done."""
    ray: Any = importlib.import_module("ray")
    cluster = _Cluster()
    try:
        ray.init(address=cluster.cluster.address, log_to_driver=False, logging_level="ERROR")
        started = work(ray, log)
        while len(log.steps()) < WARM_STEPS:
            time.sleep(0.05)
        at = time.time()
        cluster.evict(amount)
        starts, missing = 1, amount
        while not (done := _is_done(ray, started)):
            if done is False:
                starts += 1  # as a RayJob with a backoffLimit
                started = work(ray, log)
            while missing and time.time() > at + boot:
                cluster.add()
                missing -= 1
        return _result(log.steps(), at, boot) | {"starts": starts}
    finally:
        ray.shutdown()
        cluster.cluster.shutdown()


def _is_done(ray: Any, started: _Started) -> bool | None:
    """Looks after it; None: it runs; False: it failed, and what is left of it is ended."""
    results = list(started.results)
    try:
        ready, others = ray.wait(results, num_returns=len(results), timeout=0.2, fetch_local=False)
        ray.get(ready, timeout=0.2)
    except ray.exceptions.GetTimeoutError:
        return None
    except ray.exceptions.RayError:
        for actor in started.actors:
            ray.kill(actor)
        return False
    return None if others else True


def _result(steps: Sequence[tuple[float, str]], at: float, boot: float) -> dict[str, Any]:
    """What was done again, and how much of the rest was done while the workers were missing."""
    before = [which for when, which in steps if when <= at]
    meanwhile = {which for when, which in steps if at < when <= at + boot} - {*before}
    return {
        "doneBefore": len(before),
        "doneAgain": len(steps) - len({which for _, which in steps}),
        "ofDoneBefore": round((len(steps) - NEEDED) / len(before), 2),
        "ofTheRestMeanwhile": round(len(meanwhile) / (NEEDED - len({*before})), 2),
    }


if __name__ == "__main__":
    sys.exit(main())
