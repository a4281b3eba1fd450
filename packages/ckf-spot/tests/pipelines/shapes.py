"""Pipelines of every shape that kfp compiles, made up for properties."""

from collections.abc import Callable
from typing import Any

from compiling import component, launcher, pipeline, report, work
from hypothesis import strategies as st
from kfp import dsl, kubernetes

Prepare = Callable[[dsl.PipelineTask], object]
"""What is done with each task right after it is made."""
Shape = list[Any]
"""Parts in order: the name of a task's kind, or a pair of a group's kind and what is in it."""

ZONE = {"key": "topology.kubernetes.io/zone", "operator": "In", "values": ["0"]}


@component
def zoned() -> None:
    """Runs in one zone; a component of its own, as kfp mixes up the settings of those with the same name."""


@component
def hungry() -> None:
    """Needs much; a component of its own, as kfp mixes up tasks of one component in nested pipelines."""


@component
def tidy() -> None:
    """Runs even after a failure."""


@component
def choose() -> str:
    """Says which branch is taken."""
    return "a"


def _zoned() -> Any:
    return kubernetes.add_node_affinity(zoned(), [ZONE])


_TASKS: dict[str, Callable[[], Any]] = {
    "work": work,
    "hungry": lambda: hungry().set_cpu_request("3").set_memory_limit("20G"),
    "zoned": _zoned,
    "launcher": launcher,
    "importer": lambda: dsl.importer("https://example.org/data.tgz", dsl.Dataset),
    "volume": lambda: kubernetes.CreatePVC(access_modes=["ReadWriteOnce"], size="1Gi", pvc_name_suffix="-a"),
    "tidy": lambda: tidy().ignore_upstream_failure(),
}
_GROUPS = ("loop", "condition", "branches")
_NESTED = ("nested", "nested twice")


def shapes() -> st.SearchStrategy[Shape]:
    """A few tasks, some of them in groups in each other, some in nested pipelines.

    A nested pipeline has tasks of different kinds, and no group: the compiler gives two groups the same name otherwise
    (kubeflow/pipelines#11484), and two executors.
    """
    kinds = sorted(_TASKS)
    tasks = st.sampled_from(kinds)
    nested = st.tuples(st.sampled_from(_NESTED), st.lists(tasks, min_size=1, max_size=3, unique=True))

    def in_groups(inner: st.SearchStrategy[Shape]) -> st.SearchStrategy[Shape]:
        return st.lists(tasks | nested | st.tuples(st.sampled_from(_GROUPS), inner), min_size=1, max_size=3)

    return st.recursive(st.lists(tasks | nested, min_size=1, max_size=3), in_groups, max_leaves=4)


def _as_it_is(task: dsl.PipelineTask) -> None:
    """Does nothing with it."""


def build(
    shape: Shape,
    *,
    exit_handler: bool,
    prepare: Prepare = _as_it_is,
    last: Callable[[], object] | None = None,
) -> Any:
    """The pipeline.

    Args:
        shape: its parts.
        exit_handler: whether an exit handler is around all of it.
        prepare: called with every task that is no pipeline.
        last: called at the end of the pipeline's function.
    """
    make = _maker(shape, prepare)

    @pipeline(name="made-up")
    def made_up() -> None:
        if exit_handler:
            with dsl.ExitHandler(last_words := report()):
                make()
            prepare(last_words)
        else:
            make()
        if last:
            last()

    return made_up


def _maker(shape: Shape, prepare: Prepare) -> Callable[[], None]:
    """What makes the parts in the pipeline whose function runs; nested pipelines are made at once."""
    makers = [_part(part, prepare) for part in shape]

    def make() -> None:
        for maker in makers:
            maker()

    return make


def _part(part: Any, prepare: Prepare) -> Callable[[], object]:
    if isinstance(part, str):
        return lambda: prepare(_TASKS[part]())
    kind, inner = part
    make = _maker(inner, prepare)
    if kind.startswith("nested"):

        @pipeline(name="inner")
        def nested() -> None:
            make()

        calls: Any = nested
        return lambda: [calls() for _ in range(1 + kind.endswith("twice"))]
    return lambda: _group(kind, make, prepare)


def _group(kind: str, make: Callable[[], None], prepare: Prepare) -> None:
    if kind == "loop":
        with dsl.ParallelFor([1, 2]):
            make()
        return
    choice = choose()
    prepare(choice)
    with dsl.If(choice.output == "a"):
        make()
    if kind == "branches":
        with dsl.Else():
            prepare(work())
