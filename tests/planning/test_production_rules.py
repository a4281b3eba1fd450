"""Rules that only production has."""

import pytest

from planning.rules.production import production_warnings
from tests.planning.given import settings


@pytest.mark.parametrize("name", ["prod", "Prod", "PRODUCTION", "prd", "live"])
def test_a_stack_that_is_called_production_should_be_checked_like_one(name: str) -> None:
    tags = {"owner": "ml", "environment": name}
    assert len(list(production_warnings(settings(tags=tags)))) == 1
    assert list(production_warnings(settings(tags=tags, production=True))) == []


@pytest.mark.parametrize("name", ["dev", "nonprod", "pre-prod", "delivery"])
def test_other_environments_need_not(name: str) -> None:
    assert list(production_warnings(settings(tags={"owner": "ml", "environment": name}))) == []


def test_production_without_protection_is_warned_of() -> None:
    assert list(production_warnings(settings(production=True))) == []
    assert list(production_warnings(settings(protect=False))) == []
    assert list(production_warnings(settings(production=True, protect=False))) == [
        (
            "protect is false in production: nothing stops a `pulumi destroy`; set protect: true unless the stack is "
            "about to go"
        )
    ]
