"""Two bills at the same prices, and the report of their difference."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import pytest

from kubeflow_aks.cost.difference import difference
from kubeflow_aks.cost.figures import CostError
from kubeflow_aks.cost.formatting import step
from kubeflow_aks.cost.report.change import change_document, changed_lines, changes, sections, top
from kubeflow_aks.cost.stack import Stack
from kubeflow_aks.text.blocks import Alert, Paragraph, Table
from tests.cost.examples import FixedMarket, seed, spot, stack

MARKET = FixedMarket({"Standard_D4s_v3": (0.232, 0.0487), "Standard_D8s_v3": (0.464, 0.0974)})


def _stack(*pools: Any, budget: float | None = None, **work: Any) -> Stack:
    sentence: dict[str, Any] = {"workload": seed(**work)}
    if budget:
        sentence["budget"] = {"monthly": budget}
    return stack(*(pools or (spot("cpuspot"),)), basis=sentence)


def _texts_at_the_top(before: Stack | None, after: Stack) -> list[str]:
    texts: list[str] = []
    for block in top(change_document(difference(before, after, MARKET))):
        match block:
            case Paragraph(text):
                texts.append(text)
            case Alert(_, items):
                texts += items
            case _:
                pytest.fail(f"{block}")
    return texts


def test_only_what_changes_is_reported_and_the_totals_are_those_of_both_bills() -> None:
    compared = difference(_stack(), _stack(spot("cpuspot", "Standard_D8s_v3")), MARKET)
    document = change_document(compared)
    assert [line["name"] for line in changed_lines(document)] == ["cpuspot"]
    assert compared.before
    amounts = compared.before.amount().expected, compared.after.amount().expected
    assert sum(line.after.expected - line.before.expected for line in compared.lines if line.after and line.before) == (
        pytest.approx(amounts[1] - amounts[0])
    )  # fmt: skip
    [section] = sections(document)
    [table, *_] = section.blocks
    assert isinstance(table, Table)
    assert [row[0] for row in table.rows] == [
        "cpuspot",
        "all batch work",
        "the whole stack",
        "the same on demand",
    ]


def test_lines_that_come_and_go_are_reported() -> None:
    document = change_document(difference(_stack(spot("old"), spot("cpuspot")), _stack(), MARKET))
    assert not changed_lines(document)  # nothing runs on it
    both = _stack(spot("cpuspot"), spot("other"), pool="other")
    for before, after, side in ((both, _stack(), "after"), (_stack(), both, "before")):
        moved = changed_lines(change_document(difference(before, after, MARKET)))
        assert {line["name"]: line[side] is None for line in moved} == {"cpuspot": False, "other": True}


def test_one_line_above_the_fold_and_the_budget() -> None:
    month = difference(None, _stack(), MARKET).after.amount().expected
    sentence, over = (
        f"Expected cost: `${month:,.0f}` a month",
        f"Over the budget of `$100` a month by `${month - 100:,.0f}`.",
    )
    assert (
        _texts_at_the_top(None, _stack()) == _texts_at_the_top(None, _stack(budget=1000)) == [f"{sentence}."]
    )
    assert _texts_at_the_top(_stack(), _stack()) == [f"{sentence}, unchanged."]
    assert _texts_at_the_top(None, _stack(budget=100)) == [f"{sentence}.", over]
    assert _texts_at_the_top(_stack(), _stack(budget=100)) == [f"{sentence}, unchanged.", over]
    assert _texts_at_the_top(_stack(budget=100), _stack(budget=100)) == [f"{sentence}, unchanged. {over}"]


def test_a_budget_that_changes_is_a_change_though_no_amount_is() -> None:
    document = change_document(difference(_stack(budget=500), _stack(budget=600), MARKET))
    assert changes(document)
    assert not changed_lines(document)
    assert not changes(change_document(difference(_stack(budget=500), _stack(budget=500), MARKET)))


def test_a_program_of_before_the_output_is_billed_for_the_same_work() -> None:
    old = replace(_stack(), outputs={"poolContract": _stack().outputs["poolContract"]})
    compared = difference(old, _stack(), MARKET)
    assert not changed_lines(change_document(compared))
    assert compared.notes == (
        "The earlier program exports no work: both bills are for the work of this change.",
    )


def test_both_bills_have_the_prices_of_this_change() -> None:
    requested = FixedMarket()
    compared = difference(_stack(), _stack(), requested)
    assert compared.before == compared.after
    assert set(requested.queries) == {("Standard_D4s_v3", "uksouth")}


def test_a_bill_of_before_that_can_not_be_made_is_reported_and_stops_nothing() -> None:
    compared = difference(_stack(spot("cpuspot", "Standard_X1")), _stack(), MARKET)
    assert compared.before is None
    [why] = compared.why_not
    assert "Standard_X1" in why
    document = change_document(compared)
    [sentence] = top(document)
    assert isinstance(sentence, Paragraph)
    assert sentence.text.endswith(" The earlier cost is unknown.")
    with pytest.raises(CostError, match="Standard_X1"):
        difference(_stack(), _stack(spot("cpuspot", "Standard_X1")), MARKET)
    [sentence] = top(change_document(None, (why,)))
    assert sentence == Paragraph(f"Expected cost: unknown. {why}")


def test_work_that_would_never_be_done_has_no_amount() -> None:
    never = _stack(stepHours=5000, hoursPerMonth=5000)
    document = change_document(difference(_stack(), never, MARKET))
    assert document["after"]
    assert document["after"]["monthly"]["expected"] is None
    assert _texts_at_the_top(_stack(), never)[0].startswith("Expected cost: some work is never done (was `$")
    assert _texts_at_the_top(never, never)[0].endswith("unchanged.")
    assert "(was: some work never done)" in _texts_at_the_top(never, _stack())[0]


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (1262.0, 651.0, "`$651` a month (was `$1,262`: `−$611`, `−48.4 %`)."),
        (17.0, 17.5, "`$17.50` a month (was `$17.00`: `+$0.50`, `+2.9 %`)."),
        (0.0, 5.0, "`$5.00` a month (was `$0.00`: `+$5.00`)."),
        (5.0, 5.001, "`$5.00` a month, unchanged."),
        (math.inf, 5.0, "`$5.00` a month (was: some work never done)."),
        (5.0, math.inf, "some work is never done (was `$5.00`)."),
        (math.inf, math.inf, "some work is never done, unchanged."),
        (None, 5.0, "`$5.00` a month."),
    ],
)
def test_how_a_step_looks(before: float | None, after: float, expected: str) -> None:
    assert step(before, after, "USD") == expected
