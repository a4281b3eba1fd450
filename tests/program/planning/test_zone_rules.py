"""Rules of availability zones."""

import pytest

from program.planning.rules import location as rules
from program.settings import SettingsError
from tests.program.planning.small_stack import GENERAL, SPOT, planned, refused

KEYS = ["systemPool", "pools.work"]


def refusals(key: str, zones: list[str], location: str = "westeurope") -> list[str]:
    return refused(rules.zone_problems(location, key, zones))


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


def test_zones_of_the_system_pool_and_of_others_are_judged() -> None:
    pools = {"general": {**GENERAL, "zones": ["1", "1"]}, "work": {**SPOT, "zones": ["2", "2"]}}
    with pytest.raises(SettingsError) as caught:
        planned(systemPool={"zones": ["3", "3"]}, pools=pools)
    keys = ["pools.general.zones", "pools.work.zones", "systemPool.zones"]
    assert sorted(refused(caught.value.problems)) == keys
