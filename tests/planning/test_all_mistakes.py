"""However many mistakes a pool has, each is told once, and nothing that is not one."""

from datetime import date
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planning import plan
from settings import SettingsError

POOL = {"vmSize": "Standard_D8ds_v5", "priority": "Spot", "maxCount": 10}
OTHERS = {
    "general": {"vmSize": "Standard_D8s_v5", "minCount": 2, "maxCount": 3},
    "other": {"vmSize": "Standard_D8ds_v5", "maxCount": 2, "taints": ["team=x:NoSchedule"]},
}
MISTAKES: dict[str, list[tuple[Any, str]]] = {
    "vmSize": [("Foo", "vmSize"), (5, "vmSize"), (None, "vmSize")],
    "priority": [("spot", "priority"), (True, "priority")],
    "minCount": [(-1, "minCount"), ("1", "minCount")],
    "maxCount": [("5", "maxCount"), (0, "maxCount"), (2.5, "maxCount"), (None, "maxCount")],
    "maxPrice": [("0.1", "maxPrice"), (True, "maxPrice")],
    "evictionPolicy": [("Stop", "evictionPolicy"), (1, "evictionPolicy")],
    "labels": [({"team": 5}, "labels.team"), ({"a b": "x"}, "labels.a b"), ("x", "labels")],
    "taints": [(["x"], "taints[0]"), ([5], "taints[0]"), ("x", "taints")],
    "osDisk": [({"sizeGib": 29}, "osDisk.sizeGib"), ({"type": "Local"}, "osDisk.type"), (64, "osDisk")],
    "zones": [([4], "zones[0]"), ([1], "zones[0]"), ("1", "zones")],
    "maxPods": [(9, "maxPods"), ("30", "maxPods")],
    "encryptionAtHost": [("yes", "encryptionAtHost"), (1, "encryptionAtHost")],
    "workload": [("a b", "workload"), (5, "workload")],
    "gpuInstanceProfile": [("MIG9g", "gpuInstanceProfile")],
    "fallback": [({"maxCount": 0}, "fallback.maxCount"), ({}, "fallback.maxCount"), (5, "fallback")],
    "maxPrise": [(1, "maxPrise")],
}
"""Values by key, each with the key that is told."""


def told(pool: dict[str, Any]) -> list[str]:
    """The lines of a stack whose one pool is this."""
    raw = {"tags": {"owner": "ml", "environment": "dev"}, "pools": {**OTHERS, "work": pool}}
    try:
        plan(raw, project="kubeflow-aks", stack="dev", today=date(2026, 11, 22))
    except SettingsError as error:
        return str(error).splitlines()
    return []


def test_the_pool_without_mistakes_is_allowed() -> None:
    assert told(POOL) == []


@settings(deadline=None, max_examples=80, derandomize=True)
@given(st.sets(st.sampled_from(sorted(MISTAKES)), min_size=1), st.data())
def test_each_of_many_mistakes_is_told_once(fields: set[str], data: st.DataObject) -> None:
    chosen = {field: data.draw(st.sampled_from(MISTAKES[field]), label=field) for field in sorted(fields)}
    lines = told(POOL | {field: value for field, (value, _) in chosen.items()})
    assert sorted(line.partition(": ")[0] for line in lines) == sorted(
        f"pools.work.{key}" for _, key in chosen.values()
    )


def test_mistakes_of_form_and_broken_rules_are_told_side_by_side() -> None:
    lines = told(
        {
            "vmSize": "Foo",
            "priority": "spot",
            "maxCount": "5",
            "maxPrice": 0,
            "osDisk": {"type": "Ephemeral", "sizeGib": 29},
        }
    )
    assert [line.partition(": ")[0] for line in lines] == [
        "pools.work.priority",
        "pools.work.maxCount",
        "pools.work.maxPrice",
        "pools.work.osDisk.sizeGib",
        "pools.work.vmSize",
    ]


@pytest.mark.parametrize(
    "pool",
    [
        pytest.param(
            POOL | {"minCount": 5, "maxCount": "9"}, id="the most nodes, which the fewest are compared with"
        ),
        pytest.param(
            POOL | {"priority": "spot", "fallback": {"maxCount": 1}},
            id="the priority, for a fallback",
        ),
        pytest.param(
            POOL | {"priority": "Spo", "maxPrice": 0.1, "evictionPolicy": "Delete"}, id="the priority again"
        ),
        pytest.param(POOL | {"vmSize": 5, "gpuInstanceProfile": "MIG1g"}, id="the size, which slices need"),
        pytest.param(POOL | {"osDisk": {"type": "Ephemeral", "sizeGib": "9"}}, id="a disk, which has to fit"),
        pytest.param(POOL | {"taints": 5, "priority": "Regular"}, id="taints, which keep Kubeflow away"),
    ],
)
def test_no_rule_judges_what_stands_in_for_an_unreadable_value(pool: dict[str, Any]) -> None:
    assert len(told(pool)) == 1
