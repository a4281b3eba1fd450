"""What `ckf-spot where -o json` saw becomes node hours, evictions and a rate with its interval."""

from __future__ import annotations

from pathlib import Path

import pytest
from reports import figures, node, observations, pod, report


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "where.json"


def test_pods_of_one_node_count_its_hours_and_its_eviction_once(file: Path) -> None:
    pods = [
        pod("cpuspot/0", 10, 4, "evicted"),
        pod("cpuspot/0", 8, 4, "evicted"),
        pod("cpuspot/0", 12, 11, "succeeded"),
        pod("cpuspot/1", 3),
        pod("cpuod/0", 9),
    ]
    assert figures(observations(file, report(*pods))) == {"cpuspot": (1 + 6 + 3, 1, 1)}


def test_a_record_counts_idle_nodes_from_its_beginning_on(file: Path) -> None:
    nodes = [
        node("cpuspot/0", created=100),
        node("cpuspot/1", created=5, gone=2),
        node("cpuspot/2", created=20, gone=1, notice=1.01),
        node("gpuspot/0", created=4, gone=3),
        node("cpuod/0", created=50),
    ]
    evicted = pod("gpuspot/0", 4, 3, "evicted")
    evictions = observations(file, report(evicted, nodes=nodes, since=10))
    assert figures(evictions) == {"cpuspot": (10 + 3 + 9, 1, 1), "gpuspot": (1, 1, 1)}
    assert not any("only the time of pods" in result for result in evictions.notes)


def test_a_node_that_the_autoscaler_took_is_no_eviction(file: Path) -> None:
    nodes = [node("cpuspot/0", created=5, gone=2)]
    done = pod("cpuspot/0", 5, 3, "succeeded")
    assert figures(observations(file, report(done, nodes=nodes, since=10))) == {"cpuspot": (3, 0, 0)}


def test_a_node_that_is_announced_and_still_there_is_not_evicted_yet(file: Path) -> None:
    nodes = [node("cpuspot/0", created=5, notice=0.001)]
    assert figures(observations(file, report(nodes=nodes, since=10))) == {"cpuspot": (5, 0, 0)}


def test_a_pod_that_made_room_for_another_lost_no_node(file: Path) -> None:
    preempted = pod("cpuspot/0", 5, 2, "evicted", why="PreemptionByScheduler")
    assert figures(observations(file, report(preempted))) == {"cpuspot": (3, 0, 0)}


def test_a_pod_evicted_from_a_node_that_goes_on_is_no_eviction_of_the_node(file: Path) -> None:
    pods = [pod("cpuspot/0", 5, 3, "evicted"), pod("cpuspot/0", 4)]
    assert figures(observations(file, report(*pods))) == {"cpuspot": (5, 0, 0)}


def test_nodes_that_are_evicted_together_are_one_moment(file: Path) -> None:
    pods = [pod(f"cpuspot/{number}", 10, 4 + number / 100, "evicted") for number in range(4)]
    pods.append(pod("cpuspot/9", 10, 1, "evicted"))
    assert figures(observations(file, report(*pods)))["cpuspot"][1:] == (5, 2)


def test_what_cannot_be_counted_is_reported(file: Path) -> None:
    nameless = pod("", 3) | {"node": "somewhere"}
    evictions = observations(
        file, report(pod("cpuspot/0", 5, 3, "unexplained"), nameless, pod("cpuspot/1", 9, state="evicted"))
    )
    assert figures(evictions) == {"cpuspot": (2, 1, 1)}
    result = " ".join(evictions.notes)
    assert "1 pod vanished from a spot node" in result
    assert "1 pod ran on a node of an unknown pool" in result
    assert "not that of idle nodes" in result


def test_a_file_of_an_older_ckf_spot_is_read_by_its_pods(file: Path) -> None:
    raw = report(pod("cpuspot/0", 5, 1, "evicted"), since=10) | {"version": 1}
    del raw["nodes"]
    assert figures(observations(file, raw)) == {"cpuspot": (4, 1, 1)}


def test_without_spot_pods_nothing_is_observed(file: Path) -> None:
    assert figures(observations(file, report(pod("cpuod/0", 5)))) == {}
