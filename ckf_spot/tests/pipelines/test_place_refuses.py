"""What `place` refuses: one line with the name, the value and what is allowed; the task stays as it was."""

from collections.abc import Callable
from importlib import metadata
from typing import Any

import pytest
from compiling import Compiled, compiled, pipeline, work
from kfp import dsl, kubernetes

from ckf_spot import PlacementError, PoolGroup, Pools

DURATION = "a whole number with s, m, h or d, such as '30s', '5m', '2h' or '7d', up to '3650d'"


def as_it_is(task: dsl.PipelineTask) -> dsl.PipelineTask:
    """Prepares nothing."""
    return task


def refusal(
    group: PoolGroup, prepare: Callable[[dsl.PipelineTask], object] = as_it_is, **arguments: Any
) -> str:
    """What `place` says; the compiled pipeline must be the one without it."""
    said: list[str] = []

    def refused(task: dsl.PipelineTask) -> None:
        prepare(task)
        with pytest.raises(PlacementError) as error:
            group.place(task, **arguments)
        said.append(str(error.value))

    assert compiled(refused) == compiled(prepare)
    return said[0]


def test_unknown_capacity(pools: Pools) -> None:
    assert refusal(pools["cpu"], prefer="cheap") == "prefer: 'cheap' is not allowed; expected spot"
    assert (
        refusal(pools["cpu"], require="cheap") == "require: 'cheap' is not allowed; expected spot, on-demand"
    )


def test_prefer_together_with_require(pools: Pools) -> None:
    assert refusal(pools["cpu"], prefer="spot", require="spot") == (
        "prefer='spot' and require='spot' contradict each other; give one of them"
    )


def test_a_pool_without_spot(pools: Pools) -> None:
    assert refusal(pools["general"]) == (
        "prefer='spot': 'general' has no spot pool; its pools: general (on-demand)"
    )


@pytest.mark.parametrize("retries", [-1, 1.5, "5", True])
def test_retries_that_are_no_number(pools: Pools, retries: object) -> None:
    assert refusal(pools["cpu"], retries=retries) == (
        f"retries: {retries!r} is not allowed; expected a whole number from 0"
    )


@pytest.mark.parametrize("text", ["5", "5 m", "5min", "1.5h", "-5m", "", "forever", "3651d", "5M", 300])
@pytest.mark.parametrize("name", ["backoff", "give_up"])
def test_durations_that_are_none(pools: Pools, name: str, text: object) -> None:
    argument: dict[str, Any] = {name: text}
    assert refusal(pools["cpu"], **argument) == f"{name}: {text!r} is no duration; expected {DURATION}"


def test_a_window_that_closes_before_the_last_retry(pools: Pools) -> None:
    assert refusal(pools["cpu"], retries=5, backoff="5m", give_up="25m") == (
        "give_up: '25m' is over before the last of 5 retries starts, each after 5m, and Argo kills what runs then; "
        "expected more than '25m', by the time that all attempts take"
    )


def test_a_window_just_long_enough_is_allowed(pools: Pools) -> None:
    policy = compiled(lambda task: pools["cpu"].place(task, give_up="1501s")).retry_policy()
    assert policy is not None
    assert policy["backoffMaxDuration"] == "1501s"


@pytest.mark.parametrize("gpus", [0, 2, True, "1"])
def test_more_gpus_than_a_node_has(pools: Pools, gpus: object) -> None:
    assert refusal(pools["gpu"], gpus=gpus) == (
        f"gpus: {gpus!r} is not allowed on 'gpu'; expected from 1 to 1, all that a node has"
    )


def test_gpus_on_nodes_without(pools: Pools) -> None:
    said = "gpus: 1 is not allowed on 'cpu'; expected none, as its nodes have no GPU"
    assert refusal(pools["cpu"], gpus=1) == said
    assert refusal(pools["cpu"], lambda task: task.set_accelerator_limit(1)) == said


def test_gpus_that_contradict_the_tasks_own(pools: Pools) -> None:
    assert refusal(pools["gpu"], lambda task: task.set_accelerator_limit(2), gpus=1) == (
        "gpus: 1 contradicts the task's accelerator limit 2; leave one of them out"
    )


def test_another_accelerator(pools: Pools) -> None:
    assert refusal(pools["gpu"], lambda task: task.set_accelerator_type("TPU_V3")) == (
        "accelerator type of task 'work': 'TPU_V3' is not allowed; expected nvidia.com/gpu"
    )


def test_a_gpu_limit_from_a_parameter(pools: Pools) -> None:
    @pipeline
    def tested(gpus: int = 1) -> None:
        task = work().set_accelerator_limit(gpus)
        with pytest.raises(PlacementError, match=r"known at run time only.*expected a whole number"):
            pools["gpu"].place(task)

    Compiled.of(tested)


def test_node_affinity_on_a_backend_that_ignores_it(old_pools: Pools) -> None:
    assert refusal(old_pools["cpu"]) == (
        "backend: '2.5' ignores node affinity, which 2.14 was the first to read; "
        "expected by='node-selector', or a newer backend"
    )


def test_retries_in_a_loop_on_a_backend_that_ignores_them(old_pools: Pools) -> None:
    @pipeline
    def tested() -> None:
        with dsl.ParallelFor([1, 2]):
            with pytest.raises(PlacementError) as error:
                old_pools["cpu"].place(work(), by="node-selector")
            old_pools["cpu"].place(work(), by="node-selector", retries=0)
        assert str(error.value) == (
            "backend: '2.5' retries no task inside a loop, a condition or an exit handler, such as 'work'; "
            "expected retries=0, or backend 2.15 or newer"
        )

    assert set(Compiled.of(tested).placements) == {"exec-work-2"}


def test_an_unknown_selection(pools: Pools) -> None:
    assert refusal(pools["cpu"], by="hand") == (
        "by: 'hand' is not allowed; expected node-affinity, node-selector"
    )


def test_several_pools_that_no_node_selector_can_name(pools: Pools) -> None:
    assert refusal(pools["cpuspot"], by="node-selector") == (
        "a node selector can name one pool or one workload only, and these are several pools: cpuspot, cpuod; "
        "name one of them"
    )


PLACED = (
    "task 'work' is placed already, or has required node affinity of its own; place it once, and leave that out: "
    "Kubernetes ORs required terms, so a second one would let it run where the first forbids it"
)


@pytest.mark.parametrize("by", ["node-affinity", "node-selector"])
def test_a_task_placed_before(pools: Pools, by: Any) -> None:
    def before(task: dsl.PipelineTask) -> None:
        pools["cpu"].place(task, by=by, retries=0)

    assert refusal(pools["cpu"], before, by=by, require="spot") == PLACED


def test_a_task_with_required_affinity_of_its_own(pools: Pools) -> None:
    zone = {"key": "topology.kubernetes.io/zone", "operator": "In", "values": ["westeurope-1"]}
    assert refusal(pools["cpu"], lambda task: kubernetes.add_node_affinity(task, [zone])) == PLACED


def test_a_task_with_retries_of_its_own(pools: Pools) -> None:
    assert refusal(pools["cpu"], lambda task: task.set_retry(2)) == (
        "retries: 5 contradicts set_retry of task 'work'; expected 0, or leave set_retry out"
    )


def test_a_pipeline_used_as_a_task(pools: Pools) -> None:
    @pipeline
    def inner() -> None:
        work()

    @pipeline
    def outer() -> None:
        with pytest.raises(PlacementError) as error:
            pools["cpu"].place(inner())  # pyright: ignore[reportArgumentType] - a task, as inner is a pipeline
        assert str(error.value) == "task 'inner' is a pipeline, and has no pod; place the tasks inside it"

    Compiled.of(outer)


def test_something_that_is_no_task(pools: Pools) -> None:
    with pytest.raises(PlacementError, match=r"^task: 'work' is no task; expected what a component returns"):
        pools["cpu"].place("work")  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize("package", ["kfp", "kfp-kubernetes"])
def test_an_sdk_that_cuts_the_window_to_an_hour(
    pools: Pools, monkeypatch: pytest.MonkeyPatch, package: str
) -> None:
    installed = {"kfp": "2.17.0", "kfp-kubernetes": "2.17.0", package: "2.16.1"}
    monkeypatch.setattr(metadata, "version", installed.get)
    assert refusal(pools["cpu"]) == (
        f"{package}: 2.16.1 is too old: before 2.17, kfp ends a task's retries after 3600 s whatever it is told; "
        "expected 2.17 or newer, which compiles for older backends as well"
    )


def test_kfp_without_its_kubernetes_half(pools: Pools, monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> str:
        if name == "kfp-kubernetes":
            raise metadata.PackageNotFoundError(name)
        return "2.17.0"

    monkeypatch.setattr(metadata, "version", missing)
    assert refusal(pools["cpu"]) == "kfp-kubernetes is missing; pip install 'ckf-spot[kfp]'"


def test_every_mistake_is_told_at_once(old_pools: Pools) -> None:
    said = refusal(
        old_pools["gpu"],
        lambda task: task.set_retry(1),
        require="cheap",
        retries=3,
        backoff="5",
        give_up="x",
        gpus=9,
    )
    assert [line.split(":")[0] for line in said.splitlines()] == [
        "backend",
        "require",
        "backoff",
        "give_up",
        "retries",
        "gpus",
    ]
