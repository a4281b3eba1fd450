"""How often work was evicted, and what is not known for certain."""

import base64
import gzip
import json
from typing import Any

import pytest
from made import assigned, at, event, look, node, node_name, pod

from ckf_spot.where.endings import Course, courses

HERE, LOST = node_name("cpuspot", 1), node_name("cpuspot", 0)
NODES = [node("cpuspot", 1)]
CREATED = event("SuccessfulCreate", "Created pod: train-old", "Job", "train", ago=9)


def only(listed: tuple[Course, ...]) -> Course:
    [course] = listed
    return course


def counts(course: Course) -> tuple[int, int]:
    return course.evictions, course.unexplained


def workflow(**node: Any) -> dict[str, Any]:
    entry = {
        "type": "Pod",
        "id": "n0",
        "name": "iris.train(0)",
        "displayName": "train(0)",
        "phase": "Error",
        "message": "pod deleted",
        "startedAt": at(9),
        "finishedAt": at(6),
        "hostNodeName": LOST,
    }
    nodes = {"n0": entry | node, "n": {"type": "Retry", "id": "n", "name": "iris.train", "startedAt": at(9)}}
    return {"metadata": {"namespace": "team-a", "name": "iris", "uid": "w"}, "status": {"nodes": nodes}}


RETRY = pod(
    "iris-train-2",
    HERE,
    owner=("Workflow", "iris"),
    created=5,
    labels={"workflows.argoproj.io/workflow": "iris"},
    annotations={"workflows.argoproj.io/node-name": "iris.train(1)", "workflows.argoproj.io/node-id": "n1"},
)


def test_work_that_runs_on_was_never_evicted() -> None:
    assert counts(only(courses(look([pod("train-a", HERE)], NODES)))) == (0, 0)


@pytest.mark.parametrize("phase", ["Running", "Failed"])
def test_a_condition_proves_an_eviction_whatever_the_phase(phase: str) -> None:
    course = only(
        courses(look([pod("train-a", HERE, phase=phase, disruption="EvictionByEvictionAPI")], NODES))
    )
    assert course.evictions == 1
    assert course.pods[0][1].why == "EvictionByEvictionAPI"


def test_a_pod_that_succeeded_all_the_same_was_not_evicted() -> None:
    raw = pod("train-a", HERE, phase="Succeeded", ended=1, disruption="EvictionByEvictionAPI")
    assert counts(only(courses(look([raw], NODES)))) == (0, 0)


@pytest.mark.parametrize("phase", ["Succeeded", "Failed"])
def test_a_pod_that_ended_by_itself_was_not_evicted_even_if_its_node_is_gone_since(phase: str) -> None:
    assert counts(only(courses(look([pod("train-a", LOST, phase=phase, ended=3)], NODES)))) == (0, 0)


def test_a_pod_that_still_seems_to_run_on_a_node_that_is_gone_is_evicted() -> None:
    course = only(courses(look([pod("train-a", LOST)], NODES)))
    assert (course.evictions, course.pods[0][1].why) == (1, "its node is gone")


def test_where_nodes_can_not_be_read_no_node_is_taken_for_lost() -> None:
    assert counts(only(courses(look([pod("train-a", LOST)], None)))) == (0, 0)


def test_events_tell_of_a_pod_that_is_gone_with_its_node() -> None:
    course = only(
        courses(
            look(
                [pod("train-new", HERE, created=4)],
                NODES,
                events=[assigned("train-old", LOST, ago=9), CREATED],
            )
        )
    )
    assert counts(course) == (1, 0)
    (gone, ending), (_, still) = course.pods
    assert (gone.name, gone.node, gone.source) == ("train-old", LOST, "event")
    assert ending.at == course.pods[1][0].created
    assert still.end == ""


def test_a_pod_that_is_gone_from_a_node_that_is_there_is_unexplained() -> None:
    events = [assigned("train-old", HERE, ago=9), CREATED]
    assert counts(only(courses(look([pod("train-new", HERE, created=4)], NODES, events=events)))) == (0, 1)


def test_an_event_of_the_taint_manager_explains_it() -> None:
    events = [
        assigned("train-old", HERE, ago=9),
        CREATED,
        event("TaintManagerEviction", "Marking for deletion Pod team-a/train-old", "Pod", "train-old", ago=5),
    ]
    assert counts(only(courses(look([pod("train-new", HERE, created=4)], NODES, events=events)))) == (1, 0)


def test_a_deletion_that_the_taint_manager_called_off_is_no_eviction() -> None:
    events = [event("TaintManagerEviction", "Cancelling deletion of Pod team-a/train-a", "Pod", "train-a")]
    assert counts(only(courses(look([pod("train-a", HERE)], NODES, events=events)))) == (0, 0)


def test_a_replica_that_came_back_by_the_same_name_is_the_same_work() -> None:
    raw = pod("p-worker-0", HERE, uid="new", owner=("PyTorchJob", "p"), created=3)
    events = [assigned("p-worker-0", LOST, uid="old", ago=9), assigned("p-worker-0", HERE, uid="new", ago=3)]
    assert counts(only(courses(look([raw], NODES, events=events)))) == (1, 0)


def test_a_step_that_argo_made_again_by_the_same_name_is_known_by_events() -> None:
    """Argo does so without a word in its status where the pod went within 10 s of its start (seen with 3.7.3)."""
    events = [assigned("iris-train-2", LOST, uid="old", ago=9)]
    course = only(courses(look([RETRY], NODES, events=events)))
    assert (counts(course), course.pods[0][0].source) == ((1, 0), "event")


def test_the_pods_of_an_indexed_job_are_kept_apart() -> None:
    index = "batch.kubernetes.io/job-completion-index"
    pods = [pod(f"train-{number}-fresh", HERE, labels={index: str(number)}, created=4) for number in (0, 1)]
    created = event("SuccessfulCreate", "Created pod: train-1-abcde", "Job", "train", ago=9)
    members = courses(look(pods, NODES, events=[assigned("train-1-abcde", LOST, ago=9), created]))
    assert {course.work.part: course.evictions for course in members} == {"0": 0, "1": 1}


@pytest.mark.parametrize("fresh", [(0, 1), (0,)])
def test_a_gone_member_of_a_job_set_is_known_by_its_siblings(fresh: tuple[int, ...]) -> None:
    """Events name the Job alone; what the Job belongs to is known from another pod of it."""
    index, labels = "batch.kubernetes.io/job-completion-index", {"jobset.sigs.k8s.io/jobset-name": "mnist"}
    job = ("Job", "mnist-node-0")
    pods = [
        pod(f"mnist-node-0-{number}-fresh", HERE, owner=job, labels={**labels, index: str(number)}, created=4)
        for number in fresh
    ]
    created = event("SuccessfulCreate", "Created pod: mnist-node-0-1-abcde", "Job", "mnist-node-0", ago=9)
    members = courses(look(pods, NODES, events=[assigned("mnist-node-0-1-abcde", LOST, ago=9), created]))
    assert {str(course.work): course.evictions for course in members} == {
        "JobSet/mnist node-0-0": 0,
        "JobSet/mnist node-0-1": int(1 in fresh),  # without an heir it was deleted
    }


@pytest.mark.parametrize(
    ("group", "name", "part", "reason", "message"),
    [
        (
            "headgroup",
            "forest-head-abcde",
            "head",
            "CreatedHeadPod",
            "Created head Pod team-a/forest-head-abcde",
        ),
        (
            "small-group",
            "forest-small-group-worker-abcde",
            "small-group",
            "CreatedWorkerPod",
            "Created worker Pod team-a/forest-small-group-worker-abcde",
        ),
    ],
)
def test_a_gone_pod_of_a_ray_cluster_is_known_by_kuberays_events(
    group: str, name: str, part: str, reason: str, message: str
) -> None:
    owner = ("RayCluster", "forest")
    fresh = pod(f"{name[:-5]}fresh", HERE, owner=owner, labels={"ray.io/group": group}, created=4)
    created = event(reason, message, *owner, ago=9)
    course = only(courses(look([fresh], NODES, events=[assigned(name, LOST, ago=9), created])))
    assert (str(course.work), counts(course)) == (f"RayCluster/forest {part}", (1, 0))


def test_a_pod_whose_work_nobody_knows_is_left_out() -> None:
    assert courses(look([], NODES, events=[assigned("stranger", LOST)])) == ()


def test_work_that_was_deleted_with_its_pods_was_not_evicted() -> None:
    course = only(courses(look([], NODES, events=[assigned("train-old", LOST, ago=9), CREATED])))
    assert (counts(course), course.pods[0][1].end) == ((0, 0), "deleted")


def test_a_workflow_remembers_the_attempts_of_its_steps() -> None:
    course = only(courses(look([RETRY], NODES, workflows=[workflow()])))
    assert counts(course) == (1, 0)
    assert [(attempt.source, attempt.node) for attempt, _ in course.pods] == [
        ("workflow", LOST),
        ("pod", HERE),
    ]


def test_a_packed_status_of_a_workflow_is_read() -> None:
    raw = workflow()
    packed = base64.b64encode(gzip.compress(json.dumps(raw["status"]["nodes"]).encode())).decode()
    raw["status"] = {"compressedNodes": packed}
    assert only(courses(look([RETRY], NODES, workflows=[raw]))).evictions == 1


def test_an_attempt_that_failed_by_itself_was_not_evicted() -> None:
    raw = workflow(phase="Failed", message="Error (exit code 1)")
    assert counts(only(courses(look([RETRY], NODES, workflows=[raw])))) == (0, 0)


@pytest.mark.parametrize(
    "message",
    ["pod deleted", "Error (exit code 143)", "Pod was terminated in response to imminent node shutdown."],
)
@pytest.mark.parametrize(("host", "evictions"), [(LOST, (1, 0)), (HERE, (0, 1))])
def test_a_step_that_was_killed_and_never_retried_is_evicted_if_its_node_is_gone(
    message: str, host: str, evictions: tuple[int, int]
) -> None:
    raw = workflow(phase="Failed", message=message, hostNodeName=host)
    assert counts(only(courses(look([], NODES, workflows=[raw])))) == evictions


def test_a_pod_that_is_there_is_not_reported_twice_by_its_workflow() -> None:
    assert len(only(courses(look([RETRY], NODES, workflows=[workflow(id="n1")]))).pods) == 1


def test_daemons_are_left_out() -> None:
    assert courses(look([pod("cni-x", HERE, owner=("DaemonSet", "cni"))], NODES)) == ()
