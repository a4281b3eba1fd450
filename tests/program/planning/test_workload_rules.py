"""Whether the work that a stack is for could be done at all, and what would be misread."""

from typing import Any

import pytest

from program.planning.rules import workload as rules
from tests.program.planning.small_stack import GENERAL, SPOT, refused, settings

NIGHTS_OFF = {"timeZone": "Europe/London"}


def work(**fields: Any) -> dict[str, Any]:
    return {"w": {"pool": "cpuspot", "hoursPerMonth": 100, "stepHours": 4, **fields}}


def refusals(stack: dict[str, Any] | None = None, **fields: Any) -> list[str]:
    return refused(rules.workload_problems(settings(workload=work(**fields), **stack or {})))


def warned(**fields: Any) -> list[str]:
    return list(rules.workload_warnings(settings(workload=work(**fields))))


@pytest.mark.parametrize(
    ("pool", "keys"),
    [("cpuspot", []), ("gpuod", []), ("general", ["workload.w.pool"]), ("x", ["workload.w.pool"])],
)
def test_work_runs_on_a_pool_that_takes_work(pool: str, keys: list[str]) -> None:
    assert refusals(pool=pool) == keys


def test_work_on_a_pool_of_an_unknown_size_is_not_reported_again() -> None:
    pools = {"general": GENERAL, "work": {**SPOT, "vmSize": "Standard_X1", "fallback": {"maxCount": 1}}}
    for pool in ("work", "workod"):
        assert refusals({"pools": pools}, pool=pool, hoursPerMonth=1e9) == []


@pytest.mark.parametrize(("hours", "keys"), [(7300, []), (7301, ["workload.w.hoursPerMonth"])])
def test_a_month_has_hours_enough_on_all_nodes(hours: float, keys: list[str]) -> None:
    pools = {"general": GENERAL, "cpuspot": {**SPOT, "maxCount": 10}}
    assert refusals({"pools": pools}, hoursPerMonth=hours) == keys


@pytest.mark.parametrize(
    "more", [{"cpuspot": {**SPOT, "fallback": {"maxCount": 1}}}, {"other": {**SPOT, "maxCount": 1}}]
)
def test_the_fallback_and_pools_of_the_same_label_take_the_work_too(more: dict[str, Any]) -> None:
    pools = {"general": GENERAL, "cpuspot": SPOT, **more}
    assert refusals({"pools": pools}, hoursPerMonth=11 * 730) == []
    assert refusals({"pools": pools}, hoursPerMonth=11 * 730 + 1) == ["workload.w.hoursPerMonth"]


def test_a_pool_of_another_label_takes_none_of_it() -> None:
    pools = {"general": GENERAL, "cpuspot": SPOT, "other": {**SPOT, "workload": "other"}}
    assert refusals({"pools": pools}, hoursPerMonth=7301) == ["workload.w.hoursPerMonth"]


def test_office_hours_leave_fewer_hours() -> None:
    stack = {"pools": {"general": GENERAL, "cpuspot": SPOT}, "officeHours": NIGHTS_OFF}
    assert refusals(stack, hoursPerMonth=2607) == []  # 10 nodes, 5 days of 12 hours, 4.345 weeks
    assert refusals(stack, hoursPerMonth=2608) == ["workload.w.hoursPerMonth"]


@pytest.mark.parametrize(("deadline", "keys"), [(4, []), (3.9, ["workload.w.deadlineHours"])])
def test_no_step_is_done_sooner_than_it_takes(deadline: float, keys: list[str]) -> None:
    assert refusals(deadlineHours=deadline) == keys


@pytest.mark.parametrize(
    ("fields", "keys"),
    [
        ({"stepHours": 12}, []),
        ({"stepHours": 20, "checkpointMinutes": 30}, []),
        ({"stepHours": 20}, ["workload.w.stepHours"]),
        ({"stepHours": 20, "checkpointMinutes": 13 * 60}, ["workload.w.stepHours"]),
    ],
)
def test_what_is_lost_together_fits_into_a_day(fields: dict[str, Any], keys: list[str]) -> None:
    assert refusals({"officeHours": NIGHTS_OFF}, **fields) == keys
    assert refusals(**fields) == []


@pytest.mark.parametrize("fields", [{}, {"stepHours": 100}, {"checkpointMinutes": 239}])
def test_usual_work_needs_no_warning(fields: dict[str, Any]) -> None:
    assert warned(**fields) == []


@pytest.mark.parametrize(
    ("fields", "warning"),
    [
        (
            {"stepHours": 101},
            (
                "workload.w.stepHours is 101: with 100 hours a month less than one step is done each month; check that "
                "both are hours of one node"
            ),
        ),
        (
            {"checkpointMinutes": 240},
            (
                "workload.w.checkpointMinutes is 240: the step is done before, so no checkpoint is ever written; leave "
                "it out, or set a shorter time"
            ),
        ),
        (
            {"checkpointMinutes": 5, "checkpointWriteMinutes": 5},
            (
                "workload.w.checkpointMinutes is 5: writing a checkpoint takes 5, so nodes write at least as long as "
                "they work; set a longer time"
            ),
        ),
    ],
)
def test_numbers_that_hardly_anybody_means_are_warned_of(fields: dict[str, Any], warning: str) -> None:
    assert warned(**fields) == [warning]


@pytest.mark.parametrize(
    ("fields", "keys"),
    [
        ({"nodesPerStep": 10}, []),
        ({"nodesPerStep": 11}, ["workload.w.nodesPerStep"]),
        ({"headPool": "cpuod"}, []),
        ({"headPool": "other"}, ["workload.w.headPool"]),
        ({"headPool": "general"}, ["workload.w.headPool"]),
        ({"headPool": "cpuspot", "nodesPerStep": 11}, ["workload.w.nodesPerStep", "workload.w.headPool"]),
        ({"pool": "cpuod", "headPool": "cpuod"}, ["workload.w.headPool"]),
    ],
)
def test_a_step_finds_its_nodes_and_its_head_one_on_demand(fields: dict[str, Any], keys: list[str]) -> None:
    fallback = {"fallback": {"maxCount": 10}}
    pools = {"general": GENERAL, "cpuspot": {**SPOT, **fallback}, "other": SPOT}
    assert refusals({"pools": pools}, **fields) == keys


def test_a_gang_that_its_fallback_has_no_nodes_for_is_warned_of() -> None:
    pools = {"general": GENERAL, "cpuspot": {**SPOT, "fallback": {"maxCount": 3}}}
    for nodes, elastic, count in ((3, False, 0), (4, False, 1), (4, True, 0)):
        fields = work(nodesPerStep=nodes, elastic=elastic)
        assert len(list(rules.workload_warnings(settings(pools=pools, workload=fields)))) == count
    assert warned(elastic=True) == [
        "workload.w.elastic changes nothing: a step takes one node; set nodesPerStep"
    ]


def test_work_that_agrees_to_return_to_spot_where_nothing_moves_it_is_warned_of() -> None:
    line = "workload.w.returnToSpot changes nothing: set kubeflow.returnToSpot, which moves the work"
    for moves in (True, False):
        made = settings(kubeflow={"returnToSpot": moves}, workload=work(returnToSpot=True))
        assert (line in rules.workload_warnings(made)) != moves
