"""Warnings about upgrades, each on an injected day."""

from datetime import date

import pytest

from program.planning.rules.upgrades import os_sku_problems, upgrade_warnings
from tests.program.planning.small_stack import settings

BEFORE, SOON = date(2027, 4, 1), date(2027, 4, 2)
"""More than 90 days before 2027-06-30, and 90."""


def warnings(today: date, **kubernetes: str) -> list[str]:
    """The warnings of a stack without long-term support, unless it has that."""
    plan = {"supportPlan": "KubernetesOfficial", "tier": "Standard"}
    return list(upgrade_warnings(settings(kubernetes=plan | kubernetes), today))


@pytest.mark.parametrize(
    ("version", "os_sku", "taken"),
    [
        (
            "1.31",
            "Ubuntu2404",
            "Ubuntu or Ubuntu2204 with kubernetes.version 1.31; AKS has Ubuntu2404 from 1.32 to 1.38",
        ),
        ("1.32", "Ubuntu2404", None),
        ("1.38", "Ubuntu2404", None),
        ("1.36", "Ubuntu2204", None),
        (
            "1.37",
            "Ubuntu2204",
            "Ubuntu or Ubuntu2404 with kubernetes.version 1.37; AKS has Ubuntu2204 from 1.25 to 1.36",
        ),
        ("1.39", "Ubuntu2404", "Ubuntu with kubernetes.version 1.39; AKS has Ubuntu2404 from 1.32 to 1.38"),
        ("1.39", "Ubuntu", None),
    ],
)
def test_an_ubuntu_goes_with_the_kubernetes_of_which_aks_has_it(
    version: str, os_sku: str, taken: str | None
) -> None:
    kubernetes = settings(kubernetes={"version": version, "osSku": os_sku}).kubernetes
    assert [problem.expected for problem in os_sku_problems(kubernetes)] == ([taken] if taken else [])


def test_what_nobody_can_change_is_no_warning_until_it_matters() -> None:
    assert list(upgrade_warnings(settings(), BEFORE)) == []
    assert (
        list(upgrade_warnings(settings(created="2026-12-01", kubernetes={"osSku": "Ubuntu2404"}), SOON)) == []
    )


@pytest.mark.parametrize(
    ("version", "os_sku"), [("1.35", "Ubuntu"), ("1.35", "Ubuntu2204"), ("1.34", "Ubuntu2204")]
)
def test_long_term_support_is_not_for_an_older_ubuntu_than_akss_own(version: str, os_sku: str) -> None:
    plan = {"supportPlan": "AKSLongTermSupport", "tier": "Premium"}
    expected = [
        (
            "kubernetes.osSku is Ubuntu2204: the nodes run Ubuntu 22.04, which Microsoft says to leave before "
            "long-term support (Azure/AKS#5701); take Ubuntu"
        )
    ]
    assert warnings(BEFORE, **plan, version=version, osSku=os_sku) == (
        expected if (version, os_sku) == ("1.35", "Ubuntu2204") else []
    )


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
    [warning] = warnings(SOON)
    assert list(upgrade_warnings(settings(), SOON)) == [warning]  # with long-term support as well
    assert warning == (
        "kubernetes.osSku is Ubuntu: the nodes run Ubuntu 22.04, which gets no new pools, images and security patches "
        "after 2027-06-30; take Ubuntu with Kubernetes 1.35 or newer, or Ubuntu2404"
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
        "2025-09-01, so AKS may refuse it (InvalidOSSKU), which changes nothing; set created once a cluster has it"
    )
