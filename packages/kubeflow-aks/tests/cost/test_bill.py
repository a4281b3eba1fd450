"""The content of a bill: fallbacks, idle and home nodes, facilities, office hours, and its notes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from kubeflow_aks.cost.bill import Bill, Line
from kubeflow_aks.cost.billing import Account, bill
from kubeflow_aks.cost.figures import HOURS_A_MONTH, CostError, Range
from kubeflow_aks.cost.reading import hours
from kubeflow_aks.cost.report.page import prices_and_rates
from kubeflow_aks.cost.report.what_if import what_if
from kubeflow_aks.cost.stack import Resource
from kubeflow_aks.text.blocks import Paragraph, Table
from tests.cost.examples import SYSTEM, FixedMarket, pool, spot, stack, work

SIZES = {"Standard_D4s_v3": (0.232, 0.0487), "Standard_D8s_v3": (0.464, 0.1), "Standard_X": (1.0, 0.5)}


def line(bill_of_stack: Bill, name: str) -> Line:
    return next(it for it in bill_of_stack.lines if it.name == name)


def calm(**more: Any) -> dict[str, Any]:
    """Work that restarts at once, so that hours are round where nothing is evicted."""
    return work(hours=1000, step=2, restartMinutes=0, **more)


def test_what_spot_cannot_give_runs_on_the_fallback_at_its_own_size_and_price() -> None:
    pools = (spot("cpuspot"), pool("cpuod", "Standard_D8s_v3"))
    basis = {"workload": {"a": calm()}, "cost": {"evictionRate": 0, "soldOutShare": 0.25}}
    monthly_bill = bill(stack(*pools, basis=basis, fallbacks={"cpuspot": "cpuod"}), FixedMarket(SIZES))
    spot_line, twin = line(monthly_bill, "cpuspot"), line(monthly_bill, "cpuod")
    assert spot_line.hours
    assert twin.hours
    assert (spot_line.hours.expected, twin.hours.expected) == (750, 250)
    assert spot_line.amount.expected == pytest.approx(750 * 0.0487)
    assert twin.amount.expected == pytest.approx(250 * 0.464)
    assert monthly_bill.on_demand("batch").expected == pytest.approx(1000 * 0.464)
    [result] = monthly_bill.work
    assert result.amount.expected == pytest.approx(monthly_bill.amount("batch").expected)
    assert result.waits == 0


@pytest.mark.parametrize(
    ("moves", "agrees", "spot_price"),
    [(False, True, 0.1), (True, False, 0.1), (True, True, 0.1), (True, True, 0.45)],
    ids=["off", "without the label", "moved", "spot too dear"],
)
def test_work_that_returns_to_spot_is_billed_so_where_it_agrees(
    moves: bool, agrees: bool, spot_price: float
) -> None:
    workload = {"a": work(hours=2000, step=40, checkpointMinutes=60, returnToSpot=agrees)}
    cost = {"evictionRate": 0.01, "soldOutShare": 0.25}
    made = stack(
        spot("cpuspot"),
        pool("cpuod"),
        basis={"workload": workload, "cost": cost},
        fallbacks={"cpuspot": "cpuod"},
    )
    outputs = {**made.outputs, "clusterBasis": {"kubeflow": {"returnToSpot": moves}}}
    monthly_bill = bill(replace(made, outputs=outputs), FixedMarket({"Standard_D4s_v3": (0.5, spot_price)}))
    [cost_of_work] = monthly_bill.work
    fallback = line(monthly_bill, "cpuod").hours
    assert fallback
    notes = [note for note in cost_of_work.notes if note.startswith("`kubeflow.returnToSpot` moves ")]
    if moves and agrees and spot_price < 0.4:
        assert fallback.expected < 0.6 * 2000 * 0.25
        assert notes == [
            (
                f"`kubeflow.returnToSpot` moves {cost_of_work.returned:.0f} hours a month from cpuod back to cpuspot, "
                f"where work since the last checkpoint and restarts take {cost_of_work.redone:.0f} hours more"
            )
        ]
        assert 0.1 < cost_of_work.redone < 0.1 * cost_of_work.returned
    else:
        assert fallback.expected > 0.9 * 2000 * 0.25
        assert not notes
    left_out = (
        "what `kubeflow.returnToSpot` moves of a from cpuod back to spot: `workload.a.returnToSpot` is false"
    )
    assert (left_out in monthly_bill.left_out) == (moves and not agrees)


def test_without_a_fallback_the_work_waits_and_that_is_reported() -> None:
    basis = {"workload": {"a": calm()}, "cost": {"evictionRate": 0, "soldOutShare": 0.2}}
    monthly_bill = bill(stack(spot("cpuspot"), basis=basis), FixedMarket())
    assert line(monthly_bill, "cpuspot").hours == Range.exactly(1000)
    [result] = monthly_bill.work
    assert result.waits == pytest.approx(500 * 0.2 * 4, rel=0.05)  # a fifth of the steps, each for 4 h
    assert result.notes[-1] == (
        f"cpuspot has no fallback: its steps wait {result.waits:.0f} hours a month in all for nodes"
    )


def test_a_pools_own_share_and_rate_go_before_the_stacks() -> None:
    cost = {
        "evictionRate": 0.2,
        "soldOutShare": 0.5,
        "pools": {"cpuspot": {"evictionRate": 0, "soldOutShare": 0}},
    }
    monthly_bill = bill(
        stack(spot("cpuspot"), basis={"workload": {"a": calm()}, "cost": cost}), FixedMarket()
    )
    assert line(monthly_bill, "cpuspot").hours == Range.exactly(1000)
    assert monthly_bill.rates["cpuspot"].rate == Range.exactly(0)


def test_nodes_idle_after_each_burst_on_both_sides_of_the_comparison() -> None:
    profile = {"scaleDownUnneededTime": "10m", "scanInterval": "0s"}
    basis = {"workload": {"a": calm(stepsAtOnce=5)}, "cost": {"evictionRate": 0}}
    monthly_bill = bill(stack(spot("cpuspot"), basis=basis, autoScalerProfile=profile), FixedMarket())
    idle = line(monthly_bill, "cpuspot").hours
    assert idle
    assert 1000 < idle.expected <= 1000 + 500 * (10 / 60 + 7 / 3600)
    assert monthly_bill.on_demand("batch").expected == pytest.approx(idle.expected * 0.232)


def test_home_pools_run_at_their_minimum_up_to_their_maximum() -> None:
    system = {**SYSTEM, "minCount": 1, "maxCount": 3}
    general = pool("general", nodeTaints=[], minCount=2, maxCount=2, enableAutoScaling=False, count=2)
    monthly_bill = bill(stack(general, agentPoolProfiles=[system]), FixedMarket())
    assert line(monthly_bill, "system").hours == Range(HOURS_A_MONTH, HOURS_A_MONTH, 3 * HOURS_A_MONTH)
    assert line(monthly_bill, "system").nodes == "1–3 × D4s_v3"
    assert line(monthly_bill, "OS disks of system").amount.expected == pytest.approx(19.71)


def test_outside_office_hours_nodes_and_control_plane_cost_nothing_and_the_rest_goes_on() -> None:
    basis = {"officeHours": {"days": ["monday", "tuesday"], "from": "08:00", "to": "16:24", "timeZone": "x"}}
    always, monthly_bill = bill(stack(), FixedMarket()), bill(stack(basis=basis), FixedMarket())
    for name in ("system", "OS disks of system", "control plane"):
        assert line(monthly_bill, name).amount.expected == pytest.approx(
            0.1 * line(always, name).amount.expected
        )
    for name in ("load balancer", "public addresses"):
        assert line(monthly_bill, name) == line(always, name)


OFFICE = {"days": ["monday", "tuesday"], "from": "07:00", "to": "19:00", "timeZone": "x"}


def test_what_evenings_cut_off_is_billed_and_reported() -> None:
    """A step of 2 h begins too late in a sixth of a day of 12 h, and then loses an hour."""
    basis = {"workload": {"a": calm()}, "cost": {"evictionRate": 0}, "officeHours": OFFICE}
    monthly_bill = bill(stack(spot("cpuspot"), basis=basis), FixedMarket())
    hours = line(monthly_bill, "cpuspot").hours
    assert hours
    assert hours.expected == pytest.approx(1000 * (1 + 1 / 12))
    assert monthly_bill.on_demand("batch").expected == pytest.approx(hours.expected * 0.232)
    [result] = monthly_bill.work
    assert (result.evenings, result.cut_off) == (pytest.approx(500 / 6), pytest.approx(1000 / 12))
    assert result.stops_paying_at == pytest.approx(0.232)
    assert result.notes[0] == (
        "each evening stops what runs: 83 times a month a step loses what it has not saved, for which 83 more hours "
        "are billed; a retry is used up each time"
    )


def test_evenings_cut_off_work_on_demand_and_on_a_fallback_too() -> None:
    pools = (spot("cpuspot"), pool("cpuod"), pool("plain"))
    workload = {"a": calm(), "b": calm(pool="plain")}
    cost = {"evictionRate": 0, "soldOutShare": 0.25}
    basis = {"workload": workload, "cost": cost, "officeHours": OFFICE}
    monthly_bill = bill(stack(*pools, basis=basis, fallbacks={"cpuspot": "cpuod"}), FixedMarket())
    for name, part in (("cpuspot", 0.75), ("cpuod", 0.25), ("plain", 1)):
        hours = line(monthly_bill, name).hours
        assert hours
        assert hours.expected == pytest.approx(part * 1000 * 13 / 12)
    assert [it.evenings for it in monthly_bill.work] == pytest.approx([500 / 6] * 2)


def test_what_has_no_room_in_a_day_is_never_done_and_that_is_reported() -> None:
    """The program refuses a step longer than a day; one that leaves no time for a restart it does not."""
    basis = {"workload": {"a": work(hours=1000, step=11.95)}, "officeHours": OFFICE}
    monthly_bill = bill(stack(spot("cpuspot"), basis=basis), FixedMarket())
    [result] = monthly_bill.work
    assert result.notes[0].startswith(
        "never done: the work of a step between two checkpoints and a restart take longer than a day"
    )
    assert not any("nearly every try" in sentence for sentence in result.notes)
    assert monthly_bill.amount().expected == float("inf")
    assert monthly_bill.on_demand().expected < 2000


def test_a_step_with_fewer_retries_than_evenings_is_reported() -> None:
    basis = {
        "workload": {"a": work(hours=1000, step=50, checkpointMinutes=60, retries=3)},
        "cost": {"evictionRate": 0},
        "officeHours": OFFICE,
    }
    [result] = bill(stack(spot("cpuspot"), basis=basis), FixedMarket()).work
    assert result.notes[1] == "a step meets 4.5 evenings and has 3 retries: most fail; raise `retries`"


def test_the_blogs_model_leaves_evenings_out_and_says_so() -> None:
    basis = {"workload": {"a": calm()}, "cost": {"model": "blog"}, "officeHours": OFFICE}
    monthly_bill = bill(stack(spot("cpuspot"), basis=basis), FixedMarket())
    assert line(monthly_bill, "cpuspot").hours == Range.exactly(1050)
    assert "work that evenings cut off: `cost.model` blog has no hours of a day" in monthly_bill.left_out


def test_bursts_within_office_hours_come_closer_together() -> None:
    profile = {"scaleDownUnneededTime": "2h", "scanInterval": "0s"}
    sentence = {"workload": {"a": calm()}, "cost": {"evictionRate": 0}}
    always, monthly_bill = (
        bill(stack(spot("cpuspot"), basis=basis, autoScalerProfile=profile), FixedMarket())
        for basis in (sentence, {**sentence, "officeHours": OFFICE})
    )
    idle = [line(it, "cpuspot").hours for it in (always, monthly_bill)]
    assert idle[0]
    assert idle[1]
    assert idle[1].expected - 1000 * 13 / 12 < idle[0].expected - 1000


def test_a_batch_pool_that_keeps_nodes_pays_for_them_where_its_work_needs_fewer() -> None:
    basis = {"workload": {"a": calm()}, "cost": {"evictionRate": 0}}
    bills = [bill(stack(spot("cpuspot", minCount=count), basis=basis), FixedMarket()) for count in (1, 10)]
    [one, ten] = [it.hours.expected for of in bills if (it := line(of, "cpuspot")).hours]
    assert ten == pytest.approx(10 * HOURS_A_MONTH)
    assert (
        0.5 * HOURS_A_MONTH < one - HOURS_A_MONTH < 0.9 * HOURS_A_MONTH
    )  # 1.37 nodes: the one is idle at times


def test_work_beyond_a_pools_maximum_is_reported_with_the_figures() -> None:
    basis = {"workload": {"a": calm()}, "cost": {"evictionRate": 0}}
    monthly_bill = bill(stack(spot("cpuspot", maxCount=1), basis=basis), FixedMarket())
    [result] = monthly_bill.warnings
    assert result == (
        "pools.cpuspot.maxCount is 1: its work needs 1,000 node hours a month and the pool gives 730; raise it, or the "
        "work is not done within the month"
    )
    assert bill(stack(spot("cpuspot", maxCount=2), basis=basis), FixedMarket()).warnings == ()


def test_a_price_limit_below_the_spot_price_is_reported() -> None:
    basis = {"workload": {"a": calm()}}
    limited = {**spot("cpuspot"), "spotMaxPrice": 0.04}
    [result] = bill(stack(limited, basis=basis), FixedMarket()).warnings
    assert result.startswith("pools.cpuspot.maxPrice is 0.04: spot is expected to cost 0.0487")
    assert not bill(stack({**limited, "spotMaxPrice": 0.05}, basis=basis), FixedMarket()).warnings


def test_work_of_a_pool_whose_nodes_never_start_is_billed_on_the_fallback_at_its_price() -> None:
    basis = {"workload": {"a": calm()}}
    limited = {**spot("cpuspot", minCount=2), "spotMaxPrice": 0.04}
    pools = (limited, pool("cpuod", "Standard_D8s_v3"))
    monthly_bill = bill(stack(*pools, basis=basis, fallbacks={"cpuspot": "cpuod"}), FixedMarket(SIZES))
    assert [(it.name, it.hours) for it in monthly_bill.lines if it.part == "batch"] == [
        ("cpuod", Range.exactly(1000))
    ]
    assert monthly_bill.amount("batch") == monthly_bill.on_demand("batch") == Range.exactly(464)
    [warning] = monthly_bill.warnings
    assert warning == (
        "pools.cpuspot.maxPrice is 0.04: spot is expected to cost 0.0487, so its Standard_D4s_v3 would not start; its "
        "work runs on cpuod instead; raise it"
    )


def test_work_of_a_pool_whose_nodes_never_start_is_never_done_without_a_fallback() -> None:
    limited = {**spot("cpuspot"), "spotMaxPrice": 0.04}
    monthly_bill = bill(stack(limited, basis={"workload": {"a": calm()}}), FixedMarket())
    assert monthly_bill.amount().expected == float("inf")
    assert monthly_bill.warnings[0].endswith("would not start; its work waits for ever; raise it")


def test_a_size_that_never_starts_is_skipped_and_the_row_has_the_mean_price_of_the_others() -> None:
    names = ("cpuspot", "cpuspotb", "cpuspotc")
    sizes = zip(names, ("Standard_X", "Standard_D4s_v3", "Standard_D8s_v3"), strict=True)
    made = stack(
        *(spot(name, size) | {"spotMaxPrice": 0.2} for name, size in sizes),
        basis={"workload": {"a": calm()}, "cost": {"evictionRate": 0, "soldOutShare": 0.25}},
    )
    for entry in made.outputs["poolContract"]:
        entry["pool"] = "cpuspot"
    monthly_bill = bill(made, FixedMarket(SIZES))
    row = line(monthly_bill, "cpuspot")
    assert row.hourly
    assert row.hourly.expected == pytest.approx(0.8 * 0.0487 + 0.2 * 0.1)
    assert monthly_bill.warnings[0].endswith("0.5000, so its Standard_X would not start; raise it")


def test_a_row_of_spot_above_on_demand_has_what_is_charged_and_says_why() -> None:
    market = FixedMarket({"Standard_D4s_v3": (0.2, 0.3)})
    row = line(bill(stack(spot("cpuspot"), basis={"workload": {"a": calm()}}), market), "cpuspot")
    assert row.hourly == Range.exactly(0.2)
    assert row.notes == (
        "a spot VM is quoted at 0.3000 an hour; Azure charges no more than the price on demand",
    )


def test_a_price_limit_is_in_dollars_whatever_the_bill_is_in() -> None:
    made = stack(spot("cpuspot") | {"spotMaxPrice": 0.04}, basis={"workload": {"a": calm()}})
    monthly_bill = bill(made, FixedMarket(currency="EUR"))
    free = bill(stack(spot("cpuspot"), basis={"workload": {"a": calm()}}), FixedMarket(currency="EUR"))
    assert line(monthly_bill, "cpuspot").amount == line(free, "cpuspot").amount
    [result] = monthly_bill.warnings
    assert result.startswith("pools.cpuspot.maxPrice is 0.04: that is USD and this bill is in EUR")


@pytest.mark.parametrize(
    ("model", "tables"), [("hourly", ["Evictions", "Spot price"]), ("blog", ["Spot price"])]
)
def test_what_changes_nothing_is_no_table(model: str, tables: list[str]) -> None:
    made = stack(spot("cpuspot"), basis={"workload": {"a": work()}, "cost": {"model": model}})
    assert [
        it.head[0] for it in what_if(Account(made, FixedMarket())).blocks if isinstance(it, Table)
    ] == tables
    [nothing] = what_if(Account(stack(), FixedMarket())).blocks
    assert isinstance(nothing, Paragraph)


def test_spot_never_costs_more_an_hour_than_on_demand() -> None:
    market = FixedMarket({"Standard_D4s_v3": (0.2, 0.15)}, spread=0.9)
    monthly_bill = bill(
        stack(spot("cpuspot"), basis={"workload": {"a": calm()}, "cost": {"evictionRate": 0}}), market
    )
    amount = line(monthly_bill, "cpuspot").amount
    assert (amount.low, amount.expected, amount.high) == pytest.approx((15, 150, 200))


def test_spot_that_costs_more_is_noted() -> None:
    market = FixedMarket({"Standard_D4s_v3": (0.2, 0.19)})
    basis = {"workload": {"a": work(hours=400, step=20)}, "cost": {"evictionRate": 0.05}}
    [result] = bill(stack(spot("cpuspot"), basis=basis), market).work
    assert result.notes[0].startswith("spot costs more here: $1")
    assert result.notes[1].startswith("its steps of 20 h are too long for spot without checkpoints")


def test_a_step_that_never_gets_done_is_noted_and_has_no_amount() -> None:
    basis = {"workload": {"a": work(hours=400, step=200)}, "cost": {"evictionRate": 0.2}}
    monthly_bill = bill(stack(spot("cpuspot"), basis=basis), FixedMarket())
    [result] = monthly_bill.work
    assert result.notes[0] == "never done: at 20 % an hour nearly every try at a step of 200 h is evicted"
    assert monthly_bill.amount().expected == float("inf")


def test_an_open_band_has_no_upper_end() -> None:
    basis = {"workload": {"a": work()}, "cost": {"evictionRate": "20+"}}
    monthly_bill = bill(stack(spot("cpuspot"), basis=basis), FixedMarket())
    assert monthly_bill.amount().high == float("inf")
    assert monthly_bill.amount().expected < 2000


def test_work_on_demand_is_no_spot_work() -> None:
    monthly_bill = bill(stack(pool("plain"), basis={"workload": {"a": calm(pool="plain")}}), FixedMarket())
    [result] = monthly_bill.work
    assert result.amount == result.on_demand == Range.exactly(232)
    assert (result.stops_paying_at, result.longest_step, dict(monthly_bill.rates)) == (None, None, {})


def test_facilities_are_counted_and_what_has_no_price_is_named() -> None:
    others = (
        Resource("azure-native:network:NatGateway", "nat", {}),
        Resource("azure-native:network:PublicIPAddress", "out", {}),
        Resource("azure-native:network:PublicIPAddress", "in", {}),
        Resource("azure-native:containerregistry:Registry", "acr", {"sku": {"name": "Basic"}}),
        Resource("azure-native:operationalinsights:Workspace", "logs", {}),
        Resource("azure-native:storage:StorageAccount", "data", {"sku": {"name": "Standard_LRS"}}),
        Resource("azure-native:cache:Redis", "x", {}),
        Resource("kubernetes:core/v1:Namespace", "y", {}),
    )
    network = {"outboundType": "userAssignedNATGateway", "loadBalancerSku": "standard"}
    usage = {"storedGib": 3000, "logsGib": 10, "outboundGib": 300}
    monthly_bill = bill(
        stack(others=others, networkProfile=network, basis={"cost": {"usage": usage}}), FixedMarket()
    )
    amounts = {it.name: round(it.amount.expected, 2) for it in monthly_bill.lines if it.part == "fixed"}
    assert amounts == {
        "control plane": 73.0,
        "load balancer": 18.25,
        "public addresses": 7.3,
        "NAT gateway": 32.85,
        "registry": 5.07,
        "storage": 60.0,
        "logs": 23.0,
        "traffic to the internet": 17.4,  # the first 100 are free
        "NAT gateway traffic": 13.5,
    }
    assert "resources without a price here: azure-native:cache:Redis" in monthly_bill.left_out


def test_what_a_stack_says_nothing_of_is_named() -> None:
    monthly_bill = bill(
        stack(spot("cpuspot"), pool("plain", work="other"), basis={"workload": {"a": work()}}), FixedMarket()
    )
    assert "work on plain: `workload` has none there" in monthly_bill.left_out
    assert "traffic to the internet: set `cost.usage.outboundGib` to count it" in monthly_bill.left_out


def test_what_azure_bills_beside_the_resources_is_named() -> None:
    quiet = bill(stack(spot("cpuspot")), FixedMarket()).left_out
    others = (
        Resource("azure-native:network:NatGateway", "nat", {}),
        Resource("azure-native:containerregistry:Registry", "acr", {"sku": {"name": "Basic"}}),
        Resource("azure-native:operationalinsights:Workspace", "logs", {"retentionInDays": 90}),
    )
    made = stack(
        spot("cpuspot", scaleSetEvictionPolicy="Deallocate", osDiskType="Managed"),
        others=others,
        apiServerAccessProfile={"enablePrivateCluster": True},
        basis={"workload": {"a": work()}},
    )
    result = set(bill(made, FixedMarket()).left_out) - set(quiet)
    assert result == {
        "disks of evicted nodes of cpuspot: evictionPolicy Deallocate keeps them",
        "what nodes download, such as images: the NAT gateway may charge each GB of it",
        "logs ingested by the workspace: set `cost.usage.logsGib` to count them",
        "logs older than 31 days: the workspace retains them for 90",
        "images beyond what the registry's price includes",
        "the private endpoint and DNS zone of the API server: AKS makes them, not this stack",
    }


def test_capacity_that_is_reserved_and_unused_is_named() -> None:
    reserved = pool("cpuod", capacityReservationGroupID="/subscriptions/s/resourceGroups/g/providers/crg")
    note = (
        "reserved capacity that cpuod leaves unused: Azure bills it like running nodes, and this stack does not know "
        "how much the reservation groups hold"
    )
    assert note in bill(stack(spot("cpuspot"), reserved), FixedMarket()).left_out
    assert note not in bill(stack(spot("cpuspot"), pool("cpuod")), FixedMarket()).left_out


def test_logs_in_the_workspace_of_another_stack_are_counted() -> None:
    others = (Resource("azure-native:monitor:DiagnosticSetting", "logs", {}),)
    named = "logs ingested by the workspace: set `cost.usage.logsGib` to count them"
    assert named in bill(stack(others=others), FixedMarket()).left_out
    sentence = bill(stack(others=others, basis={"cost": {"usage": {"logsGib": 10}}}), FixedMarket())
    assert line(sentence, "logs").amount == Range.exactly(23)
    assert named not in sentence.left_out


def test_a_disk_without_a_price_is_named() -> None:
    market = FixedMarket(SIZES)
    made = stack(spot("big", "Standard_X", osDiskType="Managed"), basis={"workload": {"a": work(pool="big")}})
    monthly_bill = bill(made, market)
    assert "managed OS disks of big: their price is unknown" in monthly_bill.left_out


def test_pools_for_the_same_work_share_a_fallback() -> None:
    """The autoscaler sees it so: what tolerates the one tolerates the other."""
    pools = (spot("one"), spot("two"), pool("od"))
    basis = {"workload": {"a": calm(pool="two")}, "cost": {"evictionRate": 0, "soldOutShare": 0.5}}
    monthly_bill = bill(stack(*pools, basis=basis, fallbacks={"one": "od"}), FixedMarket())
    hours = line(monthly_bill, "od").hours
    assert hours
    assert hours.expected == 500


def test_each_price_is_queried_once() -> None:
    market = FixedMarket()
    pools = [spot(f"spot{number}") for number in range(20)]
    workload = {it["agentPoolName"]: work(pool=it["agentPoolName"]) for it in pools}
    bill(stack(*pools, basis={"workload": workload}), market)
    assert len(market.queries) == 2


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("10m", 1 / 6),
        ("1h30m", 1.5),
        ("90s", 0.025),
        ("0s", 0),
        ("500ms", 1 / 7200),
        ("10", None),
        ("", None),
        (None, None),
        ("m10", None),
    ],
)
def test_durations_of_the_autoscaler(text: object, expected: float | None) -> None:
    assert hours(text) == (expected if expected is None else pytest.approx(expected))


def test_the_source_of_a_rate_is_reported_once() -> None:
    basis = {"workload": {"a": work()}, "cost": {"evictionRate": "5-10"}}
    result = prices_and_rates(bill(stack(spot("cpuspot"), basis=basis), FixedMarket()))
    assert result[0] == "evictions of cpuspot, 10 % an hour, 5 % to 10 %: this stack's settings"
    assert [line for line in result if "settings" in line] == result[:1]


def test_a_tainted_pool_without_work_that_is_always_on_is_no_batch_work() -> None:
    pools = (
        spot("cpuspot", minCount=1),
        pool("serving", minCount=2, maxCount=4, work="serving"),
        pool("idle"),
    )
    monthly_bill = bill(stack(*pools, basis={"workload": {"a": calm()}}), FixedMarket())
    assert line(monthly_bill, "serving").part == "home"
    assert line(monthly_bill, "cpuspot").part == "batch"
    assert not any(it.pool == "idle" for it in monthly_bill.lines)
    worked = {"workload": {"a": calm(), "b": calm(pool="serving")}}
    assert line(bill(stack(*pools, basis=worked), FixedMarket()), "serving").part == "batch"


def test_gangs_wait_billed_and_heads_are_on_demand() -> None:
    """Four nodes for 24 h without checkpoints: 29 times the work, which the bill once had as twice."""
    gang = work(hours=960, step=24, nodesPerStep=4)
    profile = {"scaleDownUnneededTime": "10m", "scanInterval": "10s"}
    basis = {"workload": {"a": gang}}
    [result] = bill(stack(spot("cpuspot"), basis=basis, autoScalerProfile=profile), FixedMarket()).work
    assert result.multiple.expected == pytest.approx(28.7, abs=0.1)
    assert any(note.startswith("its 4 nodes start again together") for note in result.notes)
    ray = work(hours=800, step=10, nodesPerStep=8, elastic=True, headPool="cpuod", restartMinutes=0)
    pools = (spot("cpuspot"), pool("cpuod"))
    monthly_bill = bill(
        stack(*pools, basis={"workload": {"a": ray}, "cost": {"evictionRate": 0}}), FixedMarket()
    )
    hours = {it.pool: it.hours.expected for it in monthly_bill.lines if it.hours and it.part == "batch"}
    assert hours == {"cpuspot": pytest.approx(800), "cpuod": pytest.approx(100)}
    [result] = monthly_bill.work
    assert result.amount.expected == pytest.approx(monthly_bill.amount("batch").expected)
    assert result.on_demand.expected == pytest.approx(900 * 0.232)
    assert any("repeats that node's part alone" in note for note in result.notes)


@pytest.mark.parametrize(
    ("more", "key"),
    [
        ({"nodesPerStep": 101}, "workload.a.nodesPerStep: 101 is not allowed; expected at most 100"),
        (
            {"headPool": "cpuspot"},
            "workload.a.headPool: 'cpuspot' is not allowed; expected the name of another pool",
        ),
        ({"headPool": "x"}, "workload.a.headPool: 'x' is not allowed; expected the name of another pool"),
    ],
)
def test_what_no_pool_can_do_is_one_line(more: dict[str, Any], key: str) -> None:
    pools = (spot("cpuspot"), pool("cpuod"))
    with pytest.raises(CostError) as refused:
        bill(stack(*pools, basis={"workload": {"a": calm(**more)}}), FixedMarket())
    [problem] = refused.value.problems
    assert problem.startswith(key)


def test_the_first_boot_counts_against_a_deadline() -> None:
    late: list[float] = []
    for tail in ("0s", "200h"):
        basis = {"workload": {"a": work(hours=1000, step=2, deadlineHours=2.05)}, "cost": {"evictionRate": 0}}
        profile = {"scaleDownUnneededTime": tail, "scanInterval": "0s"}
        [result] = bill(stack(spot("cpuspot"), basis=basis, autoScalerProfile=profile), FixedMarket()).work
        assert result.misses
        late.append(result.misses.expected)
    assert late == [1.0, pytest.approx(1 / (1 + 500 / 730 * 200), rel=1e-3)]


def test_running_machines_that_azure_takes_are_the_end_of_the_range() -> None:
    pools = (spot("cpuspot"), pool("cpuod"))
    basis = {
        "workload": {"a": work(hours=1000, step=6)},
        "cost": {"evictionRate": 0.05, "soldOutShare": 0.25},
    }
    monthly_bill = bill(stack(*pools, basis=basis, fallbacks={"cpuspot": "cpuod"}), FixedMarket())
    batch = monthly_bill.amount("batch")
    assert batch.high > 1.1 * batch.expected
    note = "what starts on cpuod while spot is sold out stays there"
    assert any(it.startswith(note) for it in monthly_bill.work[0].notes)
