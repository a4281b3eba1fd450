"""Pods that stay: the autoscaler lets them live, and those that may be on spot all the same are reported."""

from typing import Any

import pytest
from samples import (
    KEPT,
    OFF_SPOT,
    POOL,
    SPOT,
    Json,
    container,
    example,
    expressions,
    job,
    place,
    training_job,
)

from ckf_spot import EvictionWarning, PlacementError, Pools
from ckf_spot.fields import at
from ckf_spot.kinds import placing
from ckf_spot.kinds.kind import PlacingRequest

TOLERATION: Json = {"key": SPOT, "operator": "Equal", "value": "spot", "effect": "NoSchedule"}
ANY: Json = {"operator": "Exists"}
HEAD = ("spec", "rayClusterSpec", "headGroupSpec", "template")
SUBMITTER = ("spec", "submitterPodTemplate")
MASTER = ("spec", "pytorchReplicaSpecs", "Master", "template")
DRIVER = ("spec", "driver")
HANDLER = ("spec", "templates", 1)


def ray() -> Json:
    document = example("rayjob")
    document["spec"]["submitterPodTemplate"] = {"spec": {"containers": [container()]}}
    return document


def pytorch() -> Json:
    roles = dict.fromkeys(("Master", "Worker"), container("pytorch"))
    return training_job("PyTorchJob", "pytorchReplicaSpecs", **roles)


def workflow(**spec: Any) -> Json:
    templates = [{"name": name, "container": {"image": "i"}} for name in ("a", "e")]
    made = {"entrypoint": "a", "onExit": "e", "templates": templates, **spec}
    return {"apiVersion": "argoproj.io/v1alpha1", "kind": "Workflow", "metadata": {"name": "w"}, "spec": made}


def tolerating(document: Json, *path: Any, **more: Any) -> Json:
    """The document with a toleration of spot in the pod at a path."""
    part = at(document, *path)
    part.get("spec", part).update(tolerations=[TOLERATION], **more)
    return document


def lines(document: Json, pools: Pools, **request: Any) -> list[str]:
    placed = placing.place(document, pools["cpu"], PlacingRequest(**request))
    return [doubt for doubt in placed.doubts if " stays, and an eviction of it loses the work" in doubt]


CASES = [
    (tolerating(ray(), *HEAD), "head"),
    (tolerating(pytorch(), *MASTER), "Master"),
    (tolerating(example("sparkapplication"), *DRIVER), "driver"),
    (tolerating(workflow(), *HANDLER), "e"),
    (workflow(tolerations=[TOLERATION]), "e"),
    (workflow(tolerations=[ANY]), "e"),
    (tolerating(ray(), *HEAD, nodeSelector={SPOT: "spot"}), "head"),
]


@pytest.mark.parametrize(("document", "role"), CASES)
def test_a_role_that_stays_but_may_be_on_spot_is_a_line(pools: Pools, document: Json, role: str) -> None:
    [line] = lines(document, pools)
    assert line.startswith(f"{role} stays, and an eviction of it loses the work, but it tolerates spot nodes")
    assert " and may run on cpuspot" in line
    assert line.endswith(f": --on-demand {role}, in Python on_demand=({role!r},), takes that back")


def test_a_role_that_selects_spot_nodes_without_tolerating_them_waits_for_ever(pools: Pools) -> None:
    document = pytorch()
    at(document, *MASTER)["spec"]["nodeSelector"] = {SPOT: "spot"}
    placed = placing.place(document, pools["cpu"], PlacingRequest())
    [line] = [
        doubt for doubt in placed.doubts if doubt.startswith("Master stays, but selects only nodes of ")
    ]
    assert line.endswith("so it waits for ever; leave out its selector")


def test_a_role_that_no_request_names_has_another_way_out(pools: Pools) -> None:
    [line] = lines(tolerating(ray(), *SUBMITTER), pools)
    assert line.endswith(f": leave out its toleration of {SPOT}")


@pytest.mark.parametrize(
    ("document", "path"),
    [(CASES[0][0], HEAD), (CASES[1][0], MASTER), (CASES[2][0], DRIVER), (CASES[4][0], HANDLER)],
)
@pytest.mark.filterwarnings("ignore::ckf_spot.errors.EvictionWarning")
def test_its_toleration_stays_until_it_is_taken_back_on_request(
    pools: Pools, document: Json, path: tuple[Any, ...]
) -> None:
    part = at(document, *path)
    kept = at(place(document, pools["cpu"]), *path)
    assert kept.get("spec", kept).get("tolerations") == part.get("spec", part).get("tolerations")
    role = next(role for case, role in CASES if case is document)
    assert lines(document, pools, on_demand=(role,)) == []
    moved = at(place(document, pools["cpu"], on_demand=(role,)), *path)
    pod = moved.get("spec", moved)
    assert OFF_SPOT in expressions(pod)[0]
    assert SPOT not in [toleration.get("key") for toleration in pod["tolerations"]]


@pytest.mark.parametrize(
    ("selector", "tolerations"),
    [({}, []), ({POOL: "general"}, [ANY]), ({}, [{**TOLERATION, "effect": "NoExecute"}])],
)
def test_a_role_that_spot_nodes_do_not_take_is_none(
    pools: Pools, selector: Json, tolerations: list[Json]
) -> None:
    document = tolerating(pytorch(), *MASTER, nodeSelector=selector)
    at(document, *MASTER)["spec"]["tolerations"] = tolerations
    assert lines(document, pools) == []


@pytest.mark.filterwarnings("ignore::ckf_spot.errors.EvictionWarning")
@pytest.mark.parametrize(
    ("document", "path"),
    [(ray(), HEAD), (ray(), SUBMITTER), (pytorch(), MASTER), (workflow(), HANDLER)],
)
def test_the_autoscaler_lets_those_that_stay_live(
    pools: Pools, document: Json, path: tuple[Any, ...]
) -> None:
    assert at(place(document, pools["cpu"]), *path)["metadata"] == KEPT


@pytest.mark.filterwarnings("ignore::ckf_spot.errors.EvictionWarning")
def test_what_the_user_says_of_the_autoscaler_stays_there_too(pools: Pools) -> None:
    [name] = KEPT["annotations"]
    document = example("sparkapplication")
    document["spec"]["driver"]["annotations"] = {name: "true", "team": "a"}
    assert place(document, pools["cpu"])["spec"]["driver"]["annotations"] == {name: "true", "team": "a"}
    template = {"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [container()]}}
    document["spec"]["driver"] = {"template": template}
    template = place(document, pools["cpu"])["spec"]["driver"]["template"]
    assert template["metadata"] == {"labels": {"a": "b"}, **KEPT}
    for_all = workflow(podMetadata={"annotations": {name: "true"}})
    assert at(place(for_all, pools["cpu"]), *HANDLER)["metadata"]["annotations"] == {name: "true"}


@pytest.mark.parametrize("namespace", ["kubeflow", "controller-aks", "knative-serving"])
def test_a_namespace_whose_guard_refuses_every_pod_is_a_line(pools: Pools, namespace: str) -> None:
    document = job() | {"metadata": {"name": "j", "namespace": namespace}}
    with pytest.warns(
        EvictionWarning, match=f"^Job/j: metadata.namespace: '{namespace}' is the platform's, where the"
    ):
        place(document, pools["cpu"])


@pytest.mark.filterwarnings("error::ckf_spot.errors.EvictionWarning")
def test_other_namespaces_and_work_on_demand_are_not(pools: Pools) -> None:
    place(job() | {"metadata": {"name": "j", "namespace": "kubeflow-team"}}, pools["cpu"])
    place(job() | {"metadata": {"name": "j", "namespace": "kubeflow"}}, pools["cpu"], require="on-demand")


def test_a_grace_period_that_is_cut_is_one_line_for_all_roles(pools: Pools) -> None:
    document = pytorch()
    for role in document["spec"]["pytorchReplicaSpecs"].values():
        role["template"]["spec"]["terminationGracePeriodSeconds"] = 600
    request = PlacingRequest(also=("Master",))
    [line] = [line for line in placing.place(document, pools["cpu"], request).doubts if "GracePeriod" in line]
    assert line.startswith(
        "terminationGracePeriodSeconds: 600 of Master, Worker becomes 25, since Azure takes the node"
    )


@pytest.mark.parametrize(("seconds", "require"), [(30, None), (5, None), (None, None), (600, "on-demand")])
@pytest.mark.filterwarnings("error::ckf_spot.errors.EvictionWarning")
def test_the_default_and_less_are_cut_without_a_word(pools: Pools, seconds: int | None, require: Any) -> None:
    place(job(terminationGracePeriodSeconds=seconds), pools["cpu"], require=require)


def test_a_selector_of_spot_contradicts_the_request_to_stay(pools: Pools) -> None:
    with pytest.raises(PlacementError, match=f"nodeSelector: {SPOT}: 'spot' contradicts the pools cpuod"):
        place(CASES[-1][0], pools["cpu"], on_demand=("head",))
