"""A cheaper tier as advice: with a newer Kubernetes where only long-term support is left, by the calendar."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from kubeflow_aks.cost.advice.kinds.cluster import cheaper_tiers
from kubeflow_aks.cost.advice.situation import Situation
from kubeflow_aks.cost.billing import bill
from kubeflow_aks.recorder.stack_settings import StackFile
from tests.cost.examples import FixedMarket, stack


def situation(tier: str, version: str, **settings: Any) -> Situation:
    made = stack(sku={"name": "Base", "tier": tier}, kubernetesVersion=version)
    file = StackFile("kubeflow-aks", settings, frozenset(settings), frozenset())
    market = FixedMarket()
    return Situation(file, made, bill(made, market), (), lambda other: bill(other, market))


@pytest.mark.parametrize(
    ("version", "day", "newer"),
    [
        ("1.34", "2026-06-05", {}),  # standard support for 178 days more
        ("1.34", "2026-09-02", {"version": "1.35", "acceptUnvalidated": True}),  # for 89
        ("1.33", "2026-08-01", {"version": "1.34"}),  # over, and Charmed Kubeflow runs on the next
        ("1.34", "2027-01-15", {"version": "1.36", "acceptUnvalidated": True}),  # 1.35 has 75 days
        ("1.37", "2027-10-01", {}),  # none is newer
        ("1.35.2", "2026-11-24", {}),
    ],
)
def test_a_newer_kubernetes_is_the_next_with_standard_support(
    version: str, day: str, newer: dict[str, Any]
) -> None:
    standard, free = cheaper_tiers(situation("Premium", version, asOf=day))
    plan = {"supportPlan": "KubernetesOfficial"}
    for change, tier in ((standard, "Standard"), (free, "Free")):
        assert {path[1]: value for path, value in change.values.items()} == {"tier": tier, **plan, **newer}
        assert change.alone
    assert any("standard support of" in note for note in standard.notes) == bool(newer)
    beside = f" with Kubernetes {newer['version']}" if newer else ""
    assert standard.sentence == f"the control plane's tier Standard{beside} instead of Premium"


def test_a_release_of_its_own_decides_what_is_validated() -> None:
    changes = [
        dict(next(cheaper_tiers(situation("Premium", "1.33", asOf="2026-08-01", **settings))).values)
        for settings in ({"kubeflow": {"release": "1.11"}}, {"kubeflow": {"release": "1.10"}})
    ]
    assert [values["kubernetes", "version"] for values in changes] == ["1.34", "1.34"]
    assert [("kubernetes", "acceptUnvalidated") in values for values in changes] == [False, True]


def test_from_standard_only_the_tier_changes() -> None:
    [free] = cheaper_tiers(situation("Standard", "1.33", asOf="2026-11-24"))
    assert set(free.values) == {("kubernetes", "tier"), ("kubernetes", "supportPlan")}
    assert list(cheaper_tiers(situation("Free", "1.34"))) == []


def test_a_version_that_the_catalogue_lacks_stays() -> None:
    made = situation("Premium", "1.99", asOf="2026-11-24")
    assert all(("kubernetes", "version") not in change.values for change in cheaper_tiers(made))
    unknown = replace(made, stack=stack(sku={"tier": "Premium"}))
    assert unknown.kubernetes_version == ""
    assert len(list(cheaper_tiers(unknown))) == 2
