"""Files of other programs: each mistake is one line, and nothing else happens."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from reports import POOLS, Raw, at, figures, node, observations, pod, report

from kubeflow_aks.cost.figures import CostError
from kubeflow_aks.cost.observed import read


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "where.json"


EVICTED = pod("cpuspot/0", 5, 1, "evicted")
WHERE = "expected what `ckf-spot where -o json` wrote"

OTHERS = "where.json: pool 'other' is not allowed; expected one of this stack's pools: system, cpuspot, cpuod, gpuspot"


def backwards(place: str, end: int, start: int) -> str:
    day = "2026-11-22T{:02}:00:00+00:00"
    allowed = f"is not allowed as an end; expected a time after its start, {day.format(start)}"
    return f"where.json: {place}{day.format(end)} {allowed}"


def changed(path: str, value: object) -> Raw:
    """The report of one evicted pod with something else at `path`."""
    raw = copy.deepcopy(report(EVICTED, nodes=[node("cpuspot/0", 5, 1)], since=9))
    place: Any = raw
    *way, last = [int(part) if part.isdecimal() else part for part in path.split(".")]
    for part in way:
        place = place[part]
    place[last] = value
    return raw


@pytest.mark.parametrize(
    ("raw", "lines"),
    [
        (b"\xff\xfe", [f"where.json is not JSON; {WHERE}"]),
        (b"not JSON", [f"where.json is not JSON; {WHERE}"]),
        (b"[" * 100_000, [f"where.json is not JSON; {WHERE}"]),
        (b"[]", [f"where.json has no report in it; {WHERE}"]),
        (
            b"{}",
            [
                f"where.json: version is missing; {WHERE}",
                f"where.json: time is missing; {WHERE}",
                f"where.json: since is missing; {WHERE}",
                f"where.json: work is missing; {WHERE}",
            ],
        ),
        (changed("version", 4), ["where.json: version: 4 is not allowed; expected 1, 2 or 3"]),
        (
            changed("time", "noon"),
            ["where.json: time: 'noon' is not allowed; expected a time as 2026-11-22T12:00:00Z"],
        ),
        (
            changed("time", "2026-11-22T12:00:00"),
            [
                "where.json: time: '2026-11-22T12:00:00' is not allowed; expected a time as 2026-11-22T12:00:00Z"
            ],
        ),
        (
            changed("since", at(-1)),
            [backwards("", 12, 13)],
        ),
        (
            changed("work.0.pods.0.ended", at(6)),
            [backwards("work.0.pods.0: ", 6, 7)],
        ),
        (
            changed("nodes.0.gone", at(6)),
            [backwards("nodes.0: ", 6, 7)],
        ),
        (
            changed("work.0.pods.0.pool", "other"),
            [OTHERS],
        ),
        (
            changed("work.0.pods.0.capacity", "on-demand"),
            ["where.json: capacity 'on-demand' of pool 'cpuspot' is not allowed; expected 'spot', as here"],
        ),
        (
            changed("work.0.pods.0.capacity", "cheap"),
            ["where.json: work.0.pods.0.capacity: 'cheap' is not allowed; expected 'spot' or 'on-demand'"],
        ),
        (changed("work", {}), ["where.json: work: dict is not allowed; expected a list"]),
        (changed("work.0", 7), ["where.json: work.0: 7 is not allowed; expected an object"]),
        (changed("nodes", 7), ["where.json: nodes: 7 is not allowed; expected a list"]),
    ],
)
def test_a_bad_file_is_one_line_for_each_mistake(file: Path, raw: Raw | bytes, lines: list[str]) -> None:
    file.write_bytes(raw if isinstance(raw, bytes) else json.dumps(raw).encode())
    with pytest.raises(CostError) as caught:
        read(file, POOLS)
    assert list(caught.value.problems) == lines


def test_a_file_that_is_not_there_or_a_folder_is_reported(tmp_path: Path) -> None:
    with pytest.raises(CostError, match=r"can't be read: No such file or directory$"):
        read(tmp_path / "none.json", POOLS)
    with pytest.raises(CostError, match=r"can't be read: Is a directory$"):
        read(tmp_path, POOLS)


@pytest.mark.parametrize("minutes", [1, 4])
def test_clocks_that_differ_a_little_are_no_mistake(file: Path, minutes: float) -> None:
    raw = changed("work.0.pods.0.ended", at(5 + minutes / 60)) | {"nodes": None}
    assert figures(observations(file, raw)) == {"cpuspot": (0, 1, 1)}


VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=12)
    | st.sampled_from([at(3), "spot"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)
PATHS = [
    "version", "time", "since", "work", "nodes", "work.0", "work.0.pods", "work.0.pods.0", "nodes.0",
    *(f"work.0.pods.0.{key}" for key in EVICTED),
    *(f"nodes.0.{key}" for key in node("cpuspot/0", 1)),
]  # fmt: skip


@settings(max_examples=300, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(path=st.sampled_from(PATHS), value=VALUES)
def test_whatever_stands_in_a_file_it_is_read_or_refused_in_lines(
    file: Path, path: str, value: object
) -> None:
    file.write_text(json.dumps(changed(path, value)), encoding="utf-8")
    try:
        evictions = read(file, POOLS)
    except CostError as error:
        bad = [line for line in error.problems if "\n" in line or not line.startswith("where.json")]
        assert (bad, bool(error.problems)) == ([], True)  # noqa: PT017 - either is right
    else:
        for one in evictions.pools.values():
            assert one.hours >= 0
            assert 0 <= one.moments <= one.evictions <= one.nodes


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_the_first_day_of_all_is_a_time_like_any(tmp_path: Path, encoding: str) -> None:
    document = report(pod("cpuspot/0", 8, 2))
    document["work"][0]["pods"][0]["scheduled"] = "0001-01-01T00:00:00+00:00"
    file = tmp_path / "where.json"
    file.write_text(json.dumps(document), encoding=encoding)  # as PowerShell's `>` writes it
    assert read(file, POOLS).pools["cpuspot"].nodes == 1
