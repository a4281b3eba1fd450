"""Jobs of the training operator: workers on spot, what must not vanish on nodes that stay."""

import copy
import warnings
from typing import Any

import pytest
from kubeflow import training
from samples import (
    GPU,
    KEPT,
    OFF_SPOT,
    ON_SPOT,
    SPOT,
    Json,
    container,
    example,
    expressions,
    place,
    training_job,
)

from ckf_spot import EvictionWarning, PlacementError, Pools
from ckf_spot.kinds.training import KINDS

sdk: Any = training
"""Its classes come without types."""


TRAINING = [(name, kind.replicas, kind.container or "main") for name, kind in KINDS.items()]


def of_workers(kind: str, field: str, name: str, **replica: Any) -> Json:
    document = training_job(kind, field, Worker=container(name))
    document["spec"][field]["Worker"].update(replica)
    return document


def replicas(document: Json) -> dict[str, Json]:
    return document["spec"][KINDS[document["kind"]].replicas]


def pod(document: Json, role: str) -> Json:
    return replicas(document)[role]["template"]["spec"]


def of_every_kind() -> list[Any]:
    return [
        pytest.param(
            training_job(name, kind.replicas, **dict.fromkeys(kind.roles, container(kind.container or "c"))),
            id=name,
        )
        for name, kind in KINDS.items()
    ]


@pytest.mark.parametrize("document", of_every_kind())
def test_workers_go_on_spot_and_every_other_role_stays_where_it_is(pools: Pools, document: Json) -> None:
    if document["kind"] == "TFJob":
        del replicas(document)["Master"]  # the operator takes a Chief or a Master
    placed = replicas(place(document, pools["cpu"]))
    assert SPOT in [
        toleration["key"] for toleration in placed.pop("Worker")["template"]["spec"]["tolerations"]
    ]
    for role, replica in placed.items():
        before = replicas(document)[role]
        assert replica == {**before, "template": {**before["template"], "metadata": KEPT}}


@pytest.mark.parametrize("kind", KINDS)
def test_the_fields_are_those_of_the_operators_sdk(kind: str) -> None:
    spec = getattr(sdk, f"KubeflowOrgV1{kind}Spec").attribute_map
    assert {KINDS[kind].replicas, *KINDS[kind].options} == set(spec.values())


@pytest.mark.parametrize(("name", "workload"), [("tfjob", "cpu"), ("pytorchjob", "gpu")])
def test_placing_twice_is_placing_once(pools: Pools, name: str, workload: str) -> None:
    once = place(example(name), pools[workload])
    assert place(once, pools[workload]) == once


def test_a_gpu_master_goes_on_demand(pools: Pools) -> None:
    placed = place(example("pytorchjob"), pools["gpu"])
    assert OFF_SPOT in expressions(pod(placed, "Master"))[0]
    assert SPOT not in [toleration["key"] for toleration in pod(placed, "Master")["tolerations"]]
    assert "terminationGracePeriodSeconds" not in pod(placed, "Master")
    assert ON_SPOT not in expressions(pod(placed, "Worker"))[0]
    assert SPOT in [toleration["key"] for toleration in pod(placed, "Worker")["tolerations"]]


def test_a_gpu_master_without_on_demand_gpus_is_refused(pools: Pools) -> None:
    alone = Pools(tuple(pool for pool in pools.all if pool.name != "gpuod"))
    with pytest.raises(
        PlacementError, match=r"Master asks for a GPU and must not vanish: .*also=\('Master',\)"
    ):
        place(example("pytorchjob"), alone["gpu"])


def test_a_role_may_vanish_too(pools: Pools) -> None:
    placed = place(example("tfjob"), pools["cpu"], also=("PS",), require="spot")
    assert ON_SPOT in expressions(pod(placed, "PS"))[0]
    assert "tolerations" not in pod(placed, "Chief")


def test_a_role_that_the_job_lacks_is_refused(pools: Pools) -> None:
    with pytest.raises(PlacementError, match=r"'Master'.* is not allowed; expected Chief, PS, Worker"):
        place(example("tfjob"), pools["cpu"], also=("Master",))


@pytest.mark.parametrize(
    ("policy", "expected"),
    [
        (None, None),
        ("Never", "ExitCode"),
        ("ExitCode", "ExitCode"),
        ("OnFailure", "OnFailure"),
        ("Always", "Always"),
    ],
)
def test_a_restart_policy_that_an_eviction_would_end_is_replaced(
    pools: Pools, policy: str | None, expected: str | None
) -> None:
    document = training_job("PyTorchJob", "pytorchReplicaSpecs", Worker=container("pytorch"))
    replicas(document)["Worker"] |= {} if policy is None else {"restartPolicy": policy}
    assert replicas(place(document, pools["cpu"]))["Worker"].get("restartPolicy") == expected


@pytest.mark.parametrize(("kind", "field", "name"), TRAINING)
@pytest.mark.filterwarnings("ignore::ckf_spot.errors.EvictionWarning")
def test_where_none_is_given_the_operators_default_counts(
    pools: Pools, kind: str, field: str, name: str
) -> None:
    policy = place(of_workers(kind, field, name), pools["cpu"])["spec"][field]["Worker"].get("restartPolicy")
    assert policy == (None if kind in {"PyTorchJob", "PaddleJob"} else "ExitCode")


def test_roles_that_share_a_template_in_yaml_do_not_share_the_placement(pools: Pools) -> None:
    template = {"spec": {"containers": [container("tensorflow")]}}
    document = training_job("TFJob", "tfReplicaSpecs", Chief={}, Worker={})
    for replica in replicas(document).values():
        replica["template"] = template
    placed = place(document, pools["cpu"])
    assert "tolerations" not in pod(placed, "Chief")
    assert "tolerations" in pod(placed, "Worker")


def test_a_role_in_small_letters_is_refused_as_by_the_webhook(pools: Pools) -> None:
    document = training_job("PyTorchJob", "pytorchReplicaSpecs", worker=container("pytorch"))
    with pytest.raises(
        PlacementError, match=r"pytorchReplicaSpecs.worker: unknown field; did you mean 'Worker'?"
    ):
        place(document, pools["cpu"])


def test_gpu_workers_without_a_gpu_are_refused(pools: Pools) -> None:
    with pytest.raises(
        PlacementError, match=r"Worker.template.spec.containers: 'tensorflow' asks for no nvidia.com/gpu"
    ):
        place(example("tfjob"), pools["gpu"])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"Worker": None}, "spec.tfReplicaSpecs.Worker: None is no map; expected a map with template"),
        (
            {"Worker": {"spec": {"affinity": {}}, "template": {"spec": {"containers": [container("tensorflow")]}}}},
            "spec.tfReplicaSpecs.Worker.spec: unknown field; a pod's fields belong under Worker.template.spec",
        ),
        (
            {"Worker": {"template": {"spec": {"containers": [container("my-training-process")]}}}},
            (
                "spec.tfReplicaSpecs.Worker.template.spec.containers: 'my-training-process' is not the name that the "
                "training operator looks for; expected 'tensorflow' for one of them"
            ),
        ),
        (
            {"Worker": {"restartPolicy": "always", "template": {"spec": {"containers": [container("tensorflow")]}}}},
            (
                "spec.tfReplicaSpecs.Worker.restartPolicy: 'always' is not allowed; "
                "expected Always, ExitCode, Never, OnFailure"
            ),
        ),
    ],
)  # fmt: skip
def test_a_mistake_is_one_line_with_what_is_allowed(pools: Pools, change: Json, message: str) -> None:
    document = training_job("TFJob", "tfReplicaSpecs", Worker=container("tensorflow"))
    document["spec"]["tfReplicaSpecs"] |= change
    with pytest.raises(PlacementError) as error:
        place(document, pools["cpu"])
    assert str(error.value) == message


def test_a_job_without_workers_is_refused(pools: Pools) -> None:
    document = training_job("TFJob", "tfReplicaSpecs", Chief=container("tensorflow"))
    with pytest.raises(PlacementError, match=r"there is no Worker among Chief, so nothing would be placed"):
        place(document, pools["cpu"])


def test_a_run_policy_field_in_the_spec_is_refused_with_its_place(pools: Pools) -> None:
    document = example("tfjob")
    document["spec"]["cleanPodPolicy"] = "None"
    with pytest.raises(
        PlacementError, match=r"spec.cleanPodPolicy: .* it belongs under spec.runPolicy.cleanPodPolicy"
    ):
        place(document, pools["cpu"])


def test_an_object_of_the_sdk_becomes_the_same_as_its_yaml(pools: Pools) -> None:
    from kubernetes import client as k  # noqa: PLC0415

    template = k.V1PodTemplateSpec(spec=k.V1PodSpec(containers=[k.V1Container(name="pytorch", image="i")]))
    job = sdk.KubeflowOrgV1PyTorchJob(
        api_version="kubeflow.org/v1",
        kind="PyTorchJob",
        metadata=k.V1ObjectMeta(name="t"),
        spec=sdk.KubeflowOrgV1PyTorchJobSpec(
            run_policy=sdk.KubeflowOrgV1RunPolicy(clean_pod_policy="None"),
            pytorch_replica_specs={"Worker": sdk.KubeflowOrgV1ReplicaSpec(replicas=1, template=template)},
        ),
    )
    before = copy.deepcopy(job)
    document = training_job("PyTorchJob", "pytorchReplicaSpecs", Worker=container("pytorch"))
    document["spec"]["runPolicy"] = {"cleanPodPolicy": "None"}
    assert place(job, pools["cpu"]) == place(document, pools["cpu"])
    assert job == before


def test_a_gpu_chief_on_a_group_without_gpus_would_wait_forever(pools: Pools) -> None:
    document = training_job(
        "TFJob", "tfReplicaSpecs", Chief=container("tensorflow", gpus=1), Worker=container("tensorflow")
    )
    with pytest.raises(
        PlacementError, match=r"Chief\.template: Chief asks for a GPU .* 'cpu' has none; expected"
    ):
        place(document, pools["cpu"])


def test_a_gpu_chief_that_the_user_has_placed_is_left_alone(pools: Pools) -> None:
    document = training_job(
        "TFJob", "tfReplicaSpecs", Chief=container("tensorflow", gpus=1), Worker=container("tensorflow")
    )
    document["spec"]["tfReplicaSpecs"]["Chief"]["template"]["spec"]["nodeSelector"] = {"gpu": "yes"}
    placed = place(document, pools["cpu"])
    assert pod(placed, "Chief")["containers"][0]["resources"] == {"limits": {GPU: 1}}
    assert "affinity" not in pod(placed, "Chief")


def tfjob(*roles: str, **spec: Any) -> Json:
    document = training_job("TFJob", "tfReplicaSpecs", **dict.fromkeys(roles, container("tensorflow")))
    document["spec"].update(spec)
    return document


@pytest.mark.parametrize("roles", [("Chief", "PS", "Worker"), ("Chief", "Worker"), ("PS", "Worker")])
def test_a_tfjob_is_warned_about_and_its_workers_stay_as_they_are(
    pools: Pools, roles: tuple[str, ...]
) -> None:
    with pytest.warns(EvictionWarning, match="TFJob/t: fails as a whole when one worker is drained"):
        placed = place(tfjob(*roles), pools["cpu"])
    assert "enableDynamicWorker" not in placed["spec"]


@pytest.mark.parametrize(
    "roles", [("Chief", "PS", "Worker"), ("Master", "Worker"), ("PS", "Evaluator", "Worker")]
)
def test_dynamic_workers_that_break_the_cluster_of_a_tfjob_are_refused(
    pools: Pools, roles: tuple[str, ...]
) -> None:
    with pytest.raises(PlacementError, match=r"^spec.enableDynamicWorker: True gives .*; leave it out$"):
        place(tfjob(*roles, enableDynamicWorker=True), pools["cpu"])


def test_two_parameter_servers_would_not_know_each_other(pools: Pools) -> None:
    document = tfjob("PS", "Worker", enableDynamicWorker=True)
    document["spec"]["tfReplicaSpecs"]["PS"]["replicas"] = 2
    with pytest.raises(PlacementError, match="each of several PS alone"):
        place(document, pools["cpu"])


@pytest.mark.parametrize(
    ("document", "placing"),
    [
        (tfjob("PS", "Worker", enableDynamicWorker=True), {}),
        (tfjob("Chief", "Worker"), {"require": "on-demand"}),
    ],
    ids=["dynamic with one PS", "on demand"],
)
def test_a_tfjob_that_survives_is_not_warned_about(pools: Pools, document: Json, placing: Any) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error", EvictionWarning)
        place(document, pools["cpu"], **placing)


@pytest.mark.parametrize(("kind", "field", "name"), TRAINING)
def test_never_becomes_exit_code_and_a_worker_out_of_memory_is_reported(
    pools: Pools, kind: str, field: str, name: str
) -> None:
    with pytest.warns(EvictionWarning, match="Worker had restartPolicy Never and has ExitCode now.*137"):
        placed = place(of_workers(kind, field, name, restartPolicy="Never"), pools["cpu"])
    assert placed["spec"][field]["Worker"]["restartPolicy"] == "ExitCode"


@pytest.mark.parametrize("policy", ["OnFailure", "Always"])
@pytest.mark.parametrize(("kind", "field", "name"), TRAINING)
@pytest.mark.filterwarnings("ignore::ckf_spot.errors.EvictionWarning")
def test_a_policy_with_which_a_drained_worker_fails_the_job_is_replaced(
    pools: Pools, kind: str, field: str, name: str, policy: str
) -> None:
    placed = place(of_workers(kind, field, name, restartPolicy=policy), pools["cpu"])
    fails = kind in {"MPIJob", "XGBoostJob"}
    assert placed["spec"][field]["Worker"]["restartPolicy"] == ("ExitCode" if fails else policy)


@pytest.mark.parametrize("kind", ["TFJob", "MPIJob", "XGBoostJob", "JAXJob"])
def test_what_an_eviction_does_to_the_whole_job_is_reported(pools: Pools, kind: str) -> None:
    field, name = next((field, name) for listed, field, name in TRAINING if listed == kind)
    with pytest.warns(EvictionWarning, match=f"^{kind}/t: "):
        place(of_workers(kind, field, name), pools["cpu"])


def test_a_backoff_limit_of_zero_is_reported(pools: Pools) -> None:
    document = of_workers("PyTorchJob", "pytorchReplicaSpecs", "pytorch")
    document["spec"]["runPolicy"] = {"backoffLimit": 0}
    with pytest.warns(EvictionWarning, match=r"runPolicy\.backoffLimit: 0 fails the job"):
        place(document, pools["cpu"])
