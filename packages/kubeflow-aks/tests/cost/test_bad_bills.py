"""What a bill can't be made of: one line for each mistake, and all of them at once."""

from __future__ import annotations

from typing import Any

import pytest

from kubeflow_aks.cost.billing import bill
from kubeflow_aks.cost.figures import CostError
from kubeflow_aks.cost.stack import Resource, Stack
from tests.cost.examples import FixedMarket, pool, spot, stack, work

RATES = "a number from 0 to below 1, or a band of Azure's: 0-5, 5-10, 10-15, 15-20 or 20+"
NAN, INF = float("nan"), float("inf")


def problems(made: Stack, market: FixedMarket | None = None) -> list[str]:
    with pytest.raises(CostError) as caught:
        bill(made, market or FixedMarket())
    assert str(caught.value) == "\n".join(caught.value.problems)
    assert all("\n" not in line for line in caught.value.problems)
    return list(caught.value.problems)


@pytest.mark.parametrize(
    ("basis", "line"),
    [
        (
            {"workload": {"a\nb\u202e": work(pool="gpu")}},
            "workload.a\\nb\\u202e.pool: 'gpu' is not allowed; expected the name of a CPU or GPU pool: cpuspot",
        ),
        (
            {"workload": {"a": 5}},
            "costBasis.workload.a: 5 is not allowed; expected an object",
        ),
        (
            {"workload": {"a": work(hours=1e300)}},
            "costBasis.workload.a.hoursPerMonth: 1e+300 is not allowed; expected less than or equal to 1000000000000",
        ),
        (
            {"workload": {"a": work(stepsAtOnce=10**400)}},
            f"costBasis.workload.a.stepsAtOnce: 1{'0' * 78}… is not allowed; expected less than or equal to 5000",
        ),
        ({"cost": {"evictionRate": 1}}, f"costBasis.cost.evictionRate: 1 is not allowed; expected {RATES}"),
        (
            {"cost": {"evictionRate": -0.1}},
            f"costBasis.cost.evictionRate: -0.1 is not allowed; expected {RATES}",
        ),
        (
            {"cost": {"evictionRate": NAN}},
            f"costBasis.cost.evictionRate: nan is not allowed; expected {RATES}",
        ),
        (
            {"cost": {"evictionRate": "5"}},
            f"costBasis.cost.evictionRate: '5' is not allowed; expected {RATES}",
        ),
        (
            {"cost": {"evictionRate": True}},
            f"costBasis.cost.evictionRate: True is not allowed; expected {RATES}",
        ),
        (
            {"cost": {"pools": {"cpuspot": {"evictionRate": "0-50"}}}},
            f"costBasis.cost.pools.cpuspot.evictionRate: '0-50' is not allowed; expected {RATES}",
        ),
        (
            {"cost": {"soldOutShare": 1}},
            "costBasis.cost.soldOutShare: 1 is not allowed; expected less than 1",
        ),
        (
            {"cost": {"model": "monthly"}},
            "costBasis.cost.model: 'monthly' is not allowed; expected 'hourly' or 'blog'",
        ),
        (
            {"cost": {"usage": {"logsGib": INF}}},
            "costBasis.cost.usage.logsGib: inf is not allowed; expected a finite number",
        ),
        ({"budget": {"monthly": 0}}, "costBasis.budget.monthly: 0 is not allowed; expected greater than 0"),
        (
            {"workload": {"a": work(hours=NAN)}},
            "costBasis.workload.a.hoursPerMonth: nan is not allowed; expected a finite number",
        ),
        (
            {"workload": {"a": work(step=0)}},
            "costBasis.workload.a.stepHours: 0 is not allowed; expected greater than 0",
        ),
        (
            {"workload": {"a": work(retries=-1)}},
            "costBasis.workload.a.retries: -1 is not allowed; expected greater than or equal to 0",
        ),
        (
            {"workload": {"a": {"pool": "cpuspot", "stepHours": 1}}},
            "costBasis.workload.a.hoursPerMonth: None is not allowed; expected a value",
        ),
        (
            {"officeHours": {"days": ["monday"], "from": "19:00", "to": "07:00"}},
            "costBasis.officeHours.to: 07:00 is not allowed; expected a time after 19:00",
        ),
        (
            {"workload": {"a": work(pool="gpu")}},
            "workload.a.pool: 'gpu' is not allowed; expected the name of a CPU or GPU pool: cpuspot",
        ),
        (
            {"workload": {"a": work(pool="system")}},
            "workload.a.pool: 'system' is not allowed; expected the name of a CPU or GPU pool: cpuspot",
        ),
        (
            {"cost": {"pools": {"system": {"soldOutShare": 0.1}}}},
            "cost.pools.system: 'system' is not allowed; expected the name of a spot pool: cpuspot",
        ),
    ],
)
def test_a_basis_of_others_may_be_wrong(basis: dict[str, Any], line: str) -> None:
    assert problems(stack(spot("cpuspot"), basis=basis)) == [line]


def test_every_mistake_is_reported_at_once() -> None:
    basis: dict[str, Any] = {
        "cost": {"evictionRate": 2},
        "budget": {"monthly": -1},
        "workload": {"a": work(step=-1)},
    }
    assert len(problems(stack(spot("cpuspot"), basis=basis))) == 3
    basis = {"workload": {"a": work(pool="x"), "b": work(pool="y")}, "cost": {"pools": {"z": {}}}}
    assert len(problems(stack(spot("cpuspot"), basis=basis))) == 3


def test_every_price_that_is_missing_is_reported_once() -> None:
    made = stack(spot("one", "Standard_X1"), spot("two", "Standard_X1"), spot("three", "Standard_X2"))
    basis = {"workload": {name: work(pool=name) for name in ("one", "two", "three")}}
    made = Stack(made.name, made.resources, {**made.outputs, "costBasis": basis})
    expected = "cost.prices: no price of {} in uksouth is not allowed; expected one"
    assert problems(made) == [expected.format("Standard_X1"), expected.format("Standard_X2")]


def test_a_service_without_a_price_is_reported() -> None:
    made = stack(spot("cpuspot"), sku={"tier": "Gold"})
    assert problems(made) == ["meter: control-plane-gold is not allowed; expected one that has a price"]


@pytest.mark.parametrize("basis", [[], "x", 1, {"cost": None}, {"workload": []}])
def test_a_basis_of_another_form_is_reported(basis: object) -> None:
    made = stack(spot("cpuspot"))
    [line] = problems(Stack(made.name, made.resources, {"costBasis": basis}))
    assert line.startswith("costBasis")
    assert "is not allowed; expected" in line


@pytest.mark.parametrize(
    ("wire", "line"),
    [
        (
            {"minCount": 10**400},
            "a.minCount, maxCount: None, 100 is not allowed; expected two counts, the smaller first",
        ),
        ({"vmSize": None}, "a.vmSize: None is not allowed; expected the name of a VM size"),
        (
            {"minCount": 5, "maxCount": 2},
            "a.minCount, maxCount: 5, 2 is not allowed; expected two counts, the smaller first",
        ),
        (
            {"maxCount": None},
            "a.minCount, maxCount: 0, None is not allowed; expected two counts, the smaller first",
        ),
        (
            {"maxCount": 2.46e305},
            "a.minCount, maxCount: 0, None is not allowed; expected two counts, the smaller first",
        ),
    ],
)
def test_a_pool_with_too_little_is_reported(wire: dict[str, Any], line: str) -> None:
    assert problems(stack({**pool("a"), **wire})) == [line]


def test_a_stack_without_a_cluster_is_reported() -> None:
    assert problems(Stack("none", (), {})) == [
        "none: 0 clusters are not allowed; expected one ManagedCluster"
    ]


def test_a_cluster_of_unknown_region_is_reported() -> None:
    [line] = problems(stack(location=None))
    assert line == (
        "location: None is not allowed; expected the name of an Azure region, on the cluster, its resource group "
        "or as location in the output costBasis"
    )


def test_a_cluster_without_region_is_where_its_resource_group_is() -> None:
    group = Resource("azure-native:resources:ResourceGroup", "team", {"location": "uksouth"})
    assert bill(stack(location=None, others=(group,)), FixedMarket()).region == "uksouth"
    assert len(problems(stack(location=None, others=(group, group)))) == 1


def test_the_region_of_the_basis_stands_in_for_one_that_only_up_knows() -> None:
    monthly_bill = bill(stack(location=None, basis={"location": "uksouth"}), FixedMarket())
    assert monthly_bill.region == "uksouth"


def test_a_program_of_before_is_billed_from_the_defaults() -> None:
    made = stack(spot("cpuspot"), others=(Resource("azure-native:dashboard:Grafana", "x", {}),))
    monthly_bill = bill(Stack(made.name, made.resources, {}), FixedMarket())
    assert (
        monthly_bill.warnings[0]
        == "the program has no output `costBasis`: this bill is made from the defaults"
    )
    assert "resources without a price here: azure-native:dashboard:Grafana" in monthly_bill.left_out
    assert [(it.name, it.useful, it.assumed) for it in monthly_bill.work] == [
        ("preparation", 2000, True),
        ("features", 1000, True),
        ("training", 400, True),
    ]
