"""Data that outlives a node: what is allowed, and what is warned of."""

from typing import Any

import pytest

from program.planning.redundancy import blob_sku
from program.planning.rules.data import data_problems, data_warnings
from program.settings import Settings
from tests.program.planning.small_stack import settings


def with_data(**data: Any) -> Settings:
    return settings(data=data)


def test_the_defaults_are_allowed_and_warn_of_nothing() -> None:
    assert [*data_problems(with_data()), *data_warnings(with_data())] == []


@pytest.mark.parametrize("namespace", ["abc", "team-a", "0-1", "a" * 63])
def test_a_namespace_that_a_container_can_be_named_after(namespace: str) -> None:
    assert list(data_problems(with_data(store={"profiles": {namespace: {}}}))) == []


@pytest.mark.parametrize("account", ["default-editor", "my.own", "a", "a" * 116])
def test_a_service_account_of_any_name_kubernetes_allows(account: str) -> None:
    store = {"profiles": {"team-a": {"serviceAccounts": [account]}}}
    assert list(data_problems(with_data(store=store))) == []


def test_twenty_service_accounts_are_one_identitys_most() -> None:
    store = {"profiles": {"team-a": {"serviceAccounts": [f"sa{number}" for number in range(20)]}}}
    assert list(data_problems(with_data(store=store))) == []


def test_the_class_is_not_judged_where_it_is_not_made() -> None:
    checkpoints = {"enabled": False, "name": "managed-csi", "sku": "Standard_LRS", "reclaimPolicy": "Delete"}
    stack = with_data(checkpoints=checkpoints)
    assert [*data_problems(stack), *data_warnings(stack)] == []


@pytest.mark.parametrize(
    ("data", "warning"),
    [
        (
            {"checkpoints": {"reclaimPolicy": "Delete"}},
            (
                "data.checkpoints.reclaimPolicy is Delete: checkpoints are deleted with their claim; "
                "Retain keeps them"
            ),
        ),
        (
            {"checkpoints": {"sku": "Premium_LRS"}},
            (
                "data.checkpoints.sku is Premium_LRS: the data is in one zone and cannot be read while that zone is "
                "down; ZRS keeps it in three"
            ),
        ),
        (
            {"store": {"sku": "Standard_LRS", "profiles": {"team-a": {}}}},
            (
                "data.store.sku is Standard_LRS: the data is in one zone and cannot be read while that zone is down; "
                "ZRS keeps it in three"
            ),
        ),
        (
            {"store": {}},
            (
                "data.store.profiles is empty: nobody can use the storage account; name the namespaces that need it"
            ),
        ),
    ],
)
def test_what_costs_data_or_does_nothing_is_warned_of(data: dict[str, Any], warning: str) -> None:
    assert list(data_warnings(with_data(**data))) == [warning]


@pytest.mark.parametrize(
    ("location", "sku"),
    [("westeurope", "Standard_ZRS"), ("westus", "Standard_LRS"), ("newland", "Standard_ZRS")],
)
def test_data_is_spread_over_zones_where_there_are_any(location: str, sku: str) -> None:
    assert blob_sku(None, location) == sku
    assert blob_sku("Premium_LRS", location) == "Premium_LRS"


def test_where_there_is_one_place_only_nobody_is_warned_of_it() -> None:
    stack = settings(location="westus", data={"checkpoints": {"sku": "Standard_LRS"}})
    assert [*data_problems(stack), *data_warnings(stack)] == []
