"""Why a pod waits: its node is being made, Azure has none, its pools are full, or no node would ever take it."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

import pytest
from made import CPU, FALLBACK, SPOT, Object, event, look, pod

from ckf_spot.where.parse import trimmed_pod
from ckf_spot.where.report import as_dict, report
from ckf_spot.where.violations import Violation
from ckf_spot.where.waiting import Wait, wait

PATIENCE = timedelta(minutes=5)
PLACED: Mapping[str, Any] = {"tolerations": [SPOT, FALLBACK], "nodeSelector": CPU}
SCHEDULER = (
    "0/3 nodes are available: 1 Insufficient cpu, 2 node(s) didn't match Pod's node affinity/selector. preemption: 0/3 "
    "nodes are available: 3 Preemption is not helpful for scheduling."
)
NONE = "pod didn't trigger scale-up: "


def scale_up(reason: str, message: str, *, ago: float = 1, pod: str = "train-x") -> Object:
    """The autoscaler's event about a pod."""
    return event(reason, message, "Pod", pod, ago=ago)


def why(*events: Object, **spec: Any) -> Wait | None:
    """Why a pod that has waited for 6 minutes does so."""
    seen = look([pod("train-x", unschedulable=6, **(spec or PLACED))], events=events)
    return wait(seen.pods[0], seen, PATIENCE)


def judged(*events: Object, **spec: Any) -> tuple[list[Violation], list[str]]:
    """The violations and the notes about that pod."""
    result = report(look([pod("train-x", unschedulable=6, **(spec or PLACED))], events=events), PATIENCE)
    return list(result.violations), [note for note in result.notes if "train-x" in note]


def test_a_node_that_is_being_made_is_awaited() -> None:
    made = scale_up(
        "TriggeredScaleUp", "pod triggered scale-up: [{aks-cpuspot-12345678-vmss 0->1 (max: 10)}]"
    )
    assert judged(made) == ([], ["team-a/train-x waits: a node of cpuspot is being made, for 1m so far"])


def test_a_node_that_does_not_come_shows_that_azure_has_none() -> None:
    message = "pod triggered scale-up: [{aks-cpuspot-12345678-vmss 0->1 (max: 10)}] (simulated autoscaler)"
    answer = why(scale_up("TriggeredScaleUp", message, ago=6))
    assert answer is not None
    assert answer.cause == "sold out"
    assert answer.text.startswith(
        "no node of cpuspot has come in 6m: Azure has no VM of that size now, or a quota"
    )


@pytest.mark.parametrize(
    ("message", "cause", "fields"),
    [
        ("1 in backoff after failed scale-up, 3 node(s) had untolerated taint(s)", "sold out", ()),
        ("1 max node group size reached, 2 Insufficient cpu", "full", ()),
        ("2 max cluster cpu, memory limit reached", "full", ()),
        ("1 not ready for scale-up, 2 Insufficient cpu", "unclear", ()),
        ("5 Insufficient cpu", "never", ("resources.requests['cpu']",)),
        ("2 Insufficient nvidia.com/gpu, 3 node(s) had untolerated taint {sku: gpu}", "never",
         ("resources.requests['nvidia.com/gpu']",)),
        ("2 Insufficient cpu, 3 node(s) didn't match Pod's node affinity/selector", "never",
         ("resources.requests['cpu']",)),
        ("5 node(s) didn't match Pod's node affinity/selector", "never", ("nodeSelector or affinity.nodeAffinity",)),
        ("2 node(s) had taint {a: b}, that the pod didn't tolerate, 3 Insufficient memory", "never",
         ("resources.requests['memory']",)),
        ("5 node(s) didn't match pod topology spread constraints (missing required label)", "never",
         ("topologySpreadConstraints",)),
        ("5 node(s) didn't match pod anti-affinity rules", "never", ("affinity.podAntiAffinity",)),
        ("5 node(s) didn't match pod affinity rules", "never", ("affinity.podAffinity",)),
        ("5 node(s) didn't have free ports for the requested pod ports", "never", ("containers[].ports[].hostPort",)),
        ("5 node(s) didn't match the requested node name", "never", ("nodeName",)),
        ("5 node(s) had volume node affinity conflict", "never", ("volumes",)),
        ("5 pod has unbound immediate PersistentVolumeClaims", "unclear", ()),
        ("5 node(s) were of no use", "unclear", ()),
        ("", "unclear", ()),
    ],
)  # fmt: skip
def test_what_the_autoscaler_says_is_judged(message: str, cause: str, fields: tuple[str, ...]) -> None:
    answer = why(scale_up("NotTriggerScaleUp", NONE + message))
    assert answer is not None
    assert (answer.cause, answer.fields) == (cause, fields)


def test_what_no_pool_will_ever_take_is_a_violation_with_the_field() -> None:
    message = f"{NONE}2 Insufficient cpu, 3 node(s) had untolerated taint(s)"
    [violation], notes = judged(scale_up("NotTriggerScaleUp", message))
    assert (violation.rule, notes) == ("stuck-without-pool", [])
    assert violation.message == (
        "it waits for 6m and no pool will ever take it (no node that the autoscaler could make would take it: "
        "Insufficient cpu)"
    )
    assert violation.advice == "change its resources.requests['cpu'], or place it with ckf_spot"


def test_work_without_a_toleration_of_spot_is_judged_too() -> None:
    message = f"{NONE}5 node(s) didn't match Pod's node affinity/selector"
    [violation], _ = judged(scale_up("NotTriggerScaleUp", message), nodeSelector={"zone": "nowhere"})
    assert violation.advice.startswith("change its nodeSelector or affinity.nodeAffinity, or")


def test_work_that_only_spot_takes_is_stuck_with_the_reason() -> None:
    refused = scale_up("NotTriggerScaleUp", f"{NONE}1 in backoff after failed scale-up, 4 node(s) had taint")
    [violation], notes = judged(refused, tolerations=[SPOT], nodeSelector=CPU)
    assert (violation.rule, notes) == ("stuck-on-spot", [])
    assert (
        "nothing else takes it (the autoscaler got no node and waits before it tries again: Azure has no VM"
        in (violation.message)
    )


def test_the_autoscalers_last_words_count() -> None:
    made = "pod triggered scale-up: [{aks-cpuod-12345678-vmss 0->1 (max: 10)}]"
    answer = why(
        scale_up("TriggeredScaleUp", made, ago=1),
        scale_up("NotTriggerScaleUp", f"{NONE}5 Insufficient cpu", ago=3),
        scale_up("NotTriggerScaleUp", f"{NONE}5 Insufficient cpu", pod="another", ago=0),
    )
    assert answer is not None
    assert answer.text == "a node of cpuod is being made, for 1m so far"


def test_an_event_that_was_repeated_counts_by_its_last_time() -> None:
    refused = scale_up("NotTriggerScaleUp", f"{NONE}1 in backoff after failed scale-up", ago=30)
    refused["lastTimestamp"] = scale_up("", "", ago=0)["firstTimestamp"]
    made = "pod triggered scale-up: [{aks-cpuspot-12345678-vmss 0->1 (max: 10)}]"
    answer = why(scale_up("TriggeredScaleUp", made, ago=2), refused)
    assert answer is not None
    assert answer.cause == "sold out"


def test_a_scale_up_that_failed_is_quoted() -> None:
    answer = why(scale_up("FailedScaleUp", "Node scale up associated with this pod failed: QuotaExceeded."))
    assert answer == Wait(
        "sold out", "Azure gave no node: Node scale up associated with this pod failed: QuotaExceeded"
    )


def test_without_the_autoscalers_words_the_schedulers_are_shown() -> None:
    violations, [note] = judged(scheduler=SCHEDULER, **PLACED)
    assert violations == []
    assert note == (
        "team-a/train-x waits: the scheduler says: 0/3 nodes are available: 1 Insufficient cpu, 2 node(s) didn't match "
        "Pod's node affinity/selector"
    )
    answer = why()
    assert answer is not None
    assert answer.text == "the scheduler has not said why"


def test_a_pod_that_a_queue_holds_back_is_not_stuck() -> None:
    raw = pod("train-x", phase="Pending", schedulingGates=[{"name": "kueue.x-k8s.io/admission"}], **PLACED)
    result = report(look([raw]), PATIENCE)
    assert result.violations == ()
    assert (
        "team-a/train-x waits: it is held back until a queue admits it (scheduling gate kueue.x-k8s.io/admission)"
        in result.notes
    )


def test_pods_of_the_same_work_that_wait_for_the_same_are_one_line() -> None:
    raws = [pod(f"train-{number}", unschedulable=6, scheduler=SCHEDULER, **PLACED) for number in range(3)]
    result = report(look(raws), PATIENCE)
    [note] = [note for note in result.notes if "waits" in note]
    assert note.startswith(
        "team-a/Job/train waits with 3 pods: the scheduler says: 0/3 nodes are available: 1 "
    )


def test_the_reason_is_in_the_data_too() -> None:
    made = scale_up(
        "TriggeredScaleUp", "pod triggered scale-up: [{aks-cpuspot-12345678-vmss 0->1 (max: 10)}]"
    )
    seen = look([pod("train-x", unschedulable=6, **PLACED)], events=[made])
    [entry] = as_dict(report(seen, PATIENCE))["work"]
    assert entry["pods"][0]["why"] == "a node of cpuspot is being made, for 1m so far"


@pytest.mark.parametrize("reason", ["in backoff after failed scale-up", "max node group size reached"])
def test_a_pool_without_more_nodes_is_no_reason_for_a_pod_that_no_pool_takes(reason: str) -> None:
    """The autoscaler names such a pool before it looks whether the pod would fit."""
    answer = why(
        scale_up("NotTriggerScaleUp", f"{NONE}1 {reason}, 4 Insufficient cpu"),
        nodeSelector={"agentpool": "x"},
    )
    assert answer is not None
    assert answer.cause == "unclear"


@pytest.mark.parametrize(
    "raw",
    [
        pod("train-x", "aks-cpuspot-12345678-vmss000000"),
        pod("train-x", phase="Pending"),
        pod("train-x", unschedulable=6, deletion=6),
    ],
    ids=["has a node", "nobody has looked yet", "is leaving"],
)
def test_what_does_not_wait_for_a_node_gets_no_reason(raw: Object) -> None:
    seen = look([raw])
    assert wait(seen.pods[0], seen, PATIENCE) is None


@pytest.mark.parametrize("events", [(), (scale_up("NotTriggerScaleUp", f"{NONE}5 node(s) were of no use"),)])
def test_a_field_that_is_not_judged_is_named_where_nobody_knows_why_a_pod_waits(
    events: tuple[Object, ...],
) -> None:
    answer = why(*events, **PLACED, resourceClaims=[{"name": "c", "resourceClaimName": "c"}])
    assert answer is not None
    assert answer.text.endswith("; not judged: resourceClaims")
    assert "not judged" not in getattr(why(*events), "text", "")


def test_a_field_that_is_not_judged_is_in_a_record_too() -> None:
    raw = pod("train-x", unschedulable=6, **PLACED, resourceClaims=[{"name": "c"}])
    assert trimmed_pod(raw)["spec"]["resourceClaims"] == [{"name": "c"}]


@pytest.mark.parametrize(
    ("scheduler", "created", "text"),
    [
        ("volcano", 6, "no scheduler has looked at it, and its schedulerName is volcano"),
        ("volcano", 4, None),
        ("default-scheduler", 6, None),
    ],
)
def test_a_pod_for_a_scheduler_that_does_not_run_waits(
    scheduler: str, created: float, text: str | None
) -> None:
    seen = look([pod("train-x", phase="Pending", created=created, schedulerName=scheduler)])
    answer = wait(seen.pods[0], seen, PATIENCE)
    assert (answer.text if answer else None) == text
