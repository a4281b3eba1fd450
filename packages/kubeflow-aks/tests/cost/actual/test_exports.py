"""Exports of Azure: every kind has the same charges, nothing is silently dropped, and a bad file is one line."""

from __future__ import annotations

import csv
import gzip
import io
import math
from datetime import date, timedelta
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kubeflow_aks.cost.actual.charged import Charge, Charged, Place
from kubeflow_aks.cost.actual.exports import read
from kubeflow_aks.cost.figures import CostError
from tests.cost.actual.rows import GROUP, KINDS, NODES, SUBSCRIPTION, Used, disk, export, node, thing

PLACE = Place("made", "made-nodes", "rg-made", frozenset({"cpuspot", "cpuod", "system"}))
ROWS = (
    node("cpuspot", 40, 0.05),
    node("cpuspot", 8, 0.05, day=date(2026, 10, 3)),
    node("cpuod", 6, 0.232),
    node("system", 48, 0.232),
    disk("system", 0.066, 19.71),
    Used(
        f"{NODES}/virtualMachineScaleSets/aks-system-42850074-vmss",
        2,
        0.02,
        category="Bandwidth",
        unit="1 GB",
    ),
    thing("Microsoft.ContainerService/managedClusters", "MADE", 2.4),
    thing("Microsoft.Network/loadBalancers", "kubernetes", 0.6),
    Used(f"{NODES}/disks/pvc-1", 1, 0.3, category="Storage", meter="E2 Disks", unit="1/Month"),
    node("gone", 3, 0.232),
    thing("Microsoft.ContainerService/managedClusters", "other", 2.4),
    thing("Microsoft.Sql/servers", "db", 7.0),
    Used(
        f"{SUBSCRIPTION}/resourceGroups/elsewhere/providers/Microsoft.Compute/disks/d",
        1,
        5.0,
        category="Storage",
    ),
    Used("", 1, 100.0, charge="Purchase", category="Virtual Machines", pricing="Reservation"),
)


def charged(tmp_path: Path, *texts: str | bytes, currency: str = "USD") -> Charged:
    """What some files have of the cluster `made`."""
    paths = [tmp_path / f"{number}.csv" for number in range(len(texts))]
    for path, text in zip(paths, texts, strict=True):
        path.write_bytes(text.encode() if isinstance(text, str) else text)
    return read(paths, PLACE, currency)


def amounts(charges: dict[str, Charge]) -> dict[str, float]:
    return {name: round(it.amount, 6) for name, it in charges.items()}


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_export_has_the_same_charges(kind: str, tmp_path: Path) -> None:
    it = charged(tmp_path, export(ROWS, kind))
    assert amounts(it.pools) == {
        "cpuspot": 2.4,
        "cpuod": 1.392,
        "system": round(48 * 0.232 + 0.066 * 19.71, 6),
    }
    hours = {name: (pool.hours, pool.spot_hours) for name, pool in it.pools.items()}
    assert hours == {"cpuspot": (48, 48), "cpuod": (6, 0), "system": (48, 0)}
    assert amounts(it.others) == {"traffic": 0.04, "control plane": 2.4, "load balancer": 0.6, "volumes": 0.3}
    assert amounts(it.unattributed) == {
        "pool gone, which the stack does not have": 0.696,
        "managedclusters other": 2.4,
        "servers": 7.0,
    }
    assert (it.elsewhere.rows, it.elsewhere.amount, it.puzzling) == (2, 105.0, 0)
    assert it.silent_days == 1
    every = [*it.pools.values(), *it.others.values(), *it.unattributed.values(), it.elsewhere]
    assert sum(one.amount for one in every) == pytest.approx(sum(row.amount for row in ROWS))
    assert sum(one.rows for one in every) == len(ROWS)


@pytest.mark.parametrize(
    "packed",
    [
        gzip.compress(export(ROWS).encode()),
        export(ROWS).encode("utf-8-sig"),
        export(ROWS).encode("utf-16"),
        export(ROWS).replace("\r\n", "\n").encode(),
        gzip.compress(export(ROWS).encode("utf-8-sig")),
    ],
    ids=["gzip", "mark", "UTF-16", "line feeds", "gzip with mark"],
)
def test_packed_and_encoded_as_people_have_them(packed: bytes, tmp_path: Path) -> None:
    assert charged(tmp_path, packed).pools == charged(tmp_path, export(ROWS)).pools


def test_a_pool_is_known_by_its_tag_where_the_resource_has_another_name(tmp_path: Path) -> None:
    tags = '{"owner": "ml", "aks-managed-poolName": "cpuspot"}'
    row = Used(f"{NODES}/virtualMachines/vm-7", 4, 0.05, pricing="Spot", tags=tags)
    for kind in ("EA", "MCA"):
        assert charged(tmp_path, export([row], kind)).pools["cpuspot"].hours == 4


@pytest.mark.parametrize(
    ("quantity", "price", "unit", "hours"),
    [(3, 0.2, "1 Hour", 3), (3, 0.2, "Hours", 3), (0.3, 2.0, "10 Hours", 3), (0.03, 20.0, "100 Hours", 3)],
)
def test_hours_of_any_unit(quantity: float, price: float, unit: str, hours: float, tmp_path: Path) -> None:
    it = charged(tmp_path, export([node("cpuod", quantity, price, unit=unit)]))
    assert it.pools["cpuod"].hours == pytest.approx(hours)
    assert it.pools["cpuod"].amount == pytest.approx(0.6)


def test_a_quantity_in_hours_of_a_price_for_ten_of_them(tmp_path: Path) -> None:
    row = export([node("cpuod", 30, 2.0, unit="10 Hours")]).replace(",60.0,", ",6.0,")
    assert charged(tmp_path, row).pools["cpuod"].hours == 30


def test_what_a_commitment_paid_for_is_there_with_its_price_and_without(tmp_path: Path) -> None:
    used = node("system", 24, 0.1, pricing="Reservation", billed=0.0)
    focus = charged(tmp_path, export([used], "FOCUS")).pools["system"]
    assert (focus.amount, focus.billed, focus.committed) == (pytest.approx(2.4), 0.0, 0.0)
    actual = charged(tmp_path, export([node("system", 24, 0.0, pricing="Reservation")])).pools["system"]
    assert (actual.amount, actual.hours, actual.committed) == (0.0, 24, 24)


def test_rows_that_are_not_understood_are_counted_and_the_first_is_named(tmp_path: Path) -> None:
    lines = export([*ROWS, node("cpuod", 5, 0.232, unit="1 Gallon")]).splitlines()
    lines[1] = lines[1].replace(",2.0,", ",two,")
    lines[2] = "short,row"
    lines[3] += ",more"
    lines[4] = lines[4].replace(f",{48 * 0.232},", ",nan,")
    it = charged(tmp_path, "\n".join(lines))
    assert (it.puzzling, it.first_puzzle) == (5, "0.csv, line 2: could not convert string to float: 'two'")
    assert it.pools["cpuod"].hours == 0


def test_a_row_of_no_hours_has_its_amount_and_is_named(tmp_path: Path) -> None:
    it = charged(tmp_path, export([node("cpuod", 5, 0.2, unit="1 Gallon")]))
    assert (it.pools["cpuod"].amount, it.pools["cpuod"].hours, it.puzzling) == (1, 0, 1)
    assert it.first_puzzle == "0.csv, line 2: '5' of '1 Gallon' are no hours, its amount is counted"


def test_focus_without_microsofts_columns(tmp_path: Path) -> None:
    """Its service is that of the resource, whatever the meter."""
    rows = list(csv.DictReader(io.StringIO(export(ROWS, "FOCUS"))))
    sink = io.StringIO()
    names = [name for name in rows[0] if not name.startswith("x_")]
    writer = csv.DictWriter(sink, names, extrasaction="ignore")
    writer.writeheader()
    writer.writerows(rows)
    plain, full = charged(tmp_path, sink.getvalue()), charged(tmp_path, export(ROWS, "FOCUS"))
    assert {name: it.hours for name, it in plain.pools.items()} == {"cpuspot": 48, "cpuod": 6, "system": 48}
    assert plain.others == full.others


def test_parts_of_one_export_are_one(tmp_path: Path) -> None:
    both = charged(tmp_path, export(ROWS[:5]), export(ROWS[5:]))
    assert both.pools == charged(tmp_path, export(ROWS)).pools


GROUPS = "made-nodes and rg-made"
EXPECTED = "a CSV export of Azure Cost Management: cost details (actual or amortized) or FOCUS"


@pytest.mark.parametrize(
    ("content", "line"),
    [
        (b"", f"0.csv is empty; expected {EXPECTED}"),
        (b"\x1f\x8b\x08", "0.csv is cut off or damaged; expected the whole gzip file"),
        (
            gzip.compress(export(ROWS).encode())[:-40],
            "0.csv is cut off or damaged; expected the whole gzip file",
        ),
        (export(ROWS).encode()[:-60], "0.csv ends within line 15; expected the whole file"),
        (b"PK\x03\x04", f"0.csv is a ZIP archive; expected {EXPECTED}, which may be packed with gzip"),
        (b"PAR1\x00", f"0.csv is Parquet; expected {EXPECTED}, which may be packed with gzip"),
        (b"a,b\n\xff\xfa\n", f"0.csv is no text in UTF-8 or UTF-16; expected {EXPECTED}"),
        (
            b"Name,Total cost\nkube-system,12.3\n",
            (
                "0.csv: no column of resource, day, amount, currency, quantity, unit, category is not allowed; "
                f"expected {EXPECTED}"
            ),
        ),
        (
            export([node("cpuod", 1, 1, currency="GBP")]).encode(),
            "0.csv: 'GBP' is not allowed; expected 'USD', the bill's; set `cost.currency` to that of the export",
        ),
        (
            export(ROWS[-2:]).encode(),
            (
                "0.csv: no row of resource group made-nodes is not allowed; expected an export that covers the nodes "
                "of this cluster (2 rows of others)"
            ),
        ),
        (
            export(
                [ROWS[0], Used(f"/subscriptions/b/{GROUP[52:]}/Microsoft.Network/loadBalancers/k", 1, 1)]
            ).encode(),
            (
                f"0.csv: resource group {GROUPS} in 2 subscriptions is not allowed; expected the rows of one: "
                f"{SUBSCRIPTION[15:]}, b"
            ),
        ),
    ],
    ids=lambda it: it[:24] if isinstance(it, str) else "",
)
def test_a_file_that_is_none_is_one_line(content: bytes, line: str, tmp_path: Path) -> None:
    with pytest.raises(CostError) as caught:
        charged(tmp_path, content)
    assert str(caught.value) == line


def test_an_export_of_a_month_to_date_repeats_the_one_before_it(tmp_path: Path) -> None:
    days = [node("system", 48, 0.232, day=date(2026, 10, 1) + timedelta(days=number)) for number in range(5)]
    with pytest.raises(
        CostError, match=r"1\.csv: 4 rows of 0\.csv again is not allowed; expected files that do not"
    ):
        charged(tmp_path, export(days[:4]), export(days))


def test_an_amortized_export_repeats_the_actual_one_though_its_amounts_differ(tmp_path: Path) -> None:
    actual = [node("system", 24, 0.0, pricing="Reservation"), node("cpuod", 1, 0.0, pricing="SavingsPlan")]
    amortized = [node("system", 24, 0.1, pricing="Reservation"), node("cpuod", 1, 0.1, pricing="SavingsPlan")]
    with pytest.raises(CostError, match=r"1\.csv: 2 rows of 0\.csv again is not allowed"):
        charged(tmp_path, export(actual), export(amortized))


def test_two_kinds_of_export_of_the_same_days_are_not_added(tmp_path: Path) -> None:
    line = r"1\.csv: another kind of export than 0\.csv of the same days is not allowed; expected one kind"
    with pytest.raises(CostError, match=line):
        charged(tmp_path, export(ROWS), export(ROWS, "FOCUS"))
    later = [node("cpuod", 1, 0.232, day=date(2026, 10, 2))]
    assert charged(tmp_path, export(ROWS), export(later, "FOCUS")).pools["cpuod"].hours == 7


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_whatever_stands_in_a_file_it_is_read_or_refused_in_a_line(
    data: st.DataObject, tmp_path: Path
) -> None:
    text = export(ROWS, data.draw(st.sampled_from(list(KINDS))))
    start, end = sorted(data.draw(st.lists(st.integers(0, len(text)), min_size=2, max_size=2)))
    spoilt = text[:start] + data.draw(st.text(max_size=20)) + text[end if end - start < 40 else start :]
    problems: tuple[str, ...] = ()
    it = Charged()
    try:
        it = charged(tmp_path, spoilt.encode("utf-8", "surrogatepass"))
    except CostError as error:
        problems = error.problems
    every = [*it.pools.values(), *it.others.values(), *it.unattributed.values(), it.elsewhere]
    assert all(math.isfinite(charge.amount) and math.isfinite(charge.hours) for charge in every)
    rows = [row for row in csv.reader(io.StringIO(spoilt.removeprefix("\ufeff"), newline="")) if row]
    assert len(problems) == 1 or sum(charge.rows for charge in every) + it.puzzling >= len(rows) - 1
