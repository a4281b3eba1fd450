"""A record tells later what was there, goes on where it ended, and is never half read."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any
from xml.etree import ElementTree

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st
from made import POOLS, node, node_name, pod

import ckf_spot
from ckf_spot import PlacementError
from ckf_spot.where.endings import courses
from ckf_spot.where.record import Recorder, read
from ckf_spot.where.report import as_dict, report, stamp
from ckf_spot.where.svg import svg
from ckf_spot.where.table import table

SCHEMA: Any = json.loads(
    (Path(ckf_spot.__file__).parent / "where/report.schema.json").read_text(encoding="utf-8")
)
HERE, LOST = node_name("cpuspot", 1), node_name("cpuspot", 0)
BEGAN = {"time": "2026-11-21T07:00:00Z", "began": {"version": 1, "namespace": None}}
NAMES = (
    "metadata", "name", "namespace", "uid", "labels", "annotations", "ownerReferences", "creationTimestamp",
    "deletionTimestamp", "spec", "containers", "initContainers", "resources", "limits", "nvidia.com/gpu", "tolerations",
    "nodeSelector", "affinity", "nodeAffinity", "nodeName", "volumes", "status", "phase", "conditions", "type",
    "containerStatuses", "state", "startTime", "allocatable", "key", "operator", "owners",
)  # fmt: skip
POD = {"time": "2026-11-21T07:00:01Z", "pod": pod("train-a", HERE)}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "record.jsonl"


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def keys(path: Path) -> list[str]:
    return [next(iter(line.keys() - {"time"})) for line in lines(path)]


def test_an_eviction_that_was_watched_is_remembered_with_its_reason(path: Path) -> None:
    with Recorder(path, None) as recorder:
        recorder.nodes([node("cpuspot", 0)])
        recorder.pods([pod("train-a", LOST)])
        recorder.pod(pod("train-a", LOST, disruption="DeletionByPodGC", phase="Failed"))
        recorder.deleted(pod("train-a", LOST, disruption="DeletionByPodGC", phase="Failed"))
        recorder.nodes([node("cpuspot", 1)])
        recorder.pod(pod("train-b", HERE, created=0))
    [course] = courses(read(path).look(POOLS))
    assert (course.evictions, course.pods[0][1].why) == (1, "DeletionByPodGC")
    assert [attempt.node for attempt, _ in course.pods] == [LOST, HERE]


def test_the_report_of_a_record_tells_when_a_node_went(path: Path) -> None:
    with Recorder(path, None) as recorder:
        recorder.nodes([node("cpuspot", 0), node("cpuspot", 1)])
        recorder.nodes([node("cpuspot", 1)])
    seen = read(path).look(POOLS)
    gone = {listed["name"]: listed["gone"] for listed in as_dict(report(seen, timedelta(minutes=5)))["nodes"]}
    assert gone == {LOST: stamp(seen.nodes_by_name[LOST].gone), HERE: None}
    assert gone[LOST] is not None


def test_a_pod_that_went_between_two_recordings_is_gone_with_its_node(path: Path) -> None:
    with Recorder(path, None) as recorder:
        recorder.nodes([node("cpuspot", 0)])
        recorder.pods([pod("train-a", LOST)])
    with Recorder(path, None) as recorder:
        recorder.nodes([node("cpuspot", 1)])
        recorder.pods([pod("train-b", HERE, created=0)])
    [course] = courses(read(path).look(POOLS))
    assert (course.evictions, course.pods[0][1].why) == (1, "its node is gone")


def test_only_news_is_written(path: Path) -> None:
    with Recorder(path, None) as recorder:
        for _ in range(3):
            recorder.nodes([node("cpuspot", 1)])
            recorder.pods([pod("train-a", HERE), pod("cni-x", HERE, owner=("DaemonSet", "cni"))])
            recorder.heartbeat()
    assert keys(path) == ["began", "node", "pod", "ended"]


def test_a_torn_last_line_is_left_out_and_cut_off(path: Path) -> None:
    with Recorder(path, None) as recorder:
        recorder.pods([pod("train-a", HERE)])
    with path.open("a", encoding="utf-8") as file:
        file.write('{"time":"2026')
    assert len(read(path).look(None).pods) == 1
    with Recorder(path, None):
        pass
    assert keys(path) == ["began", "pod", "ended", "began", "ended"]


def test_nodes_that_may_not_be_read_are_reported_as_such(path: Path) -> None:
    with Recorder(path, "team-a") as recorder:
        recorder.without_nodes()
        recorder.pods([pod("train-a", HERE)])
    seen = read(path).look(POOLS)
    assert (seen.nodes, seen.namespace) == (None, "team-a")
    assert seen.place(HERE).capacity == "spot"


def test_a_record_of_another_namespace_is_not_added_to(path: Path) -> None:
    with Recorder(path, "team-a"):
        pass
    before = path.read_text(encoding="utf-8")
    with pytest.raises(PlacementError, match=r"namespace: 'team-b' is not allowed; expected 'team-a'"):
        Recorder(path, "team-b")
    assert path.read_text(encoding="utf-8") == before


def test_the_time_between_two_recordings_is_a_gap(path: Path) -> None:
    ended = {"time": "2026-11-21T07:01:00Z", "ended": True}
    again = {**BEGAN, "time": "2026-11-21T07:02:00Z"}
    path.write_text("".join(json.dumps(line) + "\n" for line in (BEGAN, POD, ended, again)), encoding="utf-8")
    [gap] = read(path).look(None).gaps
    assert gap.end - gap.start == timedelta(minutes=1)


def test_silence_longer_than_the_heartbeat_is_a_gap(path: Path) -> None:
    later = {"time": "2026-11-21T07:30:00Z", "watching": True}
    path.write_text("".join(json.dumps(line) + "\n" for line in (BEGAN, POD, later)), encoding="utf-8")
    [gap] = read(path).look(None).gaps
    assert gap.end - gap.start == timedelta(minutes=29, seconds=59)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "there is no line in it"),
        ("{}\n", "line 1: '{}' is no line of a record"),
        ("[]\n", "line 1: '[]' is no line of a record"),
        ("1\n", "line 1: '1' is no line of a record"),
        ("not JSON\n", "line 1: 'not JSON' is no line of a record"),
        (json.dumps(POD) + "\n", "is no line of a record (the first line does not say what is watched)"),
        (
            json.dumps({**BEGAN, "began": {"version": 2, "namespace": None}}) + "\n",
            "is no line of a record (version 2 is not known)",
        ),
        (json.dumps(BEGAN) + '\n{"time": "7 o\'clock", "ended": true}\n', "line 2: "),
        (json.dumps(BEGAN) + '\n{"time": "2026-11-21T07:00:00Z", "cat": "gone"}\n', "line 2: "),
        (json.dumps(BEGAN) + '\n{"time": "2026-11-21T07:00:00Z", "podGone": "stranger"}\n', "line 2: "),
        (json.dumps(BEGAN) + '\n{"time": "2026-11-21T07:00:00Z", "pod": {"metadata": null}}\n', "line 2: "),
        (json.dumps(BEGAN) + '\n{"time": "2026-11-21T07:00:00Z", "pod": {}, "node": {}}\n', "line 2: "),
        (json.dumps(BEGAN) + '\n{"time": "2026-11-21T07:00:00Z", "node": {"metadata": {"name": []}}}\n', "line 2: "),
    ],
)  # fmt: skip
def test_what_is_no_record_is_one_line_with_its_number(path: Path, text: str, message: str) -> None:
    path.write_text(text, encoding="utf-8")
    with pytest.raises(PlacementError) as caught:
        read(path)
    error_text = str(caught.value)
    assert error_text.startswith(str(path))
    assert message in error_text
    assert "expected lines that `ckf-spot where --record` has written" in error_text
    assert "\n" not in error_text


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(NAMES), inner, max_size=4),
    max_leaves=12,
)


@given(st.sampled_from(["pod", "node", "began", "podGone"]), JSON, st.sampled_from(NAMES), JSON)
def test_no_line_whatever_is_a_traceback(key: str, value: Any, name: str, inner: Any) -> None:
    raws: dict[str, Any] = {"pod": pod("train-a", HERE, gpus=1), "node": node("cpuspot")}
    if raw := raws.get(key):
        part = next((raw[part] for part in raw if name in raw[part]), raw)
        part[name] = inner
        value = raw
    line = {"time": "2026-11-21T07:00:01Z", key: value}
    with NamedTemporaryFile("w", suffix=".jsonl", encoding="utf-8") as file:
        file.write(f"{json.dumps(BEGAN)}\n{json.dumps(line)}\n")
        file.flush()
        try:
            seen = read(Path(file.name)).look(POOLS)
        except PlacementError:
            return
    reported = report(seen, timedelta(minutes=5))
    table(reported, 80)
    jsonschema.Draft202012Validator(SCHEMA).validate(json.loads(json.dumps(as_dict(reported))))
    ElementTree.fromstring(svg(seen))  # noqa: S314 - our own


def test_a_record_that_is_not_there_or_no_text_is_one_line(path: Path) -> None:
    with pytest.raises(PlacementError, match="can't be read: No such file"):
        read(path)
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(PlacementError, match="can't be read: it is no text"):
        read(path)
