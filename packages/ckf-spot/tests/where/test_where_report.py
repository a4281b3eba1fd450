"""The two forms of the report: JSON that keeps to its schema, and a table that fits."""

import json
from datetime import timedelta
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from made import SPOT, assigned, event, look, node, node_name, pod

import ckf_spot
from ckf_spot.where.observations import Look
from ckf_spot.where.report import Report, as_dict, report
from ckf_spot.where.table import age, table

SCHEMA: Any = json.loads(
    (Path(ckf_spot.__file__).parent / "where" / "report.schema.json").read_text(encoding="utf-8")
)
HERE, LOST = node_name("cpuspot", 1), node_name("cpuspot", 0)
NODES = [node("cpuspot", 1), node("gpuspot")]
EVENTS = [
    assigned("train-old", LOST, ago=9),
    event("SuccessfulCreate", "Created pod: train-old", "Job", "train", ago=9),
]
PODS = [
    pod("train-new", HERE, created=4),
    pod("db-0", HERE, owner=("StatefulSet", "db")),
    pod("late", owner=("Job", "late"), unschedulable=3, tolerations=[SPOT]),
    pod("alone", node_name("cpuod"), owner=None, phase="Succeeded", ended=2),
    pod("going", HERE, owner=("Job", "going"), deletion=0),
    pod("young", HERE, owner=("Job", "young"), phase="Pending"),
]


def reported(seen: Look) -> Report:
    return report(seen, timedelta(minutes=5))


LOOKS = [
    look(PODS, NODES, events=EVENTS),
    look(PODS, None, events=EVENTS, namespace="team-a", pools=None),
    look(PODS, NODES, namespace="team-a"),
    look(),
]


@pytest.mark.parametrize("seen", LOOKS)
def test_the_json_keeps_to_its_schema(seen: Look) -> None:
    jsonschema.Draft202012Validator(SCHEMA).validate(json.loads(json.dumps(as_dict(reported(seen)))))


def test_the_schema_leaves_nothing_open() -> None:
    document = as_dict(reported(LOOKS[0]))
    document["work"][0]["pods"][0]["extra"] = 1
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.Draft202012Validator(SCHEMA).validate(document)


def test_nodes_are_reported_with_their_times_where_they_may_be_read() -> None:
    noticed = node("cpuspot", 2, created=30, notice=1)
    document = as_dict(reported(look(nodes=[noticed, node("cpuod")])))
    spot, on_demand = document["nodes"]
    assert spot == {
        "name": node_name("cpuspot", 2),
        "pool": "cpuspot",
        "capacity": "spot",
        "created": "2026-11-21T07:30:00Z",
        "notice": "2026-11-21T07:59:00Z",
        "silent": None,
        "gone": None,
    }
    assert (on_demand["capacity"], on_demand["notice"]) == ("on-demand", None)
    assert as_dict(reported(LOOKS[1]))["nodes"] is None


def test_each_state_has_its_word() -> None:
    work = as_dict(reported(LOOKS[0]))["work"]
    assert {pod["name"]: pod["state"] for entry in work for pod in entry["pods"]} == {
        "train-old": "evicted",
        "train-new": "running",
        "db-0": "running",
        "late": "pending",
        "alone": "succeeded",
        "going": "leaving",
        "young": "starting",
    }


def test_the_table_has_a_row_for_each_pod_that_is_there_and_the_evictions_of_its_work() -> None:
    lines = table(reported(LOOKS[0]), None).splitlines()
    assert lines[0].split() == ["NAMESPACE", "WORK", "POD", "POOL", "CAPACITY", "STATE", "SINCE", "EVICTED"]
    assert [line for line in lines if "train-old" in line] == []
    [train] = [line for line in lines if "train-new" in line]
    assert train.split()[:7] == ["team-a", "Job/train", "train-new", "cpuspot", "spot", "running", "4m"]
    assert train.endswith("  1 from cpuspot")
    [late] = [line for line in lines if line.split()[2:3] == ["late"]]
    assert late.split() == ["team-a", "Job/late", "late", "-", "-", "pending", "3m", "0"]


def test_the_table_of_one_namespace_leaves_its_name_out() -> None:
    assert table(reported(LOOKS[2]), None).startswith("WORK ")


@pytest.mark.parametrize("width", [80, 100, 132])
def test_the_table_fits_the_terminal(width: int) -> None:
    seen = look(
        [pod(f"{'long-' * 12}{number}", HERE, owner=("Job", "name-" * 12)) for number in range(3)], NODES
    )
    lines = table(reported(seen), width).split("\n\n")[0].splitlines()
    assert max(map(len, lines)) <= width
    assert [line for line in lines[1:] if "…" not in line] == []
    assert lines[1].split()[-5:] == ["cpuspot", "spot", "running", "10m", "0"]


def test_violations_and_notes_follow_the_table() -> None:
    text = table(reported(LOOKS[1]), None)
    assert "\n✘ stateful-on-spot" not in text  # without nodes and contract nobody knows what is spot
    assert "\n(stuck work was not judged" in text
    assert "\n✘ stateful-on-spot: team-a/db-0: " in table(reported(LOOKS[0]), None)


def test_nothing_to_show_has_a_line() -> None:
    assert table(reported(look(namespace="team-a")), 80).startswith("There is no pod in namespace team-a.\n")


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0, "0s"),
        (59, "59s"),
        (60, "1m"),
        (3599, "59m"),
        (3600, "1h"),
        (12000, "3h20m"),
        (90000, "1d"),
        (-1, "0s"),
    ],
)
def test_ages_are_short(seconds: int, text: str) -> None:
    assert age(timedelta(seconds=seconds)) == text
