"""What a stack may say of prices and evictions, and of the hours in which it runs."""

from typing import Any

import pytest

from program.planning.cost_basis import cost_basis
from program.planning.rules import cost, office_hours
from tests.program.planning.small_stack import TODAY, refused, settings

SIZE = "Standard_D8ds_v5"
DAY = TODAY.isoformat()


def problems(**cost_settings: Any) -> list[str]:
    return refused(cost.cost_problems(settings(cost=cost_settings), TODAY))


def price_warnings(size: str, **price: Any) -> list[str]:
    return list(cost.cost_warnings(settings(cost={"prices": {size: {"asOf": DAY, **price}}})))


@pytest.mark.parametrize(("pool", "refusals"), [("cpuspot", []), ("cpuod", 1), ("general", 1), ("x", 1)])
def test_evictions_are_those_of_a_spot_pool(pool: str, refusals: Any) -> None:
    assert problems(pools={pool: {"evictionRate": 0.1}}) == [f"cost.pools.{pool}"] * (refusals or 0)


@pytest.mark.parametrize(
    ("price", "keys"),
    [
        ({"spot": 0.1, "asOf": "2026-11-20"}, []),
        ({"onDemand": 0.1, "asOf": "2020-01-01"}, []),
        ({"spot": 0.1, "asOf": "2026-11-21"}, [f"cost.prices.{SIZE}.asOf"]),
        ({"asOf": "2026-11-20"}, [f"cost.prices.{SIZE}"]),
    ],
)
def test_a_price_is_one_of_the_past(price: dict[str, Any], keys: list[str]) -> None:
    assert problems(prices={SIZE: price}) == keys


@pytest.mark.parametrize(
    ("size", "price"),
    [(SIZE, {"spot": 0.1}), ("Standard_D4s_v5", {"onDemand": 0.1}), (SIZE, {"spot": 0.3, "onDemand": 0.3})],
)
def test_prices_of_sizes_in_use_need_no_warning(size: str, price: dict[str, Any]) -> None:
    assert price_warnings(size, **price) == []


def test_a_price_of_a_size_that_no_pool_has_is_warned_of() -> None:
    [warning] = price_warnings("Standard_E8ds_v5", onDemand=1)
    assert warning == (
        "cost.prices.Standard_E8ds_v5 is of a size that no pool has, so it counts nowhere; leave it out"
    )
    [warning] = price_warnings("standard_d8ds_v5", onDemand=1)
    assert warning.endswith("did you mean Standard_D8ds_v5?")


def commitment(size: str) -> dict[str, Any]:
    return {"commitments": {size: {"vms": 2, "hourly": 0.1, "asOf": "2026-11-21"}}}


def test_a_commitment_is_one_of_the_past_and_of_a_size_on_demand() -> None:
    assert problems(**commitment("Standard_D8s_v5")) == ["cost.commitments.Standard_D8s_v5.asOf"]
    assert list(cost.cost_warnings(settings(cost=commitment("Standard_D8s_v5")))) == []
    [spot_only] = cost.cost_warnings(settings(cost=commitment("Standard_E8ds_v5")))
    assert spot_only == (
        "cost.commitments.Standard_E8ds_v5 is of a size that no pool on demand has, so it is paid for and not used; "
        "leave it out"
    )
    [misspelt] = cost.cost_warnings(settings(cost=commitment("standard_d8s_v5")))
    assert misspelt.endswith("did you mean Standard_D8s_v5?")


@pytest.mark.parametrize("price", [{"spot": 0.4, "onDemand": 0.3}, {"spot": 9}])
def test_spot_that_costs_more_than_on_demand_is_warned_of(price: dict[str, Any]) -> None:
    [warning] = price_warnings(SIZE, **price)
    assert warning.startswith(f"cost.prices.{SIZE}.spot is {price['spot']}: an hour on demand costs 0.")


def test_a_list_price_in_another_currency_judges_nothing() -> None:
    yen = {"currency": "JPY", "prices": {SIZE: {"asOf": DAY, "spot": 9}}}
    assert list(cost.cost_warnings(settings(cost=yen))) == []


def hours(**fields: Any) -> list[str]:
    stack = settings(officeHours={"timeZone": "Europe/London", **fields})
    return refused(office_hours.office_hour_problems(stack))


@pytest.mark.parametrize(
    ("fields", "keys"),
    [
        ({}, []),
        ({"timeZone": "UTC", "days": ["Sunday"], "from": "00:00", "to": "23:59"}, []),
        ({"timeZone": "Mars/Base"}, ["officeHours.timeZone"]),
        ({"days": []}, ["officeHours.days"]),
        ({"from": "19:00", "to": "07:00"}, ["officeHours.to"]),
        ({"from": "07:00", "to": "07:00"}, ["officeHours.to"]),
    ],
)
def test_office_hours_are_hours_of_a_day_somewhere(fields: dict[str, Any], keys: list[str]) -> None:
    assert hours(**fields) == keys


def test_where_the_machine_knows_no_time_zones_none_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(office_hours, "_time_zones", set[str])
    assert hours(timeZone="Mars/Base") == []


def test_office_hours_of_production_are_warned_of() -> None:
    warned = [
        list(
            office_hours.office_hour_warnings(
                settings(production=production, officeHours={"timeZone": "UTC"})
            )
        )
        for production in (False, True)
    ]
    assert [len(warnings) for warnings in warned] == [0, 1]


def test_a_stack_that_says_nothing_of_cost_exports_every_default() -> None:
    assert cost_basis(settings()) == {
        "production": False,
        "location": "westeurope",
        "workload": {},
        "cost": {
            "model": "hourly",
            "currency": "USD",
            "evictionRate": None,
            "soldOutShare": 0,
            "soldOutHours": 4,
            "pools": {},
            "prices": {},
            "commitments": {},
            "usage": {"storedGib": 0, "logsGib": 0, "outboundGib": 0},
        },
        "budget": None,
        "officeHours": None,
    }


def test_what_a_stack_states_itself_is_not_assumed_also_where_it_is_the_default() -> None:
    work = {"pool": "gpuspot", "hoursPerMonth": 400, "stepHours": 20, "restartMinutes": 6, "retries": 7}
    basis = cost_basis(settings(workload={"train": work}))["workload"]["train"]
    assert "restartMinutes" not in basis["assumed"]
    assert "retries" not in basis["assumed"]
    assert "retryWaitMinutes" in basis["assumed"]


@pytest.mark.parametrize(
    ("stated", "expected"),
    [
        ({"evictionRate": "20+"}, ["cost.evictionRate is 20+"]),
        ({"evictionRate": 0.2}, ["cost.evictionRate is 0.2"]),
        ({"evictionRate": "15-20"}, []),
        ({"evictionRate": 0.19}, []),
        ({"pools": {"gpuspot": {"evictionRate": "20+"}}}, ["cost.pools.gpuspot.evictionRate is 20+"]),
        ({"evictionRate": "20+", "pools": {of: {"evictionRate": 0.1} for of in ("cpuspot", "gpuspot")}}, []),
    ],
)
def test_a_rate_that_disturbs_most_work_is_reported(stated: dict[str, Any], expected: list[str]) -> None:
    lines = list(cost.cost_warnings(settings(cost=stated)))
    assert [line.partition(":")[0] for line in lines] == expected
    assert all("at best half of the steps of 3 hours run undisturbed" in line for line in lines)


def test_what_a_stack_says_of_cost_is_exported() -> None:
    basis = cost_basis(
        settings(
            workload={"train": {"pool": "gpuspot", "hoursPerMonth": 400, "stepHours": 20}},
            cost={
                "evictionRate": 0.1,
                "soldOutShare": 0.2,
                "pools": {"gpuspot": {"evictionRate": "5-10"}, "cpuspot": {"soldOutShare": 0}},
                "prices": {SIZE: {"spot": 0.1, "asOf": "2026-11-01"}},
            },
            budget={"monthly": 900, "startDate": "2026-12-01", "emails": ["ml@example.com"]},
            officeHours={"timeZone": "Europe/London", "days": ["Sunday", "Monday", "Sunday"]},
        )
    )
    assert basis["workload"]["train"] == {
        "pool": "gpuspot",
        "hoursPerMonth": 400,
        "stepHours": 20,
        "checkpointMinutes": None,
        "checkpointWriteMinutes": 2,
        "restartMinutes": 6,
        "retries": 5,
        "retryWaitMinutes": 5,
        "deadlineHours": None,
        "stepsAtOnce": 1,
        "nodesPerStep": 1,
        "elastic": False,
        "headPool": None,
        "returnToSpot": False,
        "assumed": [
            "checkpointMinutes",
            "checkpointWriteMinutes",
            "deadlineHours",
            "elastic",
            "headPool",
            "nodesPerStep",
            "restartMinutes",
            "retries",
            "retryWaitMinutes",
            "returnToSpot",
            "stepsAtOnce",
        ],
    }
    assert basis["cost"]["pools"] == {
        "gpuspot": {"evictionRate": "5-10", "soldOutShare": None, "soldOutHours": 4},
        "cpuspot": {"evictionRate": 0.1, "soldOutShare": 0, "soldOutHours": 4},
    }
    assert basis["cost"]["prices"] == {SIZE: {"onDemand": None, "spot": 0.1, "asOf": "2026-11-01"}}
    assert basis["budget"] == {"monthly": 900}
    assert basis["officeHours"] == {
        "timeZone": "Europe/London",
        "days": ["monday", "sunday"],
        "from": "07:00",
        "to": "19:00",
    }
