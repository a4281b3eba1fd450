"""Deadlines run on while pods wait for spot nodes and start again: a line where they may end the work so."""

from typing import Any

import pytest
from samples import Json, container, example, job, training_job

from ckf_spot import Pools, durations, time_limits
from ckf_spot.fields import at
from ckf_spot.kinds import placing
from ckf_spot.kinds.kind import PlacingRequest
from ckf_spot.pipelines.request import GIVE_UP

DAY = 86_400


def changed(document: Json, *path: str | int, **more: Any) -> Json:
    at(document, *path).update(more)
    return document


def trial(**spec: Any) -> Json:
    document = example("experiment")
    document["spec"]["trialTemplate"]["trialSpec"]["spec"].update(spec)
    return document


def train_job() -> Json:
    spec = {"runtimeRef": {"name": "torch-distributed"}, "activeDeadlineSeconds": 3600}
    return {
        "apiVersion": "trainer.kubeflow.org/v1alpha1",
        "kind": "TrainJob",
        "metadata": {"name": "t"},
        "spec": spec,
    }


def lines(document: Json, pools: Pools, **request: Any) -> list[str]:
    placed = placing.place(document, pools["cpu"], PlacingRequest(**request))
    return [doubt for doubt in placed.doubts if "in which it also waits for nodes" in doubt]


PYTORCH = changed(
    training_job("PyTorchJob", "pytorchReplicaSpecs", Worker=container("pytorch")),
    "spec",
    runPolicy={"activeDeadlineSeconds": 5400},
)
CASES: list[tuple[Json, Json, str]] = [
    (changed(job(), "spec", activeDeadlineSeconds=600), {}, "activeDeadlineSeconds ends the Job after 10m"),
    (trial(activeDeadlineSeconds=600), {}, "activeDeadlineSeconds ends the Job after 10m"),
    (PYTORCH, {}, "spec.runPolicy.activeDeadlineSeconds ends the job after 90m"),
    (
        changed(example("rayjob"), "spec", activeDeadlineSeconds=7200),
        {},
        "activeDeadlineSeconds ends the RayJob after 2h",
    ),
    (
        changed(example("rayjob"), "spec", preRunningDeadlineSeconds=300),
        {},
        "preRunningDeadlineSeconds ends the RayJob after 5m",
    ),
    (
        changed(example("workflow"), "spec", activeDeadlineSeconds=DAY),
        {},
        "activeDeadlineSeconds ends the workflow after 1d",
    ),
    (train_job(), {"trainer_api": "2.2"}, "spec.activeDeadlineSeconds ends the TrainJob after 1h"),
]


@pytest.mark.parametrize(("document", "request_", "line"), CASES)
def test_a_deadline_of_the_whole_work_is_a_line_on_spot_only(
    pools: Pools, document: Json, request_: Json, line: str
) -> None:
    [doubt] = lines(document, pools, **request_)
    assert doubt.startswith(f"{line}, in which it also waits for nodes and starts again after evictions: ")
    assert lines(document, pools, require="on-demand", **request_) == []


@pytest.mark.parametrize("seconds", [7 * DAY, None, "${trialParameters.seconds}"])
def test_a_long_deadline_or_one_that_is_not_known_is_none(pools: Pools, seconds: object) -> None:
    document = changed(PYTORCH, "spec", runPolicy={"activeDeadlineSeconds": seconds})
    assert lines(document, pools) == []


def test_a_deadline_of_one_attempt_is_none(pools: Pools) -> None:
    """It counts from the pod's start on its node, and anew for the next pod (Kubernetes, PodSpec)."""
    assert lines(job(activeDeadlineSeconds=600), pools) == []
    document = changed(example("workflow"), "spec", "templates", 1, activeDeadlineSeconds=600)
    assert lines(document, pools) == []


def test_what_is_generous_is_what_a_placed_task_gets() -> None:
    assert durations.seconds("give_up", GIVE_UP) == time_limits.GENEROUS


@pytest.mark.parametrize(
    ("retries", "last"),
    [
        ({"limit": 5, "wait": 300}, 1500),
        ({"limit": 5, "wait": 300, "factor": 2}, 9300),
        ({"limit": 10**9, "wait": 1, "factor": 2}, 2**64),
    ],
)
def test_a_window_must_outlast_the_waits_of_all_retries(retries: Any, last: int) -> None:
    assert [*time_limits.window_problems("give_up", last + 1, **retries)] == []
    [problem] = time_limits.window_problems("give_up", last, **retries)
    assert "is over before the last of" in str(problem)


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("90", 90), (90, 90), ("3600s", 3600), ("1h30m", 5400), ("1.5h", 5400), ("500ms", 0), ("2d", 2 * DAY)],
)
def test_a_duration_of_argo_is_read(text: object, seconds: int) -> None:
    assert durations.of_argo(text) == seconds


@pytest.mark.parametrize("text", [None, "", "{{inputs.parameters.wait}}", "1w", "h1", "1h ", []])
def test_another_text_is_no_duration(text: object) -> None:
    assert durations.of_argo(text) is None
