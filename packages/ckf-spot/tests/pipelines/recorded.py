"""What Kubeflow Pipelines 2.15.0 and 2.16.0, compiler and driver, made of pipelines that this package had placed.

`data/kfp-*-recording.json` say what was run. Some of the pipelines are the examples; the others are written here
again, and what they compile to today is held against what was recorded.
"""
# ruff: noqa: ANN201 - the components' source is part of what was recorded

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from compiling import Compiled, component, pipeline
from kfp import dsl

from ckf_spot import Pools, Target

RELEASES: Final = ("2.15", "2.16")
_PIN: Final = re.compile(r"(==|kfp-)\d+(\.\d+)+")


@dataclass(frozen=True)
class Recorded:
    """One pipeline as it was recorded.

    Attributes:
        patches: what the driver made of each task, by template and driver task: fields of the pod.
        retries: what the compiler made of `set_retry`, by template and task: numbers as Argo gets them.
    """

    patches: dict[str, dict[str, Any]]
    retries: dict[str, dict[str, str]]


def _read(release: str) -> dict[str, dict[str, Any]]:
    file = Path(__file__).parent / "data" / f"kfp-{release}-recording.json"
    return json.loads(file.read_text(encoding="utf-8"))["pipelines"]


COMPILED: Final[dict[str, list[dict[str, Any]]]] = {name: made["ir"] for name, made in _read("2.15").items()}
"""The compiled documents that each release got, by name: the pipeline, and where its tasks run if one says so."""
RECORDED: Final = {
    release: {name: Recorded(made["patches"], made["retries"]) for name, made in _read(release).items()}
    for release in RELEASES
}
"""By release and name."""


def without_pins(documents: object) -> Any:
    """The same but for the versions of the SDK and of what steps install."""
    return json.loads(_PIN.sub(r"\g<1>0", json.dumps(documents)))


@dataclass
class Placing:
    """Places tasks, and keeps the request for each, by the name of its template and itself.

    Attributes:
        requests: group and arguments of `place`.
    """

    requests: dict[str, tuple[Target, Mapping[str, Any]]] = field(default_factory=dict)

    def __call__(self, name: str, task: Any, group: Target, **how: Any) -> Any:
        """Places a task; returns it."""
        self.requests[name] = (group, how)
        return group.place(task, **how)


Build = Callable[[Pools, Placing], Any]


@component
def work() -> str:
    return "x"


@component
def take(x: int):
    print(x)


@component
def use(d: dsl.Input[dsl.Dataset]):
    print(d.path)


@component
def report(status: dsl.PipelineTaskFinalStatus):
    print(status)


def _one_task(name: str, workload: str, **how: Any) -> Build:
    def build(pools: Pools, place: Placing) -> Any:
        @pipeline(name=name)
        def one_task() -> None:
            place("root--work", work(), pools[workload], **how)

        return one_task

    return build


def _loop(pools: Pools, place: Placing) -> Any:
    @pipeline(name="c1-parallelfor")
    def loop() -> None:
        with dsl.ParallelFor([1, 2, 3], parallelism=2) as item:
            place("comp-for-loop-2--take", take(x=item), pools["cpu"])

    return loop


def _conditions(pools: Pools, place: Placing) -> Any:
    @pipeline(name="c3-condition")
    def conditions(flag: str = "x") -> None:
        first = place("root--work", work(), pools["cpu"])
        with dsl.If(first.output == "x"):
            place("comp-condition-2--work-2", work(), pools["gpu"])
        with dsl.Elif(flag == "y"):  # pyright: ignore[reportArgumentType] - a channel here
            place("comp-condition-3--work-3", work(), pools["cpu"], require="spot")
        with dsl.Else():
            place("comp-condition-4--work-4", work(), pools["cpu"], require="on-demand", retries=0)

    return conditions


def _exit_handler(pools: Pools, place: Placing) -> Any:
    @pipeline(name="c4-exit-handler")
    def exit_handler() -> None:
        with dsl.ExitHandler(pools["cpu"].place(report())):
            place("comp-exit-handler-1--work", work(), pools["cpu"])

    return exit_handler


def _inner(pools: Pools, place: Placing) -> Any:
    @pipeline(name="inner")
    def inner(x: int = 1) -> str:
        first = place("comp-inner--take", take(x=x), pools["cpu"])
        last = work().after(first)
        return place("comp-inner--work", last, pools["gpu"], require="spot", retries=2).output

    return inner


def _nested(pools: Pools, place: Placing) -> Any:
    inner = _inner(pools, place)

    @pipeline(name="c5-nested")
    def nested() -> None:
        before = inner(x=4)
        place("root--work", work().after(before), pools["cpu"])

    return nested


def _nested_in_loop(pools: Pools, place: Placing) -> Any:
    inner = _inner(pools, place)

    @pipeline(name="c7-nested-in-loop")
    def nested_in_loop() -> None:
        with dsl.ParallelFor([1, 2]) as item:
            inner(x=item)

    return nested_in_loop


def _importer(pools: Pools, place: Placing) -> Any:
    @pipeline(name="d1-importer")
    def importer() -> None:
        imported = dsl.importer(artifact_uri="gs://x/y", artifact_class=dsl.Dataset)
        place("root--use", use(d=pools["cpu"].place(imported).output), pools["cpu"])

    return importer


def _broken_factor(_pools: Pools, _place: Placing) -> Any:
    @pipeline(name="t5-factor-1.5")
    def broken_factor() -> None:
        work().set_retry(3, "60s", 1.5, "3600s")

    return broken_factor


BUILDS: Final[Mapping[str, Build]] = {
    "a1-prefer": _one_task("a1-prefer", "cpu", prefer="spot"),
    "a2-require-spot": _one_task("a2-require-spot", "cpu", require="spot"),
    "a3-on-demand": _one_task("a3-on-demand", "cpu", require="on-demand"),
    "a4-gpu-prefer": _one_task("a4-gpu-prefer", "gpu", prefer="spot"),
    "c1-parallelfor": _loop,
    "c3-condition": _conditions,
    "c4-exit-handler": _exit_handler,
    "c5-nested": _nested,
    "c7-nested-in-loop": _nested_in_loop,
    "d1-importer": _importer,
    "e1-25-selector": _one_task("e1-25-selector", "cpu", by="node-selector"),
    "t5-factor-1.5": _broken_factor,
}
"""How the recorded pipelines that are no examples are made."""


@dataclass(frozen=True)
class Made:
    """A recorded pipeline made again.

    Attributes:
        compiled: what it compiles to today.
        requests: requests to `place`, by template and task.
    """

    compiled: Compiled
    requests: Mapping[str, tuple[Target, Mapping[str, Any]]]


def make(name: str, pools: Pools) -> Made:
    """Makes one of `BUILDS` again."""
    place = Placing()
    return Made(Compiled.from_pipeline(BUILDS[name](pools, place)), place.requests)
