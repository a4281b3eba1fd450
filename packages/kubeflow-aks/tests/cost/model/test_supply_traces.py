"""Supply traces: what they say, and what is none."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from kubeflow_aks.cost.figures import CostError
from kubeflow_aks.cost.model.supply import supply


def _trace(data: list[int], gap: float = 600) -> str:
    return json.dumps({"metadata": {"gap_seconds": gap}, "data": data})


def test_a_trace_of_one_vm() -> None:
    """Six moments of ten minutes: there, there, gone, gone, there, there."""
    result = supply(_trace([1, 1, 0, 0, 1, 1]), "one.json")
    assert result.hours == pytest.approx(1.0)
    assert result.vms == 1
    assert result.sold_out == pytest.approx(2 / 6)
    assert result.outage == pytest.approx(2 / 6)
    assert result.rate == pytest.approx(
        1 - (2 / 3) ** 6
    )  # one of three watched ten minutes; six of them are an hour


def test_a_trace_of_several_vms_counts_each() -> None:
    result = supply(_trace([4, 4, 2, 3, 4], gap=3600), "four.json")
    assert result.vms == 4
    assert result.sold_out == pytest.approx(3 / 20)
    assert result.rate == pytest.approx(2 / 13)
    assert result.outage == pytest.approx(3 / 2)


def test_what_is_missing_from_the_start_is_sold_out_but_was_not_evicted() -> None:
    result = supply(_trace([0, 0, 1, 1]), "late.json")
    assert (result.rate, result.sold_out) == (0, 0.5)
    assert result.outage == pytest.approx(2 / 6)


def test_a_vm_that_never_stays_has_the_rate_1() -> None:
    assert supply(_trace([1, 0, 1, 0]), "gone.json").rate == 1


def test_spot_that_is_always_there() -> None:
    result = supply(_trace([1] * 10), "there.json")
    assert (result.rate, result.sold_out, result.outage) == (0, 0, 0)


def test_a_trace_drawn_with_a_rate_tells_that_rate() -> None:
    chance = np.random.default_rng(3)
    there = 1
    data: list[int] = []
    for drawn in chance.random(100_000):
        there = int(drawn > 0.01) if there else int(drawn < 0.05)
        data.append(there)
    result = supply(_trace(data, gap=300), "drawn.json")
    assert result.rate == pytest.approx(1 - 0.99**12, rel=0.1)
    assert result.outage == pytest.approx(20 * 300 / 3600, rel=0.1)
    assert result.sold_out == pytest.approx(1 / 6, rel=0.1)


@pytest.mark.parametrize(
    ("document", "problems"),
    [
        ([1, 1], ["metadata.gap_seconds: null", "data: null"]),
        (
            {"metadata": {}, "data": [1, 1]},
            ["metadata.gap_seconds: null is not allowed; expected seconds above 0"],
        ),
        ({"metadata": {"gap_seconds": 0}, "data": [1, 1]}, ["metadata.gap_seconds: 0 is"]),
        ({"metadata": {"gap_seconds": True}, "data": [1, 1]}, ["metadata.gap_seconds: true is"]),
        ({"metadata": {"gap_seconds": float("nan")}, "data": [1, 1]}, ["metadata.gap_seconds: NaN is"]),
        (
            {"metadata": {"gap_seconds": 60}, "data": [1]},
            ["data: [1] is not allowed; expected a list of at least two"],
        ),
        ({"metadata": {"gap_seconds": 60}, "data": "0, 1"}, ['data: "0, 1" is']),
        (
            {"metadata": {"gap_seconds": 60}, "data": [1, -1, 0.5, "x", True]},
            [
                f"data[{place}]: {value} is not allowed; expected a whole number from 0"
                for place, value in enumerate(["-1", "0.5", '"x"', "true"], 1)
            ],
        ),
        (
            {"metadata": {"gap_seconds": 60}, "data": [None] * 8},
            [*[f"data[{n}]: null is" for n in range(5)], "data: 3 more like these are"],
        ),
        ({"metadata": {"gap_seconds": 60}, "data": [0, 0, 0]}, ["data: only zeros is not allowed"]),
        (
            {"metadata": {"gap_seconds": 60}, "data": [0, 0, 1]},
            ["data: zeros up to its last number is not allowed"],
        ),
    ],
)
def test_what_is_no_trace_is_refused_line_by_line(document: Any, problems: list[str]) -> None:
    with pytest.raises(CostError) as raised:
        supply(json.dumps(document), "bad.json")
    assert len(raised.value.problems) == len(problems)
    for result, problem in zip(raised.value.problems, problems, strict=True):
        assert result.startswith(f"bad.json {problem}")
        assert "\n" not in result


@pytest.mark.parametrize(
    "text", ["", "{", "not json", '{"metadata":', b"\xff\xfe\x00", b"\xc3(", "[" * 100_000]
)
def test_what_is_no_json_is_refused_in_one_line(text: str | bytes) -> None:
    with pytest.raises(CostError) as raised:
        supply(text, "bad.json")
    (result,) = raised.value.problems
    assert result.startswith("bad.json: ")
    assert result.endswith("expected a supply trace as JSON")
    assert "\n" not in result
