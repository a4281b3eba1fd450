"""Work on a spot pool of several VM sizes, planned by the program, while its sizes are sold out one after another."""

from typing import Any

import pytest

from components.pools.pool_contract import priorities
from kubeflow_aks.local_aks.simulation.market import MarketEvent, Supply
from kubeflow_aks.local_aks.simulation.vms.scale_sets import Timings
from tests.local_aks.simulation.simulated import World, pod_spec, pool

SIZES = ("cpuspot1", "cpuspot2", "cpuspot3")
SELECTOR = {"kubeflow-aks/workload": "cpu"}
WORK = pod_spec(cpu="6", selector=SELECTOR, tolerates=("spot", "fallback"))
AGAIN = 20 * 60.0
"""Seconds after which the autoscaler tries a size again: no back-off lasts so long after three failures."""


@pytest.fixture
def world() -> World:
    """Three sizes and their fallback, in the order of the program's own map."""
    contract: list[Any] = [
        {"name": name, "role": "cpu", "priority": "Spot", "pool": "cpuspot"} for name in SIZES
    ]
    contract.append({"name": "cpuod", "role": "cpu", "priority": "Regular", "pool": "cpuod"})
    pools = [pool(name, scaleSetPriority="Spot", nodeLabels=SELECTOR) for name in SIZES]
    pools.append(pool("cpuod", nodeLabels=SELECTOR, nodeTaints=["ckf/fallback=true:NoSchedule"]))
    return World(
        pools,
        profile={"expander": "priority", "balanceSimilarNodeGroups": "true", "scaleDownUnneededTime": "60m"},
        priorities=priorities(contract),
        timings=Timings(boot=3, allocation_error=3),
    )


def placed(world: World, name: str) -> str | None:
    """The pool on which new work that needs a node of its own ends up."""
    world.cluster.create_pod(name, WORK)
    world.run_until_running(name)
    return world.pool_of(name)


def supply(world: World, what: Supply, *names: str) -> None:
    """From now on Azure has VMs of these sizes, or has none."""
    for name in names:
        world.market.add(MarketEvent(world.clock.now(), what, name))


def test_work_goes_down_the_sizes_to_the_fallback_and_new_work_back_up(world: World) -> None:
    ran = [placed(world, "all-there")]
    for name in SIZES:
        supply(world, Supply.SOLD_OUT, name)
        ran.append(placed(world, f"without-{name}"))
    supply(world, Supply.AVAILABLE, *SIZES)
    world.run(AGAIN)
    ran.append(placed(world, "all-back"))
    assert ran == ["cpuspot1", "cpuspot2", "cpuspot3", "cpuod", "cpuspot1"]
    assert world.pool_of("without-cpuspot3") == "cpuod"  # what runs is not moved


def test_a_size_that_is_back_is_taken_though_those_before_it_are_not(world: World) -> None:
    supply(world, Supply.SOLD_OUT, *SIZES)
    assert placed(world, "none-there") == "cpuod"
    supply(world, Supply.AVAILABLE, "cpuspot2")
    world.run(AGAIN)
    assert placed(world, "one-back") == "cpuspot2"


def test_balanced_groups_do_not_spread_work_over_the_sizes(world: World) -> None:
    assert {placed(world, f"work-{number}") for number in range(4)} == {"cpuspot1"}
