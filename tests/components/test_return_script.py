"""What the script that returns work to spot moves, and when; against a cluster in memory."""

from __future__ import annotations

import copy
import json
import sys
import time
from collections import Counter
from collections.abc import Iterable
from itertools import cycle, islice, pairwise
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from components.kubeflow import return_memory, return_script
from components.kubeflow.return_memory import Memory
from components.kubeflow.return_script import Returns, cost_of_move, pays_back_after, placeholder_for, why_not
from components.kubeflow.script_client import READY, Api, ApiError, Object, Report
from tests.components.returning import SETTINGS, FakeCluster, pod, toggling


def returns(cluster: FakeCluster, **more: str) -> Returns:
    return Returns(cast(Api, cluster), {**SETTINGS, **more})


def run(cluster: FakeCluster, program: Returns, looks: int = 3, seconds: float = 20) -> None:
    for _ in range(looks):
        program.look(cluster.now)
        cluster.pass_time(seconds)


def test_work_moves_once_the_placeholder_has_a_node(capsys: pytest.CaptureFixture[str]) -> None:
    cluster = FakeCluster(pod())
    program = returns(cluster)
    cluster.now = 600
    run(cluster, program)
    assert cluster.placeholder is not None
    assert not cluster.evicted
    cluster.room = {"cpuspot"}
    run(cluster, program)
    assert cluster.evicted == [("train-0", "train")]
    assert cluster.placeholder is None
    assert cluster.pods["train-0"]["spec"]["nodeName"] == "cpuspot-0"
    assert capsys.readouterr().out.splitlines() == [
        "team/train-0: waits on cpuod for room on cpuspot",
        (
            "team/train-0: evicted from cpuod, as cpuspot has room; a node costs 0.114 USD an hour there, 0.544 here, "
            "so about 16 min of work are lost and paid for after 4 min"
        ),
    ]


def test_work_on_a_further_size_of_a_fallback_moves() -> None:
    cluster = FakeCluster(pod(node="cpuodbig-0"), room={"cpuspot"})
    program = returns(cluster)
    for cluster.now in (600, 660):
        run(cluster, program)
    assert cluster.evicted == [("train-0", "train")]


def test_without_room_the_work_does_not_notice_and_tries_become_rare() -> None:
    cluster = FakeCluster(pod())
    program = returns(cluster)
    run(cluster, program, looks=7 * 24 * 30, seconds=120)
    tries = [line for line in cluster.requests if line.startswith("POST /api/v1/namespaces/tries/pods")]
    assert not cluster.evicted
    assert 5 <= len(tries) <= 14


def test_a_room_that_came_back_ends_the_rest_of_its_fallback() -> None:
    memory = Memory({}, {})
    memory.note_failure("cpuod", 0)
    memory.note_failure("cpuod", 1800)
    assert memory.rests("cpuod", 1800 + 3599)
    assert not memory.rests("gpuod", 0)
    memory.note_success("cpuod")
    assert not memory.rests("cpuod", 1801)


@pytest.mark.parametrize("minutes", [10, 25, 60])
def test_spot_that_comes_and_goes_moves_nothing_twice_in_a_day(minutes: int) -> None:
    cluster = FakeCluster(*(pod(f"train-{number}", at=number) for number in range(3)), pod("tune-0", at=9))
    _play(cluster, toggling(minutes, days=1, step=60), step=60)
    assert sorted(cluster.evicted) == [
        *((f"train-{number}", "train") for number in range(3)),
        ("tune-0", "tune"),
    ]


def test_in_a_month_of_spot_that_comes_and_goes_work_moves_a_few_times() -> None:
    cluster = FakeCluster(pod())
    _play(cluster, toggling(10, days=30, step=300), step=300)
    assert 1 <= len(cluster.evicted) <= 5


@settings(max_examples=10, deadline=None)
@given(st.lists(st.tuples(st.integers(1, 180), st.booleans()), min_size=1, max_size=12), st.integers(1, 4))
def test_no_market_moves_a_pod_or_what_replaces_it_twice_in_a_day(
    market: list[tuple[int, bool]], pods: int
) -> None:
    cluster = FakeCluster(*(pod(f"train-{number}", at=number) for number in range(pods)))
    looks = [has_room for minutes, has_room in market for _ in range(minutes)]
    _play(cluster, islice(cycle(looks), 24 * 60), step=60)
    assert all(times == 1 for times in Counter(cluster.evicted).values())


def _play(cluster: FakeCluster, market: Iterable[bool], *, step: float) -> None:
    """A look at each state of the market; each third time the program starts anew, as after an update of its node."""
    program = returns(cluster)
    cluster.now = 60.0
    for number, has_room in enumerate(market):
        if has_room:
            cluster.room.add("cpuspot")
        elif "cpuspot" in cluster.room:
            cluster.sell_out("cpuspot")
        if number % 3 == 0:
            program = returns(cluster)
        program.look(cluster.now)
        cluster.pass_time(step)


@pytest.mark.parametrize("entry", [None, {}, {"metadata": {"name": "odd"}}, {**pod(), "status": None}])
def test_an_entry_that_is_no_pod_keeps_no_other_on_its_fallback(entry: Any) -> None:
    cluster = FakeCluster(pod(), room={"cpuspot"})
    cluster.odd = [entry]
    cluster.now = 600
    run(cluster, returns(cluster))
    assert cluster.evicted == [("train-0", "train")]


class Ended(BaseException):
    """The end of the script's loop, which has none."""


def test_neither_refusals_nor_odd_objects_end_it_or_fill_its_log(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    errors = iter([ApiError(403, "no"), ApiError(403, "no"), KeyError("data"), None, Ended()])
    reports: list[str] = []

    def look(_: Returns, __: float) -> None:
        if error := next(errors):
            raise error

    def sleep(_: float) -> None:
        reports.append((tmp_path / "report").read_text(encoding="utf-8"))

    monkeypatch.setattr(Returns, "look", look)
    monkeypatch.setattr(return_script, "time", SimpleNamespace(sleep=sleep, time=time.time))
    report = Report(tmp_path / "report", ("look",))
    with pytest.raises(Ended):
        return_script.run(returns(FakeCluster()), report, 20)
    refused, odd = "look: ApiError('403 no')", "look: KeyError('data')"
    assert reports == [refused, refused, odd, READY]
    assert capsys.readouterr().out.splitlines() == [refused, odd, "look: as it should be again"]


@pytest.mark.parametrize(
    ("stays", "why"),
    [
        (pod(kind="StatefulSet"), "a pod of a StatefulSet serves somebody"),
        (pod(kind="ReplicaSet"), "a pod of a ReplicaSet serves somebody"),
        (pod(kind=""), "nothing would make it again"),
        (
            pod(way="yes"),
            "label kubeflow-aks/return-to-spot: 'yes' is not allowed; expected checkpointed or restartable",
        ),
        (pod(affinity={}), "it does not prefer spot, so it might start on demand again"),
        (pod(way="restartable"), "it has worked for more than 15 min, which would be lost"),
    ],
)
def test_a_pod_stays(stays: Object, why: str, capsys: pytest.CaptureFixture[str]) -> None:
    cluster = FakeCluster(stays, room={"cpuspot"})
    cluster.now = 1000
    run(cluster, returns(cluster), looks=5)
    assert not cluster.evicted
    assert capsys.readouterr().out == f"team/train-0: stays on cpuod: {why}\n"


def test_a_notebook_stays_whatever_makes_it() -> None:
    notebook = pod()
    notebook["metadata"]["labels"]["notebook-name"] = "mine"
    assert why_not(notebook, 600) == "a pod of a Job serves somebody"


def test_work_on_spot_or_on_another_pool_is_no_concern(capsys: pytest.CaptureFixture[str]) -> None:
    cluster = FakeCluster(
        pod("a-0", node="cpuspot-0"), pod("b-0", node="general-0"), room={"cpuspot", "gpuspot"}
    )
    run(cluster, returns(cluster), looks=5)
    assert not cluster.evicted
    assert not capsys.readouterr().out


def test_young_work_that_begins_again_moves() -> None:
    cluster = FakeCluster(pod(way="restartable"), room={"cpuspot"})
    cluster.now = 300
    run(cluster, returns(cluster))
    assert cluster.evicted


def test_work_that_grows_old_while_it_waits_stays() -> None:
    cluster = FakeCluster(pod(way="restartable"))
    program = returns(cluster)
    cluster.now = 800
    run(cluster, program, looks=1)
    assert cluster.placeholder
    cluster.room = {"cpuspot"}
    cluster.now = 901
    run(cluster, program, looks=4)
    assert not cluster.evicted
    assert cluster.placeholder is None


def test_work_that_has_ended_needs_no_room() -> None:
    cluster = FakeCluster(pod())
    program = returns(cluster)
    run(cluster, program, looks=1)
    cluster.pods.clear()
    cluster.room = {"cpuspot"}
    run(cluster, program)
    assert not cluster.evicted
    assert cluster.placeholder is None


def test_a_placeholder_that_lost_its_node_is_a_failed_try() -> None:
    cluster = FakeCluster(pod())
    program = returns(cluster)
    run(cluster, program, looks=1)
    assert cluster.placeholder
    cluster.placeholder["status"]["phase"] = "Failed"
    run(cluster, program)
    assert cluster.placeholder is None
    assert not cluster.evicted


def test_spot_that_saves_too_little_moves_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    cluster = FakeCluster(pod(), room={"cpuspot"})
    run(cluster, returns(cluster, PRICES=json.dumps({"cpuspot": 0.5, "cpuod": 0.544})))
    assert not cluster.evicted
    assert "spot is not cheap enough to pay for the lost work" in capsys.readouterr().out


@pytest.mark.parametrize("prices", [{}, {"cpuod": 0.544}])
def test_without_prices_every_move_is_worth_it(
    prices: dict[str, float], capsys: pytest.CaptureFixture[str]
) -> None:
    cluster = FakeCluster(pod(), room={"cpuspot"})
    run(cluster, returns(cluster, PRICES=json.dumps(prices)))
    assert cluster.evicted
    assert "as cpuspot has room; about 16 min of work are lost\n" in capsys.readouterr().out


def test_a_budget_keeps_its_pod(capsys: pytest.CaptureFixture[str]) -> None:
    cluster = FakeCluster(pod(), room={"cpuspot"})
    cluster.refuses = 429
    run(cluster, returns(cluster), looks=80)
    assert cluster.placeholder is None
    assert "stays on cpuod: 429 Cannot evict pod" in capsys.readouterr().out
    assert sum("eviction" in line for line in cluster.requests) == 1


def test_the_newest_pod_of_a_controller_goes_first_and_the_others_follow_one_by_one() -> None:
    cluster = FakeCluster(*(pod(f"train-{number}", at=number) for number in range(3)), room={"cpuspot"})
    program = returns(cluster)
    cluster.now = 100
    moved: list[int] = []
    for _ in range(12):
        run(cluster, program, looks=1)
        moved.append(len(cluster.evicted))
    assert [name for name, _ in cluster.evicted] == ["train-2", "train-1", "train-0"]
    assert all(later - earlier <= 1 for earlier, later in pairwise(moved))


def test_the_room_of_work_that_is_not_back_yet_proves_none_for_other_work() -> None:
    """With a retry that waits for minutes the next placeholder once ran on the node of the work that was evicted."""
    cluster = FakeCluster(pod("train-0"), pod("tune-0", at=9), room={"cpuspot"}, returns=False)
    program = returns(cluster)
    cluster.now = 600
    run(cluster, program, looks=20)
    assert cluster.evicted == [("tune-0", "tune")]
    assert cluster.placeholder is None
    cluster.come_back()
    run(cluster, program, looks=3)
    assert cluster.evicted == [("tune-0", "tune"), ("train-0", "train")]


def test_work_that_does_not_come_back_keeps_no_room_for_longer_than_a_placeholder_waits() -> None:
    cluster = FakeCluster(pod("train-0"), pod("tune-0", at=9), room={"cpuspot"}, returns=False)
    cluster.now = 600
    run(cluster, returns(cluster), looks=40)
    assert cluster.evicted == [("tune-0", "tune"), ("train-0", "train")]


def test_a_killed_program_that_noted_a_move_finishes_it() -> None:
    cluster = FakeCluster(pod(), room={"cpuspot"})
    run(cluster, returns(cluster), looks=1)
    cluster.refuses = 500
    placeholder = copy.deepcopy(cluster.placeholder)
    returns(cluster).look(cluster.now)
    cluster.refuses, cluster.placeholder = 0, placeholder
    run(cluster, returns(cluster))
    assert len(cluster.evicted) == 1


def test_two_programs_at_once_do_not_both_move() -> None:
    cluster = FakeCluster(pod(), pod("tune-0", at=5), room={"cpuspot"})
    run(cluster, returns(cluster), looks=2)
    assert cluster.memory is not None
    stale = copy.deepcopy(cluster.memory)
    cluster.memory["metadata"]["resourceVersion"] = "999"
    memory = Memory.of(stale)
    with pytest.raises(ApiError, match="409"):
        cluster.call(
            "PUT", "/api/v1/namespaces/tries/configmaps/return-to-spot", memory.config_map("return-to-spot")
        )


@pytest.mark.parametrize(
    "data",
    [
        None,
        {},
        {"memory": "no JSON"},
        {"memory": "[]"},
        {"memory": "{}"},
        {"memory": '{"moves": {"a": {}}, "rests": {}}'},
        {"memory": '{"moves": [], "rests": {"cpuod": 3}}'},
        {"memory": '{"moves": {"a": {"at": "now", "newest": "", "count": 1}}, "rests": {}}'},
    ],
)
def test_a_memory_that_cannot_be_read_moves_nothing(data: Any) -> None:
    cluster = FakeCluster(pod(), room={"cpuspot"})
    metadata = {"namespace": "tries", "name": "return-to-spot", "resourceVersion": "1"}
    cluster.memory = {"metadata": metadata, "data": data}
    with pytest.raises(
        ValueError, match="ConfigMap tries/return-to-spot cannot be read, so nothing is moved"
    ):
        returns(cluster).look(cluster.now)
    assert cluster.placeholder is None


def test_the_placeholder_requests_on_spot_what_the_pod_requests() -> None:
    gpu = {"requests": {"cpu": "3"}, "limits": {"nvidia.com/gpu": "1"}, "claims": [{"name": "x"}]}
    work = pod(
        containers=[{"name": "main", "image": "work", "resources": gpu}, {"name": "side", "image": "side"}],
        initContainers=[
            {"name": "once", "image": "work", "resources": {"requests": {"cpu": "1"}}},
            {
                "name": "proxy",
                "image": "proxy",
                "restartPolicy": "Always",
                "resources": {"requests": {"cpu": "1"}},
            },
        ],
        nodeSelector={"kubeflow-aks/workload": "gpu"},
        serviceAccountName="default-editor",
    )
    spec = placeholder_for(work, "gpuod", "pause")["spec"]
    assert [container["resources"] for container in spec["containers"]] == [
        {"requests": {"cpu": "3"}, "limits": {"nvidia.com/gpu": "1"}},
        {},
        {"requests": {"cpu": "1"}},
    ]
    assert {container["image"] for container in spec["containers"]} == {"pause"}
    assert spec["nodeSelector"] == {
        "kubeflow-aks/workload": "gpu",
        "kubernetes.azure.com/scalesetpriority": "spot",
    }
    assert (spec["affinity"], spec["tolerations"]) == (work["spec"]["affinity"], work["spec"]["tolerations"])
    assert "serviceAccountName" not in spec


@pytest.mark.parametrize(
    ("dear", "cheap", "minutes"),
    [(0.544, 0.11424, 4.3), (0.658, 0.22372, 8.2), (0.658, 0.5725, 107.1), (0.5, 0.5, float("inf"))],
)
def test_a_move_pays_for_itself_after(dear: float, cheap: float, minutes: float) -> None:
    assert pays_back_after(cost_of_move(pod(), 0), dear, cheap) / 60 == pytest.approx(minutes, abs=0.05)


@pytest.mark.parametrize("script", [return_memory, return_script])
def test_a_script_needs_the_standard_library_alone(script: ModuleType) -> None:
    values: list[object] = [getattr(script, name) for name in dir(script)]
    modules = {getattr(value, "__module__", None) or getattr(value, "__name__", "") for value in values}
    roots = {name.partition(".")[0] for name in modules if isinstance(name, str)} - {"components", ""}
    assert roots <= sys.stdlib_module_names
