"""What a rule says of resources, one by one and all together, and what it makes of values that it cannot judge."""

from collections.abc import Callable
from typing import Any

import pytest

from kubeflow_aks.policy.rule import UNKNOWN, Resource, Rule, UnknownValueError

_POOL = Resource("urn:pool", "pool", "a", {"size": 3})
_OTHER = Resource("urn:other", "other", "b", {"size": 3})


def test_a_rule_of_one_type_looks_at_no_other() -> None:
    rule = Rule(
        "small",
        "Pools are small.",
        "our own test",
        type="pool",
        per_resource=lambda one: [one.inputs["size"]],
    )
    assert [(it.urn, it.message) for it in rule.violations([_POOL, _OTHER])] == [("urn:pool", 3)]


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("azure-native:containerservice:AgentPool", True),
        ("azure-native:containerservice/v20251001:AgentPool", True),
        ("azure-native:containerservice/v20251002preview:AgentPool", True),
        ("azure-native_containerservice_v20251001:containerservice:AgentPool", True),
        ("azure-native_containerservice_v20251001:containerservice/v20251001:AgentPool", True),
        ("azure-native:containerservice:ManagedCluster", False),
        ("azure-native:other:AgentPool", False),
        ("azure-nativex:containerservice:AgentPool", False),
        ("pulumi:providers:azure-native", False),
    ],
)
def test_a_rule_looks_at_a_resource_whatever_version_of_azures_api_it_names(
    kind: str, *, expected: bool
) -> None:
    rule = Rule(
        "none",
        "No pools.",
        "our own test",
        type="azure-native:containerservice:AgentPool",
        per_resource=lambda _: ["a pool"],
    )
    assert bool(list(rule.violations([Resource("urn:pool", kind, "a", {})]))) == expected


def test_a_rule_of_the_stack_sees_all_resources_at_once() -> None:
    rule = Rule(
        "few", "There are few.", "our own test", every=lambda all_: [("", f"{len(all_)} are too many")]
    )
    assert [(it.urn, it.message) for it in rule.violations([_POOL, _OTHER])] == [("", "2 are too many")]


_USES: dict[str, Callable[[Any], object]] = {
    "truth": bool,
    "length": len,
    "entries": list,
    "text": str,
    "hash": hash,
    "equal": lambda value: value == 3,
    "unequal": lambda value: value != 3,
    "less": lambda value: value < 3,
    "one of some": lambda value: value in (1, 2),
    "holds": lambda value: "a" in value,
    "attribute": lambda value: value.get("size"),
    "item": lambda value: value["size"],
    "formatted": lambda value: f"{value}",
}


@pytest.mark.parametrize("use", _USES.values(), ids=_USES)
def test_whatever_needs_an_unknown_value_says_so(use: Callable[[Any], object]) -> None:
    with pytest.raises(UnknownValueError):
        use(UNKNOWN)


def test_a_mandatory_rule_that_meets_an_unknown_value_is_undecided_and_fails_nothing() -> None:
    rule = Rule(
        "small",
        "Pools are small.",
        "our own test",
        mandatory=True,
        type="pool",
        per_resource=lambda one: ["too large"] if one.inputs["size"] > 2 else [],
    )
    unknown = Resource("urn:unknown", "pool", "c", {"size": UNKNOWN})
    violations = list(rule.violations([unknown, _POOL]))
    assert [(it.urn, it.undecided, it.mandatory) for it in violations] == [
        ("urn:unknown", True, False),
        ("urn:pool", False, True),
    ]


def test_a_rule_that_trips_over_an_input_neither_passes_nor_ends_the_others() -> None:
    rule = Rule(
        "small",
        "Pools are small.",
        "our own test",
        type="pool",
        per_resource=lambda one: [one.inputs["size"].lower()],
    )
    assert [it.message for it in rule.violations([_POOL])] == [
        "cannot be decided: AttributeError: 'int' object has no attribute 'lower'"
    ]
