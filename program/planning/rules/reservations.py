"""Rules of capacity that is reserved for pools (docs/facts/aks.md#capacity-reservations)."""

import re
from collections.abc import Iterator
from typing import Final

from components.arguments.mistakes import Mistake
from components.azure.arm_ids import RESERVATION_GROUP, arm_id_mistakes
from program.planning.pools import AgentPool
from program.planning.rules.pools import Candidate

_UNRESERVED: Final = re.compile(r"Standard_(ND|HB|HC)\d.*|Standard_NC\d+\w*_H100_v5", re.IGNORECASE)


def reservation_problems(pool: Candidate) -> Iterator[Mistake]:
    """Only on-demand pools have a capacity reservation group, and its id is one."""
    group, fallback = pool.settings.capacity_reservation_group_id, pool.settings.fallback
    if group is not None and pool.spot:
        expected = "no value on a spot pool, for which Azure reserves no capacity; its fallback may have one"
        yield Mistake(f"{pool.key}.capacityReservationGroupId", group, expected)
    elif group is not None:
        yield from arm_id_mistakes(f"{pool.key}.capacityReservationGroupId", group, RESERVATION_GROUP)
    if fallback and (group := fallback.capacity_reservation_group_id) is not None:
        yield from arm_id_mistakes(
            f"{pool.key}.fallback.capacityReservationGroupId", group, RESERVATION_GROUP
        )


def reservation_warnings(pools: tuple[AgentPool, ...]) -> Iterator[str]:
    """Sizes of which Azure reserved none on 2026-02-17."""
    for pool in pools:
        if pool.capacity_reservation_group_id and _UNRESERVED.fullmatch(pool.vm_size):
            key = f"pools.{pool.fallback_of}.fallback" if pool.fallback_of else f"pools.{pool.pool}"
            yield (
                f"{key}.capacityReservationGroupId: Azure had no reservations of the series of {pool.vm_size} on "
                "2026-02-17; check that the group has one, because AKS makes the pool without it if not"
            )
