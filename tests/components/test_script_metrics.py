"""The metrics of the scripts in the cluster: what they count, and that nobody who reads them keeps a script waiting."""

from __future__ import annotations

import socket
import time
from collections.abc import Callable
from email.utils import formatdate
from typing import Any, cast
from urllib.error import HTTPError
from urllib.parse import urlsplit
from urllib.request import urlopen

import pytest

from components.kubeflow import script_metrics
from components.kubeflow.eviction_script import Handler, Metrics
from components.kubeflow.return_script import Returns, returned_pods
from components.kubeflow.script_client import Api, ApiError
from components.kubeflow.script_metrics import Counter, Histogram, exposition, serve
from tests.components.evicting import Server
from tests.components.returning import SETTINGS, FakeCluster, pod


def lines(text: str) -> dict[str, float]:
    """The samples by what stands before their values."""
    samples = (line.rpartition(" ") for line in text.splitlines() if not line.startswith("#"))
    return {name: float(value) for name, _, value in samples}


def test_the_text_is_that_of_prometheus() -> None:
    counter = Counter("pods_total", "Pods.", "result", ("evicted", "refused"))
    histogram = Histogram("left_seconds", "Time.", (0, 5))
    counter.count("evicted")
    for seconds in (-1, 0, 5, 7.5):
        histogram.observe(seconds)
    assert exposition([counter, histogram]) == (
        "# HELP pods_total Pods.\n"
        "# TYPE pods_total counter\n"
        'pods_total{result="evicted"} 1\n'
        'pods_total{result="refused"} 0\n'
        "# HELP left_seconds Time.\n"
        "# TYPE left_seconds histogram\n"
        'left_seconds_bucket{le="0"} 2\n'
        'left_seconds_bucket{le="5"} 3\n'
        'left_seconds_bucket{le="+Inf"} 4\n'
        "left_seconds_sum 11.5\n"
        "left_seconds_count 4\n"
    )


def test_a_counter_has_no_labels_but_its_own() -> None:
    with pytest.raises(KeyError):
        Counter("pods_total", "Pods.", "result", ("evicted",)).count("team/train-0")


def test_it_answers_metrics_and_nothing_else_while_another_client_is_silent(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(script_metrics, "_PATIENCE_SECONDS", 0.1)
    counter = Counter("nodes_total", "Nodes.")
    url = serve([counter], "127.0.0.1:0")
    address = urlsplit(url)
    with socket.create_connection((str(address.hostname), int(address.port or 0))):
        counter.count()
        with urlopen(f"{url}?x=1", timeout=10) as answer:  # noqa: S310
            assert answer.headers["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8"
            assert lines(answer.read().decode()) == {"nodes_total": 1}
    for path, method, status in (("/", "GET", 404), ("/metrics/x", "GET", 404), ("/metrics", "POST", 501)):
        with pytest.raises(HTTPError) as refused:
            urlopen(url.replace("/metrics", path), b"" if method == "POST" else None, timeout=10)  # noqa: S310
        refused.value.close()
        assert refused.value.code == status


def test_a_port_that_is_taken_is_an_error() -> None:
    taken = urlsplit(serve([], "127.0.0.1:0")).port
    with pytest.raises(OSError, match="in use"):
        serve([], f"127.0.0.1:{taken}")


class Handled:
    """A handler, its server, its clock and what it counts."""

    def __init__(self, *pods: str, fails: Callable[[str, str], Exception | None] | None = None) -> None:
        self.now = time.time()
        self.server = Server(*pods, **({"fails": fails} if fails else {}))
        self.metrics = Metrics()
        self.handler = Handler(cast(Api, self.server), lambda: self.now, metrics=self.metrics)

    def notice(self, seconds: float = 30) -> None:
        """A notice whose deadline comes in so many seconds."""
        self.server.notice(date=formatdate(self.now + seconds, usegmt=True))

    def look(self, **pod: Any) -> bool:
        """A look at the node, whose pods have these metadata by now."""
        self.server.metadata = pod
        return self.handler.look(self.server.node)

    def counts(self) -> dict[str, float]:
        """What it counted, without the beginning that all names share; zeros are left out."""
        text = exposition(list(vars(self.metrics).values()))
        return {
            name.removeprefix("kubeflow_aks_eviction_"): value
            for name, value in lines(text).items()
            if value and "bucket" not in name and "sum" not in name
        }


def test_a_notice_counts_once_and_its_pods_with_what_became_of_them() -> None:
    handled = Handled("a", "b", fails=_refuses_a)
    handled.server.graces = {"a": 5}
    handled.notice()
    assert handled.look()
    handled.now += 10
    handled.look()
    assert handled.counts() == {
        'notices_total{kind="scheduled"}': 1,
        "notice_lead_seconds_count": 1,
        'pods_total{result="evicted"}': 2,  # b, in both looks: this server lets no pod end
        'pods_total{result="refused"}': 1,
    }


def _refuses_a(_: str, path: str) -> ApiError | None:
    return ApiError(429, "DisruptionBudget") if path.endswith("/a/eviction") else None


def test_the_time_left_is_known_once_the_last_pod_has_ended() -> None:
    handled = Handled("a")
    handled.notice()
    assert not handled.look()
    handled.now += 4
    assert handled.look(deletionTimestamp="2026-08-03T08:17:37Z")
    handled.now += 4
    handled.server.pods = ()
    assert not handled.look()
    handled.look()
    text = exposition([handled.metrics.left])
    assert lines(text)["kubeflow_aks_eviction_seconds_left_count"] == 1
    assert 20 < lines(text)["kubeflow_aks_eviction_seconds_left_sum"] <= 22


def test_a_notice_that_is_taken_back_counts_as_a_node_uncordoned() -> None:
    handled = Handled()
    handled.notice()
    handled.look()
    handled.server.notice("False")
    handled.look()
    assert handled.counts()["nodes_uncordoned_total"] == 1


@pytest.mark.parametrize(
    ("room", "refuses", "result"),
    [
        ({"cpuspot"}, 0, "evicted"),
        ({"cpuspot"}, 429, "refused"),
        ({"cpuspot"}, 404, ""),
        (None, 0, "no_room"),
    ],
)
def test_what_became_of_a_pod_on_a_fallback_is_counted(
    room: set[str] | None, refuses: int, result: str
) -> None:
    cluster, counter = FakeCluster(pod(), room=room), returned_pods()
    cluster.refuses = refuses
    program = Returns(cast(Api, cluster), SETTINGS, returned=counter)
    for _ in range(3):
        program.look(cluster.now)
        cluster.pass_time(400)
    expected = {f'kubeflow_aks_returned_pods_total{{result="{result}"}}': 1.0} if result else {}
    assert {name: value for name, value in lines(exposition([counter])).items() if value} == expected
