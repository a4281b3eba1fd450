"""What the eviction handler does on Azure's advisory that it may take a node, and how it tells one from a notice."""

from __future__ import annotations

from datetime import datetime
from email.utils import formatdate
from typing import Any, cast

import pytest

from components.kubeflow.eviction_script import ADVISED, MARK, SAVE, Handler, Metrics, advisory, kinds
from components.kubeflow.script_client import Api, ApiError
from components.kubeflow.script_metrics import exposition
from tests.components.evicting import Failure, Server

BEGUN = 1785745057
"""2026-08-03T08:17:37Z"""
MOMENT = "2026-08-03T08:17:37Z"
AGREES = {"annotations": {SAVE: ""}}


class Advised:
    """A handler with a clock, on a node with an advisory."""

    def __init__(self, mode: str, *pods: str, fails: Failure = lambda method, path: None) -> None:  # noqa: ARG005
        self.now = float(BEGUN)
        self.mode = mode
        self.server = Server(*pods, fails=fails)
        self.server.advise()

    def look(self, seconds: float = 0) -> bool:
        """A look of another handler each time, after so many seconds: it must need no memory."""
        self.now += seconds
        handler = Handler(cast(Api, self.server), lambda: self.now, on_advisory=self.mode)
        return handler.look(self.server.node)

    @property
    def node(self) -> tuple[dict[str, str], dict[str, Any]]:
        """Annotations and spec."""
        return self.server.node["metadata"]["annotations"], self.server.node["spec"]


@pytest.mark.parametrize(
    ("message", "event", "kind"),
    [
        ("SpotRebalanceRecommendation Advisory: . For more information, see x. EventId: A-1", "A-1", ""),
        ("SpotRebalanceRecommendation Advisory. For more information, see https://x.", "since", ""),
        ("SpotRebalanceRecommendation Advisory: Mon, 03 Aug 2026 08:18:16 GMT.", "since", ""),
        ("SpotRebalanceRecommendation Advisory: Preempt Scheduled: Mon, 03 Aug 2026.", "since", ""),
        ("Preempt Scheduled: Mon, 03 Aug 2026 08:18:16 GMT. EventId: A-1", "", "scheduled"),
        ("Preempt Started.", "", "started"),
        ("SpotRebalanceRecommendationAdvisory: .", "", ""),
        ("Freeze Scheduled: . SpotRebalanceRecommendation Advisory", "", ""),
        ("", "", ""),
    ],
)
def test_an_advisory_is_told_from_a_notice_by_its_message(message: str, event: str, kind: str) -> None:
    condition = {
        "type": "PreemptionScheduled",
        "status": "True",
        "reason": "SpotEvictionIncoming",
        "message": message,
        "lastTransitionTime": "since",
    }
    node = {"metadata": {}, "spec": {}, "status": {"conditions": [condition]}}
    assert (advisory(node), kinds(node)) == (event, {kind} - {""})
    assert not advisory({"status": {"conditions": [{**condition, "status": "False"}]}})


def test_an_ignored_advisory_is_counted_once_and_nothing_else() -> None:
    server, metrics = Server("a"), Metrics()
    server.metadata = AGREES
    server.advise()
    handler = Handler(cast(Api, server), metrics=metrics)
    for _ in range(2):
        handler._see(server.node)  # pyright: ignore[reportPrivateUsage] - the loop around it has no end
    assert not handler.look(server.node)
    assert server.requests == []
    counted = exposition([metrics.notices]).splitlines()
    assert 'kubeflow_aks_eviction_notices_total{kind="advisory"} 1' in counted


def test_pods_that_agree_save_themselves_once_and_go_on() -> None:
    advised = Advised("checkpoint", "a", "b")
    advised.server.metadata = AGREES
    assert not advised.look()
    assert not advised.look(60)
    assert advised.server.saves == [("a", MOMENT), ("b", MOMENT)]
    assert advised.server.evicted == []
    assert advised.node == ({ADVISED: f"{BEGUN} 1"}, {})


def test_while_advice_stands_they_save_every_three_minutes_for_twenty() -> None:
    advised = Advised("checkpoint", "a")
    advised.server.metadata = AGREES
    for _ in range(60):
        advised.look(30)
    times = [
        int(datetime.fromisoformat(moment).timestamp()) - BEGUN - 30 for _, moment in advised.server.saves
    ]
    assert times == [0, 180, 360, 540, 720, 900, 1080]


def test_another_advisory_has_them_save_again() -> None:
    advised = Advised("checkpoint", "a")
    advised.server.metadata = AGREES
    advised.look()
    advised.server.advise("SpotRebalanceRecommendation Advisory: . EventId: 2")
    advised.look(60)
    assert advised.server.saves == [("a", MOMENT), ("a", "2026-08-03T08:18:37Z")]


def test_pods_that_do_not_agree_are_left_alone() -> None:
    advised = Advised("cordon", "a")
    assert not advised.look()
    assert (advised.server.saves, advised.server.evicted) == ([], [])


@pytest.mark.parametrize("error", [ApiError(403, "no"), ApiError(500, "etcd"), TimeoutError()])
def test_a_pod_that_cannot_be_reached_is_tried_again_and_keeps_no_other(error: Exception) -> None:
    advised = Advised("checkpoint", "a", "b", fails=lambda _, path: error if "/a/status" in path else None)
    advised.server.metadata = AGREES
    assert advised.look()
    assert advised.server.saves == [("b", MOMENT)]


def test_a_pod_that_is_gone_is_not_tried_again() -> None:
    advised = Advised("checkpoint", "a", fails=lambda _, path: _gone(path))
    advised.server.metadata = AGREES
    assert not advised.look()


def _gone(path: str) -> ApiError | None:
    return ApiError(404, "no pod") if path.endswith("/status") else None


def test_an_advisory_without_an_eviction_is_undone_after_20_minutes_and_not_begun_again() -> None:
    advised = Advised("cordon")
    advised.look()
    assert advised.node == ({ADVISED: f"{BEGUN} 1", MARK: "eviction-handler"}, {"unschedulable": True})
    advised.look(1199)
    assert advised.node[1] == {"unschedulable": True}
    advised.look(2)
    advised.look(3600)
    assert advised.node == ({ADVISED: f"{BEGUN} 1"}, {})
    advised.server.advise("SpotRebalanceRecommendation Advisory: . EventId: 2")
    advised.look()
    assert advised.node[1] == {"unschedulable": True}


def test_an_advisory_that_is_gone_leaves_nothing() -> None:
    advised = Advised("cordon")
    advised.look()
    advised.server.notice("Unknown")
    advised.look(60)
    assert advised.node[1] == {"unschedulable": True}
    advised.server.notice("False")
    advised.look(60)
    assert advised.node == ({}, {})


def test_what_others_cordoned_stays_cordoned() -> None:
    advised = Advised("cordon")
    advised.server.node["spec"]["unschedulable"] = True
    advised.look()
    assert advised.node[0][MARK] == "others"
    advised.look(1300)
    assert advised.node == ({ADVISED: f"{BEGUN} 1"}, {"unschedulable": True})


@pytest.mark.parametrize("mode", ["ignore", "checkpoint", "cordon"])
def test_a_notice_after_an_advisory_evicts(mode: str) -> None:
    advised = Advised(mode, "a")
    advised.look()
    advised.server.notice(date=formatdate(advised.now + 60 + 30, usegmt=True))
    advised.look(60)
    assert advised.server.evicted == ["a"]
    assert advised.node == ({MARK: "eviction-handler"}, {"unschedulable": True})


def test_a_notice_that_becomes_advice_uncordons() -> None:
    advised = Advised("checkpoint")
    advised.server.notice(date=formatdate(advised.now + 30, usegmt=True))
    advised.look()
    advised.server.advise()
    advised.look(60)
    assert advised.node == ({ADVISED: f"{BEGUN + 60} 1"}, {})
