"""Long bills on one page: what is alike is one line, and nothing of the sum is lost."""

from __future__ import annotations

from dataclasses import replace

import pytest

from kubeflow_aks.cost.bill import Bill
from kubeflow_aks.cost.billing import bill
from kubeflow_aks.cost.figures import total
from kubeflow_aks.cost.report import folding
from kubeflow_aks.cost.report.document import document
from kubeflow_aks.cost.report.page import page
from kubeflow_aks.text.terminal import terminal
from tests.cost.examples import FixedMarket, spot, stack, work

SIZES = {f"Standard_D{4 * number}s_v3": (0.058 * 4 * number, 0.0122 * 4 * number) for number in range(1, 40)}


def made(pools: int, kinds: int, sizes: int = 3) -> Bill:
    """Pools of some sizes, each with kinds of work of other lengths."""
    names = [f"s{number}" for number in range(pools)]
    workload = {
        f"w{number}": work(names[number % pools], 10 + number, 1 + number / 100) for number in range(kinds)
    }
    every = list(SIZES)
    planned = stack(
        *(spot(name, every[number % sizes]) for number, name in enumerate(names)),
        basis={"workload": workload},
    )
    return bill(planned, FixedMarket(SIZES | {"Standard_D4s_v3": (0.232, 0.0487)}))


def test_a_short_bill_has_every_line() -> None:
    folded_bill = made(5, 20)
    batch = [line for line in folded_bill.lines if line.part == "batch"]
    assert folding.lines(batch) == tuple(batch)
    assert folding.work(folded_bill.work) == (folded_bill.work, ())


@pytest.mark.parametrize(("sizes", "rows"), [(3, 3), (20, 20), (39, 20)])
def test_pools_of_the_same_nodes_are_one_line_and_the_smallest_one_sum(sizes: int, rows: int) -> None:
    folded_bill = made(90, 90, sizes)
    batch = [line for line in folded_bill.lines if line.part == "batch"]
    folded = folding.lines(batch)
    assert len(folded) == rows
    amounts = [line.amount.expected for line in folded[: folding.MOST - 1]]
    assert amounts == sorted(amounts, reverse=True)
    assert total(it.amount for it in folded).expected == pytest.approx(folded_bill.amount("batch").expected)
    hours = total(it.hours for it in folded if it.hours).expected
    assert hours == pytest.approx(total(it.hours for it in batch if it.hours).expected)
    if sizes == 3:
        assert folded[0].name.startswith("30 pools: s2, s5, s8 …")


def test_the_dearest_work_is_shown_and_the_rest_is_a_sum() -> None:
    folded_bill = made(10, 300)
    shown, others = folding.work(folded_bill.work)
    assert (len(shown), len(others)) == (19, 281)
    assert min(it.amount.expected for it in shown) >= max(it.amount.expected for it in others)
    lines = terminal(page(folded_bill), 140)
    assert any(line.startswith("281 cheaper kinds") for line in lines)
    assert len(lines) < 110


def test_json_has_all() -> None:
    folded_bill = made(90, 300)
    written = document(folded_bill)
    assert len(written["work"]) == 300
    assert len([line for line in written["lines"] if line["part"] == "batch"]) == 90


def test_notes_of_the_same_text_are_one() -> None:
    assert folding.notes([("a", "x"), ("b", "y"), ("c", "x")]) == ("a, c: x", "b: y")
    many = folding.notes([(f"n{number}", "x") for number in range(50)])
    assert many == ("n0, n1, n2 and 47 more: x",)
    assert folding.cut([str(number) for number in range(30)])[-1] == "11 more, which `--format json` has"


def test_work_that_is_never_done_comes_first() -> None:
    folded_bill = made(2, 40)
    never = replace(folded_bill.work[39], amount=replace(folded_bill.work[39].amount, expected=float("inf")))
    shown, _ = folding.work((*folded_bill.work[:39], never))
    assert shown[0] is never
