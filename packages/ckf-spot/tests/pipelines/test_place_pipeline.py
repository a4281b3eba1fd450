"""A whole pipeline is placed in one line, in Python or compiled, and each task gets a row."""

# No `from __future__ import annotations`: kfp reads annotations as they are.

from collections.abc import Callable
from typing import Any

import pytest
import shapes
from compiling import DEMO, Compiled, compiled, component, pipeline, report, work
from hypothesis import example, given, settings
from hypothesis import strategies as st
from kfp import compiler, components, dsl

from ckf_spot import PlacementError, Pools, Report
from ckf_spot.pipelines import compiled as files

POOLS = Pools.load(DEMO)
CPU = POOLS["cpu"]


def documents(pipeline: Compiled) -> list[dict[str, Any]]:
    """What the compiler wrote."""
    return [pipeline.pipeline, pipeline.platform] if pipeline.platform else [pipeline.pipeline]


def placed_file(pipeline: Compiled, **options: Any) -> Compiled:
    """What placing makes of a compiled file."""
    placed, _ = files.place(documents(pipeline), CPU, **options)
    return Compiled(placed[0], placed[1] if len(placed) > 1 else {})


def outcome(place: Callable[[], Compiled]) -> "Compiled | str":
    """The compiled pipeline, or what placing says against it."""
    try:
        return place()
    except PlacementError as error:
        return str(error)


def place_each(task: dsl.PipelineTask) -> None:
    CPU.place(task)


NESTED = [("nested twice", ["work", ("loop", ["work", "importer"])]), "work"]


@settings(max_examples=6)
@example(shape=NESTED, exit_handler=True)
@example(shape=[("branches", [("loop", ["zoned", "tidy"]), "launcher"]), "volume"], exit_handler=False)
@given(shape=shapes.shapes(), exit_handler=st.booleans())
def test_every_way_to_place_a_whole_pipeline_gives_the_same(shape: shapes.Shape, exit_handler: bool) -> None:  # noqa: FBT001
    def made(**options: Any) -> Compiled:
        return Compiled.from_pipeline(shapes.build(shape, exit_handler=exit_handler, **options))

    def afterwards() -> Compiled:
        plain = shapes.build(shape, exit_handler=exit_handler)
        CPU.place_pipeline(plain)
        return Compiled.from_pipeline(plain)

    file = outcome(lambda: placed_file(made()))
    assert outcome(afterwards) == file
    inside = outcome(lambda: made(last=CPU.place_pipeline))
    by_hand = outcome(lambda: made(prepare=place_each))
    if isinstance(file, str):  # nothing in it can be placed: one row for the whole, not of each task
        assert file.startswith("none of the tasks can be placed on 'cpu': ")
        assert isinstance(inside, str)
        assert by_hand == made()
    else:
        assert by_hand == file
        assert not isinstance(inside, str)
        assert inside.tree == file.tree  # it names executors of nested pipelines itself
        assert placed_file(file) == file  # once more changes nothing


@component
def train() -> None:
    """Would train."""


@component
def prepare() -> None:
    """Would prepare."""


@pipeline
def inner() -> None:
    """Two tasks, one of which wants a GPU."""
    prepare()
    train().set_accelerator_limit(1)


def everything() -> Any:
    """A pipeline with a task of every sort."""

    @pipeline(name="everything")
    def made() -> None:
        with dsl.ExitHandler(report()):
            data = dsl.importer("https://example.org/data.tgz", dsl.Dataset)
            inner().after(data)  # pyright: ignore[reportAttributeAccessIssue] - a task, as inner is a pipeline
            with dsl.ParallelFor([1, 2]):
                work().set_retry(2)
            CPU.place(prepare(), require="on-demand", retries=0)

    return made


REPORT = """\
TASK                            RUNS ON
exit-handler-1/for-loop-3/work  cpuspot, cpuod  placed: 2 retries of its own within 3600s
exit-handler-1/importer         -               left alone: Kubeflow imports it on its own nodes
exit-handler-1/inner/prepare    cpuspot, cpuod  placed: 5 retries
exit-handler-1/inner/train      -               left alone: asks for nvidia.com/gpu: 1, and these pools have none
exit-handler-1/prepare          cpuod           placed before: no retries
report                          -               left alone: what reports on a run must not be lost with it
backoff_max_duration of exit-handler-1/for-loop-3/work: '1h' after its first attempt began nothing is tried again, and \
Argo kills a retry that runs; waits for nodes count too, so set '7d'"""


def test_each_task_is_reported_where_it_went_and_why_it_stayed() -> None:
    assert str(CPU.place_pipeline(everything())) == REPORT


SHORT = " after its first attempt began nothing is tried again"


@pytest.mark.parametrize(
    ("retry", "line"),
    [
        ({"backoff_duration": "5m"}, "backoff_max_duration of a, b: '1h' is over before the last of 5 retries star"),
        ({}, f"backoff_max_duration of a, b: '1h'{SHORT}"),
        ({"backoff_duration": "5m", "backoff_factor": 1.0, "backoff_max_duration": "7d"}, None),
    ],
)  # fmt: skip
def test_a_window_of_their_own_that_an_eviction_outlasts_is_one_line_for_all_tasks(
    retry: dict[str, Any], line: str | None
) -> None:
    def made() -> Any:
        @pipeline(name="two")
        def two() -> None:
            for name in ("a", "b"):
                work().set_display_name(name).set_retry(5, **retry)

        return two

    doubts = [doubt.replace("work, work-2", "a, b") for doubt in CPU.place_pipeline(made()).doubts]
    assert [doubt.startswith(line or "") for doubt in doubts] == ([True] if line else [])
    assert CPU.place_pipeline(made(), require="on-demand").doubts == ()


def test_what_one_kind_of_pools_leaves_another_one_takes() -> None:
    made = everything()
    CPU.place_pipeline(made)
    second = POOLS["gpu"].place_pipeline(made, retries=1)
    rows = {row.task: (row.outcome, row.pools, row.note) for row in second.rows}
    assert rows.pop("exit-handler-1/inner/train") == ("placed", ("gpuspot", "gpuod"), "1 retry, 1 GPU")
    assert {outcome for outcome, *_ in rows.values()} == {"placed before", "left alone"}
    placed = Compiled.from_pipeline(made)
    assert placed.accelerator("train") == {
        "count": "1", "resourceCount": "1", "resourceType": "nvidia.com/gpu", "type": "nvidia.com/gpu",
    }  # fmt: skip


def test_on_gpu_pools_what_asks_for_no_gpu_stays() -> None:
    @pipeline
    def made() -> None:
        work()
        train().set_accelerator_type("nvidia.com/gpu")

    assert [(row.task, row.note) for row in POOLS["gpu"].place_pipeline(made).rows] == [
        ("train", "5 retries, 1 GPU"),
        ("work", "asks for no nvidia.com/gpu, and these are GPU pools"),
    ]


@pytest.mark.parametrize(
    ("except_", "left"),
    [
        ("work", {"a/work", "b/a/work", "work"}),
        (["a/work"], {"a/work"}),
        ({"b"}, {"b/a/prepare", "b/a/work", "b/prepare"}),
        (("b/a", "work"), {"a/work", "b/a/prepare", "b/a/work", "work"}),
    ],
)
def test_tasks_that_are_named_stay(except_: Any, left: set[str]) -> None:
    def places(last: Callable[[], Any]) -> Any:
        @pipeline
        def a() -> None:
            prepare()
            work()

        @pipeline
        def b() -> None:
            a()
            prepare()

        @pipeline(name="c")
        def c() -> None:
            a()
            b()
            work()
            last()

        return c

    reports: list[Any] = []
    inside = places(lambda: reports.append(CPU.place_pipeline(except_=except_)))
    after = places(lambda: None)
    reports.append(CPU.place_pipeline(after, except_=except_))
    assert [{row.task for row in report.rows if row.outcome == "left alone"} for report in reports] == [
        left,
        left,
    ]
    assert {row.note for report in reports for row in report.rows if row.task in left} == {"named in except_"}
    assert Compiled.from_pipeline(inside).tree == Compiled.from_pipeline(after).tree
    assert len(Compiled.from_pipeline(after).placements) == 6 - len(left)


def test_a_name_that_no_task_has() -> None:
    made = everything()
    before = Compiled.from_pipeline(made)
    with pytest.raises(PlacementError) as error:
        CPU.place_pipeline(made, except_=("trian", "work"), retries=-1)
    assert str(error.value) == (
        "retries: -1 is not allowed; expected a whole number from 0\n"
        "except_: 'trian' is no task of the pipeline; expected exit-handler-1/for-loop-3/work, "
        "exit-handler-1/importer, exit-handler-1/inner/prepare, exit-handler-1/inner/train, "
        "exit-handler-1/prepare, report"
    )
    assert Compiled.from_pipeline(made) == before


def test_mistakes_of_all_tasks_are_reported_at_once_and_nothing_is_placed() -> None:
    @pipeline
    def made() -> None:
        train().set_accelerator_type("TPU_V3")
        work().set_accelerator_limit(8).set_accelerator_type("nvidia.com/gpu")
        prepare().set_accelerator_limit(1)

    before = Compiled.from_pipeline(made)
    with pytest.raises(PlacementError) as error:
        POOLS["gpu"].place_pipeline(made)
    assert str(error.value).splitlines() == [
        "accelerator type of task 'train': 'TPU_V3' is not allowed; expected nvidia.com/gpu",
        "gpus: 'work' asks for nvidia.com/gpu: 8, and a node of gpuspot, gpuod has 1; expected 1",
    ]
    assert Compiled.from_pipeline(made) == before


def test_nothing_that_could_be_placed() -> None:
    @pipeline
    def made() -> None:
        work()

    with pytest.raises(PlacementError) as error:
        POOLS["gpu"].place_pipeline(made)
    assert str(error.value) == (
        "none of the tasks can be placed on 'gpu': work (asks for no nvidia.com/gpu, and these are GPU pools)"
    )


def test_on_an_old_backend_tasks_in_a_loop_would_have_no_retries() -> None:
    old = Pools.load(DEMO, backend="2.5")["cpu"]

    @pipeline
    def made() -> None:
        work()
        with dsl.ParallelFor([1, 2]):
            prepare()

    with pytest.raises(PlacementError) as error:
        old.place_pipeline(made, by="node-selector")
    assert str(error.value) == (
        "backend: '2.5' retries no task inside a loop, a condition, an exit handler or a nested pipeline, such as "
        "'for-loop-2/prepare'; expected retries=0, or backend 2.14 or newer"
    )
    old.place_pipeline(made, by="node-selector", except_="prepare")
    old.place_pipeline(made, by="node-selector", retries=0)
    placed = Compiled.from_pipeline(made)
    assert placed.placement("prepare") == placed.placement("work") != {}
    assert placed.retry_policy() is not None


def test_an_old_backend_refuses_the_pipeline_whoever_stays() -> None:
    with pytest.raises(
        PlacementError, match=r"task 'report': backend '2.5' runs no pipeline with PipelineTaskFinal"
    ):
        Pools.load(DEMO, backend="2.5")["cpu"].place_pipeline(
            everything(), by="node-selector", retries=0, except_="report"
        )


def test_a_nested_pipeline_stays_as_it_is_for_others() -> None:
    before = Compiled.from_pipeline(inner)

    @pipeline
    def outer() -> None:
        inner()
        CPU.place_pipeline()

    assert Compiled.from_pipeline(outer).placements.keys() == {"exec-inner--prepare"}
    assert Compiled.from_pipeline(inner) == before


def test_a_pipeline_is_changed_for_those_who_use_it_later() -> None:
    @pipeline
    def used() -> None:
        work()

    @pipeline
    def earlier() -> None:
        used()

    @pipeline
    def both() -> None:
        task: Any = used()
        CPU.place_pipeline(used)
        assert task.pipeline_spec is not None
        used()

    assert Compiled.from_pipeline(earlier).placements == {}
    assert Compiled.from_pipeline(both).placements.keys() == {"exec-work", "exec-work-2"}


def test_a_compiled_pipeline_that_was_loaded(tmp_path: Any) -> None:
    made = everything()
    compiler.Compiler().compile(made, str(tmp_path / "p.yaml"))
    loaded: Any = components.load_component_from_file(str(tmp_path / "p.yaml"))
    CPU.place_pipeline(loaded)
    CPU.place_pipeline(made)
    assert Compiled.from_pipeline(loaded) == Compiled.from_pipeline(made)


def test_outside_of_a_pipeline() -> None:
    with pytest.raises(PlacementError) as error:
        CPU.place_pipeline()
    assert str(error.value) == "pipeline is missing; name one, or call place_pipeline() inside @dsl.pipeline"


@pytest.mark.parametrize("wrong", [work, "training", 5])
def test_what_is_no_pipeline(wrong: Any) -> None:
    with pytest.raises(
        PlacementError, match=r"^pipeline: .* is no pipeline; expected a function with @dsl.pipeline$"
    ):
        CPU.place_pipeline(wrong)


def test_a_notebook_shows_the_table() -> None:
    report = CPU.place_pipeline(everything())
    assert isinstance(report, Report)
    assert repr(report) == str(report) == REPORT


def test_tasks_of_the_same_name_in_nested_pipelines_are_not_mixed_up() -> None:
    """Kfp itself would do that: `test_traps.py` shows it."""

    @pipeline
    def nested() -> None:
        prepare()
        work()

    @pipeline
    def outer() -> None:
        work()
        nested()
        CPU.place_pipeline(except_="nested")
        CPU.place_pipeline(require="spot", except_="prepare")

    placed = Compiled.from_pipeline(outer)
    assert placed.placements == {
        "exec-work": compiled(CPU.place).placement(),
        "exec-nested--work": compiled(lambda task: CPU.place(task, require="spot")).placement(),
    }
