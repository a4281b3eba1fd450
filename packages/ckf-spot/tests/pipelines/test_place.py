"""What `place` writes into a compiled pipeline."""

import pytest
from compiling import Compiled, compiled, launcher, pipeline, report, work
from kfp import dsl, kubernetes

from ckf_spot import EvictionWarning, Pools, Report
from ckf_spot.pipelines import compiled as files

SPOT = {"key": "kubernetes.azure.com/scalesetpriority", "operator": "In", "values": ["spot"]}
ON_DEMAND = {"key": "kubernetes.azure.com/scalesetpriority", "operator": "DoesNotExist"}
CPU = {"key": "kubeflow-aks/workload", "operator": "In", "values": ["cpu"]}


def tolerated(pipeline: Compiled) -> set[str]:
    """Keys of the taints that the task tolerates."""
    return {toleration["key"] for toleration in pipeline.placement()["tolerations"]}


def test_prefer_covers_spot_and_its_on_demand_twin_and_wishes_for_spot(pools: Pools) -> None:
    placed = compiled(lambda task: pools["cpu"].place(task, prefer="spot"))
    assert placed.placement()["nodeAffinity"] == [
        {"matchExpressions": [CPU]},
        {"matchExpressions": [SPOT], "weight": 100.0},
    ]
    assert tolerated(placed) == {"kubernetes.azure.com/scalesetpriority", "kubeflow-aks/fallback"}


def test_prefer_spot_is_what_leaving_it_out_means(pools: Pools) -> None:
    assert compiled(pools["cpu"].place) == compiled(lambda task: pools["cpu"].place(task, prefer="spot"))


def test_require_spot_is_one_term_with_both_expressions(pools: Pools) -> None:
    placed = compiled(lambda task: pools["cpu"].place(task, require="spot"))
    assert placed.placement()["nodeAffinity"] == [{"matchExpressions": [CPU, SPOT]}]
    assert tolerated(placed) == {"kubernetes.azure.com/scalesetpriority"}


def test_require_on_demand_keeps_away_from_spot(pools: Pools) -> None:
    placed = compiled(lambda task: pools["cpu"].place(task, require="on-demand"))
    assert placed.placement()["nodeAffinity"] == [{"matchExpressions": [CPU, ON_DEMAND]}]
    assert tolerated(placed) == {"kubeflow-aks/fallback"}


def test_a_pools_name_means_that_pool_and_its_twin(pools: Pools) -> None:
    placed = compiled(pools["cpuspot"].place)
    names = {
        "key": "kubernetes.azure.com/agentpool",
        "operator": "In",
        "values": ["cpuspot", "cpuod"],
    }
    assert placed.placement()["nodeAffinity"][0] == {"matchExpressions": [names]}


def test_tolerations_are_by_key_and_effect(pools: Pools) -> None:
    for toleration in compiled(pools["gpu"].place).placement()["tolerations"]:
        assert toleration == {"key": toleration["key"], "operator": "Exists", "effect": "NoSchedule"}


def test_tolerations_of_the_users_own_stay(pools: Pools) -> None:
    def build(task: dsl.PipelineTask) -> None:
        kubernetes.add_toleration(task, key="team", operator="Equal", value="a", effect="NoSchedule")
        pools["cpu"].place(task)

    assert "team" in tolerated(compiled(build))


def test_a_narrower_toleration_of_the_users_own_goes(pools: Pools) -> None:
    """Two of a key can't stay: PodTolerationRestriction drops the narrower one, and the API server refuses that."""

    def build(task: dsl.PipelineTask) -> None:
        kubernetes.add_toleration(
            task, "kubernetes.azure.com/scalesetpriority", "Equal", "spot", "NoSchedule"
        )
        pools["cpu"].place(task)

    assert compiled(build).placement() == compiled(pools["cpu"].place).placement()


def test_tolerations_from_a_parameter_stay_beside_the_others(pools: Pools) -> None:
    @pipeline
    def tested(more: list[str]) -> None:
        task = work()
        kubernetes.add_toleration_json(task, more)  # pyright: ignore[reportArgumentType] - a channel
        pools["cpu"].place(task)

    tolerations = Compiled.from_pipeline(tested).placement()["tolerations"]
    assert "tolerationJson" in tolerations[0]
    assert tolerations[1:] == compiled(pools["cpu"].place).placement()["tolerations"]


def test_affinity_of_the_users_own_holds_together_with_the_placement(pools: Pools) -> None:
    zones = [
        {"key": "topology.kubernetes.io/zone", "operator": "In", "values": [zone]} for zone in ("1", "2")
    ]

    def build(task: dsl.PipelineTask) -> None:
        kubernetes.add_node_affinity(task, [zones[0]])
        kubernetes.add_node_affinity(task, [zones[1]])
        kubernetes.add_node_affinity(task, [zones[1]], weight=3)
        pools["cpu"].place(task)

    assert compiled(build).placement()["nodeAffinity"] == [
        {"matchExpressions": [zones[0], CPU]},
        {"matchExpressions": [zones[1], CPU]},
        {"matchExpressions": [zones[1]], "weight": 3.0},
        {"matchExpressions": [SPOT], "weight": 100.0},
    ]


def test_other_settings_of_the_task_stay(pools: Pools) -> None:
    def build(task: dsl.PipelineTask) -> None:
        kubernetes.use_secret_as_env(task, "secret", {"key": "KEY"})
        kubernetes.set_timeout(task, 60)

    def both(task: dsl.PipelineTask) -> None:
        build(task)
        pools["cpu"].place(task)

    assert (
        compiled(both).placement() == compiled(build).placement() | compiled(pools["cpu"].place).placement()
    )


def test_placing_twice_is_placing_once(pools: Pools) -> None:
    assert compiled(lambda task: pools["gpu"].place(pools["gpu"].place(task))) == compiled(pools["gpu"].place)


def test_retries_wait_the_same_each_time_and_for_a_week_in_all(pools: Pools) -> None:
    placed = compiled(lambda task: pools["cpu"].place(task, retries=3, backoff="90s"))
    assert placed.retry_policy() == {
        "maxRetryCount": 3,
        "backoffDuration": "90s",
        "backoffFactor": 1.0,
        "backoffMaxDuration": "604800s",
    }


def test_give_up_is_written_in_seconds(pools: Pools) -> None:
    policy = compiled(lambda task: pools["cpu"].place(task, give_up="2h")).retry_policy()
    assert policy is not None
    assert policy["backoffMaxDuration"] == "7200s"


def test_without_retries_the_tasks_own_stay(pools: Pools) -> None:
    unplaced = compiled(lambda task: task.set_retry(2, "1m", 1, "1h"))
    placed = compiled(lambda task: pools["cpu"].place(task.set_retry(2, "1m", 1, "1h"), retries=0))
    assert placed.retry_policy() == unplaced.retry_policy() is not None


def test_without_retries_none_are_written(pools: Pools) -> None:
    assert compiled(lambda task: pools["cpu"].place(task, retries=0)).retry_policy() is None


def test_a_task_on_gpu_nodes_asks_for_one_gpu_by_type_and_count(pools: Pools) -> None:
    accelerator = compiled(pools["gpu"].place).accelerator()
    assert accelerator is not None
    assert (accelerator["resourceType"], accelerator["resourceCount"]) == ("nvidia.com/gpu", "1")


def test_a_limit_without_a_type_is_completed(pools: Pools) -> None:
    placed = compiled(lambda task: pools["gpu"].place(task.set_accelerator_limit(1)))
    assert placed.accelerator() == compiled(lambda task: pools["gpu"].place(task, gpus=1)).accelerator()


def test_a_task_on_nodes_without_gpus_asks_for_none(pools: Pools) -> None:
    assert compiled(pools["cpu"].place).accelerator() is None
    assert compiled(lambda task: pools["cpu"].place(task, gpus=0)).accelerator() is None


def test_cpu_and_memory_of_the_users_own_stay(pools: Pools) -> None:
    placed = compiled(lambda task: pools["gpu"].place(task.set_cpu_request("3").set_memory_limit("20G")))
    resources = placed.pipeline["deploymentSpec"]["executors"]["exec-work"]["container"]["resources"]
    assert (resources["resourceCpuRequest"], resources["resourceMemoryLimit"]) == ("3", "20G")


def test_node_selectors_cover_spot_and_twin_on_old_backends(old_pools: Pools) -> None:
    placed = compiled(lambda task: old_pools["cpu"].place(task, by="node-selector"))
    assert placed.placement()["nodeSelector"] == {"labels": {"kubeflow-aks/workload": "cpu"}}
    assert "nodeAffinity" not in placed.placement()
    assert tolerated(placed) == {"kubernetes.azure.com/scalesetpriority", "kubeflow-aks/fallback"}


def test_node_selectors_require_spot_by_two_labels(old_pools: Pools) -> None:
    placed = compiled(lambda task: old_pools["cpu"].place(task, require="spot", by="node-selector"))
    assert placed.placement()["nodeSelector"] == {
        "labels": {"kubeflow-aks/workload": "cpu", "kubernetes.azure.com/scalesetpriority": "spot"}
    }


def test_node_selectors_require_on_demand_by_the_pools_name(old_pools: Pools) -> None:
    placed = compiled(lambda task: old_pools["cpu"].place(task, require="on-demand", by="node-selector"))
    assert placed.placement()["nodeSelector"] == {"labels": {"kubernetes.azure.com/agentpool": "cpuod"}}


def test_place_gives_the_task_back(pools: Pools) -> None:
    def build(task: dsl.PipelineTask) -> None:
        assert pools["cpu"].place(task) is task

    compiled(build)


def test_tasks_in_loops_and_conditions_are_placed_and_retried(pools: Pools) -> None:
    @pipeline
    def looping() -> None:
        with dsl.ParallelFor([1, 2]):
            pools["cpu"].place(work())

    placed = Compiled.from_pipeline(looping)
    inner = placed.pipeline["components"]["comp-for-loop-2"]["dag"]["tasks"]["work"]
    assert inner["retryPolicy"]["maxRetryCount"] == 5
    assert placed.placement()["nodeAffinity"]


def test_importers_are_left_alone(pools: Pools) -> None:
    def importing(*, placed: bool) -> Compiled:
        @pipeline(name="importing")
        def tested() -> None:
            task = dsl.importer("https://example.org/data.tgz", dsl.Dataset)
            if placed:
                pools["gpu"].place(task)

        return Compiled.from_pipeline(tested)

    assert importing(placed=True) == importing(placed=False)


@pytest.mark.parametrize("when", ["before", "after"])
def test_notifications_are_left_alone(pools: Pools, when: str) -> None:
    @pipeline
    def notifying() -> None:
        last = report()
        if when == "before":
            pools["cpu"].place(last)
        with dsl.ExitHandler(last):
            pools["cpu"].place(work())
        if when == "after":
            pools["cpu"].place(last)

    placed = Compiled.from_pipeline(notifying)
    assert set(placed.placements) == {"exec-work"}
    assert placed.retry_policy("report") is None


def test_exit_tasks_are_left_alone_once_they_are_known_to_be_some(pools: Pools) -> None:
    @pipeline
    def tidying() -> None:
        last = work()
        with dsl.ExitHandler(last):
            work()
        pools["cpu"].place(last)

    assert Compiled.from_pipeline(tidying).placements == {}


def test_tasks_that_run_even_after_a_failure_are_left_alone(pools: Pools) -> None:
    @pipeline
    def tidying() -> None:
        pools["cpu"].place(work().after(work()).ignore_upstream_failure())

    assert Compiled.from_pipeline(tidying).placements == {}


def test_what_kubeflow_does_without_a_pod_is_left_alone(pools: Pools) -> None:
    @pipeline
    def storing() -> None:
        pools["cpu"].place(
            kubernetes.CreatePVC(access_modes=["ReadWriteOnce"], size="1Gi", pvc_name_suffix="-a")
        )

    assert Compiled.from_pipeline(storing).placements == {}


def test_a_component_that_hands_its_placement_on_is_placed(pools: Pools) -> None:
    @pipeline
    def launching() -> None:
        pools["gpu"].place(launcher())

    placed = Compiled.from_pipeline(launching)
    assert placed.placement("launcher") == compiled(pools["gpu"].place).placement()
    fields = placed.pipeline["components"]["comp-launcher"]["taskConfigPassthroughs"]
    assert len(fields) == 3


ELSEWHERE = "cloud.google.com/gke-accelerator"
NOT_KNOWN = (
    f"task 'work'.nodeSelector: {ELSEWHERE}: 'nvidia-l4' is not known of the nodes of cpuspot, cpuod; "
    "see that they have it; otherwise the pod waits for ever"
)


def elsewhere(task: dsl.PipelineTask) -> dsl.PipelineTask:
    """Selects nodes as in another cloud."""
    return kubernetes.add_node_selector(task, ELSEWHERE, "nvidia-l4")


def test_a_label_that_nobody_knows_of_the_nodes_gets_a_line(pools: Pools) -> None:
    with pytest.warns(EvictionWarning) as warned:
        placed = compiled(lambda task: pools["cpu"].place(elsewhere(task)))
    assert [(str(warning.message), warning.filename) for warning in warned] == [(NOT_KNOWN, __file__)]
    assert placed.placement()["nodeSelector"] == {"labels": {ELSEWHERE: "nvidia-l4"}}
    assert tolerated(placed)


def test_a_label_that_nobody_knows_stands_below_the_table_of_a_whole_pipeline(pools: Pools) -> None:
    before = compiled(elsewhere)
    placed, of_file = files.place([before.pipeline, before.platform], pools["cpu"])
    assert (of_file.doubts, of_file.rows[0].outcome) == ((NOT_KNOWN,), "placed")
    assert str(of_file).splitlines()[-1] == NOT_KNOWN
    reports: list[Report] = []

    def whole(task: dsl.PipelineTask) -> None:
        elsewhere(task)
        reports.append(pools["cpu"].place_pipeline())

    assert compiled(whole) == Compiled(placed[0], placed[1])
    assert reports == [of_file]
