"""Advice that somebody must decide on its own: a smaller registry, smaller disks; never in production."""

from __future__ import annotations

from typing import Any

import pytest

from kubeflow_aks.cost.advice.advice import Change
from kubeflow_aks.cost.advice.kinds.cluster import basic_registry
from kubeflow_aks.cost.advice.kinds.pools import smaller_system_disk
from kubeflow_aks.cost.advice.situation import Situation
from kubeflow_aks.cost.billing import bill
from kubeflow_aks.cost.stack import Resource
from kubeflow_aks.recorder.stack_settings import StackFile
from tests.cost.examples import SERVICES, SYSTEM, FixedMarket, stack


def situation(sku: str = "Standard", disk: int = 128, **settings: Any) -> Situation:
    """A stack with a registry and system nodes with such disks."""
    registry = Resource("azure-native:containerregistry:Registry", "r", {"sku": {"name": sku}})
    made = stack(others=(registry,), agentPoolProfiles=[{**SYSTEM, "osDiskSizeGB": disk}])
    market = FixedMarket()
    file = StackFile("kubeflow-aks", settings, frozenset(settings), frozenset())
    return Situation(file, made, bill(made, market), (), lambda other: bill(other, market))


@pytest.fixture(autouse=True)
def _prices(monkeypatch: pytest.MonkeyPatch) -> None:
    more = {
        "registry-standard": (0.6666, "day"),
        "registry-premium": (1.6666, "day"),
        "disk-P6": (10.21, "month"),
    }
    for name, price in more.items():
        monkeypatch.setitem(SERVICES, name, price)


def values(changes: list[Change]) -> list[object]:
    return [value for change in changes for value in change.values.values()]


@pytest.mark.parametrize(("sku", "tiers"), [("Premium", ["Basic"]), ("Standard", ["Basic"]), ("Basic", [])])
def test_a_registry_of_a_dearer_tier_may_be_basic(sku: str, tiers: list[str]) -> None:
    changes = list(basic_registry(situation(sku)))
    assert values(changes) == tiers
    assert all(change.alone for change in changes)


@pytest.mark.parametrize(("disk", "sizes"), [(256, [64]), (128, [64]), (64, [])])
def test_disks_of_system_nodes_may_be_smaller(disk: int, sizes: list[int]) -> None:
    changes = list(smaller_system_disk(situation(disk=disk)))
    assert values(changes) == sizes
    assert all(change.alone for change in changes)


def test_neither_is_advised_in_production() -> None:
    production = situation(production=True)
    assert [*basic_registry(production), *smaller_system_disk(production)] == []
