"""Reservations and savings plans on the bill: what they pay for, and what nothing uses."""

from __future__ import annotations

from typing import Any

import pytest

from kubeflow_aks.cost.bill import Bill, Line
from kubeflow_aks.cost.billing import bill
from kubeflow_aks.cost.figures import Range, total
from tests.cost.examples import SYSTEM, FixedMarket, pool, spot, stack, work

SIZE = "Standard_D4s_v3"
PRICE = 0.232
HOURS = 730


def made(vms: int, *pools: dict[str, Any], size: str = SIZE, **basis: Any) -> Bill:
    """Two system nodes, more pools, and a commitment at 0.1 an hour."""
    commitments = {size: {"vms": vms, "hourly": 0.1, "asOf": "2026-11-01"}} if vms else {}
    workload = {"training": work("cpuspot", 100, 2)}
    planned = stack(
        spot("cpuspot"), *pools, basis={"workload": workload, "cost": {"commitments": commitments}, **basis}
    )
    return bill(planned, FixedMarket({SIZE: (PRICE, 0.05), "Standard_D8s_v3": (0.4, 0.1)}))


def line(bill_of_stack: Bill, name: str) -> Line | None:
    return next((it for it in bill_of_stack.lines if it.name == name), None)


@pytest.mark.parametrize(
    ("vms", "paid", "unused"),
    [(0, 2 * PRICE, 0.0), (1, PRICE + 0.1, 0.0), (2, 0.2, 0.0), (5, 0.2, 0.3)],
)
def test_a_commitment_pays_for_nodes_that_are_always_there(vms: int, paid: float, unused: float) -> None:
    folded_bill = made(vms)
    system = [it for it in folded_bill.lines if it.name in {"system", "system, committed"}]
    idle = line(folded_bill, "unused commitment of D4s_v3")
    assert len(system) == 1 + (vms == 1)
    for amount in (total(it.amount for it in system), total(it.on_demand for it in system)):
        assert amount.expected == pytest.approx(paid * HOURS)
    assert (idle.amount.expected if idle else 0.0) == pytest.approx(unused * HOURS)
    assert folded_bill.on_demand("home") == folded_bill.amount("home")


def test_spot_nodes_and_other_sizes_are_paid_as_before() -> None:
    without = made(0)
    for size in (SIZE, "Standard_D8s_v3"):
        folded_bill = made(2, size=size)
        assert folded_bill.amount("batch") == without.amount("batch")
    idle = line(folded_bill, "unused commitment of D8s_v3")
    assert idle
    assert idle.amount.expected == pytest.approx(2 * 0.1 * HOURS)


def test_it_is_paid_for_at_night_too() -> None:
    """Sixty hours of a week are 36 % of it: at 43 % of the price on demand a commitment costs more than it saves."""
    hours: dict[str, Any] = {
        "officeHours": {
            "days": ["monday", "tuesday", "wednesday", "thursday", "friday"],
            "from": "07:00",
            "to": "19:00",
        }
    }
    share = 60 / 168
    with_it, without = made(2, **hours), made(0, **hours)
    more = with_it.amount().expected - without.amount().expected
    assert more == pytest.approx(2 * HOURS * (0.1 - PRICE * share))
    assert more > 0


def test_the_range_keeps_nodes_above_the_minimum_at_their_price() -> None:
    system = {**SYSTEM, "minCount": 1, "maxCount": 4}
    commitments = {"commitments": {SIZE: {"vms": 3, "hourly": 0.1}}}
    monthly_bill = bill(stack(basis={"cost": commitments}, agentPoolProfiles=[system]), FixedMarket())
    paid, more = line(monthly_bill, "system, committed"), line(monthly_bill, "system")
    assert paid
    assert more
    assert paid.amount == Range.exactly(0.1 * HOURS)
    assert (more.amount.low, more.amount.high) == pytest.approx((0, 3 * PRICE * HOURS))


def test_two_pools_share_what_is_committed() -> None:
    folded_bill = made(3, pool("general", minCount=2, maxCount=3, nodeTaints=None))
    names = ("system, committed", "general, committed", "general")
    amounts = [it.amount.expected for it in folded_bill.lines if it.name in names]
    assert amounts == pytest.approx([2 * 0.1 * HOURS, 0.1 * HOURS, PRICE * HOURS])
