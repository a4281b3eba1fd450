"""What this product promises is kept by its own stacks, in whatever shape its settings allow."""

from __future__ import annotations

import importlib
import inspect
from typing import Any, Final

import pytest

from kubeflow_aks.policy.plan import everything
from kubeflow_aks.policy.results import RuleResult, rule_results
from kubeflow_aks.policy.rules import RULES
from kubeflow_aks.policy.rules.tags import UNTAGGABLE
from kubeflow_aks.recorder.document import plan_document
from kubeflow_aks.recorder.run import record
from tests.docs.citations import SOURCES, broken, is_source

_DAY: Final = {"asOf": "2026-11-21"}
_RESERVED = (
    "/subscriptions/0a1b2c3d-0000-0000-0000-000000000000/resourceGroups/g/providers/Microsoft.Compute"
    "/capacityReservationGroups/reserved"
)
_HOME: Final = {"vmSize": "Standard_D8s_v5", "minCount": 2, "maxCount": 3}
_SPOT: Final = {"vmSize": "Standard_D8ds_v5", "priority": "Spot", "maxCount": 10, "fallback": {"maxCount": 5}}
_SHAPES: Final[dict[str, dict[str, Any]]] = {
    "Kubeflow's home moves": {
        "pools": {"general": _HOME, "general2": {**_HOME, "replaces": "general"}, "cpuspot": _SPOT}
    },
    "the system pool moves": {
        "pools": {
            "general": _HOME,
            "system2": {"vmSize": "Standard_D4s_v5", "minCount": 2, "maxCount": 3, "replaces": "system"},
        }
    },
    "ARM, GPUs in slices, a pool for one team": {
        "pools": {
            "general": _HOME,
            "arm": {
                "vmSize": "Standard_D8pds_v6",
                "priority": "Spot",
                "maxCount": 5,
                "fallback": {"maxCount": 2},
            },
            "a100": {
                "vmSize": "Standard_NC24ads_A100_v4",
                "priority": "Spot",
                "maxCount": 4,
                "gpuInstanceProfile": "MIG1g",
                "fallback": {"maxCount": 1},
            },
            "team": {
                "vmSize": "Standard_D8s_v5",
                "maxCount": 2,
                "workload": "team",
                "taints": ["team=a:NoSchedule"],
            },
        }
    },
    "GPUs that pods share, reserved capacity, upgrades": {
        "pools": {
            "general": {**_HOME, "upgrade": {"maxSurge": "33%", "undrainableNodeBehavior": "Cordon"}},
            "shared": {
                "vmSize": "Standard_NC4as_T4_v3",
                "priority": "Spot",
                "maxCount": 4,
                "gpuTimeSlices": 4,
                "fallback": {"maxCount": 1, "capacityReservationGroupId": _RESERVED},
            },
        },
        "systemPool": {"upgrade": {"drainTimeoutMinutes": 60}},
    },
    "a store for data, nothing protected": {
        "data": {"store": {"profiles": {"team-a": {}}}},
        "protect": False,
    },
}


def _broken(stack: str, *, preview: bool, **extra: Any) -> dict[str, RuleResult]:
    plan = plan_document(record(stack, preview=preview, extra=_DAY | extra))
    return {
        it.rule.name: it
        for it in rule_results(stack, everything(plan), (), RULES)
        if it.status != "satisfied"
    }


def test_every_promise_has_a_source_that_leads_somewhere() -> None:
    lost = [it.source for it in RULES if not is_source(it.source, SOURCES) or broken(it.source, SOURCES)]
    assert lost == []


@pytest.mark.parametrize("preview", [True, False])
@pytest.mark.parametrize("stack", ["dev", "demo", "prod"])
def test_our_stacks_keep_every_promise(stack: str, *, preview: bool) -> None:
    assert _broken(stack, preview=preview) == {}


@pytest.mark.parametrize("shape", _SHAPES.values(), ids=_SHAPES)
def test_no_setting_makes_the_program_break_a_promise(shape: dict[str, Any]) -> None:
    assert _broken("demo", preview=True, **shape) == {}


@pytest.mark.parametrize(
    ("rule", "extra"),
    [
        ("only-demos-are-unprotected", {"protect": False, "tags": {"owner": "me", "environment": "test"}}),
        (
            "what-expires-is-unprotected",
            {"tags": {"owner": "me", "environment": "dev", "expires": "2026-12-01"}},
        ),
        ("spot-has-a-fallback", {"pools": {"general": _HOME, "cpuspot": {**_SPOT, "fallback": None}}}),
        (
            "spot-nodes-are-deleted",
            {"pools": {"general": _HOME, "cpuspot": {**_SPOT, "evictionPolicy": "Deallocate"}}},
        ),
        ("batch-scales-from-zero", {"pools": {"general": _HOME, "cpuspot": {**_SPOT, "minCount": 1}}}),
        ("platform-is-kept-off-spot", {"kubeflow": {"guards": False}}),
    ],
)
def test_what_a_setting_gives_up_is_reported_and_fails_nothing(rule: str, extra: dict[str, Any]) -> None:
    broken = _broken("dev", preview=True, **extra)
    assert list(broken) == [rule]
    assert not any(it.mandatory for it in broken[rule].all)


def test_types_that_nobody_can_tag_are_known() -> None:
    types = {it.type for stack in ("dev", "prod") for it in record(stack, extra=_DAY).resources.values()}
    for type_ in {it for it in types if it.startswith("azure-native:")} | UNTAGGABLE:
        _, module, name = type_.split(":")
        arguments = getattr(importlib.import_module(f"pulumi_azure_native.{module}"), f"{name}Args")
        assert ("tags" in inspect.signature(arguments.__init__).parameters) == (type_ not in UNTAGGABLE), (
            type_
        )
