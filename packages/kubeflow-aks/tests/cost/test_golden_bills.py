"""The blog's month, and the whole stack around it: figures known before this program was."""

import math

import pytest

from kubeflow_aks.cost.billing import bill
from kubeflow_aks.cost.figures import Range
from tests.cost.examples import FixedMarket, seed, spot, stack


def starts(rate: float) -> float:
    """What the first start of each step's node costs, 6 minutes and their evictions, which those figures leave out."""
    hazard = -math.log(1 - rate)
    return 1270 * math.expm1(0.1 * hazard) / hazard * 0.0487


def cents(amount: float) -> float:
    return round(amount, 2)


def test_the_blogs_month_by_its_own_model() -> None:
    monthly_bill = bill(
        stack(spot("cpuspot"), basis={"workload": seed(), "cost": {"model": "blog"}}), FixedMarket()
    )
    assert monthly_bill.amount("batch").expected == pytest.approx(173.859, abs=1e-9)
    assert monthly_bill.on_demand("batch").expected == pytest.approx(788.80, abs=1e-9)
    assert sum(
        line.hours.expected for line in monthly_bill.lines if line.hours and line.part == "batch"
    ) == pytest.approx(3570)
    assert 1 - monthly_bill.amount("batch").expected / monthly_bill.on_demand(
        "batch"
    ).expected == pytest.approx(0.77959, abs=5e-6)


def test_the_blogs_month_with_evictions_an_hour() -> None:
    monthly_bill = bill(stack(spot("cpuspot"), basis={"workload": seed()}), FixedMarket())
    assert cents(monthly_bill.amount("batch").expected - starts(0.05)) == 191.59
    assert cents(monthly_bill.amount("batch").low - starts(0.05)) == 165.58
    assert cents(sum(it.blog for it in monthly_bill.work)) == 173.86
    assert sum(it.evictions.expected for it in monthly_bill.work) == pytest.approx(202, abs=0.5)


@pytest.mark.parametrize(("rate", "amount"), [(0.01, 169.82), (0.10, 238.28), (0.15, 337.77), (0.20, 588.63)])
def test_the_blogs_month_at_other_rates(rate: float, amount: float) -> None:
    monthly_bill = bill(
        stack(spot("cpuspot"), basis={"workload": seed(), "cost": {"evictionRate": rate}}), FixedMarket()
    )
    assert cents(monthly_bill.amount("batch").expected - starts(rate)) == amount


def test_with_checkpoints_training_costs_little_more_than_without_evictions() -> None:
    """178.20 is the textbook's, whose last block writes a checkpoint too."""
    every = 67.08
    monthly_bill = bill(
        stack(spot("cpuspot"), basis={"workload": seed(checkpointMinutes=every)}), FixedMarket()
    )
    batch = monthly_bill.amount("batch").expected - starts(0.05)
    assert 178.10 < batch < 178.20


def test_the_whole_stack_saves_less_than_its_batch_part() -> None:
    monthly_bill = bill(
        stack(spot("cpuspot"), basis={"workload": seed(), "cost": {"model": "blog"}}), FixedMarket()
    )
    assert cents(monthly_bill.on_demand().expected) == 1261.84
    assert cents(monthly_bill.amount().expected) == 646.90
    assert 1 - monthly_bill.amount().expected / monthly_bill.on_demand().expected == pytest.approx(
        0.487, abs=5e-4
    )


def test_a_managed_os_disk_adds_half_to_a_spot_node() -> None:
    pool = spot("cpuspot", osDiskType="Managed", osDiskSizeGB=128)
    monthly_bill = bill(stack(pool, basis={"workload": seed(), "cost": {"model": "blog"}}), FixedMarket())
    [disks] = [line for line in monthly_bill.lines if line.name == "OS disks of cpuspot"]
    assert cents(disks.amount.expected) == 96.39
    assert disks.notes == ("a managed OS disk adds 55 % to each hour of a spot node",)


def test_a_band_gives_a_range() -> None:
    monthly_bill = bill(
        stack(spot("cpuspot"), basis={"workload": seed(), "cost": {"evictionRate": "5-10"}}), FixedMarket()
    )
    batch = monthly_bill.amount("batch")
    ends = [cents(end - starts(0.10)) for end in (batch.low, batch.expected, batch.high)]
    assert ends == [191.59, 238.28, 238.28]
    assert monthly_bill.rates["cpuspot"].rate == Range(0.10, 0.05, 0.10)
