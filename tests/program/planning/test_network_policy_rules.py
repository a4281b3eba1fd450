"""Engines of network policies: which go with which support, and the warnings in production."""

from typing import Any

import pytest

from program.planning.rules.network import network_policy_warnings
from tests.program.planning.small_stack import planned, settings

OFFICIAL = {"supportPlan": "KubernetesOfficial", "tier": "Standard"}


def test_nothing_is_the_default_and_nothing_is_reported_it() -> None:
    assert planned().settings.network.policy == "none"
    assert list(network_policy_warnings(settings())) == []


@pytest.mark.parametrize(
    "keys",
    [
        {"network": {"policy": "calico"}, "kubernetes": OFFICIAL},
        {"network": {"policy": "calico"}},
        {"network": {"policy": "cilium"}, "kubernetes": OFFICIAL},
        {"network": {"policy": "cilium"}},
        {"network": {"policy": "none"}},
    ],
)
def test_every_engine_is_taken(keys: dict[str, Any]) -> None:
    assert planned(**keys).settings.network.policy == keys["network"]["policy"]


def test_calico_with_long_term_support_has_the_terms_of_its_maker() -> None:
    [warning] = network_policy_warnings(settings(network={"policy": "calico"}))
    assert warning == (
        "network.policy is calico with long-term support: once community support of Kubernetes 1.34 ends, on "
        "2026-11-30, Calico has the support terms of its maker Tigera, and its version must still support that "
        "Kubernetes; review both, or take cilium"
    )
    assert list(network_policy_warnings(settings(network={"policy": "calico"}, kubernetes=OFFICIAL))) == []


def test_production_without_an_engine_is_warned() -> None:
    [warning] = network_policy_warnings(settings(production=True))
    assert warning.startswith("network.policy is none in production: nothing enforces network policies")


@pytest.mark.parametrize("policy", ["calico", "cilium"])
def test_production_with_an_engine_is_not(policy: str) -> None:
    warnings = network_policy_warnings(settings(production=True, network={"policy": policy}))
    assert [warning for warning in warnings if "in production" in warning] == []
