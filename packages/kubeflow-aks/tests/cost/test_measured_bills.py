"""What a drill measured goes into the bill where the stack says nothing of its own, and the bill says so."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from typing import Any

import pytest

from kubeflow_aks.cost.bill import Bill, WorkCost
from kubeflow_aks.cost.billing import Account, bill
from kubeflow_aks.cost.figures import HOURS_A_MONTH, Range, Restart, Source
from kubeflow_aks.cost.measured import Measured, PoolTimes, restarts, spread
from kubeflow_aks.cost.report.document import document
from kubeflow_aks.cost.report.measurement import section
from kubeflow_aks.cost.report.what_if import what_if
from kubeflow_aks.cost.stack import Stack
from kubeflow_aks.text.blocks import Items, Paragraph, Table
from tests.cost.examples import FixedMarket, pool, spot, stack

DAY = date(2026, 11, 20)
SIZE = "Standard_D4s_v3"
NOTE = (
    "a measured restart is boot and start only: a drill has a small image and reads no data; set "
    "`workload.<name>.restartMinutes` to the whole restart of your work"
)
TOOK = "3.5 min (3 min to 4.2 min), measured on 2026-11-20"
LOST = (
    "cpuspot: 1 eviction of 2 removed the node before its work was drained; there the last seconds save nothing, and "
    "only earlier checkpoints count"
)
MEASURED = {
    "cpuspot": Restart(Range(3.5, 3.0, 4.2), Source("measured by a drill on 3 nodes, 2 evictions", DAY))
}


def work(**more: Any) -> dict[str, Any]:
    return {"workload": {"train": {"pool": "cpuspot", "hoursPerMonth": 1000, "stepHours": 4, **more}}}


def made(**more: Any) -> Stack:
    return stack(spot("cpuspot"), basis=work(**more))


def of(planned: Stack, **more: Any) -> tuple[Bill, WorkCost]:
    monthly_bill = bill(planned, FixedMarket(), **more)
    return monthly_bill, monthly_bill.work[0]


DEFAULT = {"restartMinutes": 6, "assumed": ["restartMinutes", "retries"]}


def test_a_default_gives_way_to_the_measured_median_and_its_range() -> None:
    _, with_median = of(made(restartMinutes=3.5))
    monthly_bill, train = of(made(**DEFAULT), measured=MEASURED)
    assert train.multiple.expected == with_median.multiple.expected
    assert train.amount.expected == with_median.amount.expected
    _, shortest = of(made(restartMinutes=3.0))
    _, longest = of(made(restartMinutes=4.2))
    assert train.multiple == Range(
        with_median.multiple.expected, shortest.multiple.low, longest.multiple.high
    )
    assert train.amount.high == longest.amount.high > with_median.amount.high
    assert f"a restart takes {TOOK}, instead of the assumed 6 min" in train.notes
    assert (
        Source("restart on cpuspot: measured by a drill on 3 nodes, 2 evictions", DAY) in monthly_bill.sources
    )
    assert document(monthly_bill)["sources"][-1] == {
        "name": "restart on cpuspot: measured by a drill on 3 nodes, 2 evictions",
        "day": "2026-11-20",
        "assumed": False,
    }


def test_nodes_that_start_are_paid_for_as_long_as_it_was_measured() -> None:
    """A market without evictions: then a restart is only what the first step of each burst waits for."""
    calm = FixedMarket(rate=Range(0.0, 0.0, 0.0))
    monthly_bill = bill(made(**DEFAULT), calm, measured=MEASURED)
    [hours] = [line.hours for line in monthly_bill.lines if line.name == "cpuspot"]
    assert hours is not None
    bursts = 1000 / 4
    assert hours.expected == pytest.approx(1000 + bursts * 3.5 / 60)
    assert hours.low == pytest.approx(1000 + bursts * 3.0 / 60)
    assert hours.high == pytest.approx(1000 + bursts * 4.2 / 60)
    assert hours.high < HOURS_A_MONTH * 10


@pytest.mark.parametrize(
    ("stated", "expected"),
    [
        (
            20,
            f"`restartMinutes` is 20, which is used, but is much longer than the measured boot and start: {TOOK}",
        ),
        (
            1,
            f"`restartMinutes` is 1, which is used, but is much shorter than the measured boot and start: {TOOK}",
        ),
        (6, None),
        (2, None),
    ],
)
def test_what_the_stack_says_itself_stays_and_a_large_difference_is_reported(
    stated: float, expected: str | None
) -> None:
    planned = made(restartMinutes=stated, assumed=["retries"])
    before, plain = of(planned)
    after, train = of(planned, measured=MEASURED)
    assert after.amount() == before.amount()
    assert after.sources == before.sources
    assert set(train.notes) - set(plain.notes) == ({expected} if expected else set())


def test_a_program_that_does_not_say_what_it_assumes_keeps_what_it_exports() -> None:
    before, _ = of(made(restartMinutes=6))
    after, _ = of(made(restartMinutes=6), measured=MEASURED)
    assert after.amount() == before.amount()


SAVING = {**DEFAULT, "checkpointMinutes": 60, "checkpointWriteMinutes": 0.25}


def _drained(in_time: int, late: int = 0, notices: tuple[float, ...] = (30.0,)) -> dict[str, Restart]:
    drained = (True,) * in_time + (False,) * late
    return {"cpuspot": replace(MEASURED["cpuspot"], notices=notices, drained=drained)}


def test_work_that_is_saved_within_the_measured_notice_loses_less() -> None:
    planned = made(**SAVING)
    _, without = of(planned, measured=MEASURED)
    _, once = of(planned, measured=_drained(1))
    _, often = of(planned, measured=_drained(9))
    assert often.multiple.expected < once.multiple.expected < without.multiple.expected
    assert once.multiple.high == often.multiple.high == without.multiple.high
    [note] = set(often.notes) - set(without.notes)
    assert note.startswith("at 90% of evictions the work counts as saved within Azure's notice")


@pytest.mark.parametrize(
    ("more", "drained"),
    [
        ({"checkpointMinutes": None}, _drained(1)),
        ({"checkpointWriteMinutes": 2}, _drained(1)),
        ({}, _drained(1, notices=(19.9,))),
        ({}, _drained(1, notices=())),
        ({}, _drained(0, 1)),
    ],
    ids=["no checkpoints", "writing takes long", "short notice", "no notice", "not drained"],
)
def test_no_work_counts_as_saved_that_was_not_measured_to_be(
    more: dict[str, float | None], drained: dict[str, Restart]
) -> None:
    planned = made(**{key: value for key, value in {**SAVING, **more}.items() if value is not None})
    assert of(planned, measured=drained)[1] == of(planned, measured=MEASURED)[1]


def test_a_notice_is_as_long_as_the_writing_and_what_the_handler_needs() -> None:
    planned = made(**SAVING)
    assert of(planned, measured=_drained(1, notices=(20.0,)))[1] != of(planned, measured=MEASURED)[1]


def test_the_month_of_a_stack_without_work_takes_it_too() -> None:
    planned = stack(spot("cpuspot"))
    assert bill(planned, FixedMarket(), measured=MEASURED).amount() != bill(planned, FixedMarket()).amount()


def test_the_blogs_model_knows_no_restart_so_nothing_is_reported_or_changed() -> None:
    planned = stack(spot("cpuspot"), basis=work(**DEFAULT) | {"cost": {"model": "blog"}})
    assert bill(planned, FixedMarket(), measured=MEASURED) == bill(planned, FixedMarket())


def test_work_on_demand_starts_its_nodes_as_measured_too() -> None:
    planned = stack(pool("cpuspot"), basis=work(**DEFAULT))
    [before], [after] = (
        [
            line.hours
            for line in bill(planned, FixedMarket(), measured=figures).lines
            if line.name == "cpuspot"
        ]
        for figures in ({}, MEASURED)
    )
    assert before is not None
    assert after is not None
    assert before.expected - after.expected == pytest.approx(250 * 2.5 / 60)
    assert after.low < after.expected < after.high


def test_the_table_of_suppositions_has_the_row_of_the_bill() -> None:
    planned = made(**DEFAULT)
    expected = bill(planned, FixedMarket(), measured=MEASURED).amount("batch").expected
    for block in what_if(Account(planned, FixedMarket(), measured=MEASURED)).blocks:
        assert isinstance(block, Table)
        rows = [row for row in block.rows if row[0] in {"5 % an hour", "as expected"}]
        assert [row[1] for row in rows] == [f"${expected:.2f}"]


TIMES = PoolTimes(
    vm_size=SIZE,
    boot_seconds=(180.0, 200.0, 150.0),
    start_seconds=(10.0, 20.0, 40.0),
    notice_seconds=(31.0,),
    drained=(True, False),
    again_seconds=(260.0, 300.0),
)


def drill(**pools: PoolTimes) -> Measured:
    return Measured(stack="made", where="azure", day=DAY, location="uksouth", pools=pools)


def test_a_restart_is_boot_and_start_of_the_nodes_that_came() -> None:
    by_pool = restarts(drill(cpuspot=TIMES), {"cpuspot": SIZE})
    assert by_pool == {
        "cpuspot": Restart(
            Range(200 * (1 / 60), 160 * (1 / 60), 240 * (1 / 60)),
            Source("measured by a drill on 3 nodes, 2 evictions", DAY),
            notices=(31.0,),
            drained=(True, False),
        )
    }


@pytest.mark.parametrize("missing", ["boot_seconds", "start_seconds"])
def test_half_of_a_restart_is_none(missing: str) -> None:
    times = TIMES.model_copy(update={missing: ()})
    assert restarts(drill(cpuspot=times), {"cpuspot": SIZE}) == {}


def test_times_of_another_size_are_reported_and_not_used() -> None:
    assert restarts(drill(cpuspot=TIMES), {"cpuspot": "Standard_D8s_v3"}) == {}


def test_the_spread_of_nothing_is_none() -> None:
    assert spread(()) is None
    assert spread((4.0, 1.0)) == Range(2.5, 1.0, 4.0)


def result(
    measured: Measured, planned: Stack, today: date = DAY
) -> tuple[Table | None, str, tuple[str, ...]]:
    sizes = {"cpuspot": SIZE, "system": SIZE}
    before = bill(planned, FixedMarket())
    after = bill(planned, FixedMarket(), measured=restarts(measured, sizes))
    shown = section(measured, sizes, before, after, today)
    *table, outcome, items = shown.blocks
    assert isinstance(outcome, Paragraph)
    assert isinstance(items, Items)
    assert all(isinstance(block, Table) for block in table)
    return (table[0] if table else None), str(outcome.text), items.items  # type: ignore[return-value]


def test_a_section_has_the_times_of_each_pool_and_both_bills() -> None:
    table, outcome, items = result(drill(cpuspot=TIMES), made(**DEFAULT))
    assert table is not None
    assert table.rows == (
        (
            "cpuspot",
            "D4s_v3",
            "3",
            "180 s (150 to 200)",
            "20 s (10 to 40)",
            "2",
            "31 s",
            "1 of 2",
            "280 s (260 to 300)",
        ),
    )
    assert outcome.startswith("With what was measured the stack is expected to cost $")
    assert items == (LOST, NOTE)


def test_what_makes_a_measurement_less_sure_is_reported() -> None:
    other = drill(
        cpuspot=TIMES.model_copy(update={"vm_size": "Standard_D8s_v3", "drained": ()}),
        system=PoolTimes(vm_size=SIZE, drained=(True,)),
    )
    elsewhere = other.model_copy(update={"stack": "prod", "location": "westeurope"})
    _, outcome, items = result(elsewhere, made(**DEFAULT), DAY.replace(year=2028))
    assert outcome == "The bill is unchanged: no work uses the measured restart."
    assert items == (
        "it was measured on stack prod, not on made",
        "it was measured in westeurope, this stack is in uksouth",
        "it was measured on 2026-11-20, more than a year ago; run a drill again",
        "cpuspot: measured on Standard_D8s_v3, its nodes are Standard_D4s_v3 now; its restart is unchanged",
        "system: no node was observed from its request until its work ran; its restart is unchanged",
        NOTE,
    )


def test_a_drill_that_measured_nothing_leaves_the_bill() -> None:
    table, outcome, items = result(drill(), made(**DEFAULT))
    assert (table, outcome.split(":")[0], items) == (None, "The bill is unchanged", (NOTE,))


def test_measured_on_one_node_is_no_range() -> None:
    one = replace(MEASURED["cpuspot"], minutes=Range.exactly(3.5))
    _, train = of(made(**DEFAULT), measured={"cpuspot": one})
    _, same = of(made(restartMinutes=3.5))
    assert train.multiple == same.multiple
    assert any(sentence.startswith("a restart takes 3.5 min, measured on") for sentence in train.notes)
