"""Rules of availability zones, and of the disks that stay in one."""

from typing import Any

import pytest

from planning import zone_rules as rules
from planning.pools import agent_pools
from tests.planning.given import GENERAL, SPOT, refused, settings


@pytest.mark.parametrize("key", ["systemPool", "pools.work"])
def test_a_zone_is_named_once(key: str) -> None:
    twice = ["1", "2", "1"]
    given = (
        settings(systemPool={"zones": twice})
        if key == "systemPool"
        else settings(pools={"work": {**SPOT, "zones": twice}})
    )
    assert refused(rules.zone_problems(given)) == [f"{key}.zones"]


def warned(sku: str, zones: list[str], **pools: Any) -> list[str]:
    given = settings(
        pools={"general": {**GENERAL, "zones": zones}, **pools}, kubeflow={"storageClass": {"sku": sku}}
    )
    return list(rules.zone_warnings(given, agent_pools(given)))


def test_lrs_disks_over_zones_are_warned_of() -> None:
    [warning] = warned("Premium_LRS", ["1", "2", "3"])
    assert warning == (
        "kubeflow.storageClass.sku is Premium_LRS and Kubeflow's nodes are in 1, 2 and 3: a volume stays where it was "
        "made, and its pod waits when no node is left there; set Premium_ZRS, or one zone"
    )


def test_lrs_disks_over_two_homes_are_warned_of() -> None:
    [warning] = warned("StandardSSD_LRS", [], second={**GENERAL, "zones": ["1"]})
    assert "in 1 and no zone: " in warning


def test_disks_that_can_follow_their_pod_need_no_warning() -> None:
    assert warned("StandardSSD_ZRS", ["1", "2", "3"]) == []
    assert warned("StandardSSD_LRS", ["2"]) == []
    assert warned("StandardSSD_LRS", []) == []
    assert warned("StandardSSD_LRS", ["2"], spot={**SPOT, "zones": ["1", "3"]}) == []
