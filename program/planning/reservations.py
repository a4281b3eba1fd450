"""The capacity reservation groups that a stack's pools use."""

from collections.abc import Iterable

from components.azure.arm_ids import group_of, name_of, subscription_of
from program.planning.pools import AgentPool


def reservation_groups(pools: Iterable[AgentPool]) -> dict[str, str]:
    """The ARM id of each group once, under a name that no other pool changes: subscription, resource group, group."""
    groups: dict[str, str] = {}
    for pool in pools:
        if arm_id := pool.capacity_reservation_group_id:
            text = arm_id.lower()
            name = "-".join((subscription_of(text).split("-")[0], group_of(text), name_of(text)))
            groups.setdefault(name, arm_id)
    return groups
