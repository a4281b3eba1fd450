"""Warnings about upgrades, each on an injected day."""

from datetime import date

import pytest

from program.planning.rules.upgrades import upgrade_warnings
from tests.program.planning.small_stack import settings

BEFORE, SOON = date(2027, 4, 1), date(2027, 4, 2)
"""More than 90 days before 2027-06-30, and 90."""


def warnings(today: date, **kubernetes: str) -> list[str]:
    """The warnings of a stack without long-term support, unless it has that."""
    plan = {"supportPlan": "KubernetesOfficial", "tier": "Standard"}
    return list(upgrade_warnings(settings(kubernetes=plan | kubernetes), today))


@pytest.mark.parametrize("today", [BEFORE, date(2027, 7, 1)])
def test_long_term_support_with_ubuntu_22_04_is_reported_on_any_day(today: date) -> None:
    [warning] = upgrade_warnings(settings(), today)
    assert warning == (
        "kubernetes.supportPlan is AKSLongTermSupport while the nodes run Ubuntu 22.04: Microsoft says to move them to "
        "24.04 before long-term support is enabled for Kubernetes 1.34 (Azure/AKS#5701), and gives 22.04 no new pools, "
        "images and security patches after 2027-06-30; try osSku Ubuntu2404, and move before that day"
    )


@pytest.mark.parametrize(
    ("version", "os_sku", "expected"),
    [("1.32", "Ubuntu", 0), ("1.33", "Ubuntu", 1), ("1.35", "Ubuntu", 0), ("1.35", "Ubuntu2204", 1)],
)
def test_only_nodes_that_stay_on_22_04_go_ill_with_long_term_support(
    version: str, os_sku: str, expected: int
) -> None:
    messages = warnings(
        BEFORE, supportPlan="AKSLongTermSupport", tier="Premium", version=version, osSku=os_sku
    )
    assert sum("long-term support" in warning for warning in messages) == expected


def test_channels_that_are_off_are_reported() -> None:
    assert warnings(BEFORE, upgradeChannel="patch", nodeOsUpgradeChannel="SecurityPatch") == []
    assert warnings(BEFORE, upgradeChannel="none", nodeOsUpgradeChannel="None") == [
        (
            "kubernetes.upgradeChannel is none: Kubernetes gets no patches by itself, and AKS supports the newest ones "
            "only; set patch as soon as an upgrade to another minor is over"
        ),
        (
            "kubernetes.nodeOsUpgradeChannel is None: the nodes get no security updates by themselves; take NodeImage, "
            "or upgrade the node images yourself"
        ),
    ]


def test_the_end_of_ubuntu_22_04_is_reported_90_days_before() -> None:
    assert warnings(BEFORE) == []
    [warning] = warnings(SOON)
    assert warning == (
        "kubernetes.osSku is Ubuntu: the nodes run Ubuntu 22.04, which gets no new pools, images and security patches "
        "after 2027-06-30; take Ubuntu2404, or Ubuntu with Kubernetes 1.35 or newer"
    )


@pytest.mark.parametrize(
    ("version", "os_sku", "expected"),
    [
        ("1.34", "Ubuntu", True),
        ("1.34", "Ubuntu2204", True),
        ("1.35", "Ubuntu2204", True),
        ("1.35", "Ubuntu", False),
        ("1.36", "Ubuntu", False),
        ("1.34", "Ubuntu2404", False),
    ],
)
def test_the_end_of_ubuntu_2204_is_a_warning_where_nodes_run_it(
    version: str, os_sku: str, expected: bool
) -> None:
    messages = warnings(date(2027, 7, 1), version=version, osSku=os_sku)
    assert any("22.04" in warning for warning in messages) is expected


def test_a_system_newer_than_the_providers_api_is_reported_on_any_day() -> None:
    [warning] = warnings(BEFORE, osSku="Ubuntu2404")
    assert warning == (
        "kubernetes.osSku is Ubuntu2404: AKS's API has it from version 2025-10-01 on and the provider speaks "
        "2025-09-01, so AKS may refuse it, which changes nothing; if it does, go back to Ubuntu"
    )
