"""TrainJobs: the placement where each release of Kubeflow Trainer looks for it."""

from types import SimpleNamespace
from typing import Any

import pytest
from kubeflow_trainer_api import models
from samples import GPU, ON_SPOT, POOL, WORKLOAD, Json, example, expressions, place

from ckf_spot import EvictionWarning, PlacementError, Pools, TrainOption
from ckf_spot.kinds.trainer import MANAGER

SHAPES = {
    "2.0": "podSpecOverrides",
    "2.1": "podTemplateOverrides",
    "2.2": "runtimePatches",
    "2.3": "runtimePatches",
}
APIS = tuple(SHAPES)


def pod(placed: Json, api: str) -> Json:
    entry = placed["spec"][SHAPES[api]][-1]
    if api == "2.0":
        return entry
    if api == "2.1":
        return entry["spec"]
    return entry["trainingRuntimeSpec"]["template"]["spec"]["replicatedJobs"][0]["template"]["spec"][
        "template"
    ]["spec"]


@pytest.mark.parametrize("api", APIS)
def test_each_release_gets_its_own_field_alone(pools: Pools, api: str) -> None:
    placed = place(example("trainjob"), pools["gpu"], trainer_api=api)["spec"]
    assert [field for field in placed if field in SHAPES.values()] == [SHAPES[api]]


@pytest.mark.parametrize("api", APIS[1:])
def test_from_2_1_on_spot_is_preferred_by_affinity(pools: Pools, api: str) -> None:
    spec = pod(place(example("trainjob"), pools["gpu"], trainer_api=api), api)
    assert expressions(spec) == [[{"key": WORKLOAD, "operator": "In", "values": ["gpu"]}]]


def test_2_0_takes_a_node_selector(pools: Pools) -> None:
    spec = pod(place(example("trainjob"), pools["gpu"], trainer_api="2.0", require="spot"), "2.0")
    assert spec["nodeSelector"] == {WORKLOAD: "gpu", ON_SPOT["key"]: "spot"}
    assert "affinity" not in spec


def test_2_0_can_not_name_two_pools(pools: Pools) -> None:
    with pytest.raises(PlacementError, match=r"several pools: gpuspot, gpuod; name one of them"):
        place(example("trainjob"), pools["gpuspot"], trainer_api="2.0")


def test_2_0_names_the_only_pool_there_is(pools: Pools) -> None:
    spec = pod(place(example("trainjob"), pools["gpu"], trainer_api="2.0", require="on-demand"), "2.0")
    assert spec["nodeSelector"] == {POOL: "gpuod"}


@pytest.mark.parametrize("api", APIS)
def test_only_2_3_takes_a_grace_period(pools: Pools, api: str) -> None:
    spec = pod(place(example("trainjob"), pools["gpu"], trainer_api=api), api)
    assert ("terminationGracePeriodSeconds" in spec) == (api == "2.3")


@pytest.mark.parametrize(("seconds", "placed"), [(10, 10), (600, 25)])
def test_2_3_keeps_a_shorter_grace_period_of_its_own(pools: Pools, seconds: int, placed: int) -> None:
    document = place(example("trainjob"), pools["gpu"], trainer_api="2.3")
    pod(document, "2.3")["terminationGracePeriodSeconds"] = seconds
    again = place(document, pools["gpu"], trainer_api="2.3")
    assert pod(again, "2.3")["terminationGracePeriodSeconds"] == placed


def test_the_trainers_own_model_knows_every_field(pools: Pools) -> None:
    placed = place(example("trainjob"), pools["gpu"], trainer_api="2.3")
    model: Any = models.TrainerV1alpha1TrainJob.from_dict(placed)
    patch = model.to_dict()["spec"]["runtimePatches"]
    assert patch == placed["spec"]["runtimePatches"]


def test_a_model_of_the_sdk_becomes_the_same_as_its_yaml(pools: Pools) -> None:
    document = example("trainjob")
    model = models.TrainerV1alpha1TrainJob.from_dict(document)
    assert place(model, pools["gpu"], trainer_api="2.2") == place(document, pools["gpu"], trainer_api="2.2")


@pytest.mark.parametrize("api", APIS)
def test_placing_twice_is_placing_once(pools: Pools, api: str) -> None:
    once = place(example("trainjob"), pools["gpu"], trainer_api=api)
    assert place(once, pools["gpu"], trainer_api=api) == once


def test_two_jobs_of_the_runtime_can_be_placed_one_after_the_other(pools: Pools) -> None:
    once = place(example("trainjob"), pools["gpu"], trainer_api="2.2", target="launcher", require="on-demand")
    (patch,) = place(once, pools["gpu"], trainer_api="2.2")["spec"]["runtimePatches"]
    jobs = patch["trainingRuntimeSpec"]["template"]["spec"]["replicatedJobs"]
    assert [job["name"] for job in jobs] == ["launcher", "node"]


def test_what_an_override_of_the_same_pods_says_else_stays(pools: Pools) -> None:
    document = example("trainjob")
    override = {"targetJobs": [{"name": "node"}], "spec": {"serviceAccountName": "trainer"}}
    document["spec"]["podTemplateOverrides"] = [override]
    (placed,) = place(document, pools["gpu"], trainer_api="2.1")["spec"]["podTemplateOverrides"]
    assert placed["spec"]["serviceAccountName"] == "trainer"


def test_the_patches_of_others_stay(pools: Pools) -> None:
    other = {"manager": "kueue.x-k8s.io/manager"}
    document = example("trainjob")
    document["spec"]["runtimePatches"] = [other]
    managers = [
        patch["manager"]
        for patch in place(document, pools["gpu"], trainer_api="2.2")["spec"]["runtimePatches"]
    ]
    assert managers == ["kueue.x-k8s.io/manager", MANAGER]


def test_the_placement_repeats_what_an_earlier_override_says_since_trainer_keeps_the_last_list(
    pools: Pools,
) -> None:
    theirs = {"key": "team", "operator": "Exists"}
    document = example("trainjob")
    targets = [{"name": "node"}, {"name": "launcher"}]
    pod = {"tolerations": [theirs], "affinity": {"podAntiAffinity": {"a": []}}, "serviceAccountName": "s"}
    document["spec"]["podTemplateOverrides"] = [{"targetJobs": targets, "spec": pod}]
    once = place(document, pools["gpu"], trainer_api="2.1")
    other, ours = once["spec"]["podTemplateOverrides"]
    assert other["spec"] == pod, "it stays"
    assert ours["targetJobs"] == [{"name": "node"}]
    assert theirs in ours["spec"]["tolerations"]
    assert ours["spec"]["affinity"].keys() == {"nodeAffinity", "podAntiAffinity"}
    assert "serviceAccountName" not in ours["spec"]
    assert place(once, pools["gpu"], trainer_api="2.1") == once


def test_a_node_selector_that_leaves_no_pool_is_refused(pools: Pools) -> None:
    document = example("trainjob")
    override = {"targetJobs": [{"name": "node"}], "spec": {"nodeSelector": {POOL: "general"}}}
    document["spec"]["podTemplateOverrides"] = [override]
    with pytest.raises(PlacementError, match=r"'general' contradicts the pools gpuspot, gpuod"):
        place(document, pools["gpu"], trainer_api="2.1")


@pytest.mark.parametrize("api", APIS)
def test_another_releases_field_is_refused_with_the_right_one(pools: Pools, api: str) -> None:
    wrong = "podSpecOverrides" if api != "2.0" else "runtimePatches"
    document = example("trainjob")
    document["spec"][wrong] = []
    with pytest.raises(PlacementError) as error:
        place(document, pools["gpu"], trainer_api=api)
    assert str(error.value) == f"spec.{wrong}: unknown field; Trainer {api} takes {SHAPES[api]} instead"


@pytest.mark.parametrize("api", APIS)
def test_an_override_under_the_trainer_is_refused_with_its_right_place(pools: Pools, api: str) -> None:
    document = example("trainjob")
    document["spec"]["trainer"][SHAPES[api]] = []
    with pytest.raises(PlacementError) as error:
        place(document, pools["gpu"], trainer_api=api)
    field = SHAPES[api]
    assert str(error.value) == f"spec.trainer.{field}: unknown field; it belongs under spec.{field}"


def test_an_unknown_release_is_refused(pools: Pools) -> None:
    unknown: Any = "1.9"
    with pytest.raises(PlacementError, match=r"api: '1.9' is not allowed; expected 2.0, 2.1, 2.2, 2.3"):
        place(example("trainjob"), pools["gpu"], trainer_api=unknown)


def test_gpu_nodes_without_gpu_work_are_refused(pools: Pools) -> None:
    document = example("trainjob")
    document["spec"]["trainer"]["resourcesPerNode"] = {"requests": {"cpu": 1}}
    with pytest.raises(
        PlacementError,
        match=r"^spec.trainer.resourcesPerNode: 'trainer' asks for no",
    ):
        place(document, pools["gpu"], trainer_api="2.2")


def test_a_trainer_that_leaves_its_resources_to_the_runtime_is_placed(pools: Pools) -> None:
    document = example("trainjob")
    del document["spec"]["trainer"]["resourcesPerNode"]
    assert place(document, pools["gpu"], trainer_api="2.2")["spec"]["runtimePatches"]


def test_an_option_of_the_sdk_makes_the_same_patch(pools: Pools) -> None:
    spec: Json = {}
    TrainOption(pools["gpu"])(spec, SimpleNamespace(resources_per_node={"gpu": 1}), None)
    placed = place(example("trainjob"), pools["gpu"], trainer_api="2.2")
    assert spec["spec"]["runtimePatches"] == placed["spec"]["runtimePatches"]


@pytest.mark.parametrize(("resources", "message"), [({"cpu": 1}, "asks for no"), ({"gpu": 4}, f"{GPU}: 4")])
def test_an_option_checks_the_trainers_gpus(pools: Pools, resources: Json, message: str) -> None:
    with pytest.raises(PlacementError, match=message):
        TrainOption(pools["gpu"])({}, SimpleNamespace(resources_per_node=resources), None)


def with_launcher(runtime: str = "deepspeed-distributed", **trainer: Any) -> Json:
    document = example("trainjob")
    document["spec"]["runtimeRef"]["name"] = runtime
    document["spec"]["trainer"].update(trainer)
    return document


def replicated(placed: Json, api: str) -> dict[str, Json]:
    """The pods' spec of each of the runtime's jobs that is placed."""
    entries = placed["spec"][SHAPES[api]]
    if api in ("2.0", "2.1"):
        return {entry["targetJobs"][0]["name"]: entry if api == "2.0" else entry["spec"] for entry in entries}
    [patch] = entries
    jobs = patch["trainingRuntimeSpec"]["template"]["spec"]["replicatedJobs"]
    return {job["name"]: job["template"]["spec"]["template"]["spec"] for job in jobs}


@pytest.mark.parametrize("api", APIS[1:])
@pytest.mark.parametrize("runtime", ["deepspeed-distributed", "mlx-distributed", "mpi-distributed"])
def test_a_launcher_that_is_a_node_goes_to_on_demand_nodes_of_the_workload(
    pools: Pools, api: str, runtime: str
) -> None:
    placed = replicated(place(with_launcher(runtime), pools["gpu"], trainer_api=api), api)
    ours = {"key": WORKLOAD, "operator": "In", "values": ["gpu"]}
    on_demand = {"key": ON_SPOT["key"], "operator": "DoesNotExist"}
    assert expressions(placed["launcher"]) == [[ours, on_demand]]
    assert expressions(placed["node"]) == [[ours]]


def test_a_launcher_of_trainer_2_0_is_selected_by_its_pool(pools: Pools) -> None:
    placed = replicated(place(with_launcher(), pools["gpu"], trainer_api="2.0"), "2.0")
    assert placed["launcher"]["nodeSelector"] == {POOL: "gpuod"}


@pytest.mark.parametrize("api", APIS)
def test_placing_a_job_with_a_launcher_twice_is_placing_it_once(pools: Pools, api: str) -> None:
    once = place(with_launcher(), pools["gpu"], trainer_api=api)
    assert place(once, pools["gpu"], trainer_api=api) == once


def test_a_launcher_without_a_gpu_stays_where_it_is(pools: Pools) -> None:
    job = with_launcher(resourcesPerNode={"requests": {"cpu": "3"}})
    assert list(replicated(place(job, pools["cpu"], trainer_api="2.3"), "2.3")) == ["node"]


def test_a_launcher_that_the_job_places_itself_is_left_alone(pools: Pools) -> None:
    job = with_launcher()
    spec = {"nodeSelector": {POOL: "gpuod"}}
    template = {"spec": {"template": {"spec": spec}}}
    patch = {"template": {"spec": {"replicatedJobs": [{"name": "launcher", "template": template}]}}}
    job["spec"]["runtimePatches"] = [{"manager": "me", "trainingRuntimeSpec": patch}]
    assert (
        place(job, pools["gpu"], trainer_api="2.3")["spec"]["runtimePatches"][0]
        == job["spec"]["runtimePatches"][0]
    )


def overriding(job: Json, api: str, name: str, pod: Json) -> Json:
    """The job with an override of its own for one job of the runtime."""
    if api == "2.0":
        entry: Json = {"targetJobs": [{"name": name}], **pod}
    elif api == "2.1":
        entry = {"targetJobs": [{"name": name}], "spec": pod}
    else:
        jobs = [{"name": name, "template": {"spec": {"template": {"spec": pod}}}}]
        entry = {"manager": "me", "trainingRuntimeSpec": {"template": {"spec": {"replicatedJobs": jobs}}}}
    job["spec"][SHAPES[api]] = [entry]
    return job


@pytest.mark.parametrize("api", APIS)
def test_a_launcher_that_the_request_names_is_placed_beside_what_the_job_says_of_it(
    pools: Pools, api: str
) -> None:
    spec = {"nodeSelector": {"topology.kubernetes.io/zone": "0"}}
    job = overriding(with_launcher(), api, "launcher", spec)
    placed = place(job, pools["gpu"], trainer_api=api, on_demand="launcher")
    assert str(place(job, pools["gpu"], trainer_api=api)["spec"]).count("launcher") == 1, "left alone"
    launcher = [
        pod
        for entry in placed["spec"][SHAPES[api]]
        for name, pod in replicated({"spec": {SHAPES[api]: [entry]}}, api).items()
        if name == "launcher"
    ]
    assert "DoesNotExist" in str(launcher[-1]) or launcher[-1]["nodeSelector"][POOL] == "gpuod"
    assert spec["nodeSelector"].items() <= launcher[0]["nodeSelector"].items()
    assert place(placed, pools["gpu"], trainer_api=api, on_demand="launcher") == placed


@pytest.mark.parametrize("api", APIS)
@pytest.mark.parametrize("named", ["also", "on_demand"])
def test_a_launcher_that_the_job_keeps_elsewhere_contradicts_the_request(
    pools: Pools, api: str, named: str
) -> None:
    job = overriding(with_launcher(), api, "launcher", {"nodeSelector": {POOL: "general"}})
    with pytest.raises(PlacementError) as error:
        place(job, pools["gpu"], trainer_api=api, **{named: ("launcher",)})
    expected = "gpuod" if named == "on_demand" else "gpuspot, gpuod"
    assert str(error.value) == (
        f"spec.{SHAPES[api]}[0].nodeSelector: {POOL}: 'general' contradicts the pools {expected}; expected {expected}"
    )


@pytest.mark.parametrize("api", APIS)
def test_a_label_that_nobody_knows_of_the_nodes_gets_a_line(pools: Pools, api: str) -> None:
    job = overriding(example("trainjob"), api, "node", {"nodeSelector": {"disk": "fast"}})
    with pytest.warns(EvictionWarning) as warned:
        place(job, pools["gpu"], trainer_api=api)
    [line] = [str(warning.message) for warning in warned]
    where = f"TrainJob/ddp: spec.{SHAPES[api]}[0].nodeSelector: disk"
    assert line.startswith(f"{where}: 'fast' is not known of the nodes of gpuspot, gpuod; see that")


def test_an_option_warns_of_a_label_that_nobody_knows(pools: Pools) -> None:
    job = overriding(example("trainjob"), "2.2", "node", {"nodeSelector": {"disk": "fast"}})
    with pytest.warns(
        EvictionWarning, match=r"disk: 'fast' is not known of the nodes of gpuspot, gpuod"
    ) as warned:
        TrainOption(pools["gpu"])(job, SimpleNamespace(resources_per_node={"gpu": 1}), None)
    assert {warning.filename for warning in warned} == {__file__}
    assert len(job["spec"]["runtimePatches"]) == 2


def test_a_launcher_may_vanish_too(pools: Pools) -> None:
    for runtime in ("deepspeed-distributed", "our-own-mpi"):
        job = with_launcher(runtime)
        placed = replicated(place(job, pools["gpu"], trainer_api="2.3", also=("launcher",)), "2.3")
        assert expressions(placed["launcher"]) == expressions(placed["node"])


def test_a_runtime_without_a_launcher_has_no_role(pools: Pools) -> None:
    with pytest.raises(
        PlacementError, match=r"also: \('launcher',\) contradicts TrainJob, which has no roles"
    ):
        place(example("trainjob"), pools["gpu"], trainer_api="2.3", also=("launcher",))
    with pytest.raises(PlacementError, match=r"also: 'Master' is not allowed; expected launcher"):
        place(with_launcher(), pools["gpu"], trainer_api="2.3", also=("Master",))


def test_a_launcher_needs_an_on_demand_pool(pools: Pools) -> None:
    alone = Pools(tuple(pool for pool in pools.all if pool.name != "gpuod"))
    message = r"^spec\.trainer: launcher asks for a GPU .*also=\('launcher',\) puts it on spot$"
    with pytest.raises(PlacementError, match=message):
        place(with_launcher(), alone["gpu"], trainer_api="2.3")


@pytest.mark.parametrize("api", APIS)
def test_a_node_that_asks_for_more_than_any_node_has_is_refused(pools: Pools, api: str) -> None:
    document = example("trainjob")
    document["spec"]["trainer"]["resourcesPerNode"]["requests"] = {"cpu": "64"}
    with pytest.raises(
        PlacementError, match=r"^spec\.trainer\.resourcesPerNode: cpu: 64 contradicts the pools gpuspot"
    ):
        place(document, pools["gpu"], trainer_api=api)
