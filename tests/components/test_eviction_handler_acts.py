"""What the eviction handler requests of an API server, and what it does when that refuses or does not answer."""

from __future__ import annotations

import random
import ssl
from http.client import RemoteDisconnected
from pathlib import Path

import pytest

from components.kubeflow.eviction_script import MARK, deadline, next_pause
from components.kubeflow.script_client import Api, ApiError
from tests.components.evicting import Server

OURS, OTHERS = "eviction-handler", "others"


def test_the_node_is_cordoned_and_marked_and_its_pods_are_evicted() -> None:
    server = Server("a", "b")
    server.notice()
    assert not server.look()
    assert server.node["spec"] == {"unschedulable": True}
    assert server.node["metadata"]["annotations"] == {MARK: OURS}
    assert sorted(server.evicted) == ["a", "b"]


def test_a_node_that_others_cordoned_is_marked_as_theirs_and_stays_cordoned_when_the_notice_is_taken_back() -> (
    None
):
    server = Server("a")
    server.node["spec"]["unschedulable"] = True
    server.notice()
    server.look()
    assert (server.node["metadata"]["annotations"], server.evicted) == ({MARK: OTHERS}, ["a"])
    server.notice("False")
    server.look()
    assert (server.node["metadata"]["annotations"], server.node["spec"]) == ({}, {"unschedulable": True})


def test_a_notice_that_is_taken_back_uncordons_what_the_handler_cordoned() -> None:
    server = Server()
    server.notice()
    server.look()
    server.notice("False")
    server.look()
    assert (server.node["metadata"]["annotations"], server.node["spec"]) == ({}, {})


@pytest.mark.parametrize(
    "error", [ApiError(403, "no"), ApiError(500, "webhook"), TimeoutError(), ValueError()]
)
def test_a_node_that_cannot_be_cordoned_is_emptied_all_the_same(error: Exception) -> None:
    server = Server("a", fails=lambda method, _: error if method == "PATCH" else None)
    server.notice()
    assert server.look()  # and tried again
    assert server.evicted == ["a"]


@pytest.mark.parametrize(
    "error", [ApiError(429, "Too many requests"), TimeoutError(), RemoteDisconnected("closed")]
)
def test_one_pod_whose_eviction_fails_keeps_no_other_waiting(error: Exception) -> None:
    names = [f"pod-{number}" for number in range(40)]
    server = Server(*names, fails=lambda _, path: error if path.endswith("pod-0/eviction") else None)
    server.notice()
    assert server.look()
    assert sorted(server.evicted) == sorted(names[1:])


@pytest.mark.parametrize("status", [404, 409])
def test_a_pod_that_is_gone_is_not_tried_again(status: int) -> None:
    server = Server("a", fails=lambda method, _: ApiError(status, "gone") if method == "POST" else None)
    server.notice()
    assert not server.look()


def test_looks_come_less_often_until_something_fails() -> None:
    pauses = [1.0]
    for again in (False, False, False, False, True, False):
        pauses.append(next_pause(pauses[-1], again=again))
    assert pauses == [1.0, 2.0, 4.0, 8.0, 8.0, 1.0, 2.0]


def test_no_condition_whatever_it_says_is_an_error() -> None:
    """One odd node must not keep the handler from all others."""
    rng = random.Random(26)  # noqa: S311 - repeatable on purpose
    words = [
        "Preempt",
        "Scheduled",
        "Started",
        ":",
        " ",
        "Mon,",
        "03",
        "Aug",
        "99999",
        "2026",
        "08:18:16",
        "GMT",
    ]
    words += ["-0000", "+9999", ".", "\n", "é", "\x00", "08:99:99", "-1", "Feb 30", "None", "("]
    for _ in range(3000):
        message = "".join(rng.choices(words, k=rng.randrange(12)))
        odd = {
            "message": rng.choice(["Preempt Scheduled: " + message, message, "", None]),
            "lastTransitionTime": rng.choice(["2026-08-03T08:17:37Z", message, None]),
        }
        condition = {"type": "PreemptionScheduled", "status": "True"}
        condition |= {key: value for key, value in odd.items() if rng.random() < 0.9}
        ends = deadline({"metadata": {"name": "n"}, "spec": {}, "status": {"conditions": [condition]}})
        assert ends is None or isinstance(ends, float)


class Connection:
    """A connection that answers, or that the server has closed."""

    def __init__(self, *, closed: bool) -> None:
        self.closed = closed
        self.requests = 0
        self.status = 200

    def request(self, *_: object) -> None:
        """Takes a request."""
        self.requests += 1

    def getresponse(self) -> Connection:
        """The response, which is read from the connection."""
        if self.closed:
            raise RemoteDisconnected("closed")
        return self

    def read(self) -> bytes:
        """An empty object."""
        return b"{}"


def _no_context(**_: object) -> None:
    """Nothing is encrypted here."""


def test_connections_are_kept_and_those_that_the_server_closed_are_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ssl, "create_default_context", _no_context)
    (tmp_path / "token").write_text("t", encoding="utf-8")
    made: list[Connection] = []

    def connect(_: Api, __: float) -> Connection:
        made.append(Connection(closed=False))
        return made[-1]

    monkeypatch.setattr(Api, "_connect", connect)
    api = Api("127.0.0.1", 1, tmp_path)
    for _ in range(3):
        assert api.call("GET", "/api/v1/nodes") == {}
    assert [connection.requests for connection in made] == [3]
    made[0].closed = True
    assert api.call("GET", "/api/v1/nodes") == {}
    assert [connection.requests for connection in made] == [4, 1]
