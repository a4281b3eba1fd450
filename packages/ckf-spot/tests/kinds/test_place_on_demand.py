"""Roles that a data scientist keeps on demand while the others go to spot."""

import dataclasses
from typing import Any

import pytest
from samples import OFF_SPOT, SPOT, Json, container, example, expressions, place, training_job

from ckf_spot import EvictionWarning, PlacementError, Pools
from ckf_spot.fields import at
from ckf_spot.kinds import placing
from ckf_spot.kinds.kind import PlacingRequest

POD: Json = {"spec": {"containers": [container()]}}
RAY = ("spec", "rayClusterSpec", "workerGroupSpecs")


def groups(*names: str) -> Json:
    """A RayJob with such groups of workers."""
    document = example("rayjob")
    at(document, *RAY[:-1])["workerGroupSpecs"] = [{"groupName": name, "template": POD} for name in names]
    return document


def pytorch(**roles: Json) -> Json:
    return training_job("PyTorchJob", "pytorchReplicaSpecs", **(roles or {"Worker": container("pytorch")}))


def job_set() -> Json:
    document = example("jobset")
    first = document["spec"]["replicatedJobs"][0]
    document["spec"]["replicatedJobs"] = [{**first, "name": name} for name in ("leader", "workers")]
    return document


def workflow() -> Json:
    pods = [{"name": name, "container": {"image": "i"}} for name in ("a", "b")]
    dag = {"name": "d", "dag": {"tasks": [{"name": name, "template": name} for name in ("a", "b")]}}
    spec = {"entrypoint": "d", "templates": [dag, *pods]}
    return {"apiVersion": "argoproj.io/v1alpha1", "kind": "Workflow", "metadata": {"name": "w"}, "spec": spec}


def doubts(document: Json, pools: Pools, **request: Any) -> str:
    return "\n".join(placing.place(document, pools["cpu"], PlacingRequest(**request)).doubts)


CASES: list[tuple[Json, str, tuple[Any, ...], tuple[Any, ...]]] = [
    (groups("floor", "more"), "floor", (*RAY, 0, "template", "spec"), (*RAY, 1, "template", "spec")),
    (
        example("rayjob"),
        "head",
        (*RAY[:-1], "headGroupSpec", "template", "spec"),
        (*RAY, 0, "template", "spec"),
    ),
    (example("sparkapplication"), "driver", ("spec", "driver"), ("spec", "executor")),
    (
        pytorch(Master=container("pytorch"), Worker=container("pytorch")),
        "Master",
        ("spec", "pytorchReplicaSpecs", "Master", "template", "spec"),
        ("spec", "pytorchReplicaSpecs", "Worker", "template", "spec"),
    ),
    (
        job_set(),
        "leader",
        ("spec", "replicatedJobs", 0, "template", "spec", "template", "spec"),
        ("spec", "replicatedJobs", 1, "template", "spec", "template", "spec"),
    ),
    (workflow(), "a", ("spec", "templates", 1), ("spec", "templates", 2)),
]


@pytest.mark.parametrize(("document", "role", "there", "other"), CASES)
@pytest.mark.filterwarnings("ignore::ckf_spot.errors.EvictionWarning")
def test_the_role_goes_to_on_demand_nodes_and_the_others_to_spot(
    pools: Pools, document: Json, role: str, there: tuple[Any, ...], other: tuple[Any, ...]
) -> None:
    placed = place(document, pools["cpu"], on_demand=(role,))
    assert OFF_SPOT in expressions(at(placed, *there))[0]
    assert SPOT not in str(at(placed, *there)["tolerations"])
    assert at(placed, *other) == at(place(document, pools["cpu"]), *other)
    assert place(placed, pools["cpu"], on_demand=(role,)) == placed


@pytest.mark.parametrize(
    "name", ["rayjob", "sparkapplication", "pytorchjob", "jobset", "workflow", "experiment"]
)
def test_a_role_that_is_not_there_is_refused(pools: Pools, name: str) -> None:
    document = pytorch() if name == "pytorchjob" else example(name)
    if name == "experiment":
        document["spec"]["trialTemplate"]["trialSpec"] = pytorch()
    with pytest.raises(PlacementError, match=r"^on_demand: 'x' is not allowed; expected \w+"):
        place(document, pools["cpu"], on_demand=("x",))


@pytest.mark.parametrize("name", ["also", "on_demand"])
def test_a_text_is_one_role(pools: Pools, name: str) -> None:
    document, role = groups("floor", "more"), "head" if name == "also" else "floor"
    assert place(document, pools["cpu"], **{name: role}) == place(document, pools["cpu"], **{name: (role,)})
    with pytest.raises(PlacementError) as error:
        place(document, pools["cpu"], **{name: "flor"})
    assert str(error.value).startswith(f"{name}: 'flor' is not allowed; expected ")


@pytest.mark.parametrize("value", [5, True, b"floor", {"floor": 1}, object, [5], [["floor"]]])
def test_roles_that_are_none_are_refused_together(pools: Pools, value: Any) -> None:
    with pytest.raises(PlacementError) as error:
        place(groups("floor"), pools["cpu"], also=value, on_demand=value)
    expected = "is not allowed; expected a role such as 'Master', or a list of roles"
    lines = str(error.value).splitlines()
    assert [line.partition(":")[0] for line in lines] == ["also", "on_demand"]
    assert all(line.endswith(expected) for line in lines)


def test_work_without_roles_is_refused(pools: Pools) -> None:
    with pytest.raises(PlacementError) as error:
        place(example("job"), pools["cpu"], on_demand=("the Job",))
    assert str(error.value) == "on_demand: ('the Job',) contradicts Job, which has no roles; leave it out"


def test_a_role_can_not_stay_and_vanish(pools: Pools) -> None:
    with pytest.raises(PlacementError) as error:
        place(example("rayjob"), pools["cpu"], also=("head",), on_demand=("head",))
    assert str(error.value) == (
        "on_demand: 'head' contradicts also, which lets it vanish; leave one of them out"
    )


def test_pools_without_on_demand_nodes_are_refused(pools: Pools) -> None:
    cpu = pools["cpu"]
    spot = dataclasses.replace(cpu, pools=tuple(pool for pool in cpu.pools if pool.spot))
    with pytest.raises(PlacementError) as error:
        place(groups("floor", "more"), spot, on_demand=("floor", "more"))
    assert str(error.value) == ("require='on-demand': 'cpu' has no on-demand pool; its pools: cpuspot (spot)")


def test_the_rest_may_be_on_spot_only(pools: Pools) -> None:
    placed = place(groups("floor", "more"), pools["cpu"], on_demand=("floor",), require="spot")
    pods = [group["template"]["spec"] for group in at(placed, *RAY)]
    assert OFF_SPOT in expressions(pods[0])[0]
    assert OFF_SPOT not in expressions(pods[1])[0]


@pytest.mark.parametrize(
    ("document", "roles"),
    [
        (groups("floor", "more"), ("floor", "more")),
        (example("sparkapplication"), ("executor",)),
        (pytorch(), ("Worker",)),
        (training_job("TFJob", "tfReplicaSpecs", Worker=container("tensorflow")), ("Worker",)),
        (job_set(), ("leader", "workers")),
        (workflow(), ("a", "b")),
    ],
)
def test_work_that_is_wholly_on_demand_needs_nothing_for_evictions(
    pools: Pools, document: Json, roles: tuple[str, ...]
) -> None:
    request = {"on_demand": roles}
    assert place(document, pools["cpu"], **request) == place(document, pools["cpu"], require="on-demand")
    assert doubts(document, pools, **request) == ""


def test_an_elastic_application_with_executors_on_demand_gets_no_settings(pools: Pools) -> None:
    placed = place(example("sparkapplication"), pools["cpu"], on_demand=("executor",), elastic=True)
    assert placed["spec"].get("sparkConf") == example("sparkapplication")["spec"].get("sparkConf")


def test_a_group_with_gpus_is_kept_where_the_other_fits_no_gpu_pool(pools: Pools) -> None:
    document = groups("train", "load")
    at(document, *RAY)[0]["template"] = {"spec": {"containers": [container(gpus=1)]}}
    with pytest.warns(EvictionWarning, match="load asks for no nvidia.com/gpu"):
        placed = place(document, pools["gpu"], on_demand=("train",))
    assert OFF_SPOT in expressions(at(placed, *RAY)[0]["template"]["spec"])[0]
    assert at(placed, *RAY)[1] == at(document, *RAY)[1]


@pytest.mark.parametrize("release", ["2.0", "2.1", "2.2", "2.3"])
def test_a_launcher_goes_to_the_workloads_on_demand_nodes(pools: Pools, release: str) -> None:
    document = example("trainjob")
    document["spec"]["runtimeRef"] = {"name": "own-mpi"}
    assert "launcher" not in str(place(document, pools["gpu"], trainer_api=release))
    placed = place(document, pools["gpu"], trainer_api=release, on_demand=("launcher",))
    assert "launcher" in str(placed)
    assert str(placed).count("nvidia.com/gpu") > str(document).count("nvidia.com/gpu")
