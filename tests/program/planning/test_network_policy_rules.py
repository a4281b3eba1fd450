"""Engines of network policies: which go with which support, and the warnings in production."""

from datetime import date
from typing import Any

import pytest

from program.planning.rules.network_policy import network_policy_problems, network_policy_warnings
from program.planning.rules.versions import version_problems, version_warnings
from tests.program.planning.given import TODAY, planned, refused, settings

OFFICIAL = {"supportPlan": "KubernetesOfficial", "tier": "Standard"}


def test_nothing_is_the_default_and_nothing_is_reported_it() -> None:
    assert planned().settings.network.policy == "none"
    assert list(network_policy_warnings(settings())) == []


def test_calico_is_refused_with_long_term_support() -> None:
    assert refused(network_policy_problems(settings(network={"policy": "calico"}))) == ["network.policy"]


@pytest.mark.parametrize(
    "keys",
    [
        {"network": {"policy": "calico"}, "kubernetes": OFFICIAL},
        {"network": {"policy": "cilium"}, "kubernetes": OFFICIAL},
        {"network": {"policy": "cilium"}},
        {"network": {"policy": "none"}},
    ],
)
def test_every_other_engine_is_taken(keys: dict[str, Any]) -> None:
    assert planned(**keys).settings.network.policy == keys["network"]["policy"]


def test_calico_is_warned_of_the_day_on_which_it_runs_out() -> None:
    [warning] = network_policy_warnings(settings(network={"policy": "calico"}, kubernetes=OFFICIAL))
    assert warning == (
        "network.policy is calico: AKS gives no long-term support with it, so the cluster must leave Kubernetes 1.34 "
        "when standard support ends on 2026-11-30; take cilium unless you move to every new minor"
    )


def test_production_without_an_engine_is_warned() -> None:
    [warning] = network_policy_warnings(settings(production=True))
    assert warning.startswith("network.policy is none in production: nothing enforces network policies")


@pytest.mark.parametrize("policy", ["calico", "cilium"])
def test_production_with_an_engine_is_not(policy: str) -> None:
    warnings = network_policy_warnings(settings(production=True, network={"policy": policy}))
    assert [warning for warning in warnings if "in production" in warning] == []


def test_nobody_with_calico_is_sent_to_long_term_support() -> None:
    stack = settings(network={"policy": "calico"}, kubernetes=OFFICIAL)
    [warning] = version_warnings(stack, TODAY)
    assert warning.endswith(
        "by then move to a newer minor, or set created: the cluster can't be made anew after it"
    )
    [problem] = version_problems(stack, date(2026, 12, 1))
    assert problem.expected.startswith(
        "AKSLongTermSupport with kubernetes.tier Premium and without network.policy calico, because standard"
    )
