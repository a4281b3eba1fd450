"""Kubernetes × Charmed Kubeflow × AKS support, each on an injected day."""

from datetime import date

import pytest

from program.planning.rules.versions import support_plan_problems, version_problems, version_warnings
from tests.program.planning.given import TODAY, refused, settings

OFFICIAL = {"supportPlan": "KubernetesOfficial", "tier": "Standard"}
LAST_DAY = date(2026, 11, 30)


def test_the_defaults_are_supported() -> None:
    assert refused(version_problems(settings(), TODAY)) == []


def test_1_34_is_in_standard_support_until_the_last_day() -> None:
    assert refused(version_problems(settings(kubernetes=OFFICIAL), LAST_DAY)) == []


def test_after_that_day_the_message_says_what_makes_it_valid() -> None:
    [problem] = version_problems(settings(kubernetes=OFFICIAL), date(2026, 12, 1))
    assert problem.key == "kubernetes.supportPlan"
    assert problem.expected == (
        "AKSLongTermSupport with kubernetes.tier Premium, because standard support of 1.34 "
        "ended on 2026-11-30; long-term support lasts until 2027-11-30; "
        "if the cluster exists already, set created to the day it was made"
    )


def test_long_term_support_makes_it_valid() -> None:
    long_term = {"supportPlan": "AKSLongTermSupport", "tier": "Premium"}
    assert refused(version_problems(settings(kubernetes=long_term), date(2026, 12, 1))) == []


@pytest.mark.parametrize("tier", ["Free", "Standard"])
def test_long_term_support_needs_the_premium_tier(tier: str) -> None:
    found = support_plan_problems(settings(kubernetes={"tier": tier}))
    assert refused(found) == ["kubernetes.tier"]


def test_after_long_term_support_only_a_newer_minor_is_left() -> None:
    assert refused(version_problems(settings(), date(2027, 11, 30))) == []
    [problem] = version_problems(settings(), date(2027, 12, 1))
    assert problem.expected == (
        "a newer minor, because long-term support of 1.34 ended on 2027-11-30; "
        "if the cluster exists already, set created to the day it was made"
    )


@pytest.mark.parametrize(("release", "version"), [("1.11", "1.32"), ("1.11", "1.33"), ("1.10", "1.33")])
def test_every_minor_a_release_is_validated_on_is_taken(release: str, version: str) -> None:
    stack = settings(kubeflow={"release": release}, kubernetes={"version": version})
    assert refused(version_problems(stack, TODAY)) == []


@pytest.mark.parametrize(("release", "version"), [("1.11", "1.35"), ("1.10", "1.34")])
def test_a_minor_the_release_is_not_validated_on_is_refused(release: str, version: str) -> None:
    stack = settings(kubeflow={"release": release}, kubernetes={"version": version})
    assert refused(version_problems(stack, TODAY)) == ["kubernetes.version"]


def test_a_minor_aks_no_longer_has_is_not_offered_for_a_release() -> None:
    stack = settings(kubeflow={"release": "1.10"}, kubernetes={"version": "1.34"})
    [problem] = version_problems(stack, TODAY)
    assert problem.expected == "a minor that Charmed Kubeflow 1.10 is validated on and AKS offers: 1.32, 1.33"


def test_a_minor_without_a_calendar_is_refused() -> None:
    stack = settings(kubeflow={"release": "1.10"}, kubernetes={"version": "1.29"})
    [problem] = version_problems(stack, TODAY)
    assert problem.expected.startswith("a minor whose end of support is known: 1.32")


def test_an_unknown_release_is_refused() -> None:
    assert refused(version_problems(settings(kubeflow={"release": "1.9"}), TODAY)) == ["kubeflow.release"]


def test_support_that_ends_within_ninety_days_is_warned_of() -> None:
    official = settings(kubernetes=OFFICIAL)
    assert list(version_warnings(official, date(2026, 9, 1))) == []
    [warning] = version_warnings(official, date(2026, 9, 2))
    assert warning == (
        "kubernetes.version 1.34: KubernetesOfficial ends on 2026-11-30; "
        "by then take supportPlan AKSLongTermSupport and tier Premium, or set created: "
        "the cluster can't be made anew after it"
    )


def test_the_end_of_long_term_support_is_warned_of_as_well() -> None:
    [warning] = version_warnings(settings(), date(2027, 11, 1))
    assert warning.startswith(
        "kubernetes.version 1.34: AKSLongTermSupport ends on 2027-11-30; by then move to a newer minor, or set created"
    )


def test_an_existing_cluster_can_be_changed_after_its_support_has_ended() -> None:
    stack = settings(kubernetes=OFFICIAL, created="2026-11-30")
    assert refused(version_problems(stack, date(2026, 12, 1))) == []
    [warning] = version_warnings(stack, date(2026, 12, 1))
    assert warning == (
        "kubernetes.version 1.34: KubernetesOfficial ended on 2026-11-30: no fixes, and no help from Azure; "
        "take supportPlan AKSLongTermSupport and tier Premium"
    )


def test_an_existing_cluster_can_be_changed_after_long_term_support_has_ended() -> None:
    stack = settings(created="2026-11-30")
    assert refused(version_problems(stack, date(2028, 1, 1))) == []
    [warning] = version_warnings(stack, date(2028, 1, 1))
    assert warning.endswith("move to a newer minor")


def test_a_cluster_made_after_the_end_of_support_was_not_made_like_this() -> None:
    stack = settings(kubernetes=OFFICIAL, created="2026-12-01")
    [problem] = version_problems(stack, date(2027, 1, 1))
    assert problem.expected.endswith("; created: 2026-12-01 is later")
