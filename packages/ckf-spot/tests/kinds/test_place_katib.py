"""Katib: the trials of an experiment are placed as the Job or training job that they are."""

from typing import Any

import pytest
from kubeflow_katib_api import models
from samples import Json, container, example, place, training_job

from ckf_spot import EvictionWarning, PlacementError, Pools


def with_trial(trial: Any) -> Json:
    document = example("experiment")
    document["spec"]["trialTemplate"]["trialSpec"] = trial
    return document


def trial_of(document: Json) -> Json:
    return document["spec"]["trialTemplate"]["trialSpec"]


def test_a_trial_is_placed_as_a_job(pools: Pools) -> None:
    placed = trial_of(place(example("experiment"), pools["cpu"]))
    assert placed == place(trial_of(example("experiment")), pools["cpu"])
    assert placed["spec"]["podFailurePolicy"]["rules"][0]["action"] == "Ignore"


def test_a_trial_is_placed_as_a_workflow(pools: Pools) -> None:
    template = {"name": "train", "container": container()}
    spec = {"entrypoint": "train", "templates": [template]}
    trial = {"apiVersion": "argoproj.io/v1alpha1", "kind": "Workflow", "spec": spec}
    assert trial_of(place(with_trial(trial), pools["cpu"])) == place(trial, pools["cpu"])


def test_a_trial_is_placed_as_a_training_job(pools: Pools) -> None:
    trial = training_job(
        "PyTorchJob", "pytorchReplicaSpecs", Master=container("pytorch"), Worker=container("pytorch")
    )
    placed = place(with_trial(trial), pools["cpu"], also=("Master",))
    assert trial_of(placed) == place(trial, pools["cpu"], also=("Master",))


def test_the_rest_of_the_experiment_stays(pools: Pools) -> None:
    placed, before = place(example("experiment"), pools["cpu"]), example("experiment")
    trial_of(placed).clear()
    trial_of(before).clear()
    assert placed == before


def test_a_model_of_the_sdk_becomes_the_same_as_its_yaml(pools: Pools) -> None:
    model = models.V1beta1Experiment.from_dict(example("experiment"))
    assert place(model, pools["cpu"]) == place(example("experiment"), pools["cpu"])


@pytest.mark.parametrize(
    ("name", "inside"), [("V1beta1ExperimentSpec", "spec"), ("V1beta1TrialTemplate", "spec.trialTemplate")]
)
def test_the_fields_are_those_of_katibs_own_models(pools: Pools, name: str, inside: str) -> None:
    fields = {field.alias or key for key, field in getattr(models, name).model_fields.items()} - {"configMap"}
    document = example("experiment")
    part = document
    for key in inside.split("."):
        part = part[key]
    part |= dict.fromkeys(fields - part.keys())
    place(document, pools["cpu"])
    part["unheardOf"] = 1
    with pytest.warns(EvictionWarning, match=f"{inside}.unheardOf: unknown field; left as it is"):
        place(document, pools["cpu"])


@pytest.mark.parametrize(
    ("trial", "message"),
    [
        (
            {"kind": "Deployment"},
            "spec.trialTemplate.trialSpec.kind: 'Deployment' is not allowed; expected Job, TFJob",
        ),
        (None, "spec.trialTemplate.trialSpec is missing"),
        ("${trial}", "spec.trialTemplate.trialSpec: '${trial}' is no map"),
        (
            {"apiVersion": "batch/v1", "kind": "Job", "spec": {"containers": []}},
            "spec.trialTemplate.trialSpec.spec.containers: unknown field; a pod's fields belong under template.spec",
        ),
    ],
)
def test_a_mistake_names_its_place_in_the_experiment(pools: Pools, trial: Any, message: str) -> None:
    with pytest.raises(PlacementError) as error:
        place(with_trial(trial), pools["cpu"])
    assert str(error.value).splitlines()[0].startswith(message)


def test_a_trial_on_the_wrong_pool_names_its_place_in_the_experiment(pools: Pools) -> None:
    with pytest.raises(
        PlacementError, match=r"^spec.trialTemplate.trialSpec.spec.template.spec.containers: 'training-"
    ):
        place(example("experiment"), pools["gpu"])


def test_a_trial_in_a_config_map_is_refused(pools: Pools) -> None:
    document = example("experiment")
    document["spec"]["trialTemplate"] = {"configMap": {"configMapName": "c"}}
    with pytest.raises(PlacementError, match=r"out of reach in a ConfigMap; expected trialSpec"):
        place(document, pools["cpu"])


def test_a_job_has_no_roles(pools: Pools) -> None:
    with pytest.raises(PlacementError, match=r"contradicts Job, which has no roles"):
        place(example("experiment"), pools["cpu"], also=("Master",))


@pytest.mark.parametrize("api", ["2.0", "2.1", "2.2", "2.3"])
def test_a_trial_is_placed_as_a_trainjob(pools: Pools, api: str) -> None:
    placed = place(with_trial(example("trainjob")), pools["gpu"], trainer_api=api)
    assert trial_of(placed) == place(example("trainjob"), pools["gpu"], trainer_api=api)


def test_a_trial_of_the_trainer_needs_its_release(pools: Pools) -> None:
    with pytest.raises(PlacementError, match=r"^trainer_api is missing; expected 2.0, 2.1, 2.2, 2.3"):
        place(with_trial(example("trainjob")), pools["gpu"])


def test_error_in_a_trial_of_the_trainer_names_the_field(pools: Pools) -> None:
    trial = example("trainjob") | {"spec": {"runtimeRef": {"name": "r"}, "trainers": {}}}
    with pytest.raises(PlacementError, match=r"^spec.trialTemplate.trialSpec.spec.trainers: unknown field"):
        place(with_trial(trial), pools["gpu"], trainer_api="2.2")
