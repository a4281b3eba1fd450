"""Rules of availability zones."""

import pytest

from program.planning.rules import location as rules
from tests.program.planning.small_stack import SPOT, refused, settings

KEYS = ["systemPool", "pools.work"]


def refusals(key: str, zones: list[str], location: str = "westeurope") -> list[str]:
    keys = (
        {"systemPool": {"zones": zones}}
        if key == "systemPool"
        else {"pools": {"work": {**SPOT, "zones": zones}}}
    )
    return refused(rules.zone_problems(settings(location=location, **keys)))


@pytest.mark.parametrize("key", KEYS)
def test_a_zone_is_named_once(key: str) -> None:
    assert refusals(key, ["1", "2", "1"]) == [f"{key}.zones"]
    assert refusals(key, ["3", "1"]) == []


@pytest.mark.parametrize("key", KEYS)
def test_a_region_without_zones_has_none(key: str) -> None:
    assert refusals(key, ["1"], "northcentralus") == [f"{key}.zones"]
    assert refusals(key, [], "northcentralus") == []


def test_zones_of_a_region_that_nobody_knows_are_not_judged() -> None:
    assert refusals("pools.work", ["1"], "atlantiscentral") == []
