"""Calls of kfp that do not do what they seem to, and what `place` does instead (docs/facts/placement.md#traps-of-kfp).

Each test first shows the trap in the pinned SDK itself, so that it fails when an upgrade has closed it.
"""

from typing import Any

import pytest
from compiling import Compiled, compiled, component, env_launcher, pipeline, work
from kfp import dsl, kubernetes

from ckf_spot import Pools

SPOT = {"key": "kubernetes.azure.com/scalesetpriority", "operator": "In", "values": ["spot"]}
GPU = {"key": "kubeflow-aks/workload", "operator": "In", "values": ["gpu"]}


def required(pipeline: Compiled) -> list[Any]:
    """The required terms, any of which lets the pod run."""
    return [term for term in pipeline.placement()["nodeAffinity"] if "weight" not in term]


def test_two_calls_for_spot_and_gpu_mean_either_of_them(pools: Pools) -> None:
    def by_hand(task: dsl.PipelineTask) -> None:
        kubernetes.add_node_affinity(task, [SPOT])
        kubernetes.add_node_affinity(task, [GPU])

    assert len(required(compiled(by_hand))) == 2
    placed = compiled(lambda task: pools["gpu"].place(task, require="spot"))
    assert required(placed) == [{"matchExpressions": [GPU, SPOT]}]


def test_a_preference_alone_lets_the_task_run_next_to_kubeflow(pools: Pools) -> None:
    by_hand = compiled(lambda task: kubernetes.add_node_affinity(task, [SPOT], weight=100))
    assert required(by_hand) == []
    assert required(compiled(pools["gpu"].place)) == [{"matchExpressions": [GPU]}]


def test_a_gpu_limit_without_a_type_is_no_gpu(pools: Pools) -> None:
    by_hand = compiled(lambda task: task.set_accelerator_limit(1)).accelerator()
    assert by_hand is not None
    assert "resourceType" not in by_hand
    placed = compiled(pools["gpu"].place).accelerator()
    assert placed is not None
    assert placed["resourceType"] == "nvidia.com/gpu"


def test_the_sdks_own_retry_doubles_its_waits_and_ends_after_an_hour(pools: Pools) -> None:
    by_hand = compiled(lambda task: task.set_retry(5, "5m")).retry_policy()
    assert by_hand is not None
    assert (by_hand["backoffFactor"], by_hand["backoffMaxDuration"]) == (2.0, "3600s")
    placed = compiled(lambda task: pools["cpu"].place(task, retries=5, backoff="5m")).retry_policy()
    assert placed is not None
    assert (placed["backoffFactor"], placed["backoffMaxDuration"]) == (1.0, "604800s")


def test_a_backoff_factor_of_zero_becomes_two() -> None:
    by_hand = compiled(lambda task: task.set_retry(5, "5m", 0)).retry_policy()
    assert by_hand is not None
    assert by_hand["backoffFactor"] == 2.0


def test_a_fraction_as_backoff_factor_compiles_though_argo_cannot_read_it(pools: Pools) -> None:
    by_hand = compiled(lambda task: task.set_retry(5, "5m", 1.5)).retry_policy()
    assert by_hand is not None
    assert by_hand["backoffFactor"] == 1.5
    placed = compiled(pools["cpu"].place).retry_policy()
    assert placed is not None
    assert float(placed["backoffFactor"]).is_integer()


def test_an_importer_loses_its_placement_without_a_word() -> None:
    @pipeline
    def tested() -> None:
        task: Any = dsl.importer("https://example.org/data.tgz", dsl.Dataset)
        kubernetes.add_node_affinity(task, [SPOT])

    assert Compiled.from_pipeline(tested).platform == {}


def test_the_blogs_misspelt_backoff_is_an_error() -> None:
    def blog(task: Any) -> None:
        task.set_retry(num_retries=5, backoff_dureation="5m")

    with pytest.raises(TypeError, match="backoff_dureation"):
        compiled(blog)


def test_the_blogs_ways_to_place_a_task_are_gone() -> None:
    def gone(task: Any) -> None:
        assert not hasattr(task, "add_toleration")
        assert not hasattr(task, "add_affinity")

    compiled(gone)
    assert not hasattr(dsl, "ContainerOp")


def test_the_manuals_node_selector_is_an_error() -> None:
    def manual(task: Any) -> None:
        task.add_node_selector_constraint("cloud.my-cloud.com/gpu-accelerator", "accelerator-name")

    with pytest.raises(TypeError, match="positional argument"):
        compiled(manual)


def test_the_manuals_node_selector_with_one_argument_is_an_accelerator_type() -> None:
    def manual(task: dsl.PipelineTask) -> None:
        with pytest.warns(DeprecationWarning, match="set_accelerator_type"):
            task.add_node_selector_constraint("kubernetes.azure.com/scalesetpriority")

    compiled_pipeline = compiled(manual)
    assert compiled_pipeline.placement() == {}
    accelerator = compiled_pipeline.accelerator()
    assert accelerator is not None
    assert accelerator["resourceType"] == "kubernetes.azure.com/scalesetpriority"


def test_a_pipeline_as_a_task_is_refused_only_when_it_is_compiled() -> None:
    @pipeline
    def inner() -> None:
        work()

    with pytest.raises(ValueError, match="only be set on primitive components"):

        @pipeline
        def outer() -> None:  # pyright: ignore[reportUnusedFunction] - the decorator compiles it
            task: Any = inner()
            kubernetes.add_node_affinity(task, [SPOT])


def test_kfp_mixes_up_settings_of_tasks_of_the_same_name_in_nested_pipelines(pools: Pools) -> None:
    """Which of them depends on the order of a protobuf map, which is another one in each process."""

    @component
    def other() -> None:
        """Has a namesake too."""

    @pipeline
    def nested() -> None:
        for task in (other(), work()):
            pools["gpu"].place(task)

    @pipeline
    def outer() -> None:
        for task in (other(), work()):
            pools["cpu"].place(task)
        nested()

    terms = [
        placement["nodeAffinity"][0]["matchExpressions"]
        for placement in Compiled.from_pipeline(outer).placements.values()
    ]
    assert terms.count([GPU]) == 3  # two were placed there


def test_kfp_refuses_what_a_component_does_not_hand_on_and_only_when_it_compiles() -> None:
    with pytest.raises(ValueError, match="cannot handle resource type 'KUBERNETES_TOLERATIONS'"):

        @pipeline
        def tested() -> None:  # pyright: ignore[reportUnusedFunction] - the decorator compiles it
            kubernetes.add_toleration(env_launcher(), "team", "Exists")
