"""What the eviction handler reads from a node's conditions, and what it gives a pod; pure functions of its script."""

from __future__ import annotations

import sys
from typing import Any

import pytest

from components.kubeflow import eviction_script
from components.kubeflow.eviction_script import (
    MARK,
    ApiError,
    can_wait,
    deadline,
    grace,
    is_held_by_budget,
    is_taken_back,
    leaves,
    needs_attention,
)

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


def pod(own: int | None = None, *, phase: str = "Running", **metadata: Any) -> dict[str, Any]:
    spec = {} if own is None else {"terminationGracePeriodSeconds": own}
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
    ("own", "left", "given"),
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
def test_a_pod_gets_its_own_grace_but_no_more_than_is_left(own: int | None, left: float, given: int) -> None:
    assert grace(pod(own), left) == given


@pytest.mark.parametrize(
    ("own", "left", "waits"), [(10, 30, True), (10, 12, False), (30, 30, False), (0, 3, True)]
)
def test_a_budget_holds_a_pod_back_as_long_as_its_grace_still_fits(
    own: int,
    left: float,
    waits: bool,  # noqa: FBT001
) -> None:
    assert can_wait(pod(own), left) is waits


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
    ("status", "text", "held"),
    [
        (429, '{"details": {"causes": [{"reason": "DisruptionBudget"}]}}', True),
        (
            500,
            "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.",
            True,
        ),
        (429, "Too many requests, please try again later.", False),
        (500, "etcdserver: request timed out", False),
        (403, "DisruptionBudget", False),
    ],
)
def test_a_budgets_refusal_is_told_from_an_overload(status: int, text: str, held: bool) -> None:  # noqa: FBT001
    assert is_held_by_budget(ApiError(status, text)) is held


def test_the_script_needs_the_standard_library_alone() -> None:
    values = vars(eviction_script).values()
    modules = {getattr(value, "__module__", None) or getattr(value, "__name__", "") for value in values}
    roots = {name.partition(".")[0] for name in modules if isinstance(name, str)} - {"components", ""}
    assert roots <= sys.stdlib_module_names
