"""Runs of Kubeflow Pipelines that Argo ran: tasks by their names, drivers apart, lost steps in Argo's words."""

from __future__ import annotations

import copy
import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Final

import pytest
from made import POOLS, node_name, pod

from ckf_spot.where import parse, traces
from ckf_spot.where.endings import courses
from ckf_spot.where.lost_steps import lost_steps
from ckf_spot.where.observations import Look
from ckf_spot.where.report import as_dict, report
from ckf_spot.where.table import table
from ckf_spot.where.violations import Violation

RUNS: Final[Mapping[str, Any]] = json.loads(
    (Path(__file__).parent / "pipeline_runs.json").read_text(encoding="utf-8")
)["runs"]
END: Final = datetime.fromisoformat("2026-11-22T01:30:00Z")
TASK: Final = "retry-system-container-impl"


def run(name: str) -> Any:
    """A workflow that may be changed."""
    return copy.deepcopy(RUNS[name]["workflow"])


def pods(name: str) -> list[Any]:
    """The pods of its tasks, as they were while they ran; the last attempt is there still."""
    return [
        pod(
            recorded["name"],
            node_name("cpuspot", 1),
            owner=("Workflow", run(name)["metadata"]["name"]),
            namespace=run(name)["metadata"]["namespace"],
            labels=recorded["labels"],
            annotations=recorded["annotations"],
            phase=recorded["phase"],
        )
        for recorded in RUNS[name]["pods"]
    ]


def look(*workflows: Any, raws: tuple[Any, ...] = ()) -> Look:
    """A look at workflows whose pods are gone, and at pods that are there; no node is there any more."""
    there = tuple(map(parse.pod, raws))
    return Look(
        time=END,
        namespace="team-a",
        pods=(*traces.earlier(there, (), workflows), *there),
        nodes=(),
        pools=POOLS,
        lost_steps=lost_steps(workflows),
    )


def judged(*workflows: Any) -> tuple[list[Violation], list[str]]:
    """Lost steps that are a violation, and those that are a note."""
    reported = report(look(*workflows), timedelta(minutes=5))
    notes = [note for note in reported.notes if "lost its pod" in note]
    return [violation for violation in reported.violations if violation.rule == "step-lost"], notes


@pytest.mark.parametrize(
    ("name", "roles"),
    [
        ("with retries", {"work": "batch", "work-driver": "helper", "root-driver": "helper"}),
        ("without retries", {"work": "batch", "work-driver": "helper", "root-driver": "helper"}),
        (
            "exit handler",
            {
                "exit-handler-1.work": "batch",
                "exit-handler-1.work-driver": "helper",
                "exit-handler-1-driver": "helper",
                "report": "batch",
                "report-driver": "helper",
                "root-driver": "helper",
            },
        ),
        (
            "nested in a loop",
            {
                "for-loop-2[0].inner.take": "batch",
                "for-loop-2[0].inner.take-driver": "helper",
                "for-loop-2[0].inner.work": "batch",
                "for-loop-2[0].inner.work-driver": "helper",
                "for-loop-2[0].inner-driver": "helper",
                "for-loop-2[0]-driver": "helper",
                "for-loop-2[1].inner.take": "batch",
                "for-loop-2[1].inner.take-driver": "helper",
                "for-loop-2[1].inner.work": "batch",
                "for-loop-2[1].inner.work-driver": "helper",
                "for-loop-2[1].inner-driver": "helper",
                "for-loop-2[1]-driver": "helper",
                "for-loop-2.iteration-driver": "helper",
                "root-driver": "helper",
            },
        ),
        (
            "importer",
            {"importer": "batch", "use": "batch", "use-driver": "helper", "root-driver": "helper"},
        ),
    ],
)
def test_a_step_is_its_task_and_a_driver_is_a_helper(name: str, roles: Mapping[str, str]) -> None:
    work = as_dict(report(look(run(name)), timedelta(minutes=5)))["work"]
    assert {(item["kind"], item["part"]): item["role"] for item in work} == {
        ("Workflow", part): role for part, role in roles.items()
    }


@pytest.mark.parametrize("name", [name for name in RUNS if RUNS[name]["pods"]])
def test_a_pod_and_its_workflow_tell_the_same_of_it(name: str) -> None:
    of_workflow = {pod.name: (pod.work, pod.role) for pod in look(run(name)).pods}
    of_pods = {seen.name: (seen.work, seen.role) for seen in map(parse.pod, pods(name))}
    assert of_pods.items() <= of_workflow.items()


def test_all_attempts_of_a_task_are_the_same_work() -> None:
    last = pods("with retries")[-1]
    last["metadata"]["creationTimestamp"] = "2026-11-22T01:17:57Z"
    [work] = [
        course for course in courses(look(run("with retries"), raws=(last,))) if course.work.part == "work"
    ]
    assert [(attempt.source, ending.end) for attempt, ending in work.pods] == [
        ("workflow", "evicted"),
        ("pod", "finished"),
    ]


def test_a_workflow_that_nobody_of_kubeflow_made_keeps_its_names() -> None:
    workflow = run("without retries")
    del workflow["spec"]["podMetadata"]
    assert {(pod.work.part, pod.role) for pod in look(workflow).pods} == {
        ("root-driver", "batch"),
        ("root.work-driver", "batch"),
        ("root.work.executor", "batch"),
    }


def test_the_table_has_one_row_for_all_drivers_of_a_run() -> None:
    lines = table(report(look(run("exit handler")), timedelta(minutes=5)), None).splitlines()
    steps = {line.split()[1]: line for line in lines if line.startswith("Workflow/c4-exit-handler")}
    assert [*steps] == ["exit-handler-1.work", "report", "drivers"]
    assert steps["drivers"].split()[2:7] == ["4", "pods", "general", "on-demand", "succeeded"]


def test_drivers_in_several_states_are_counted() -> None:
    workflow = run("exit handler")
    drivers = [node for node in workflow["status"]["nodes"].values() if "-driver(" in node["name"]]
    drivers[0].update(phase="Error", message="pod deleted")
    [row] = [
        line
        for line in table(report(look(workflow), timedelta(minutes=5)), None).splitlines()
        if " drivers" in line
    ]
    assert "1 evicted, 3 succeeded" in row
    assert row.endswith("  1 from general")


@pytest.mark.parametrize("name", ["with retries", "exit handler", "nested in a loop", "importer"])
def test_a_step_that_went_on_is_not_lost(name: str) -> None:
    assert judged(run(name)) == ([], [])


def test_a_step_that_waits_for_a_retry_which_never_comes_is_reported() -> None:
    [violation], notes = judged(run("waiting without retries"))
    assert notes == []
    assert violation.name == "Workflow/lost work"
    assert violation.message == (
        "Argo shows 'Backoff for 30 seconds', but its retry policy does not cover lost pods: "
        "after that the step ends with 'pod deleted'"
    )
    assert "kubeflow.argoRetries: true" in violation.advice


def test_and_afterwards_in_the_words_that_it_ends_with() -> None:
    [violation], notes = judged(run("without retries"))
    assert notes == []
    assert violation.message == (
        "Argo shows 'pod deleted': its pod on cpuspot was lost, and its retry policy does not cover lost pods"
    )
    assert "kubeflow.argoRetries: true" in violation.advice


def test_a_step_that_waits_for_a_retry_which_comes_is_a_note() -> None:
    violations, [note] = judged(run("waiting with retries"))
    assert violations == []
    assert note.endswith(
        "/Workflow/lost work lost its pod on cpuspot: "
        "Argo shows 'Backoff for 30 seconds', and tries it again after that"
    )


def retry_of(workflow: Any) -> Any:
    """The node of a workflow that holds the attempts of its task."""
    nodes = workflow["status"]["nodes"].values()
    return next(node for node in nodes if node["type"] == "Retry" and "executor" in node["name"])


def strategy_of(workflow: Any) -> Any:
    """The retry strategy of its task's template."""
    return next(template for template in workflow["spec"]["templates"] if template["name"] == TASK)[
        "retryStrategy"
    ]


def test_a_step_without_retries_is_advised_to_have_some() -> None:
    workflow = run("waiting with retries")
    retry_of(workflow)["inputs"]["parameters"] = [{"name": "retry-max-count", "value": "0"}]
    [violation], _ = judged(workflow)
    assert "it has no retries" in violation.message


def test_a_step_whose_retries_are_used_up_says_so() -> None:
    workflow = run("waiting with retries")
    retry_of(workflow)["inputs"]["parameters"] = [{"name": "retry-max-count", "value": "1"}]
    lost = next(node for node in workflow["status"]["nodes"].values() if node.get("message") == "pod deleted")
    again = {
        **lost,
        "id": "lost-again",
        "name": lost["name"].replace("(0)", "(1)"),
        "startedAt": lost["finishedAt"],
    }
    workflow["status"]["nodes"]["lost-again"] = again
    retry_of(workflow)["children"].append("lost-again")
    retry_of(workflow)["message"] = "No more retries left"
    [violation], _ = judged(workflow)
    assert "it has used up its retries" in violation.message


def test_a_step_past_its_deadline_says_so() -> None:
    workflow = run("waiting with retries")
    workflow["status"]["phase"] = retry_of(workflow)["phase"] = "Error"
    retry_of(workflow)["message"] = "Backoff would exceed max duration limit"
    [violation], _ = judged(workflow)
    assert violation.message.startswith("Argo shows 'Backoff would exceed max duration limit': ")
    assert "backoff_max_duration" in violation.advice


@pytest.mark.parametrize("of_workflow", [True, False])
@pytest.mark.parametrize(
    ("strategy", "reason"),
    [
        ({}, "the workflow ended before it was tried again"),
        (
            {"expression": "lastRetry.exitCode == '143'"},
            "the expression of its retryStrategy is false for it",
        ),
    ],
)
def test_a_step_that_is_over_is_never_tried_again(strategy: Any, reason: str, *, of_workflow: bool) -> None:
    workflow = run("waiting with retries")
    strategy_of(workflow).update(strategy)
    (workflow["status"] if of_workflow else retry_of(workflow))["phase"] = "Failed"
    [violation], notes = judged(workflow)
    assert (violation.message.endswith(f"was lost, and {reason}"), notes) == (True, [])
    assert violation.advice.endswith("run it again")


@pytest.mark.parametrize(
    ("strategy", "limit", "advice"),
    [
        (
            {"retryPolicy": "OnFailure"},
            "5",
            "set retryPolicy: Always in its retryStrategy, then run it again",
        ),
        (
            {},
            "0",
            "place the workflow with ckf-spot place, which gives it a retryStrategy, then run it again",
        ),
        (None, "5", "raise backoff.maxDuration of its retryStrategy, then run it again"),
    ],
)
def test_a_workflow_of_ones_own_gets_advice_without_set_retry(strategy: Any, limit: str, advice: str) -> None:
    workflow = run("waiting with retries")
    del workflow["spec"]["podMetadata"]
    strategy_of(workflow).update(strategy or {})
    retry_of(workflow)["inputs"]["parameters"] = [{"name": "retry-max-count", "value": limit}]
    if strategy is None:
        retry_of(workflow)["message"] = "Backoff would exceed max duration limit"
    [violation], _ = judged(workflow)
    assert violation.advice == advice


@pytest.mark.parametrize(
    ("strategy", "phase", "message", "retried"),
    [
        ({"retryPolicy": "OnError"}, "Error", "pod deleted", True),
        ({"retryPolicy": "OnError"}, "Failed", "Error (exit code 143)", False),
        ({}, "Failed", "Error (exit code 143)", True),
        ({"retryPolicy": "OnFailure"}, "Error", "pod deleted", False),
        ({"expression": "lastRetry.exitCode != '1'"}, "Error", "pod deleted", True),
        ({"expression": "lastRetry.exitCode == '143'"}, "Error", "pod deleted", False),
        ({"expression": "lastRetry.message contains 'pod'"}, "Error", "pod deleted", True),
    ],
)
def test_argos_policies_decide(strategy: Any, phase: str, message: str, *, retried: bool) -> None:
    workflow = run("waiting without retries")
    strategy_of(workflow).update(strategy)
    lost = next(node for node in workflow["status"]["nodes"].values() if node.get("message") == "pod deleted")
    lost.update(phase=phase, message=message)
    violations, notes = judged(workflow)
    assert (len(violations), len(notes)) == ((0, 1) if retried else (1, 0))


def test_an_expression_that_ends_the_retries_is_named() -> None:
    workflow = run("waiting with retries")
    strategy_of(workflow)["expression"] = "lastRetry.exitCode == '143'"
    [violation], _ = judged(workflow)
    assert "but the expression of its retryStrategy is false for it: after that the step" in violation.message


def test_whether_an_expression_that_is_not_read_ends_them_was_not_judged() -> None:
    workflow = run("waiting with retries")
    strategy_of(workflow)["expression"] = "asInt(retries) < 2"
    violations, [note] = judged(workflow)
    assert violations == []
    assert note.endswith("was not judged: that depends on its retryStrategy.expression")
    retry_of(workflow)["phase"] = "Error"
    [violation], notes = judged(workflow)
    assert notes == []
    assert "the expression of its retryStrategy is false for it" in violation.message


def test_retries_of_the_whole_workflow_count() -> None:
    workflow = run("waiting with retries")
    del workflow["spec"]["templateDefaults"]
    strategy = strategy_of(workflow)
    workflow["spec"]["retryStrategy"] = {**strategy, "retryPolicy": "Always"}
    strategy.clear()
    violations, [_] = judged(workflow)
    assert violations == []


def test_a_driver_that_is_lost_is_not_advised_to_be_placed() -> None:
    workflow = run("without retries")
    for node in workflow["status"]["nodes"].values():
        if node["type"] == "Pod":
            lost = node["name"].endswith("work-driver")
            node.update(
                {"phase": "Error", "message": "pod deleted"}
                if lost
                else {"phase": "Succeeded", "message": ""}
            )
    [violation], _ = judged(workflow)
    assert (violation.name, violation.advice) == ("Workflow/a1-prefer work-driver", "run it again")


def test_a_record_says_that_it_has_no_workflows() -> None:
    seen = replace(look(raws=tuple(pods("without retries"))), since=END)
    assert "lost steps were not judged: a record has no workflows" in report(seen, timedelta(minutes=5)).notes


def test_a_step_that_failed_by_itself_is_not_lost() -> None:
    workflow = run("without retries")
    for node in workflow["status"]["nodes"].values():
        if node.get("message") == "pod deleted":
            node.update(phase="Failed", message="Error (exit code 1)")
    assert judged(workflow) == ([], [])


def test_drivers_are_no_violation_wherever_they_are() -> None:
    driver = pod(
        "a1-prefer-system-container-driver-1",
        node_name("cpuspot", 1),
        owner=("Workflow", "a1-prefer"),
        labels=RUNS["with retries"]["pods"][0]["labels"],
        annotations={"workflows.argoproj.io/node-name": "a1-prefer(0).root(0).work-driver(0)"},
        claim={"claimName": "data"},
    )
    reported = report(look(raws=(driver,)), timedelta(minutes=5))
    assert Counter(pod.role for pod in reported.look.pods) == {"helper": 1}
    assert reported.violations == ()
