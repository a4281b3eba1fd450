"""Who may use the registry of a stack."""

from typing import Any

from kubeflow_aks.recorder.run import record
from tests.program.whole.records import AS_OF

PREMIUM: dict[str, Any] = {"sku": "Premium", "authorizedIpRanges": ["20.1.2.0/24"]}
REGISTRY = "azure-native:containerregistry:Registry"


def allowed(stack: str, registry: dict[str, Any]) -> list[str] | None:
    """The ranges that may use the registry, or None where all may."""
    made = record(stack, extra={"registry": registry, "asOf": AS_OF}).one(REGISTRY).inputs
    rules = made.get("networkRuleSet")
    return rules and [rule["iPAddressOrRange"] for rule in rules["ipRules"]]


def test_nodes_behind_a_nat_gateway_may_pull() -> None:
    assert allowed("prod", PREMIUM) == ["20.1.2.0/24", "198.51.100.4/32"]


def test_nothing_is_added_where_nobody_knows_the_way_out() -> None:
    assert allowed("dev", PREMIUM) == ["20.1.2.0/24"]


def test_without_ranges_of_ones_own_the_registry_stays_open() -> None:
    assert allowed("prod", {"sku": "Premium"}) is None
