"""Ray: groups of workers may vanish, the head and the submitter stay."""

from typing import Any

import pytest
from samples import GPU, KEPT, OFF_SPOT, POOL, Json, container, example, expressions, place

from ckf_spot import EvictionWarning, PlacementError, Pools
from ckf_spot.kinds import manifests
from ckf_spot.kinds.kind import PlacingRequest
from ckf_spot.kinds.manifests import File

pytestmark = pytest.mark.filterwarnings("error::ckf_spot.errors.EvictionWarning")

NOTHING: Json = {"spec": {"containers": [container()]}}


def cluster(*groups: Json, head: Json = NOTHING) -> Json:
    named = [{"groupName": f"g{number}", "template": group} for number, group in enumerate(groups)]
    return {
        "headGroupSpec": {"template": head},
        "workerGroupSpecs": named or [{"groupName": "g0", "template": NOTHING}],
    }


def ray_cluster(*groups: Json, **more: Any) -> Json:
    return {
        "apiVersion": "ray.io/v1",
        "kind": "RayCluster",
        "metadata": {"name": "r"},
        "spec": cluster(*groups, **more),
    }


def ray_job(**spec: Any) -> Json:
    made = {"rayClusterSpec": cluster(), "backoffLimit": 1, **spec}
    return {"apiVersion": "ray.io/v1", "kind": "RayJob", "metadata": {"name": "r"}, "spec": made}


def with_gpu(gpus: int = 1) -> Json:
    return {"spec": {"containers": [container(gpus=gpus)]}}


def pod(spec: Json, group: int | None = None) -> Json:
    part = spec["headGroupSpec"] if group is None else spec["workerGroupSpecs"][group]
    return part["template"]["spec"]


@pytest.mark.parametrize(
    ("document", "path"), [(ray_cluster(NOTHING, NOTHING), []), (ray_job(), ["rayClusterSpec"])]
)
def test_workers_go_and_the_head_stays(pools: Pools, document: Json, path: list[str]) -> None:
    spec = place(document, pools["cpu"])["spec"]
    for key in path:
        spec = spec[key]
    assert pod(spec) == pod(cluster())
    for number in range(len(spec["workerGroupSpecs"])):
        assert pod(spec, number)["affinity"]
        assert pod(spec, number)["terminationGracePeriodSeconds"] == 25


def test_the_submitter_and_all_else_stay(pools: Pools) -> None:
    document = example("rayjob")
    document["spec"]["submitterPodTemplate"] = NOTHING
    placed = place(document, pools["cpu"])
    placed["spec"]["rayClusterSpec"]["workerGroupSpecs"] = document["spec"]["rayClusterSpec"][
        "workerGroupSpecs"
    ]
    spec = document["spec"]
    spec["submitterPodTemplate"] = {**NOTHING, "metadata": KEPT}
    spec["rayClusterSpec"]["headGroupSpec"]["template"]["metadata"] = KEPT
    assert placed == document


def test_a_head_with_a_gpu_goes_to_nodes_that_stay(pools: Pools) -> None:
    spec = place(ray_cluster(with_gpu(), head=with_gpu()), pools["gpu"])["spec"]
    assert OFF_SPOT in expressions(pod(spec))[0]


def test_the_head_may_vanish_if_somebody_says_so_and_is_warned_what_that_means(pools: Pools) -> None:
    with pytest.warns(EvictionWarning, match="an eviction of the head ends the whole cluster"):
        spec = place(ray_cluster(), pools["cpu"], also=("head",))["spec"]
    assert pod(spec)["affinity"] == pod(spec, 0)["affinity"]


def test_a_role_that_is_not_there_is_refused(pools: Pools) -> None:
    with pytest.raises(PlacementError, match=r"^also: 'Master' is not allowed; expected head, g0$"):
        place(ray_cluster(), pools["cpu"], also=("Master",))


def test_groups_with_and_without_gpus_are_placed_one_pool_after_the_other(pools: Pools) -> None:
    document = ray_cluster(with_gpu(), NOTHING)
    with pytest.warns(
        EvictionWarning, match=r"g1 asks for no nvidia.com/gpu, and these are GPU pools: left as it is"
    ):
        once = place(document, pools["gpu"])
    assert pod(once["spec"], 1) == pod(document["spec"], 1)
    with pytest.warns(
        EvictionWarning, match=r"g0 asks for nvidia.com/gpu: 1, and these pools have none: left as it"
    ):
        twice = place(once, pools["cpu"])
    assert pod(twice["spec"], 0) == pod(once["spec"], 0)
    assert GPU in str(pod(twice["spec"], 0)["tolerations"])
    assert pod(twice["spec"], 1)["affinity"]


def test_where_nothing_fits_it_is_refused(pools: Pools) -> None:
    with pytest.raises(
        PlacementError, match=r"^nothing fits 'gpu': g0 asks for no nvidia.com/gpu.*; name other pools$"
    ):
        place(ray_cluster(), pools["gpu"])


def test_a_job_that_is_not_tried_again_is_reported(pools: Pools) -> None:
    with pytest.warns(
        EvictionWarning, match=r"^RayJob/r: backoffLimit is 0: tasks on a lost worker run again"
    ):
        place(ray_job(backoffLimit=0), pools["cpu"])


def test_a_job_that_a_person_submits_can_not_be_tried_again(pools: Pools) -> None:
    with pytest.warns(EvictionWarning, match=r"a RayJob in InteractiveMode has no retries") as warned:
        place(ray_job(backoffLimit=None, submissionMode="InteractiveMode"), pools["cpu"])
    assert "set backoffLimit" not in str(warned[0].message)


@pytest.mark.parametrize("groups", [[], None])
def test_a_cluster_without_workers_stays_with_a_line(pools: Pools, groups: Any) -> None:
    document = ray_cluster()
    document["spec"]["workerGroupSpecs"] = groups
    if groups is None:
        del document["spec"]["workerGroupSpecs"]
    with pytest.warns(
        EvictionWarning, match=r"there are no workers that may vanish: the head stays, or goes too"
    ):
        placed = place(document, pools["cpu"])
    document["spec"]["headGroupSpec"]["template"]["metadata"] = KEPT
    assert placed == document
    with pytest.warns(EvictionWarning, match="an eviction of the head"):
        assert pod(place(document, pools["cpu"], also=("head",))["spec"])["affinity"]


def test_a_cron_job_is_placed_as_its_jobs_are(pools: Pools) -> None:
    template = ray_job()["spec"]
    document = {**ray_job(), "kind": "RayCronJob", "spec": {"schedule": "@daily", "jobTemplate": template}}
    made = place(document, pools["cpu"])["spec"]
    assert made == {"schedule": "@daily", "jobTemplate": place(ray_job(), pools["cpu"])["spec"]}
    wrong = {**document, "spec": {**template, "schedule": "@daily"}}
    with pytest.raises(
        PlacementError, match=r"spec\.entrypoint|spec\.rayClusterSpec: unknown field; a job's fields belong"
    ):
        place(wrong, pools["cpu"])


@pytest.mark.parametrize(
    ("document", "message"),
    [
        (
            ray_job(rayClusterSpec=None, clusterSelector={"ray.io/cluster": "c"}),
            "spec.clusterSelector: its pods belong to a cluster that is there already; place that RayCluster instead",
        ),
        (ray_job(rayClusterSpec=None), "spec.rayClusterSpec is missing"),
        (ray_job(rayClusterSpec=[]), "spec.rayClusterSpec: [] is no map; expected a map"),
        (
            ray_job(workerGroupSpecs=[]),
            "spec.workerGroupSpecs: unknown field; a cluster's fields belong under rayClusterSpec.workerGroupSpecs",
        ),
        (
            ray_cluster({"spec": {}}),
            "spec.workerGroupSpecs[0].template.spec.containers is missing",
        ),
        (
            ray_cluster({"spec": {**NOTHING["spec"], "nodeSelector": {POOL: "general"}}}),
            "spec.workerGroupSpecs[0].template.spec.nodeSelector: kubernetes.azure.com/agentpool: 'general' contra",
        ),
        (ray_cluster() | {"apiVersion": "ray.io/v1alpha1"}, "apiVersion: 'ray.io/v1alpha1' is not allowed; expected"),
        (ray_cluster() | {"kind": "RayService"}, "kind: 'RayService' can't be on spot: it serves people"),
    ],
)  # fmt: skip
def test_a_mistake_is_one_line(pools: Pools, document: Json, message: str) -> None:
    with pytest.raises(PlacementError) as error:
        place(document, pools["cpu"])
    assert message in str(error.value)


def test_what_was_left_is_reported_on_the_command_line(pools: Pools) -> None:
    placed = manifests.place([File("f", [ray_cluster(with_gpu(), NOTHING)])], pools["gpu"], PlacingRequest())
    assert placed.notes == (
        "f: RayCluster/r: g1 asks for no nvidia.com/gpu, and these are GPU pools: left as it is",
    )


def test_placing_twice_is_placing_once(pools: Pools) -> None:
    once = place(example("rayjob"), pools["cpu"])
    assert place(once, pools["cpu"]) == once
