"""The bill and the advice for spot pools of several VM sizes, and for several pools of the same work."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from aks_facts import vm_sizes
from kubeflow_aks.cost.advice.kinds.pools import alike, other_sizes, second_sizes
from kubeflow_aks.cost.advice.quota import Room
from kubeflow_aks.cost.advice.situation import Situation
from kubeflow_aks.cost.advice.trials import Trials
from kubeflow_aks.cost.bill import Bill
from kubeflow_aks.cost.figures import Range
from tests.cost.whole.advised_stacks import nothing, offline, tree

ONE, OTHER = "Standard_D8ds_v5", "Standard_E8ds_v5"
GENERAL = {"vmSize": "Standard_D8s_v5", "minCount": 2, "maxCount": 3}
SPOT = {"priority": "Spot", "maxCount": 10}
WORK = {"training": {"pool": "cpuspot", "hoursPerMonth": 400, "stepHours": 2}}
TAGS = {"owner": "ml", "environment": "dev"}


def situation(folder: Path, **keys: Any) -> Situation:
    """What the program makes of a stack, and its bill."""
    stack = {"tags": TAGS, "location": "westeurope", "workload": WORK, **keys}
    return Trials("made", tree(folder, stack), offline, nothing).begin()


def spot(*sizes: str) -> dict[str, Any]:
    """A pool for Kubeflow and one spot pool."""
    fallback = {"maxCount": 5, "vmSize": ONE}
    return {"general": GENERAL, "cpuspot": {**SPOT, "vmSizes": list(sizes), "fallback": fallback}}


def batch_lines(bill: Bill) -> Mapping[str, Any]:
    """The lines of batch pools, disks apart."""
    return {line.name: line for line in bill.lines if line.part == "batch" and line.hours}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("sizes")


def test_work_is_billed_on_the_first_size_while_nothing_is_sold_out(folder: Path) -> None:
    one = situation(folder, pools=spot(ONE)).bill
    both = situation(folder, pools=spot(ONE, OTHER)).bill
    assert both.amount() == one.amount()
    assert batch_lines(both)["cpuspot"].nodes == "spot 0–20 × D8ds_v5 or E8ds_v5"
    assert any(
        "is billed on Standard_D8ds_v5, which the autoscaler tries before" in it for it in both.work[0].notes
    )


def test_each_size_takes_what_those_before_it_cannot(folder: Path) -> None:
    cost = {"soldOutShare": 0.5}
    only = {size: batch_lines(situation(folder, pools=spot(size)).bill)["cpuspot"] for size in (ONE, OTHER)}
    hour = {size: line.amount.expected / line.hours.expected for size, line in only.items()}
    bill = situation(folder, pools=spot(ONE, OTHER), cost=cost).bill
    lines = batch_lines(bill)
    mean = hour[ONE] * 2 / 3 + hour[OTHER] / 3
    assert lines["cpuspot"].amount.expected / lines["cpuspot"].hours.expected == pytest.approx(mean)
    on_spot, on_demand = (lines[name].hours.expected for name in ("cpuspot", "cpuod"))
    alone = batch_lines(situation(folder, pools=spot(ONE), cost=cost).bill)
    # But for steps that move to the fallback once they were evicted.
    assert on_demand == pytest.approx(alone["cpuod"].hours.expected / 2, rel=0.02)
    assert on_spot == pytest.approx(alone["cpuspot"].hours.expected * 1.5, rel=0.02)


def test_a_share_of_the_pool_is_that_of_all_its_sizes(folder: Path) -> None:
    of_each = situation(folder, pools=spot(ONE, OTHER), cost={"soldOutShare": 0.5}).bill
    of_pool = situation(
        folder, pools=spot(ONE, OTHER), cost={"pools": {"cpuspot": {"soldOutShare": 0.25}}}
    ).bill
    assert of_pool.amount() == of_each.amount()


def test_a_fallback_is_billed_on_its_first_size_and_may_be_on_any(folder: Path) -> None:
    cost = {"soldOutShare": 0.5}

    def on_fallback(*sizes: str) -> Any:
        pools = {
            "general": GENERAL,
            "cpuspot": {**SPOT, "vmSize": ONE, "fallback": {"maxCount": 5, "vmSizes": list(sizes)}},
        }
        return batch_lines(situation(folder, pools=pools, cost=cost).bill)["cpuod"]

    one, other, both = on_fallback(ONE), on_fallback(OTHER), on_fallback(ONE, OTHER)
    assert both.nodes == "0–10 × D8ds_v5 or E8ds_v5"
    assert both.hourly == Range(one.hourly.expected, one.hourly.low, other.hourly.high)


def siblings(one: str, other: str) -> dict[str, Any]:
    """Two spot pools for the same work."""
    return {"general": GENERAL, "cpuspot": {**SPOT, "vmSize": one}, "cpub": {**SPOT, "vmSize": other}}


def advised_families(stack: Situation) -> set[str | None]:
    """The families that the pool `cpuspot` is advised to take."""
    changes = [change.values for change in other_sizes(stack)]
    return {
        vm_sizes()[size].family for values in changes for path, size in values.items() if path[1] == "cpuspot"
    }


def test_no_pool_is_advised_onto_the_series_of_another_for_the_same_work(folder: Path) -> None:
    alone = situation(folder, pools=spot(ONE))
    best = alike(vm_sizes()[ONE], alone.cluster.pools["cpuspot"], "westeurope")[0]
    cost = {"prices": {best.name: {"spot": 0.001, "asOf": "2026-01-01"}}}
    pools = siblings(ONE, best.name)
    without = {name: pool for name, pool in pools.items() if name != "cpub"}
    assert advised_families(situation(folder, pools=without, cost=cost)) == {best.family}
    assert best.family not in advised_families(situation(folder, pools=pools, cost=cost))


def test_a_second_size_is_advised_where_one_is_sold_out_at_times(folder: Path) -> None:
    pools = {"general": GENERAL, "cpuspot": {**SPOT, "vmSize": ONE, "fallback": {"maxCount": 5}}}
    start = situation(folder, pools=pools, cost={"soldOutShare": 0.5})
    [change] = second_sizes(start)
    [(path, sizes)] = change.values.items()
    assert path == ("pools", "cpuspot", "vmSizes")
    assert sizes[0] == ONE
    assert vm_sizes()[sizes[1]].family != vm_sizes()[ONE].family
    room = Room(start, lambda _region: None)
    assert Trials("made", folder, offline, nothing).tried(start, change, room)


def test_no_second_size_is_advised_where_nothing_is_sold_out(folder: Path) -> None:
    assert not list(second_sizes(situation(folder, pools=spot(ONE))))
