"""Accepted violations: which rows are refused, what a row covers, and which rows have to go."""

from __future__ import annotations

import datetime
from pathlib import Path
from typing import Any

import pytest
import yaml

from kubeflow_aks.policy import RULES
from kubeflow_aks.policy.exceptions import (
    FILE,
    Accepted,
    ExceptionsError,
    covering,
    expired,
    load,
    stale,
)
from kubeflow_aks.policy.results import rule_results
from kubeflow_aks.policy.rule import Resource, Rule, Violation
from kubeflow_aks.project import PROJECT_ROOT

_ROW: dict[str, Any] = {
    "rule": "small",
    "stacks": ["dev"],
    "reason": "because",
    "date": datetime.date(2026, 11, 22),
    "expiresOn": datetime.date(2027, 11, 22),
    "source": "our choice",
}
_RULE = Rule("small", "Pools are small.", "our own test")


def _violation(name: str) -> Violation:
    return Violation(_RULE, f"urn:pulumi:dev::kubeflow-aks::pool::{name}" if name else "", "too large")


def _accepted(**more: Any) -> Accepted:
    row: dict[str, Any] = {**_ROW, "stacks": ("dev",), **more}
    return Accepted(expires_on=row.pop("expiresOn"), **row)


def _load(folder: Path, rows: Any) -> tuple[Accepted, ...]:
    (folder / FILE).write_text(rows if isinstance(rows, str) else yaml.safe_dump(rows))
    return load(folder, rules={"small"})


def test_our_own_rows_can_be_read() -> None:
    assert load(PROJECT_ROOT, rules={rule.name for rule in RULES})


@pytest.mark.parametrize(
    ("pool", "kept"),
    [
        ({"scaleSetPriority": "Spot"}, {"pool-on-ephemeral-disks"}),
        ({"scaleSetPriority": "Spot", "gpuProfile": {"driver": "Install"}}, set[str]()),
        ({"nodeTaints": ["kubeflow-aks/fallback=true:NoSchedule"]}, set[str]()),
        ({"nodeLabels": {"kubeflow-aks/workload": "platform"}}, {"pool-in-zones"}),
        ({}, {"pool-in-zones", "pool-on-ephemeral-disks"}),
    ],
)
@pytest.mark.parametrize("name", ["prod", "cpuspot", "general"])
def test_what_is_accepted_of_a_pool_depends_on_its_use_not_on_its_name(
    name: str, pool: dict[str, Any], kept: set[str]
) -> None:
    resource = Resource(f"urn::{name}", "azure-native:containerservice:AgentPool", name, pool)
    results = rule_results("prod", [resource], load(PROJECT_ROOT, rules={rule.name for rule in RULES}))
    violated = {result.rule.name for result in results if result.status == "violated"}
    assert violated & {"pool-in-zones", "pool-on-ephemeral-disks"} == kept


def test_a_row_is_read(tmp_path: Path) -> None:
    assert _load(tmp_path, [_ROW]) == (_accepted(),)
    assert _load(tmp_path, [_ROW | {"resource": "gpu*"}]) == (_accepted(resource="gpu*"),)
    assert _load(tmp_path, []) == ()


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        pytest.param("a: [", "not YAML: while parsing a flow node", id="no YAML"),
        pytest.param(
            {"rule": "small"}, "{'rule': 'small'} is not allowed; expected a list of rows", id="no list"
        ),
        pytest.param(
            ["small"], "[0]: 'small' is not allowed; expected a mapping of rule, stacks", id="no mapping"
        ),
        pytest.param(
            [_ROW | {"rule": "smal"}],
            "[0].rule: 'smal' is not allowed; expected the name of a rule",
            id="rule",
        ),
        pytest.param(
            [_ROW | {"stacks": "dev"}],
            "[0].stacks: 'dev' is not allowed; expected a list of names or globs of stacks",
            id="stacks",
        ),
        pytest.param(
            [{**_ROW, "stacks": list[str]()}],
            "[0].stacks: [] is not allowed; expected a list of names or globs of stacks",
            id="no stacks",
        ),
        pytest.param([_ROW | {"reason": " "}], "[0].reason: ' ' is not allowed; expected text", id="reason"),
        pytest.param(
            [_ROW | {"date": "soon"}], "[0].date: 'soon' is not allowed; expected a day such as", id="date"
        ),
        pytest.param(
            [{key: value for key, value in _ROW.items() if key != "expiresOn"}],
            "[0].expiresOn: None is not allowed; expected a day such as 2026-11-22",
            id="no last day",
        ),
        pytest.param(
            [_ROW | {"expiresOn": datetime.date(2026, 11, 22)}],
            "[0].expiresOn: 2026-11-22 is not allowed; expected a day after date, 2026-11-22",
            id="last day",
        ),
        pytest.param(
            [_ROW | {"resuorce": "a"}],
            "[0].resuorce: 'a' is not allowed; expected one of the keys rule, stacks,",
            id="key",
        ),
    ],
)
def test_a_row_with_mistakes_is_reported(tmp_path: Path, rows: Any, message: str) -> None:
    with pytest.raises(ExceptionsError) as refused:
        _load(tmp_path, rows)
    (line,) = str(refused.value).splitlines()
    assert line.startswith(f"policy-exceptions.yaml: {message}")


def test_all_mistakes_are_reported_at_once(tmp_path: Path) -> None:
    with pytest.raises(ExceptionsError) as refused:
        _load(tmp_path, [_ROW | {"rule": "a", "source": None}, {**_ROW, "date": 3}])
    assert [line.split(":")[1].strip() for line in str(refused.value).splitlines()] == [
        "[0].rule",
        "[0].source",
        "[1].date",
    ]


def test_a_row_past_its_last_day_is_reported_where_it_is_needed() -> None:
    row, day = _accepted(), datetime.date(2027, 11, 22)
    assert list(expired([row], "dev", [_violation("gpuspot")], day)) == []
    next_day = day + datetime.timedelta(days=1)
    (line,) = expired([row], "dev", [_violation("gpuspot")], next_day)
    assert line.startswith(
        "small on dev: the exception of 2026-11-22 ended on 2027-11-22; comply, or decide again"
    )
    assert list(expired([row], "dev", [], next_day)) == []
    assert list(expired([row], "prod", [_violation("gpuspot")], next_day)) == []


def test_a_project_without_the_file_has_no_exceptions(tmp_path: Path) -> None:
    assert load(tmp_path, rules=()) == load(None, rules=()) == ()


def test_a_file_that_cannot_be_read_is_reported(tmp_path: Path) -> None:
    (tmp_path / FILE).mkdir()
    with pytest.raises(ExceptionsError, match=r"^policy-exceptions\.yaml: Is a directory$"):
        load(tmp_path, rules=())


@pytest.mark.parametrize(
    ("row", "covered"),
    [
        (_accepted(), True),
        (_accepted(stacks=("*",)), True),
        (_accepted(stacks=("prod", "de?")), True),
        (_accepted(stacks=("prod",)), False),
        (_accepted(resource="gpu*"), True),
        (_accepted(resource="cpu*"), False),
        (_accepted(rule="other"), False),
    ],
)
def test_a_row_covers_one_rule_in_its_stacks_and_resources(row: Accepted, *, covered: bool) -> None:
    assert covering([row], "dev", _violation("gpuspot")) == (row if covered else None)


def test_a_row_for_one_resource_does_not_cover_the_whole_stack() -> None:
    assert not _accepted(resource="gpu*").covers("dev", _violation(""))
    assert _accepted().covers("dev", _violation(""))


def test_a_row_that_a_stack_it_names_does_not_need_has_to_go() -> None:
    row = _accepted(stacks=("dev", "prod"))
    assert list(stale([row], "dev", [_violation("gpuspot")])) == []
    assert list(stale([row], "prod", [])) == [
        "small passes on prod: take prod out of the exception of 2026-11-22"
    ]
    assert list(stale([row], "demo", [])) == []


def test_a_glob_is_not_stale_for_one_stack() -> None:
    assert list(stale([_accepted(stacks=("*",))], "prod", [])) == []
