"""One stack's plan: all mistakes at once, and nothing about values nobody wrote."""

from datetime import date
from typing import Any

import pytest

from planning import plan
from settings import SettingsError
from tests.planning.given import GENERAL, SPOT, TODAY, planned, refused, stack


def told(**keys: Any) -> list[str]:
    with pytest.raises(SettingsError) as caught:
        planned(**keys)
    return refused(caught.value.problems)


def test_mistakes_of_form_and_broken_rules_are_told_in_one_run() -> None:
    pools = {"general": GENERAL, "work": {**SPOT, "minCount": 1000}}
    assert told(locaton="x", kubernetes={"tier": "Free"}, pools=pools) == [
        "locaton",
        "kubernetes.tier",
        "pools.work.minCount",
    ]


def test_a_pool_with_a_mistake_of_form_does_not_hide_broken_rules_of_another() -> None:
    pools = {"general": GENERAL, "bad": {**SPOT, "maxCount": "ten"}, "Worse": SPOT}
    assert told(pools=pools) == ["pools.bad.maxCount", "pools.Worse"]


def test_a_home_with_a_mistake_of_form_is_not_called_missing() -> None:
    assert told(pools={"general": {**GENERAL, "minCount": "two"}}) == ["pools.general.minCount"]


def test_an_unknown_key_does_not_hide_a_broken_rule_of_its_own_part() -> None:
    assert told(kubernetes={"verison": "1.34", "tier": "Free"}) == ["kubernetes.verison", "kubernetes.tier"]


def test_work_on_a_pool_with_a_mistake_of_form_is_not_called_homeless() -> None:
    pools = {"general": GENERAL, "work": {**SPOT, "maxCount": "ten"}}
    work = {"w": {"pool": "work", "hoursPerMonth": 1, "stepHours": 1}}
    assert told(pools=pools, workload=work) == ["pools.work.maxCount"]


def test_the_day_of_the_stack_goes_before_today() -> None:
    given = stack(kubernetes={"supportPlan": "KubernetesOfficial"}, asOf="2026-11-20")
    assert plan(given, project="p", stack="dev", today=date(2030, 1, 1)).settings.as_of == TODAY


def test_without_a_day_of_its_own_a_stack_is_judged_today() -> None:
    with pytest.raises(SettingsError, match="ended on 2027-11-30"):
        plan(stack(), project="p", stack="dev", today=date(2030, 1, 1))


def test_warnings_are_those_of_support_system_pool_and_spot() -> None:
    official = {"supportPlan": "KubernetesOfficial", "tier": "Standard"}
    pools = {"general": GENERAL, "work": SPOT}
    warnings = planned(kubernetes=official, systemPool={"minCount": 1}, pools=pools).warnings
    assert [warning.split(" ")[0] for warning in warnings] == [
        "kubernetes.version",
        "systemPool.minCount",
        "pools.work",
    ]
