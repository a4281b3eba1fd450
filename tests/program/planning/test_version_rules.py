"""Kubernetes × Charmed Kubeflow × AKS support, each on an injected day."""

from datetime import date

import pytest

from components.cluster.tiers import long_term_support_mistakes
from program.planning.rules.versions import version_problems, version_warnings
from tests.program.planning.small_stack import TODAY, refused, settings

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
    assert refused(long_term_support_mistakes(tier, "AKSLongTermSupport")) == ["tier"]


def test_after_long_term_support_only_a_newer_minor_is_left() -> None:
    assert refused(version_problems(settings(), date(2027, 11, 30))) == []
    [problem] = version_problems(settings(), date(2027, 12, 1))
    assert problem.expected == (
        "a newer minor, because long-term support of 1.34 ended on 2027-11-30; "
        "if the cluster exists already, set created to the day it was made"
    )


@pytest.mark.parametrize(
    ("release", "version"), [("1.11-ubuntu2", "1.32"), ("1.11", "1.33"), ("1.10", "1.33")]
)
def test_every_minor_a_release_is_validated_on_is_taken(release: str, version: str) -> None:
    stack = settings(kubeflow={"release": release}, kubernetes={"version": version})
    assert refused(version_problems(stack, TODAY)) == []


@pytest.mark.parametrize(
    ("release", "version"), [("1.11-ubuntu2", "1.35"), ("1.11", "1.35"), ("1.10", "1.34")]
)
def test_a_minor_the_release_is_not_validated_on_is_refused(release: str, version: str) -> None:
    stack = settings(kubeflow={"release": release}, kubernetes={"version": version})
    assert refused(version_problems(stack, TODAY)) == ["kubernetes.version"]


@pytest.mark.parametrize(
    ("today", "created"),
    [(LAST_DAY, "1.31, 1.32, 1.33"), (date(2026, 12, 1), "1.32, 1.33"), (date(2027, 8, 1), "none today")],
)
def test_a_minor_aks_no_longer_creates_is_not_offered_for_a_release(today: date, created: str) -> None:
    stack = settings(kubeflow={"release": "1.10"}, kubernetes={"version": "1.34"})
    [problem] = version_problems(stack, today)
    assert problem.expected == (
        f"a minor that Charmed Kubeflow 1.10 is validated on and AKS creates: {created}; "
        "kubernetes.acceptUnvalidated: true takes others"
    )


@pytest.mark.parametrize("version", ["1.35", "1.36", "1.37"])
def test_an_explicit_opt_in_takes_a_newer_minor_with_a_warning(version: str) -> None:
    stack = settings(kubernetes={"version": version, "acceptUnvalidated": True, **OFFICIAL})
    assert refused(version_problems(stack, date(2026, 12, 1))) == []
    [warning] = version_warnings(stack, date(2026, 12, 1))
    assert warning == (
        f"kubernetes.version {version}: Charmed Kubeflow 1.11-ubuntu2 is validated on 1.32, 1.33, 1.34 only, and AKS "
        "goes back to none of them; try a stack with the same settings before people depend on this one"
    )


def test_the_opt_in_does_not_take_what_aks_does_not_create() -> None:
    for version in ("1.30", "1.99"):
        stack = settings(kubernetes={"version": version, "acceptUnvalidated": True})
        assert refused(version_problems(stack, TODAY)) == ["kubernetes.version"]


def test_the_opt_in_says_nothing_about_a_minor_that_is_validated() -> None:
    stack = settings(kubernetes={"version": "1.34", "acceptUnvalidated": True})
    assert list(version_warnings(stack, TODAY)) == []


@pytest.mark.parametrize("version", ["1.26", "1.27", "1.28", "1.29", "1.30", "1.31"])
@pytest.mark.parametrize("existing", [{"created": "2024-01-01"}, {"adopted": True}], ids=str)
def test_an_existing_cluster_on_an_older_minor_gets_warnings_only(
    version: str, existing: dict[str, object]
) -> None:
    older = {"version": version, **OFFICIAL}
    stack = settings(kubernetes=older, **existing)
    assert refused(version_problems(stack, TODAY)) == []
    first, second = version_warnings(stack, TODAY)
    assert first == (
        f"kubernetes.version {version}: Charmed Kubeflow 1.11-ubuntu2 is validated on 1.32, 1.33, 1.34 only; upgrade "
        "the cluster first (docs/how-to/upgrade-kubernetes.md)"
    )
    assert second.startswith(f"kubernetes.version {version}: KubernetesOfficial")
    assert refused(version_problems(settings(kubernetes=older), TODAY)) == ["kubernetes.version"]


def test_an_existing_cluster_on_a_minor_without_dates_is_taken_by_the_opt_in_alone() -> None:
    newer = {"version": "1.38", "acceptUnvalidated": True}
    stack = settings(kubernetes=newer, created="2026-11-01")
    assert refused(version_problems(stack, TODAY)) == []
    assert list(version_warnings(stack, TODAY)) == [
        (
            "kubernetes.version 1.38: AKSLongTermSupport: the catalogue does not have this minor, so the end of its "
            "support is not checked"
        )
    ]  # that nobody validated it was said before there was a cluster
    upgrading = settings(kubernetes={**newer, "upgradeChannel": "none"}, created="2026-11-01")
    assert "AKS goes back to none of them" in next(version_warnings(upgrading, TODAY))
    without = settings(kubernetes={"version": "1.38"}, created="2026-11-01")
    assert refused(version_problems(without, TODAY)) == ["kubernetes.version"]


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
    existing = settings(kubernetes=OFFICIAL, created="2026-01-01")
    assert list(version_warnings(existing, date(2026, 9, 2))) == [warning.partition(", or set created")[0]]


def test_a_cluster_that_is_there_is_not_advised_to_say_so() -> None:
    [warning] = version_warnings(settings(kubernetes=OFFICIAL, created="2026-01-05"), date(2026, 9, 2))
    assert warning.endswith("by then take supportPlan AKSLongTermSupport and tier Premium")


def test_the_end_of_long_term_support_is_warned_of_as_well() -> None:
    [warning] = version_warnings(settings(), date(2027, 11, 1))
    assert warning.startswith(
        "kubernetes.version 1.34: AKSLongTermSupport ends on 2027-11-30; by then move to a newer minor, or set created"
    )


@pytest.mark.parametrize("existing", [{"created": "2026-11-30"}, {"adopted": True}], ids=str)
def test_an_existing_cluster_can_be_changed_after_its_support_has_ended(existing: dict[str, object]) -> None:
    stack = settings(kubernetes=OFFICIAL, **existing)
    assert refused(version_problems(stack, date(2026, 12, 1))) == []
    [warning] = version_warnings(stack, date(2026, 12, 1))
    assert warning == (
        "kubernetes.version 1.34: KubernetesOfficial ended on 2026-11-30: no fixes, and no help from Azure; "
        "take supportPlan AKSLongTermSupport and tier Premium; a cluster that has long-term support keeps it: AKS does "
        "not switch it off on 1.34 any more"
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
