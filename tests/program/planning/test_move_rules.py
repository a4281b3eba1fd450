"""The home of Kubeflow and the system pool move: what a plan has meanwhile, and what it says comes next."""

from typing import Any

import pytest

from components.pools.conventions import SYSTEM_TAINT
from program.planning.pools import AgentPool, Purpose
from program.planning.rules.moves import move_problems
from tests.program.planning.small_stack import GENERAL, SPOT, planned, settings

NEW_HOME: dict[str, Any] = {"vmSize": "Standard_D16s_v5", "minCount": 2, "maxCount": 3, "replaces": "general"}
NEW_SYSTEM: dict[str, Any] = {"vmSize": "Standard_D8s_v5", "minCount": 2, "maxCount": 3, "replaces": "system"}
HOME_NEXT = "new pods go to general2 only; next, drain the nodes of general, then take pools.general and this line out"
SYSTEM_NEXT = (
    "the cluster has two system pools; next, move the values of pools.system2 to systemPool, then drain and delete "
    "system"
)


def pools(**more: Any) -> dict[str, AgentPool]:
    by_name = {"general": GENERAL, "work": SPOT, **more}
    return {pool.name: pool for pool in planned(pools=by_name).pools}


def test_both_homes_are_there_and_new_pods_go_to_the_new_one() -> None:
    moving = pools(general2=NEW_HOME)
    assert list(moving) == ["system", "general", "general2", "work"]
    old, new = moving["general"], moving["general2"]
    assert (old.purpose, new.purpose) == (Purpose.GENERAL, Purpose.GENERAL)
    assert (old.taints, new.taints) == (("kubeflow-aks/replaced-by=general2:NoSchedule",), ())
    assert old.labels == new.labels
    assert (old.replaced_by, new.replaced_by) == ("general2", None)


def test_the_new_home_stays_as_it_is_when_the_move_is_over() -> None:
    settled = {key: value for key, value in NEW_HOME.items() if key != "replaces"}
    [after] = [p for p in planned(pools={"general2": settled, "work": SPOT}).pools if p.name == "general2"]
    assert after == pools(general2=NEW_HOME)["general2"].model_copy(update={"replaces": None})


def test_the_old_home_may_shrink_while_it_is_emptied() -> None:
    assert planned(pools={"general": {**GENERAL, "minCount": 0}, "general2": NEW_HOME}).pools


def test_the_new_home_may_have_a_new_name_only_or_new_zones() -> None:
    assert planned(
        pools={"general": GENERAL, "home": {**GENERAL, "zones": ["1"], "replaces": "general"}}
    ).pools


def test_a_second_system_pool_is_one_and_no_home() -> None:
    moving = pools(system2=NEW_SYSTEM)
    assert list(moving) == ["system", "system2", "general", "work"]
    new = moving["system2"]
    assert (new.purpose, new.taints, new.labels, new.subnet) == (
        Purpose.SYSTEM,
        (SYSTEM_TAINT,),
        {},
        "system",
    )
    assert (new.priority, new.os_disk.type) == ("Regular", "Managed")
    assert moving["system"].replaced_by == "system2"


def test_in_the_end_the_cluster_describes_the_same_system_pool() -> None:
    """Else Azure would refuse the cluster's update: size, disk, pods, zones and subnet of a pool never change."""
    fields = {"vmSize": "Standard_D8s_v5", "minCount": 2, "maxCount": 4, "zones": ["1", "2"], "maxPods": 60}
    fields["encryptionAtHost"] = True
    before = pools(system2={**fields, "osDisk": {"sizeGib": 256}, "replaces": "system"})["system2"]
    after = planned(systemPool={"name": "system2", "osDiskGib": 256, **fields}).system_pool
    same = {"name", "vm_size", "min_count", "max_count", "zones", "max_pods", "os_disk", "taints", "purpose"}
    same.add("encryption_at_host")
    assert before.model_dump(include=same) == after.model_dump(include=same)
    assert before.subnet == after.subnet


def test_the_new_system_pool_is_beside_the_cluster_and_takes_no_work() -> None:
    plan = planned(pools={"general": GENERAL, "system2": NEW_SYSTEM})
    assert plan.system_pool.name == "system"
    assert [pool.name for pool in plan.user_pools] == ["system2", "general"]
    assert [pool.purpose for pool in plan.user_pools] == [Purpose.SYSTEM, Purpose.GENERAL]


def test_both_can_move_at_once_and_to_the_smallest_pools_that_are_allowed() -> None:
    small = {**NEW_SYSTEM, "vmSize": "Standard_D4s_v5", "minCount": 1, "maxPods": 30}
    assert list(move_problems(settings(pools={"general": GENERAL, "g": NEW_HOME, "s": small}))) == []


def test_a_system_pool_of_another_name_is_moved_by_that_name() -> None:
    by_name = {"general": GENERAL, "core2": {**NEW_SYSTEM, "replaces": "core"}}
    assert planned(systemPool={"name": "core"}, pools=by_name).user_pools[0].purpose is Purpose.SYSTEM


def test_what_comes_next_is_reported() -> None:
    warned = planned(pools={"general": GENERAL, "general2": NEW_HOME, "system2": NEW_SYSTEM}).warnings
    page = "(docs/how-to/move-a-pool.md)"
    assert [warning for warning in warned if ".replaces " in warning] == [
        f"pools.general2.replaces is general: {HOME_NEXT} {page}",
        f"pools.system2.replaces is system: {SYSTEM_NEXT} {page}",
    ]


@pytest.mark.parametrize(
    ("sku", "old", "new", "stays"),
    [
        ("Premium_LRS", ["1", "2"], ["1"], True),
        ("Premium_LRS", ["1"], ["1", "2"], False),
        ("Premium_LRS", [], ["1"], True),
        ("Premium_LRS", ["1"], [], True),
        ("Premium_LRS", [], [], False),
        ("StandardSSD_ZRS", ["1", "2"], ["3"], False),
    ],
)
def test_volumes_that_stay_in_their_zone_are_warned_of(
    sku: str, old: list[str], new: list[str], stays: bool
) -> None:
    by_name = {"general": {**GENERAL, "zones": old}, "general2": {**NEW_HOME, "zones": new}}
    warned = planned(pools=by_name, kubeflow={"storageClass": {"sku": sku}}).warnings
    assert any(warning.startswith("pools.general2.zones is ") for warning in warned) is stays
