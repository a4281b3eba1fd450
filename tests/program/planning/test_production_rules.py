"""Rules that only production has."""

from typing import Any

import pytest

from program.planning.rules.production import production_warnings
from tests.program.planning.small_stack import settings

HARDENED: dict[str, Any] = {
    "apiAccess": {"runCommand": False},
    "monitoring": {"logs": ["kube-audit-admin", "cluster-autoscaler"]},
}
"""A stack without warnings in production."""


def warned(**keys: Any) -> list[str]:
    """The warnings for that stack in production with these keys changed."""
    return list(production_warnings(settings(production=True, **HARDENED | keys)))


@pytest.mark.parametrize("name", ["prod", "Prod", "PRODUCTION", "prd", "live"])
def test_a_stack_that_is_called_production_should_be_checked_like_one(name: str) -> None:
    tags = {"owner": "ml", "environment": name}
    assert len(list(production_warnings(settings(tags=tags)))) == 1
    assert warned(tags=tags) == []


@pytest.mark.parametrize("name", ["dev", "nonprod", "pre-prod", "delivery"])
def test_other_environments_need_not(name: str) -> None:
    assert list(production_warnings(settings(tags={"owner": "ml", "environment": name}))) == []


def test_production_without_protection_is_warned_of() -> None:
    assert warned() == []
    assert list(production_warnings(settings(protect=False))) == []
    assert warned(protect=False) == [
        (
            "protect is false in production: nothing stops a `pulumi destroy`; set protect: true unless the stack is "
            "about to go"
        )
    ]


def test_production_takes_no_commands_past_the_ranges() -> None:
    assert list(production_warnings(settings())) == []
    for access, says in (({}, "left out"), ({"runCommand": True}, "true")):
        assert warned(apiAccess=access) == [
            (
                f"apiAccess.runCommand is {says} in production: whoever has the Azure right to it sends commands to "
                "the API server from anywhere, past authorizedIpRanges; set runCommand: false"
            )
        ]


def test_a_private_cluster_may_keep_its_way_in() -> None:
    assert warned(apiAccess={"privateCluster": True}) == []


def test_production_does_not_pay_for_images_that_nobody_names() -> None:
    kept = {"sku": "Premium", "retentionDays": 30}
    assert warned(registry=kept) == warned(registry={"sku": "Standard"}) == []
    assert warned(registry={"sku": "Premium"}) == [
        (
            "registry.retentionDays is left out in production: images that no tag names any more stay and are paid "
            "for; set retentionDays: 30, unless somebody pulls such images by their digest"
        )
    ]
    assert list(production_warnings(settings(registry={"sku": "Premium"}))) == []


def test_production_writes_down_who_changed_what() -> None:
    assert list(production_warnings(settings())) == []
    assert warned(monitoring={}) == [
        (
            "monitoring.logs is without kube-audit-admin, cluster-autoscaler in production: nobody can find out later "
            "who changed what, or why no node came; add them"
        )
    ]
    assert warned(monitoring={"logs": ["kube-audit", "cluster-autoscaler"]}) == []


def test_with_entra_production_writes_down_who_signed_in() -> None:
    entra = {"runCommand": False, "adminGroupObjectIds": ["5c2bd1e7-4c1f-4f0a-9b39-6f1f3a1f7a10"]}
    [warning] = warned(apiAccess=entra)
    assert warning.startswith("monitoring.logs is without guard in production")
    logs = [*HARDENED["monitoring"]["logs"], "guard"]
    assert warned(apiAccess=entra, monitoring={"logs": logs}) == []
