"""A bill beside what was charged: figures that can be checked by hand, and the parts of the difference."""

from __future__ import annotations

import json
import math
from datetime import date, timedelta
from pathlib import Path

import jsonschema
import pytest

from kubeflow_aks.cost.actual.comparison import Actual
from kubeflow_aks.cost.actual.reading import actual
from kubeflow_aks.cost.billing import Account
from kubeflow_aks.cost.figures import CostError
from kubeflow_aks.cost.report.actual import document, section
from kubeflow_aks.cost.report.document import SCHEMA
from kubeflow_aks.cost.stack import Stack
from kubeflow_aks.text.blocks import Items, Paragraph, Table
from tests.cost.actual.rows import Used, disk, export, node, opencost, thing
from tests.cost.examples import FixedMarket, pool, spot, stack, work
from tests.cost.reports import node as recorded
from tests.cost.reports import report

SOLD_OUT = ("cost", "pools", "cpuspot", "soldOutShare")
MONTH = 744
"""Hours of October; the bill's month has 730."""
BASIS = {"workload": {"training": work(hours=730, step=1, restartMinutes=0)}, "cost": {"evictionRate": 0.0}}
NAMES = {"resourceName": "made", "nodeResourceGroup": "made-nodes"}


def made(basis: object = BASIS, most: int = 100) -> Stack:
    """A system pool of two nodes, and a spot pool of so many nodes at most with a fallback."""
    pools = spot("cpuspot", maxCount=most), pool("cpuod", maxCount=4)
    it = stack(*pools, basis=basis, fallbacks={"cpuspot": "cpuod"}, **NAMES)  # type: ignore[arg-type]
    return Stack(it.name, it.resources, {**it.outputs, "resourceGroup": "rg-made"})


def compared(tmp_path: Path, *texts: str, of: Stack | None = None, currency: str = "USD") -> Actual:
    paths = [
        tmp_path / f"{number}.{'json' if text[:1] == '{' else 'csv'}" for number, text in enumerate(texts)
    ]
    for path, text in zip(paths, texts, strict=True):
        path.write_text(text, encoding="utf-8")
    of = of or made()
    return actual(paths, of, Account(of, FixedMarket(currency=currency)))


def october(*more: Used, spot_hours: float = MONTH, price: float = 0.0487, system: float = 2) -> str:
    """A month as expected: two system nodes with disks, one spot node, the control plane, address and load balancer."""
    days = [date(2026, 10, 1) + timedelta(days=number) for number in range(31)]
    rows = [node("system", 24 * system, 0.232, day=day) for day in days]
    rows += [node("cpuspot", spot_hours / 31, price, day=day) for day in days]
    rows += [
        disk("system", 2 * MONTH / 730, 19.71),
        thing("Microsoft.ContainerService/managedClusters", "made", 0.1 * MONTH),
        thing("Microsoft.Network/loadBalancers", "kubernetes", 0.025 * MONTH),
        thing("Microsoft.Network/publicIPAddresses", "out", 0.005 * MONTH),
    ]
    return export([*rows, *more])


def test_a_month_as_expected_has_no_reason(tmp_path: Path) -> None:
    it = compared(tmp_path, october())
    assert it.total.charged == pytest.approx(it.total.expected)
    assert it.reasons == ()
    assert it.spot is not None
    assert it.spot.charged / it.spot.expected == pytest.approx(0.0487 / 0.232)
    assert (it.hours(spot=True), it.hours(spot=False)) == (pytest.approx(MONTH), 0)


def test_the_reasons_are_the_difference(tmp_path: Path) -> None:
    """100 hours more on spot at 0.06, 50 on the fallback, a scale set that the stack does not have, fewer nodes."""
    more = node("cpuod", 50, 0.232), node("old", 10, 1.0), thing("Microsoft.Network/loadBalancers", "k2", 1.0)
    it = compared(tmp_path, october(*more, spot_hours=MONTH + 100, price=0.06, system=1.5))
    words = [(reason.words, round(reason.amount, 2)) for reason in it.reasons]
    assert words == [
        ("system: 1,116 node hours instead of 1,488", round(-372 * (0.232 + 0.027), 2)),
        ("cpuod: 50 node hours instead of 0, as the fallback of cpuspot", 11.6),
        ("system: a node hour cost $0.2680 instead of $0.2590", round(1116 * 0.009, 2)),
        ("4 smaller ones", round(100 * 0.0487 + (MONTH + 100) * 0.0113 + 10 + 1, 2)),
    ]
    assert sum(reason.amount for reason in it.reasons) == pytest.approx(it.total.charged - it.total.expected)
    assert it.spot is not None
    assert it.spot.charged == pytest.approx((MONTH + 100) * 0.06 + 50 * 0.232)
    assert it.spot.expected == pytest.approx((MONTH + 150) * 0.232)


def record(*, full: bool = False) -> str:
    """40 hours: one spot node, or four, and from hour 10 on a fallback for 10 hours; two evictions."""
    nodes = [recorded(f"cpuspot/{number}", 40) for number in range(4 if full else 1)]
    gone = [recorded(f"cpuspot/9{number}", 40 - number, 39 - number, 39 - number) for number in range(2)]
    return json.dumps(
        report(nodes=[*nodes, *gone, recorded("cpuod/0", 30, 20), recorded("system/0", 40)], since=40)
    )


def test_a_record_alone_has_hours_evictions_and_settings(tmp_path: Path) -> None:
    it = compared(tmp_path, record())
    rows = {row.pool.name: row.record for row in it.pools}
    assert {name: one.hours for name, one in rows.items() if one} == {
        "system": 40,
        "cpuspot": 42,
        "cpuod": 10,
    }
    spot_pool = rows["cpuspot"]
    assert spot_pool
    assert spot_pool.evictions
    assert spot_pool.evictions.evictions == 2
    rate, sold_out = (
        it.settings["cost", "pools", "cpuspot", key] for key in ("evictionRate", "soldOutShare")
    )
    assert (rate, sold_out) == (round(1 - math.exp(-2 / 42), 4), round(10 / 52, 4))
    assert (it.charged, it.reasons, it.spot) == (None, (), None)


def test_what_ran_on_the_fallback_because_the_pool_was_full_is_not_sold_out(tmp_path: Path) -> None:
    assert compared(tmp_path, record(full=True), of=made(most=4)).settings[SOLD_OUT] == 0


def test_a_fallback_with_work_of_its_own_says_nothing_of_spot(tmp_path: Path) -> None:
    basis = BASIS | {
        "workload": {"training": work(hours=730, step=1, restartMinutes=0), "reports": work("cpuod", 10, 1)}
    }
    keys = [path[-1] for path in compared(tmp_path, record(), of=made(basis)).settings]
    assert keys == ["evictionRate"]


def test_opencosts_nodes_are_at_list_prices(tmp_path: Path) -> None:
    spot_node, system = "aks-cpuspot-42850074-vmss000001", "aks-system-42850074-vmss000000"
    idle = {f"{spot_node}/__idle__": (1440.0, 0.5), "__unmounted__": (1440.0, 0.25)}
    steps = [
        {spot_node: (1440.0, 0.6), system: (1440.0, 5.5), **idle},
        {spot_node: (720.0, 0.6), system: (1440.0, 5.5)},
    ]
    it = compared(tmp_path, opencost(steps))
    charges = {row.pool.name: row.charged for row in it.pools}
    assert {name: (one.hours, round(one.amount, 6)) for name, one in charges.items() if one} == {
        "system": (48, 11.0),
        "cpuspot": (36, 1.7),
        "cpuod": (0, 0),
    }
    assert [row.charged for row in it.unattributed] == [0.25]
    assert it.end - it.start == timedelta(days=2)
    assert (it.others, it.total.expected) == ((), pytest.approx(sum(row.expected for row in it.pools)))
    assert it.not_compared == (
        (
            "not compared, because the files do not have it, or not by cluster: control plane ($4.80), "
            "load balancer ($1.20), public addresses ($0.24)"
        ),
    )
    assert "this is not what Azure charged" in str(section(it).blocks)


def test_an_export_of_the_nodes_group_alone_says_what_it_lacks(tmp_path: Path) -> None:
    it = compared(tmp_path, export([node("cpuspot", 24, 0.05)]))
    assert [row.name for row in it.others] == ["load balancer"]
    assert it.not_compared == (
        (
            "not compared, because the files do not have it, or not by cluster: control plane ($2.40), public "
            "addresses ($0.12)"
        ),
        "no row of resource group rg-made: what it has is not looked at",
    )
    assert all("control plane" not in reason.words for reason in it.reasons)


def test_a_fallback_that_does_other_work_is_named(tmp_path: Path) -> None:
    basis = BASIS | {"workload": {"training": work(hours=730, step=1), "reports": work("cpuod", 10, 1)}}
    it = compared(tmp_path, october(), of=made(basis))
    assert it.not_compared == ("cpuod does other work too: not all of its hours are those of a fallback",)


@pytest.mark.parametrize(
    ("texts", "line"),
    [
        ((record(), record()), "0.json, 1.json: several sources of the same are not allowed"),
        ((october(), opencost([])), "0.csv, 1.json: several sources of the same are not allowed"),
        ((opencost([{"other-node": (1.0, 1.0)}]),), "0.json: no node of this cluster is not allowed"),
        ((json.dumps({"data": 1}),), "0.json: data: 1 is not allowed; expected a list"),
        (
            ('{"data": [{"a": {"start": "x"',),
            "0.json is not JSON; expected what OpenCost answers to /allocation",
        ),
        (
            (json.dumps(report(nodes=None, since=40)),),
            "0.json: nodes: None is not allowed; expected a record of nodes",
        ),
    ],
)
def test_files_that_do_not_go_together_are_one_line(
    texts: tuple[str, ...], line: str, tmp_path: Path
) -> None:
    with pytest.raises(CostError) as caught:
        compared(tmp_path, *texts)
    [problem] = caught.value.problems
    assert problem.startswith(line)


def test_a_stack_without_a_group_of_nodes_can_not_be_compared(tmp_path: Path) -> None:
    with pytest.raises(
        CostError, match="made: nodeResourceGroup: None is not allowed with --actual; expected the name"
    ):
        compared(tmp_path, october(), of=stack(spot("cpuspot")))


def test_the_section_and_the_json_have_it_all(tmp_path: Path) -> None:
    it = compared(tmp_path, october(node("cpuod", 50, 0.232), node("old", 10, 1.0)), record())
    table, paragraph, *_, notes, shown = section(it).blocks
    assert isinstance(table, Table)
    rows = {row[0]: row[1:] for row in table.rows}
    assert rows["cpuspot"] == (
        "$36.23",
        "$36.23",
        "0.0 %",
        "744",
        "744",
        "$0.0487",
        "$0.2320",
        "2 of 0 expected",
    )
    assert rows["cpuod"] == ("$0.00", "$11.60", "", "0", "50", "$0.2320", "$0.2320", "")
    assert rows["not attributed: pool old, which the stack does not have"][1] == "$10.00"
    assert isinstance(paragraph, Paragraph)
    assert paragraph.text == (
        "Spot pools and their fallbacks were charged $47.83 for 744 hours on spot pools and 50 on fallbacks: −74.0 % "
        "against the same hours on demand, $184."
    )
    assert isinstance(notes, Items)
    assert notes.items[0] == "expected is the bill's month of 730 hours, for 31 days"
    assert notes.items[-1].startswith("not looked at: taxes and credits, purchases of reservations")
    assert isinstance(shown, Paragraph)
    assert "`cost.pools.cpuspot.soldOutShare: 0.1923`; `--write` takes this into the stack file" in shown.text
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    part = {**schema["properties"]["actual"], "$defs": schema["$defs"]}
    written = document(it)
    jsonschema.Draft202012Validator(part).validate(written)  # pyright: ignore[reportUnknownMemberType]
    assert written["total"]["charged"] == it.total.charged
    assert written["saving"] == pytest.approx(1 - 47.8328 / 184.208)
