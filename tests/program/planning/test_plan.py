"""One stack's plan: all mistakes at once, and nothing about values nobody wrote."""

from datetime import date
from typing import Any

import pytest

from program.planning import Plan, plan
from program.settings import SettingsError
from program.settings._model import ENCRYPTED
from tests.program.planning.small_stack import GENERAL, SPOT, TODAY, planned, refused, stack


def refusals(**keys: Any) -> list[str]:
    with pytest.raises(SettingsError) as caught:
        planned(**keys)
    return refused(caught.value.problems)


def test_all_mistakes_of_form_are_reported_at_once_with_the_rules_that_need_no_such_value() -> None:
    pools = {"general": GENERAL, "bad": {**SPOT, "maxCount": "ten"}, "Worse": SPOT}
    values = {"locaton": "x", "kubernetes": {"verison": "1.34", "tier": "Free"}, "pools": pools}
    assert refusals(**values) == [
        "kubernetes.verison",
        "pools.bad.maxCount",
        "locaton",
        "kubernetes.tier",
        "pools.Worse",
    ]


def test_all_broken_rules_are_reported_at_once() -> None:
    pools = {"general": GENERAL, "work": {**SPOT, "minCount": 1000}, "Worse": SPOT}
    assert refusals(kubernetes={"tier": "Free"}, pools=pools) == [
        "kubernetes.tier",
        "pools.work.minCount",
        "pools.Worse",
    ]


def test_an_unknown_key_may_stand_for_any_that_is_left_out() -> None:
    dear = {"vmSize": "Standard_D8ds_v5", "maxCount": 1, "taints": ["a=b:NoSchedule"], "maxPrice": 0.1}
    assert refusals(pools={"general": GENERAL, "work": dear}) == ["pools.work.maxPrice"]
    for key, more in (("priorty", []), ("machines", []), ("maxPod", ["pools.work.maxPrice"])):
        pools = {"general": GENERAL, "work": {**dear, key: "Spot"}}
        assert refusals(pools=pools) == [f"pools.work.{key}", *more]


def test_a_pool_for_kubeflow_with_a_mistake_of_form_is_not_called_missing() -> None:
    assert refusals(pools={"general": {**GENERAL, "minCount": "two"}}) == ["pools.general.minCount"]


def test_work_on_a_pool_with_a_mistake_of_form_is_not_called_homeless() -> None:
    pools = {"general": GENERAL, "work": {**SPOT, "maxCount": "ten"}}
    work = {"w": {"pool": "work", "hoursPerMonth": 1, "stepHours": 1}}
    assert refusals(pools=pools, workload=work) == ["pools.work.maxCount"]


def test_the_day_of_the_stack_goes_before_today() -> None:
    values = stack(kubernetes={"supportPlan": "KubernetesOfficial"}, asOf="2026-11-20")
    assert plan(values, project="p", stack="dev", today=date(2030, 1, 1)).settings.as_of == TODAY


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


GROUP = "6f0d3f5c-3f0e-4a53-9d0e-2f4c8f1b7a10"


def encrypted(**keys: Any) -> Plan:
    """The plan of a production stack, some of whose values a preview cannot decrypt."""
    system = {"minCount": 2, "zones": ["1", "2", "3"]}
    return planned(production=True, systemPool=system, **keys)


def test_a_rule_that_needs_an_encrypted_value_is_not_judged() -> None:
    with pytest.raises(SettingsError, match=r"apiAccess\.localAccounts: false"):
        encrypted(apiAccess={"localAccounts": False})
    assert encrypted(apiAccess={"localAccounts": False, "adminGroupObjectIds": [ENCRYPTED]}).pools
    assert encrypted(apiAccess={"localAccounts": False, "adminGroupObjectIds": [ENCRYPTED, GROUP]}).pools


def test_an_encrypted_version_is_not_judged_by_the_default() -> None:
    soon = "2027-10-01"  # support of the default version ends within 90 days
    assert any(line.startswith("kubernetes.version") for line in planned(asOf=soon).warnings)
    hidden = planned(asOf=soon, kubernetes={"version": ENCRYPTED}).warnings
    assert not any(line.startswith("kubernetes.") for line in hidden)
    with pytest.raises(SettingsError, match=r"kubernetes\.version"):
        planned(asOf="2030-01-01")
    assert planned(asOf="2030-01-01", kubernetes={"version": ENCRYPTED}).pools


def test_rules_that_need_no_encrypted_value_are_judged() -> None:
    values = {
        "kubernetes": {"version": ENCRYPTED, "tier": "Free"},
        "pools": {"general": GENERAL, "Work": SPOT},
    }
    assert refusals(**values) == ["kubernetes.tier", "pools.Work"]


def test_of_several_pools_those_without_encrypted_values_are_judged() -> None:
    pools = {"general": GENERAL, "hidden": {**SPOT, "minCount": ENCRYPTED}, "bad": {**SPOT, "minCount": 11}}
    assert refusals(pools=pools) == ["pools.bad.minCount"]


def test_an_encrypted_value_without_a_default_is_refused() -> None:
    pools = {"general": GENERAL, "work": {**SPOT, "maxCount": ENCRYPTED}}
    with pytest.raises(SettingsError) as caught:
        planned(pools=pools)
    assert str(caught.value) == (
        "pools.work.maxCount: [secret] is not allowed; expected a value that is not encrypted, because a preview "
        "cannot decrypt it and it has no default"
    )
