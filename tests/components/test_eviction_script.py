"""What the eviction handler reads from a node's conditions, and what it gives a pod; pure functions of its script."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

import pytest

from components.kubeflow import eviction_script, script_client, script_metrics
from components.kubeflow.eviction_script import (
    MARK,
    believed,
    can_wait,
    deadline,
    grace,
    is_overload,
    is_taken_back,
    leaves,
    needs_attention,
)
from components.kubeflow.script_client import ApiError

BEGUN = 1785745057.0
"""2026-08-03T08:17:37Z"""
SCHEDULED = (
    "Preempt Scheduled: Mon, 03 Aug 2026 08:18:16 GMT. DurationInSeconds: -1.  For more information, see "
    "https://aka.ms/aks/scheduledevents. EventId: 40B7BD88-C56E-44E4-93F6-75CEDACE2869"
)
"""As a node of AKS showed it (docs/facts/aks.md#evictions)."""


def condition(
    message: str, type_: str = "VMEventScheduled", status: str = "True", reason: str = "VMEventScheduled"
) -> dict[str, str]:
    moment = {"lastTransitionTime": "2026-08-03T08:17:37Z"}
    return {"type": type_, "status": status, "reason": reason, "message": message, **moment}


def node(*conditions: dict[str, str], marked: bool = False) -> dict[str, Any]:
    annotations = {MARK: "eviction-handler"} if marked else {}
    ready = {"type": "Ready", "status": "True"}
    return {
        "metadata": {"name": "spot-0", "annotations": annotations},
        "spec": {},
        "status": {"conditions": [ready, *conditions]},
    }


def pod(period: int | None = None, *, phase: str = "Running", **metadata: Any) -> dict[str, Any]:
    spec = {} if period is None else {"terminationGracePeriodSeconds": period}
    return {"metadata": {"name": "p", **metadata}, "spec": spec, "status": {"phase": phase}}


@pytest.mark.parametrize(
    ("message", "seconds"),
    [
        (SCHEDULED, 39),
        ("Preempt Scheduled: Mon, 3 Aug 2026 08:18:16 GMT", 39),
        ("  Preempt  Scheduled: Mon, 03 Aug 2026 08:18:16 GMT.", 39),
        ("Preempt Scheduled: soon. EventId: 40B7BD88", 30),
        ("Preempt Scheduled: .", 30),
        ("Preempt Scheduled", 30),
        ("Preempt Started.", 0),
        ("Preempt Started: Mon, 03 Aug 2026 09:00:00 GMT.", 0),
    ],
)
def test_the_deadline_is_in_the_message(message: str, seconds: int) -> None:
    assert deadline(node(condition(message))) == BEGUN + seconds


@pytest.mark.parametrize(
    "message",
    [
        "Freeze Scheduled: Mon, 03 Aug 2026 08:18:16 GMT. DurationInSeconds: 9.",
        "Reboot Scheduled: Mon, 03 Aug 2026 08:18:16 GMT. Virtual machine is going to be restarted.",
        "Redeploy Scheduled: Mon, 03 Aug 2026 08:18:16 GMT.",
        "SpotRebalanceRecommendation Advisory: Mon, 03 Aug 2026 08:18:16 GMT.",
        "SpotRebalanceRecommendation Advisory: Preempt Scheduled: Mon, 03 Aug 2026 08:18:16 GMT.",
        "NotPreempt Scheduled: Mon, 03 Aug 2026 08:18:16 GMT.",
        "",
    ],
)
def test_what_takes_no_vm_away_is_no_notice(message: str) -> None:
    both = (condition(message), condition(message, "PreemptionScheduled", reason="SpotEvictionIncoming"))
    assert deadline(node(*both)) is None
    assert not needs_attention(node(*both))


def test_the_earlier_of_two_deadlines_counts() -> None:
    earlier = condition("Preempt Scheduled: Mon, 03 Aug 2026 08:18:00 GMT.", "PreemptionScheduled")
    assert deadline(node(condition(SCHEDULED), earlier)) == BEGUN + 23


@pytest.mark.parametrize(
    ("date", "seconds"),
    [
        ("Mon, 03 Aug 2026 08:18:16 GMT", 39),
        ("Mon, 03 Aug 2026 08:32:37 GMT", 900),
        ("Mon, 03 Aug 2026 08:32:38 GMT", 30),
        ("Fri, 31 Dec 9999 23:59:59 GMT", 30),
        ("Mon, 03 Aug 2026 08:18:16 PST", 30),
        ("Mon, 03 Aug 2026 08:18:16 -0100", 30),
        ("Mon, 03 Aug 2026 10:18:16 +0200", 39),
        ("Mon, 03 Aug 2026 08:18:16 XYZ", 39),
    ],
)
def test_a_date_later_than_azures_longest_notice_is_not_believed(date: str, seconds: int) -> None:
    ends = deadline(node(condition(f"Preempt Scheduled: {date}.")))
    assert ends is not None
    assert believed(ends, BEGUN) == BEGUN + seconds


def test_a_notice_after_advice_of_the_same_condition_is_believed() -> None:
    """The condition has been true since the advice, so its time says nothing of the notice."""
    ends = deadline(node(condition("Preempt Scheduled: Mon, 03 Aug 2026 10:18:07 GMT.")))
    assert ends is not None
    assert believed(ends, BEGUN + 7200) == BEGUN + 7230


@pytest.mark.parametrize("status", ["False", "Unknown"])
def test_only_a_condition_that_is_true_counts(status: str) -> None:
    assert deadline(node(condition(SCHEDULED, status=status))) is None


def test_a_notice_that_is_gone_was_taken_back_from_a_node_that_is_marked() -> None:
    over = condition("VM has no scheduled event", status="False", reason="NoVMEventScheduled")
    assert is_taken_back(node(over, marked=True))
    assert is_taken_back(node(marked=True))
    assert not is_taken_back(node(over))


def test_a_notice_is_not_taken_back_by_a_detector_that_cannot_read_it() -> None:
    unsure = condition("IMDS query failed", status="Unknown", reason="NoVMEventScheduled")
    assert not is_taken_back(node(unsure, marked=True))
    assert needs_attention(node(unsure, marked=True))


def test_a_notice_that_holds_is_not_taken_back() -> None:
    over = condition("", "PreemptionScheduled", status="False")
    assert not is_taken_back(node(condition(SCHEDULED), over, marked=True))


@pytest.mark.parametrize(
    ("period", "left", "granted"),
    [
        (25, 30.0, 25),
        (300, 30.0, 28),
        (None, 30.0, 28),
        (25, 10.9, 8),
        (25, 3.0, 5),
        (25, 0.0, 5),
        (25, -20.0, 5),
        (3, 30.0, 3),
        (3, -1.0, 3),
        (0, 30.0, 0),
    ],
)
def test_a_pod_gets_its_own_grace_but_no_more_than_is_left(
    period: int | None, left: float, granted: int
) -> None:
    assert grace(pod(period), left) == granted


@pytest.mark.parametrize(
    ("period", "left", "waits"), [(10, 30, True), (10, 12, False), (30, 30, False), (0, 3, True)]
)
def test_a_refusal_holds_a_pod_back_as_long_as_its_grace_still_fits(
    period: int, left: float, waits: bool
) -> None:
    assert can_wait(pod(period), left) is waits


@pytest.mark.parametrize(
    ("staying", "why"),
    [
        (pod(ownerReferences=[{"kind": "DaemonSet", "controller": True}]), "a DaemonSet's"),
        (pod(annotations={"kubernetes.io/config.mirror": "x"}), "a mirror"),
        (pod(phase="Succeeded"), "done"),
        (pod(phase="Failed"), "failed"),
        (pod(deletionTimestamp="2026-08-03T08:17:37Z"), "ending"),
    ],
)
def test_a_pod_stays(staying: dict[str, Any], why: str) -> None:
    assert not leaves(staying), why


@pytest.mark.parametrize("owner", ["Job", "ReplicaSet", "Workflow", ""])
def test_every_other_pod_leaves(owner: str) -> None:
    owners = [{"kind": owner, "controller": True}] if owner else []
    assert leaves(pod(ownerReferences=owners))


@pytest.mark.parametrize(
    ("status", "text", "overload"),
    [
        (429, '{"details": {"causes": [{"reason": "DisruptionBudget"}]}}', False),
        (
            500,
            "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.",
            False,
        ),
        (429, "Too many requests, please try again later.", True),
        (500, "etcdserver: request timed out", False),
        (403, "pods/eviction is forbidden", False),
    ],
)
def test_an_overload_is_distinguished_from_a_refusal(status: int, text: str, overload: bool) -> None:
    assert is_overload(ApiError(status, text)) is overload


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ('{"kind": "Status", "message": "nodes is forbidden"}', "403 nodes is forbidden"),
        ("<html>proxy", "403 <html>proxy"),
        ("[]", "403 []"),
        ("", "403 "),
    ],
)
def test_a_refusal_shows_its_message(text: str, shown: str) -> None:
    assert str(ApiError(403, text)) == shown


@pytest.mark.parametrize("script", [eviction_script, script_client, script_metrics])
def test_the_script_needs_the_standard_library_alone(script: ModuleType) -> None:
    values = vars(script).values()
    modules = {getattr(value, "__module__", None) or getattr(value, "__name__", "") for value in values}
    roots = {name.partition(".")[0] for name in modules if isinstance(name, str)} - {"components", ""}
    assert roots <= sys.stdlib_module_names
