"""Jobs of the training operator: workers on spot, what must not vanish on nodes that stay."""

import copy
import warnings
from typing import Any

import pytest
from kubeflow import training
from samples import GPU, OFF_SPOT, ON_SPOT, SPOT, Json, container, example, expressions, training_job

from ckf_spot import EvictionWarning, PlacementError, Pools, place_training_job
from ckf_spot.kinds.training import KINDS

sdk: Any = training
"""Its classes come without types."""


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
def test_workers_go_on_spot_and_every_other_role_is_left_alone(pools: Pools, document: Json) -> None:
    if document["kind"] == "TFJob":
        del replicas(document)["Master"]  # the operator takes a Chief or a Master
    placed = replicas(place_training_job(document, pools["cpu"]))
    assert SPOT in [each["key"] for each in placed.pop("Worker")["template"]["spec"]["tolerations"]]
    assert placed == {role: each for role, each in replicas(document).items() if role != "Worker"}


@pytest.mark.parametrize("kind", KINDS)
def test_the_fields_are_those_of_the_operators_sdk(kind: str) -> None:
    spec = getattr(sdk, f"KubeflowOrgV1{kind}Spec").attribute_map
    assert {KINDS[kind].replicas, *KINDS[kind].options} == set(spec.values())


@pytest.mark.parametrize(("name", "workload"), [("tfjob", "cpu"), ("pytorchjob", "gpu")])
def test_placing_twice_is_placing_once(pools: Pools, name: str, workload: str) -> None:
    once = place_training_job(example(name), pools[workload])
    assert place_training_job(once, pools[workload]) == once


def test_a_gpu_master_goes_on_demand(pools: Pools) -> None:
    placed = place_training_job(example("pytorchjob"), pools["gpu"])
    assert OFF_SPOT in expressions(pod(placed, "Master"))[0]
    assert SPOT not in [each["key"] for each in pod(placed, "Master")["tolerations"]]
    assert "terminationGracePeriodSeconds" not in pod(placed, "Master")
    assert ON_SPOT not in expressions(pod(placed, "Worker"))[0]
    assert SPOT in [each["key"] for each in pod(placed, "Worker")["tolerations"]]


def test_a_gpu_master_without_on_demand_gpus_is_refused(pools: Pools) -> None:
    alone = Pools(tuple(pool for pool in pools.all if pool.name != "gpuod"))
    with pytest.raises(
        PlacementError, match=r"Master asks for a GPU and must not vanish: .*also=\('Master',\)"
    ):
        place_training_job(example("pytorchjob"), alone["gpu"])


def test_a_role_may_vanish_too(pools: Pools) -> None:
    placed = place_training_job(example("tfjob"), pools["cpu"], also=("PS",), require="spot")
    assert ON_SPOT in expressions(pod(placed, "PS"))[0]
    assert "tolerations" not in pod(placed, "Chief")


def test_a_role_that_the_job_lacks_is_refused(pools: Pools) -> None:
    with pytest.raises(PlacementError, match=r"'Master'.* is not allowed; expected Chief, PS, Worker"):
        place_training_job(example("tfjob"), pools["cpu"], also=("Master",))


@pytest.mark.parametrize(
    ("own", "expected"),
    [
        (None, "ExitCode"),
        ("Never", "ExitCode"),
        ("ExitCode", "ExitCode"),
        ("OnFailure", "OnFailure"),
        ("Always", "Always"),
    ],
)
def test_a_restart_policy_that_an_eviction_would_end_is_replaced(
    pools: Pools, own: str | None, expected: str
) -> None:
    document = training_job("PyTorchJob", "pytorchReplicaSpecs", Worker=container("pytorch"))
    replicas(document)["Worker"] |= {} if own is None else {"restartPolicy": own}
    assert replicas(place_training_job(document, pools["cpu"]))["Worker"]["restartPolicy"] == expected


def test_roles_that_share_a_template_in_yaml_do_not_share_the_placement(pools: Pools) -> None:
    template = {"spec": {"containers": [container("tensorflow")]}}
    document = training_job("TFJob", "tfReplicaSpecs", Chief={}, Worker={})
    for replica in replicas(document).values():
        replica["template"] = template
    placed = place_training_job(document, pools["cpu"])
    assert "tolerations" not in pod(placed, "Chief")
    assert "tolerations" in pod(placed, "Worker")


def test_a_role_in_small_letters_is_refused_as_by_the_webhook(pools: Pools) -> None:
    document = training_job("PyTorchJob", "pytorchReplicaSpecs", worker=container("pytorch"))
    with pytest.raises(
        PlacementError, match=r"pytorchReplicaSpecs.worker: unknown field; did you mean 'Worker'?"
    ):
        place_training_job(document, pools["cpu"])


def test_gpu_workers_without_a_gpu_are_refused(pools: Pools) -> None:
    with pytest.raises(
        PlacementError, match=r"Worker.template.spec.containers: 'tensorflow' asks for no nvidia.com/gpu"
    ):
        place_training_job(example("tfjob"), pools["gpu"])


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
        place_training_job(document, pools["cpu"])
    assert str(error.value) == message


def test_a_job_without_workers_is_refused(pools: Pools) -> None:
    document = training_job("TFJob", "tfReplicaSpecs", Chief=container("tensorflow"))
    with pytest.raises(PlacementError, match=r"there is no Worker among Chief, so nothing would be placed"):
        place_training_job(document, pools["cpu"])


def test_a_run_policy_field_in_the_spec_is_refused_with_its_place(pools: Pools) -> None:
    document = example("tfjob")
    document["spec"]["cleanPodPolicy"] = "None"
    with pytest.raises(
        PlacementError, match=r"spec.cleanPodPolicy: .* it belongs under spec.runPolicy.cleanPodPolicy"
    ):
        place_training_job(document, pools["cpu"])


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
    assert place_training_job(job, pools["cpu"]) == place_training_job(document, pools["cpu"])
    assert job == before


def test_a_gpu_chief_on_a_group_without_gpus_is_left_alone(pools: Pools) -> None:
    document = training_job(
        "TFJob", "tfReplicaSpecs", Chief=container("tensorflow", gpus=1), Worker=container("tensorflow")
    )
    placed = place_training_job(document, pools["cpu"])
    assert pod(placed, "Chief")["containers"][0]["resources"] == {"limits": {GPU: 1}}
    assert "affinity" not in pod(placed, "Chief")


def tfjob(*roles: str, **spec: Any) -> Json:
    document = training_job("TFJob", "tfReplicaSpecs", **dict.fromkeys(roles, container("tensorflow")))
    document["spec"].update(spec)
    return document


def test_workers_of_a_tfjob_with_parameter_servers_may_come_and_go(pools: Pools) -> None:
    assert (
        place_training_job(tfjob("Chief", "PS", "Worker"), pools["cpu"])["spec"]["enableDynamicWorker"]
        is True
    )


def test_a_tfjob_whose_workers_talk_to_each_other_is_warned_about(pools: Pools) -> None:
    with pytest.warns(EvictionWarning, match="fails as a whole when one worker is drained"):
        placed = place_training_job(tfjob("Chief", "Worker"), pools["cpu"])
    assert "enableDynamicWorker" not in placed["spec"]


@pytest.mark.parametrize(
    ("document", "wish"),
    [
        (tfjob("Chief", "Worker", enableDynamicWorker=True), {}),
        (tfjob("Chief", "Worker"), {"require": "on-demand"}),
    ],
    ids=["dynamic already", "on demand"],
)
def test_a_tfjob_that_survives_is_not_warned_about(pools: Pools, document: Json, wish: Any) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error", EvictionWarning)
        place_training_job(document, pools["cpu"], **wish)
