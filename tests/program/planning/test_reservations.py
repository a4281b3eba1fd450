"""Capacity that is reserved for pools on demand."""

import pytest

from program.planning.pools import agent_pools, reservation_groups
from program.planning.rules.reservations import reservation_warnings
from tests.program.planning.small_stack import GENERAL, GPU_SPOT, SPOT, planned_pool, settings

PROVIDER = "resourceGroups/Shared/providers/Microsoft.Compute/capacityReservationGroups"
GROUP = f"/subscriptions/0a1b2c3d-0000-0000-0000-000000000000/{PROVIDER}/gpus"
TAINTED = {**GENERAL, "taints": ["a=b:NoSchedule"]}


def test_the_fallback_of_a_spot_pool_has_its_reservation_and_the_spot_pool_none() -> None:
    pool = {**SPOT, "fallback": {"maxCount": 5, "capacityReservationGroupId": GROUP}}
    assert planned_pool("cpuspot", pool).capacity_reservation_group_id is None
    assert planned_pool("cpuod", pool).capacity_reservation_group_id == GROUP


def test_the_cluster_gets_its_right_once_for_each_group() -> None:
    pools = {
        "a": {**SPOT, "fallback": {"maxCount": 5, "capacityReservationGroupId": GROUP}},
        "b": {**TAINTED, "capacityReservationGroupId": GROUP.lower()},
        "c": {**TAINTED, "capacityReservationGroupId": GROUP.replace("gpus", "cpus")},
        "d": {**TAINTED, "capacityReservationGroupId": GROUP.replace("0a1b2c3d", "1a1b2c3d")},
        "general": GENERAL,
    }
    assert reservation_groups(agent_pools(settings(pools=pools))) == {
        "0a1b2c3d-shared-gpus": GROUP,
        "0a1b2c3d-shared-cpus": GROUP.replace("gpus", "cpus"),
        "1a1b2c3d-shared-gpus": GROUP.replace("0a1b2c3d", "1a1b2c3d"),
    }


@pytest.mark.parametrize(
    ("size", "warned"),
    [
        ("Standard_NC4as_T4_v3", False),
        ("Standard_NC24ads_A100_v4", False),
        ("Standard_NC40ads_H100_v5", True),
        ("Standard_ND96isr_H100_v5", True),
    ],
)
def test_a_size_that_azure_did_not_reserve_is_warned_of(size: str, *, warned: bool) -> None:
    fallback = {"maxCount": 1, "vmSize": size, "capacityReservationGroupId": GROUP}
    pools = agent_pools(settings(pools={"gpuspot": {**GPU_SPOT, "fallback": fallback}}))
    messages = list(reservation_warnings(pools))
    assert len(messages) == warned
    assert all(line.startswith("pools.gpuspot.fallback.capacityReservationGroupId: ") for line in messages)
