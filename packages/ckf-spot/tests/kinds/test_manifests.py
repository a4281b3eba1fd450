"""Files with several objects: those that can be placed are, and the others stay as they are."""

from typing import Any

import pytest
from samples import Json, example, job, place

from ckf_spot import PlacementError, Pools
from ckf_spot.kinds import manifests
from ckf_spot.kinds.kind import PlacingRequest
from ckf_spot.kinds.manifests import File

DEPLOYMENT: Json = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"}, "spec": {}}
CONFIG: Json = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c"}, "data": {"a": "08"}}


def listed(*items: Any, kind: str = "List") -> Json:
    return {"apiVersion": "v1", "kind": kind, "items": list(items)}


def put(documents: list[Any], pools: Pools, workload: str = "cpu", **request: Any) -> manifests.Manifests:
    return manifests.place([File("f", documents)], pools[workload], PlacingRequest(**request))


def test_each_item_of_a_list_is_placed_where_it_is(pools: Pools) -> None:
    ours = place(job(), pools["cpu"])
    made = put([CONFIG, listed(job(), listed(CONFIG, job()), CONFIG)], pools)
    assert made.files[0].documents == [CONFIG, listed(ours, listed(CONFIG, ours), CONFIG)]
    assert made.notes == ()


def test_a_list_of_one_kind_is_placed(pools: Pools) -> None:
    made = put([listed(example("tfjob"), kind="TFJobList")], pools)
    [item] = made.files[0].documents[0]["items"]
    assert item["spec"]["tfReplicaSpecs"]["Worker"]["template"]["spec"]["tolerations"]


def test_what_must_not_be_on_spot_stays_and_is_reported(pools: Pools) -> None:
    made = put([DEPLOYMENT, job()], pools)
    assert made.files[0].documents == [DEPLOYMENT, place(job(), pools["cpu"])]
    [note] = made.notes
    assert note.startswith("f: Deployment/web: left as it is: it holds state or serves people")


def test_alone_it_is_refused(pools: Pools) -> None:
    with pytest.raises(PlacementError, match=r"^f: Deployment/web: kind: 'Deployment' can't be on spot"):
        put([DEPLOYMENT], pools)


def test_a_list_without_anything_to_place_is_refused(pools: Pools) -> None:
    with pytest.raises(PlacementError, match=r"^f: there is nothing to place in it; expected Job, "):
        put([listed(CONFIG), listed()], pools)


def test_mistakes_are_reported_with_the_item(pools: Pools) -> None:
    broken = job() | {"metadata": {}, "spec": {}}
    with pytest.raises(PlacementError) as error:
        put([listed(job(), broken, 1)], pools)
    assert str(error.value).splitlines() == [
        "f: document 2: spec.template is missing",
        "f: document 3: 1 is no Kubernetes object; expected a map",
    ]


def test_roles_are_for_the_kinds_that_have_them(pools: Pools) -> None:
    documents = [job(), example("rayjob")]
    placed = put(documents, pools, also=("head",)).files[0].documents
    assert placed[0] == place(job(), pools["cpu"])
    assert placed[1]["spec"]["rayClusterSpec"]["headGroupSpec"]["template"]["spec"]["tolerations"]


def test_a_template_for_spark_is_placed_beside_its_application(pools: Pools) -> None:
    documents = [example("executor"), example("sparkapplication")]
    made = put(documents, pools, pod_template=True)
    assert made.files[0].documents[0]["spec"]["tolerations"]
    left = put(documents, pools)
    assert left.files[0].documents[0] == example("executor")
    assert "say --pod-template" in left.notes[0]


def test_the_input_stays_as_it_is(pools: Pools) -> None:
    documents = [listed(job())]
    put(documents, pools)
    assert documents == [listed(job())]


@pytest.mark.parametrize(
    ("kind", "advice"),
    [
        ("AppWrapper", "place that, and wrap the result: spec.components"),
        ("LeaderWorkerSet", "make a JobSet of work that ends"),
        ("SeldonDeployment", "it holds state or serves people"),
        ("LLMInferenceService", "it holds state or serves people"),
        ("SparkConnect", "use a SparkApplication for work that ends"),
    ],
)
def test_a_kind_that_stays_comes_with_advice(pools: Pools, kind: str, advice: str) -> None:
    document = {"apiVersion": "x/v1", "kind": kind, "metadata": {"name": "n"}, "spec": {}}
    with pytest.raises(PlacementError, match=rf"^f: {kind}/n: kind: '{kind}' can't be on spot: .*{advice}"):
        put([document], pools)
    [note] = put([document, job()], pools).notes
    assert note.startswith(f"f: {kind}/n: left as it is: ")
    assert advice in note
