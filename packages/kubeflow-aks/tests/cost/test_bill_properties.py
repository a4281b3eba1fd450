"""What holds for every bill: sums, ranges, and which way it moves."""

from __future__ import annotations

import json
import math
from collections.abc import Generator
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from kubeflow_aks.cost.bill import Bill
from kubeflow_aks.cost.billing import Account, bill
from kubeflow_aks.cost.figures import EvictionRate, Range, Source, total
from kubeflow_aks.cost.model import overflow
from kubeflow_aks.cost.report.document import SCHEMA, document
from kubeflow_aks.cost.report.page import page
from kubeflow_aks.cost.report.what_if import at_prices
from kubeflow_aks.cost.stack import Stack
from kubeflow_aks.text.markdown import markdown
from tests.cost.examples import FixedMarket, pool, spot, stack, work

VALID: Any = Draft202012Validator(json.loads(SCHEMA.read_text(encoding="utf-8")))
RATES = st.one_of(st.floats(0, 0.9), st.sampled_from(["0-5", "5-10", "10-15", "15-20", "20+"]))
MINUTES = st.one_of(st.just(0.0), st.floats(0.01, 600))
WORK: st.SearchStrategy[Any] = st.fixed_dictionaries(
    {
        "pool": st.sampled_from(["cpuspot", "bare", "plain"]),
        "hoursPerMonth": st.floats(0.01, 1e5),
        "stepHours": st.floats(0.01, 200),
    },
    optional={
        "checkpointMinutes": st.floats(1, 600),
        "checkpointWriteMinutes": MINUTES,
        "restartMinutes": MINUTES,
        "retries": st.integers(0, 50),
        "retryWaitMinutes": MINUTES,
        "deadlineHours": st.floats(0.1, 500),
        "stepsAtOnce": st.integers(1, 100),
    },
)
BASES: st.SearchStrategy[dict[str, Any]] = st.fixed_dictionaries(
    {"workload": st.dictionaries(st.sampled_from("abcd"), WORK, max_size=4)},
    optional={
        "cost": st.fixed_dictionaries(
            {},
            optional={
                "model": st.sampled_from(["hourly", "blog"]),
                "evictionRate": RATES,
                "soldOutShare": st.floats(0, 0.99),
                "pools": st.dictionaries(
                    st.sampled_from(["cpuspot", "bare"]),
                    st.fixed_dictionaries(
                        {}, optional={"evictionRate": RATES, "soldOutShare": st.floats(0, 0.99)}
                    ),
                ),
                "usage": st.fixed_dictionaries(
                    {"outboundGib": st.floats(0, 1e6), "logsGib": st.floats(0, 1e4)}
                ),
            },
        ),
        "officeHours": st.sampled_from(
            [{"days": ["monday", "friday"], "from": "07:00", "to": to} for to in ("07:30", "12:00", "19:30")]
        ),
        "budget": st.fixed_dictionaries({"monthly": st.floats(1, 1e6)}),
    },
)
MARKETS = st.builds(
    FixedMarket,
    sizes=st.fixed_dictionaries(
        {
            "Standard_D4s_v3": st.tuples(st.floats(0.1, 10), st.floats(0.001, 12)),
            "Standard_D8s_v3": st.tuples(st.floats(0.1, 10), st.just(1.0)),
        }
    ),
    spread=st.floats(0, 0.9),
)


@pytest.fixture(scope="module", autouse=True)
def few_months() -> Generator[None]:
    """Few short months of full pools: here their figures need not be close."""
    with pytest.MonkeyPatch.context() as patch:
        for name, number in {"_LEAST_ROWS": 2, "_STARTS": 60, "_LONGEST": 30}.items():
            patch.setattr(overflow, name, number)
        yield
    overflow.forget()


def made(basis: dict[str, Any], least: int = 0, limit: float = -1, **most: Any) -> Stack:
    """A stack with a spot pool that has a fallback of another size, one that has none, and one on demand."""
    return stack(
        spot("cpuspot", osDiskType="Managed", minCount=least, **most) | {"spotMaxPrice": limit},
        pool("cpuod", "Standard_D8s_v3", osDiskType="Managed", nodeTaints=["f=t:NoSchedule"], **most),
        spot("bare", work="bare", **most),
        pool("plain", "Standard_D8s_v3", **most),
        basis=basis,
        fallbacks={"cpuspot": "cpuod"} | ({"bare": "cpuod"} if most else {}),
    )


def at(rate: float) -> dict[str, EvictionRate]:
    """One eviction rate for both spot pools."""
    return dict.fromkeys(("cpuspot", "bare"), EvictionRate(Range.exactly(rate), Source("a test")))


def ordered(amount: Range) -> bool:
    """Whether it is; chances to miss a deadline are exact to about 1e-6."""
    low, expected, high = amount.low, amount.expected, amount.high
    return low >= 0 and low <= expected * (1 + 1e-9) + 1e-6 and expected <= high * (1 + 1e-9) + 1e-6


def every_range(bill_of_stack: Bill) -> list[Range]:
    ranges = [
        amount
        for line in bill_of_stack.lines
        for amount in (line.amount, line.on_demand, line.hours)
        if amount
    ]
    ranges += [
        amount
        for it in bill_of_stack.work
        for amount in (it.multiple, it.evictions, it.amount, it.fails, it.misses)
        if amount
    ]
    return ranges


@settings()
@given(BASES, MARKETS, st.integers(0, 3), st.sampled_from([-1, 0.5]), st.integers(0, 3))
def test_a_bill_is_the_sum_of_its_lines_each_line_multiplies_and_no_range_is_the_wrong_way_round(
    basis: dict[str, Any], market: FixedMarket, least: int, limit: float, vms: int
) -> None:
    commitments = {"Standard_D4s_v3": {"vms": vms, "hourly": 0.1}} if vms else {}
    basis = basis | {"cost": {**basis.get("cost", {}), "commitments": commitments}}
    monthly_bill = bill(made(basis, least, limit), market)
    for line in monthly_bill.lines:
        assert (line.hours is None) == (line.hourly is None)
        if line.hours and line.hourly and math.isfinite(line.hours.expected):
            amount = line.hours.expected * line.hourly.expected
            assert line.amount.expected == pytest.approx(amount, rel=1e-6, abs=1e-6), line.name
    assert all(map(ordered, every_range(monthly_bill)))
    parts = total(monthly_bill.amount(part) for part in ("home", "batch", "fixed"))
    assert (
        math.isclose(parts.expected, monthly_bill.amount().expected, rel_tol=1e-9)
        or parts.expected == math.inf
    )
    assert monthly_bill.amount().expected > 0
    assert not any(
        math.isnan(end)
        for amount in every_range(monthly_bill)
        for end in (amount.low, amount.expected, amount.high)
    )


@settings()
@given(BASES, MARKETS)
def test_each_bill_keeps_its_contract_and_can_be_printed(basis: dict[str, Any], market: FixedMarket) -> None:
    monthly_bill = bill(made(basis), market)
    written = json.loads(json.dumps(document(monthly_bill), allow_nan=False))
    VALID.validate(written)
    assert written["viable"] == math.isfinite(monthly_bill.amount().expected)
    text = markdown(page(monthly_bill), "")
    assert not any(word in text for word in ("nan", "inf ", "1e+", "None"))


@settings()
@given(BASES, MARKETS, st.lists(st.floats(0, 0.99), min_size=2, max_size=4))
def test_more_evictions_never_cost_less(
    basis: dict[str, Any], market: FixedMarket, rates: list[float]
) -> None:
    """Where the fallback costs no less than spot, for evictions move work there while spot is sold out.

    The more often work is evicted the sooner it is there, so what moves costs at least as much as without evictions. No
    pool is full: what is played has chance in it.
    """
    (on_demand, price), (fallback, other) = market.sizes.values()
    market = replace(
        market,
        sizes={
            "Standard_D4s_v3": (on_demand, min(price, fallback)),
            "Standard_D8s_v3": (fallback, other),
        },
    )
    accuracy = 1e-5 if "officeHours" in basis else 1e-9  # evenings are worked out on a lattice
    roomy = made(basis, maxCount=10**9)
    bills = [bill(roomy, market, observed=at(rate)) for rate in sorted([0.0, *rates])]
    for less, more in pairwise(bills):
        moves = any(work.fallback for one in (less, more) for work in one.work)
        least = (bills[0] if moves else less).amount().expected
        assert least <= more.amount().expected * (1 + accuracy)
        assert math.isclose(less.on_demand().expected, more.on_demand().expected, rel_tol=1e-9)


@settings()
@given(BASES, MARKETS)
def test_a_dearer_spot_price_never_costs_less(basis: dict[str, Any], market: FixedMarket) -> None:
    amounts = [it.amount().expected for it in at_prices(Account(made(basis), market)).values()]
    assert all(less <= more * (1 + 1e-9) for less, more in pairwise(amounts[:-1]))


@settings()
@given(BASES, MARKETS)
def test_dearer_home_pools_cost_more(basis: dict[str, Any], market: FixedMarket) -> None:
    dearer = replace(market, sizes={size: (od * 2, price) for size, (od, price) in market.sizes.items()})
    assert (
        bill(made(basis), market).amount("home").expected < bill(made(basis), dearer).amount("home").expected
    )


def test_work_that_costs_the_same_is_billed_the_same_wherever_it_stands() -> None:
    one = bill(made({"workload": {"a": work(hours=300)}}), FixedMarket(sizes=SIZES))
    three = bill(made({"workload": {name: work(hours=100) for name in "abc"}}), FixedMarket(sizes=SIZES))
    assert math.isclose(one.amount("batch").expected, three.amount("batch").expected, rel_tol=1e-12)


SIZES = {"Standard_D4s_v3": (0.232, 0.0487), "Standard_D8s_v3": (0.464, 0.1)}
