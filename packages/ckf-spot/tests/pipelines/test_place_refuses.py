"""What `place` refuses: one line with the name, the value and what is allowed; the task stays as it was."""

import sys
from collections.abc import Callable
from importlib import metadata
from typing import Any

import pytest
from compiling import DEMO, Compiled, compiled, env_launcher, launcher, pipeline, report, work
from kfp import dsl, kubernetes

from ckf_spot import PlacementError, Pools, Target, install
from ckf_spot.backend import PORT_FROM_V1

DURATION = "a whole number with s, m, h or d, such as '30s', '5m', '2h' or '7d', up to '3650d'"


def as_it_is(task: dsl.PipelineTask) -> dsl.PipelineTask:
    """Prepares nothing."""
    return task


def refusal(group: Target, prepare: Callable[[dsl.PipelineTask], object] = as_it_is, **arguments: Any) -> str:
    """What `place` says; the compiled pipeline must be the one without it."""
    message: list[str] = []

    def refused(task: dsl.PipelineTask) -> None:
        prepare(task)
        with pytest.raises(PlacementError) as error:
            group.place(task, **arguments)
        message.append(str(error.value))

    assert compiled(refused) == compiled(prepare)
    return message[0]


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


@pytest.mark.parametrize(
    ("amounts", "message"),
    [
        ({"memory_request": "64G"}, "memory: 59.6Gi"),
        ({"memory_limit": "64G"}, "memory: 59.6Gi"),
        ({"cpu_limit": "16"}, "cpu: 16"),
        ({"cpu_request": "2", "memory_request": "64G", "memory_limit": "96G"}, "memory: 59.6Gi"),
    ],
)
def test_more_than_a_node_has(amounts: dict[str, str], message: str) -> None:
    def prepare(task: dsl.PipelineTask) -> None:
        for name, amount in amounts.items():
            getattr(task, f"set_{name}")(amount)

    assert refusal(Pools.sample()["cpu"], prepare).startswith(
        f"task 'work': {message} contradicts the pools cpuspot, cpuod; expected"
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


@pytest.mark.parametrize("gpus", [-1, 1.0, True, "1"])
def test_gpus_that_are_no_number(pools: Pools, gpus: object) -> None:
    assert (
        refusal(pools["gpu"], gpus=gpus) == f"gpus: {gpus!r} is not allowed; expected a whole number from 0"
    )


def test_more_gpus_than_a_node_has(pools: Pools) -> None:
    assert refusal(pools["gpu"], gpus=2) == (
        "gpus: 'work' asks for nvidia.com/gpu: 2, and a node of gpuspot, gpuod has 1; expected 1"
    )


def test_a_gpu_node_without_gpu_work(pools: Pools) -> None:
    assert refusal(pools["gpu"], gpus=0) == (
        "gpus: 'work' asks for no nvidia.com/gpu, and gpuspot, gpuod are GPU pools: a GPU node without GPU work; "
        "expected a limit of 1 nvidia.com/gpu, or another pool"
    )


def test_gpus_on_nodes_without(pools: Pools) -> None:
    message = (
        "gpus: 'work' asks for nvidia.com/gpu: 1, and a node of cpuspot, cpuod has 0; expected a GPU pool"
    )
    assert refusal(pools["cpu"], gpus=1) == message
    assert refusal(pools["cpu"], lambda task: task.set_accelerator_limit(1)) == message


def test_gpus_that_contradict_the_tasks_own(pools: Pools) -> None:
    assert refusal(pools["gpu"], lambda task: task.set_accelerator_limit(2), gpus=1) == (
        "gpus: 1 contradicts the accelerator limit 2 of task 'work'; leave one of them out"
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

    Compiled.from_pipeline(tested)


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
            "backend: '2.5' retries no task inside a loop, a condition, an exit handler or a nested pipeline, such as "
            "'for-loop-2/work'; expected retries=0, or backend 2.14 or newer"
        )

    assert set(Compiled.from_pipeline(tested).placements) == {"exec-work-2"}


def test_an_unknown_selection(pools: Pools) -> None:
    assert refusal(pools["cpu"], by="hand") == (
        "by: 'hand' is not allowed; expected node-affinity, node-selector"
    )


def test_several_pools_that_no_node_selector_can_name(pools: Pools) -> None:
    assert refusal(pools["cpuspot"], by="node-selector") == (
        "a node selector can name one pool or one workload only, and these are several pools: cpuspot, cpuod; "
        "name one of them"
    )


@pytest.mark.parametrize("by", ["node-affinity", "node-selector"])
def test_a_task_placed_before(pools: Pools, by: Any) -> None:
    def before(task: dsl.PipelineTask) -> None:
        pools["cpu"].place(task, by=by, retries=0)

    message = "task 'work': it is placed already, on cpuspot, cpuod; place it once"
    assert refusal(pools["cpu"], before, by=by, require="spot") == message
    assert refusal(pools["gpu"], before, by=by).splitlines()[0] == message


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
        assert str(error.value) == (
            "task 'inner': it is a pipeline, and has no pod; place the tasks inside it, all of them with place_pipeline"
        )

    Compiled.from_pipeline(outer)


def test_something_that_is_no_task(pools: Pools) -> None:
    with pytest.raises(PlacementError, match=r"^'str' is no Kubernetes object; expected a dict"):
        pools["cpu"].place("work")  # pyright: ignore


def test_a_component_or_a_pipeline_instead_of_a_task(pools: Pools) -> None:
    with pytest.raises(PlacementError) as error:
        pools["cpu"].place(work)
    assert str(error.value) == (
        "task: 'work' is a component or a pipeline; place what it returns inside @dsl.pipeline; "
        "place_pipeline places all tasks of a pipeline"
    )


@pytest.mark.parametrize("package", ["kfp", "kfp-kubernetes"])
def test_an_sdk_that_cuts_the_window_to_an_hour(
    pools: Pools, monkeypatch: pytest.MonkeyPatch, package: str
) -> None:
    installed = {"kfp": "2.17.0", "kfp-kubernetes": "2.17.0", package: "2.16.1"}
    monkeypatch.setattr(metadata, "version", installed.get)
    assert refusal(pools["cpu"]) == (
        f"{package}: 2.16.1 is too old: before 2.17, kfp ends a task's retries after 3600 s whatever the task sets; "
        "expected 2.17 or newer, which compiles for older backends as well"
    )


def test_kfp_v1_is_refused_before_a_module_of_v2_is_looked_for(
    pools: Pools, monkeypatch: pytest.MonkeyPatch
) -> None:
    def version(name: str) -> str:
        if name == "kfp-kubernetes":  # v1 has none
            raise metadata.PackageNotFoundError(name)
        return "1.8.22"

    monkeypatch.setattr(metadata, "version", version)
    monkeypatch.setitem(sys.modules, "ckf_spot.pipelines.tasks", None)  # importing it fails, as with kfp v1
    operation = type("ContainerOp", (), {"__module__": "kfp.dsl._container_op"})()
    group: Any = pools["cpu"]
    for place in (lambda: group.place(operation), group.place_pipeline):
        with pytest.raises(PlacementError) as error:
            place()
        assert str(error.value) == f"kfp: 1.8.22 is kfp v1, whose tasks can't be placed; {PORT_FROM_V1}"


def test_kfp_without_its_kubernetes_half(pools: Pools, monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> str:
        if name == "kfp-kubernetes":
            raise metadata.PackageNotFoundError(name)
        return "2.17.0"

    monkeypatch.setattr(metadata, "version", missing)
    assert refusal(pools["cpu"]) == f"kfp-kubernetes is missing; {install.hint('kfp')}"


def test_every_mistake_is_reported_at_once(old_pools: Pools) -> None:
    message = refusal(
        old_pools["gpu"],
        lambda task: task.set_retry(1),
        require="cheap",
        retries=3,
        backoff="5",
        give_up="x",
        gpus=9,
    )
    assert [line.split(":")[0] for line in message.splitlines()] == [
        "backend",
        "require",
        "backoff",
        "give_up",
        "retries",
        "gpus",
    ]


WISHES = "preferredDuringSchedulingIgnoredDuringExecution"
ZONE = {"key": "topology.kubernetes.io/zone", "operator": "In", "values": ["0"]}
SPOT = {"key": "kubernetes.azure.com/scalesetpriority", "operator": "In", "values": ["spot"]}


def selecting(key: str, value: str) -> Callable[[dsl.PipelineTask], object]:
    """Gives the task a node selector."""
    return lambda task: kubernetes.add_node_selector(task, key, value)


@pytest.mark.parametrize("by", ["node-affinity", "node-selector"])
def test_a_node_selector_to_other_pools(pools: Pools, by: Any) -> None:
    label = "kubernetes.azure.com/scalesetpriority"
    assert refusal(pools["cpu"], selecting("agentpool", "general"), by=by) == (
        "task 'work'.nodeSelector: agentpool: 'general' contradicts the pools cpuspot, cpuod; expected cpuspot, cpuod"
    )
    assert refusal(pools["cpu"], selecting(label, "spot"), require="on-demand", by=by) == (
        f"task 'work'.nodeSelector: {label}: 'spot' contradicts the pools cpuod; expected to leave it out"
    )
    assert refusal(pools["cpu"], selecting(label, "spot"), by=by) == (
        f"task 'work': its own nodeSelector: {label} allows only cpuspot, and so never cpuod, the on-demand nodes that "
        "prefer='spot' asks for too; leave it out, or ask for require='spot'"
    )


def test_nodes_of_its_own_on_which_it_stays(pools: Pools) -> None:
    general = selecting("kubernetes.azure.com/agentpool", "general")
    assert refusal(pools["cpu"], general) == "task 'work': it is placed already, on general; place it once"


def test_affinity_of_its_own_to_other_nodes(pools: Pools) -> None:
    not_spot = {"key": "kubernetes.azure.com/scalesetpriority", "operator": "DoesNotExist"}
    assert refusal(
        pools["cpu"], lambda task: kubernetes.add_node_affinity(task, [not_spot]), require="spot"
    ) == (
        "task 'work'.affinity.nodeAffinity: kubernetes.azure.com/scalesetpriority DoesNotExist contradicts the pools "
        "cpuspot; expected spot"
    )


def test_a_node_selector_that_is_a_structure(pools: Pools) -> None:
    message = (
        "task 'work': add_node_selector_json makes Kubeflow ignore plain node selectors, and may contradict the pools "
        "when it runs; take add_node_selector"
    )

    def selected(task: dsl.PipelineTask) -> None:
        kubernetes.add_node_selector_json(task, {"disk": "fast"})

    assert refusal(pools["cpu"], selected) == message

    @pipeline
    def tested(nodes: dict[str, str]) -> None:
        task = work()
        kubernetes.add_node_selector_json(task, nodes)  # pyright: ignore[reportArgumentType] - a channel
        with pytest.raises(PlacementError) as error:
            pools["cpu"].place(task)
        assert str(error.value) == message

    Compiled.from_pipeline(tested)


def test_node_affinity_that_is_a_structure(pools: Pools) -> None:
    terms = {"nodeSelectorTerms": [{"matchExpressions": [ZONE]}]}

    def selected(task: dsl.PipelineTask) -> None:
        kubernetes.add_node_affinity_json(task, {"requiredDuringSchedulingIgnoredDuringExecution": terms})

    assert refusal(pools["cpu"], selected) == (
        "task 'work': add_node_affinity_json adds terms that let it run where the placement forbids it: Kubernetes ORs "
        "terms; take add_node_affinity"
    )


@pytest.mark.parametrize("wishes", [[], [{"weight": 1, "preference": {"matchExpressions": [ZONE]}}]])
def test_a_structure_of_wishes_alone_contradicts_nothing(pools: Pools, wishes: list[Any]) -> None:
    @pipeline(name="wishes")
    def wishing() -> None:
        task = work()
        kubernetes.add_node_affinity_json(task, {WISHES: wishes})
        pools["cpu"].place(task)

    settings = Compiled.from_pipeline(wishing).placement()
    assert wishes == settings["nodeAffinity"][-1]["nodeAffinityJson"]["runtimeValue"]["constant"][WISHES]


def test_affinity_of_its_own_on_a_backend_that_ignores_it(old_pools: Pools) -> None:
    assert (
        refusal(old_pools["cpu"], lambda task: kubernetes.add_node_affinity(task, [ZONE]), by="node-selector")
        == "task 'work': backend '2.5' ignores its node affinity; expected add_node_selector, or a newer backend"
    )


@pytest.mark.parametrize(
    ("group", "by", "lacking"),
    [
        ("cpu", "node-affinity", "KUBERNETES_TOLERATIONS, KUBERNETES_AFFINITY"),
        ("cpu", "node-selector", "KUBERNETES_TOLERATIONS, KUBERNETES_NODE_SELECTOR"),
        ("gpu", "node-affinity", "KUBERNETES_TOLERATIONS, KUBERNETES_AFFINITY, RESOURCES"),
    ],
)
def test_a_component_that_does_not_hand_on_what_placing_sets(
    pools: Pools, group: str, by: Any, lacking: str
) -> None:
    @pipeline
    def tested() -> None:
        with pytest.raises(PlacementError) as error:
            pools[group].place(env_launcher(), by=by)
        assert str(error.value) == (
            "task 'env-launcher': its component lists task_config_passthroughs without all that placing sets, which "
            f"kfp refuses to compile; add {lacking}"
        )

    Compiled.from_pipeline(tested)


def test_a_component_that_hands_its_placement_on_to_a_backend_that_knows_nothing_of_it() -> None:
    @pipeline
    def tested() -> None:
        with pytest.raises(PlacementError) as error:
            Pools.load(DEMO, backend="2.14")["cpu"].place(launcher())
        assert str(error.value) == (
            "task 'launcher': backend '2.14' runs no pipeline with task_config_passthroughs, which 2.15 was the first "
            "to know; expected a newer backend"
        )

    Compiled.from_pipeline(tested)


def test_a_notification_on_a_backend_that_knows_no_final_status(old_pools: Pools) -> None:
    @pipeline
    def tested() -> None:
        last = report()
        with pytest.raises(PlacementError) as error:
            old_pools["cpu"].place(last, by="node-selector")
        assert str(error.value) == (
            "task 'report': backend '2.5' runs no pipeline with PipelineTaskFinalStatus, which 2.14 was the first to "
            "know; expected a newer backend"
        )
        with dsl.ExitHandler(last):
            work()

    Compiled.from_pipeline(tested)


def test_retries_that_would_be_undone(pools: Pools) -> None:
    def undo(task: dsl.PipelineTask) -> None:
        pools["cpu"].place(task)
        with pytest.raises(PlacementError) as error:
            task.set_retry(1)
        assert str(error.value) == (
            "task 'work': set_retry after place() undoes its retries; give place() the retries, or retries=0 to keep "
            "to set_retry before it"
        )

    policy = compiled(undo).retry_policy()
    assert policy is not None
    assert policy["maxRetryCount"] == 5


def test_retries_after_a_placement_without_any_are_the_tasks_own(pools: Pools) -> None:
    policy = compiled(lambda task: pools["cpu"].place(task, retries=0).set_retry(1)).retry_policy()
    assert policy is not None
    assert policy["maxRetryCount"] == 1


def test_options_that_a_task_has_not(pools: Pools) -> None:
    assert refusal(pools["cpu"], also=("Master",), trainer_api="2.2").splitlines() == [
        "also: ('Master',) is not for a pipeline's task; leave it out",
        "trainer_api: '2.2' is not for a pipeline's task; leave it out",
    ]
