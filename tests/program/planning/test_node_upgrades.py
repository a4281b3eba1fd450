"""How nodes are upgraded: which pool has which settings, and how many nodes an upgrade adds."""

from typing import Any

import pytest

from components.pools.node_upgrades import surge_nodes
from program.planning.quota import vcpu_quota
from program.settings import NodeUpgrade
from tests.program.planning.small_stack import GENERAL, SPOT, planned, planned_pool, settings

UPGRADE = {"maxSurge": "50%", "drainTimeoutMinutes": 60}


@pytest.mark.parametrize(
    ("surge", "nodes", "added"),
    [("1", 3, 1), ("0", 3, 0), ("5", 3, 3), ("33%", 3, 1), ("34%", 3, 2), ("100%", 7, 7), ("1%", 1000, 10)],
)
def test_a_share_is_rounded_up_and_no_more_nodes_are_added_than_there_are(
    surge: str, nodes: int, added: int
) -> None:
    assert surge_nodes(surge, nodes) == added


@pytest.mark.parametrize(
    ("upgrade", "most"),
    [({}, 11), ({"maxSurge": 4}, 14), ({"maxSurge": "25%"}, 13), ({"maxUnavailable": 2}, 10)],
)
def test_an_upgrade_adds_nodes_to_a_pool_on_demand(upgrade: dict[str, Any], most: int) -> None:
    pool = planned_pool("work", {**GENERAL, "maxCount": 10, "taints": ["a=b:NoSchedule"]}, upgrade=upgrade)
    assert pool.most_nodes == most


def test_the_upgrade_of_a_spot_pool_is_that_of_its_fallback() -> None:
    pool = {**SPOT, "fallback": {"maxCount": 5}, "upgrade": UPGRADE}
    spot, fallback = planned_pool("cpuspot", pool), planned_pool("cpuod", pool)
    assert (spot.upgrade, spot.most_nodes) == (NodeUpgrade(), 10)
    assert (fallback.upgrade.drain_timeout_minutes, fallback.most_nodes) == (60, 5 + 3)


def test_nodes_that_an_upgrade_adds_count_towards_the_quota() -> None:
    def needed(upgrade: dict[str, Any]) -> int:
        pools = {"general": {**GENERAL, "upgrade": upgrade}}
        return vcpu_quota(planned(pools=pools, systemPool={"upgrade": upgrade}).pools)["cores"]

    assert needed({}) == (3 + 1) * 4 + (3 + 1) * 8
    assert needed({"maxSurge": "100%"}) == (3 + 3) * 4 + (3 + 3) * 8


def test_a_number_needs_no_quotes() -> None:
    [pool] = settings(pools={"general": {**GENERAL, "upgrade": {"maxSurge": 2}}}).pools.values()
    assert pool.upgrade.max_surge == "2"
