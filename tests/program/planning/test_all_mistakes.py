"""However many mistakes a pool has, each is reported once, and nothing else."""

from datetime import date
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from program.planning import plan
from program.settings import SettingsError

POOL = {"vmSize": "Standard_D8ds_v5", "priority": "Spot", "maxCount": 10}
OTHERS = {
    "general": {"vmSize": "Standard_D8s_v5", "minCount": 2, "maxCount": 3},
    "other": {"vmSize": "Standard_D8ds_v5", "maxCount": 2, "taints": ["team=x:NoSchedule"]},
}
FORM: dict[str, list[tuple[Any, str]]] = {
    "vmSize": [(5, "vmSize"), (None, "vmSize")],
    "priority": [("spot", "priority"), (True, "priority")],
    "minCount": [(-1, "minCount"), ("1", "minCount")],
    "maxCount": [("5", "maxCount"), (0, "maxCount"), (2.5, "maxCount"), (None, "maxCount")],
    "maxPrice": [("0.1", "maxPrice"), (True, "maxPrice")],
    "evictionPolicy": [("Stop", "evictionPolicy"), (1, "evictionPolicy")],
    "labels": [({"team": 5}, "labels.team"), ("x", "labels")],
    "taints": [([5], "taints[0]"), ("x", "taints")],
    "osDisk": [({"sizeGib": 29}, "osDisk.sizeGib"), ({"type": "Local"}, "osDisk.type"), (64, "osDisk")],
    "zones": [([4], "zones[0]"), ([1], "zones[0]"), ("1", "zones")],
    "maxPods": [(9, "maxPods"), ("30", "maxPods")],
    "encryptionAtHost": [("yes", "encryptionAtHost"), (1, "encryptionAtHost")],
    "workload": [("a b", "workload"), (5, "workload")],
    "gpuInstanceProfile": [("MIG9g", "gpuInstanceProfile")],
    "gpuTimeSlices": [(1, "gpuTimeSlices"), ("4", "gpuTimeSlices")],
    "capacityReservationGroupId": [(5, "capacityReservationGroupId")],
    "upgrade": [
        ({"maxSurge": "a third"}, "upgrade.maxSurge"),
        ({"surge": 1}, "upgrade.surge"),
        (5, "upgrade"),
    ],
    "fallback": [({"maxCount": 0}, "fallback.maxCount"), ({}, "fallback.maxCount"), (5, "fallback")],
    "maxPrise": [(1, "maxPrise")],
    "max_price": [(1, "max_price")],
}
"""Values of a wrong form by key, each with the key of its line."""
RULES: dict[str, list[tuple[Any, str]]] = {
    "vmSize": [("Foo", "vmSize"), ("Standard_NC6s_v3", "vmSize")],
    "minCount": [(11, "minCount")],
    "labels": [({"a b": "x"}, "labels.a b"), ({"agentpool": "x"}, "labels.agentpool")],
    "taints": [(["x"], "taints[0]"), (["CriticalAddonsOnly=true:NoSchedule"], "taints[0]")],
    "workload": [("platform", "workload")],
    "zones": [(["1", "1"], "zones")],
    "replaces": [("nobody", "replaces")],
    "capacityReservationGroupId": [("reserved", "capacityReservationGroupId")],
    "upgrade": [({"maxSurge": 2}, "upgrade")],
}
"""Values that break a rule by key, likewise."""


def lines_of(pool: dict[str, Any]) -> list[str]:
    """The lines of a stack whose one pool is this."""
    raw = {"tags": {"owner": "ml", "environment": "dev"}, "pools": {**OTHERS, "work": pool}}
    try:
        plan(raw, project="kubeflow-aks", stack="dev", today=date(2026, 11, 22))
    except SettingsError as error:
        return str(error).splitlines()
    return []


def test_the_pool_without_mistakes_is_allowed() -> None:
    assert lines_of(POOL) == []


@settings(max_examples=80, derandomize=True)
@given(st.sampled_from([FORM, RULES]), st.data())
def test_each_of_many_mistakes_is_reported_once(
    mistakes: dict[str, list[tuple[Any, str]]], data: st.DataObject
) -> None:
    fields = data.draw(st.sets(st.sampled_from(sorted(mistakes)), min_size=1))
    chosen = {field: data.draw(st.sampled_from(mistakes[field]), label=field) for field in sorted(fields)}
    lines = lines_of(POOL | {field: value for field, (value, _) in chosen.items()})
    keys = [f"pools.work.{key}" for _, key in chosen.values()]
    unknown = [f"pools.work.{key}" for key in ("maxPrise", "max_price")]
    if set(unknown) <= set(keys):  # unknown keys of one mapping share a line
        keys = ["pools.work", *(key for key in keys if key not in unknown)]
    assert sorted(line.partition(": ")[0] for line in lines) == sorted(keys)


NEEDED: dict[str, set[str]] = {
    "capacityReservationGroupId": {"priority", "fallback"},
    "minCount": {"maxCount", "fallback"},
    "replaces": {"priority", "vmSize"},
    "taints": {"priority", "vmSize"},
    "upgrade": {"priority", "fallback"},
    "vmSize": {"priority"},
    "workload": {"priority", "vmSize"},
}
"""Other settings of a pool that the rule of one reads."""


@settings(max_examples=60, derandomize=True)
@given(st.sampled_from(sorted(FORM)), st.sampled_from(sorted(RULES)), st.data())
def test_beside_a_mistake_of_form_rules_that_do_not_need_that_value_are_judged(
    field: str, broken: str, data: st.DataObject
) -> None:
    if field == broken:
        return
    value, key = data.draw(st.sampled_from(FORM[field]))
    lines = lines_of(POOL | {broken: RULES[broken][0][0]} | {field: value})
    keys = [key] if field in NEEDED.get(broken, ()) else [key, RULES[broken][0][1]]
    assert [line.partition(": ")[0].removeprefix("pools.work.") for line in lines] == keys


@pytest.mark.parametrize(
    "pool",
    [
        pytest.param(
            POOL | {"minCount": 5, "maxCount": "9"}, id="the most nodes, which the fewest are compared with"
        ),
        pytest.param(
            POOL | {"priority": "spot", "fallback": {"maxCount": 1}}, id="the priority, for a fallback"
        ),
        pytest.param(
            POOL | {"priority": "Spo", "maxPrice": 0.1, "evictionPolicy": "Delete"}, id="the priority again"
        ),
        pytest.param(POOL | {"vmSize": 5, "gpuInstanceProfile": "MIG1g"}, id="the size, which slices need"),
        pytest.param(POOL | {"osDisk": {"type": "Ephemeral", "sizeGib": "9"}}, id="a disk, which has to fit"),
        pytest.param(POOL | {"taints": 5, "priority": "Regular"}, id="taints, which keep Kubeflow away"),
    ],
)
def test_no_rule_judges_a_pool_with_a_mistake_of_form(pool: dict[str, Any]) -> None:
    assert len(lines_of(pool)) == 1
