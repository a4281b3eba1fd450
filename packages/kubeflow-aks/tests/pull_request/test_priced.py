"""The expected bill in a comment: of both sides, at the same prices, and never in the way of the preview."""

from __future__ import annotations

import json
import re
import socket
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kubeflow_aks.cost.report.change import changed_lines
from kubeflow_aks.pull_request.observed import SECRET, UNKNOWN, Observed, Resource, Run
from kubeflow_aks.pull_request.priced import priced
from kubeflow_aks.pull_request.report import ChangeDocument, change_document, comment, terminal
from tests.pull_request.hostile import texts
from tests.pull_request.observations import observed, pools, run
from tests.pull_request.test_report_document import VALIDATOR

LARGER = observed(run(**pools()), run(**pools(cpuspot={"vmSize": "Standard_D16ds_v5"})))
AGENT_POOL = "azure-native:containerservice:AgentPool"


def _document(observation: Observed) -> ChangeDocument:
    document = change_document(observation, None, priced(observation))
    VALIDATOR.validate(json.loads(json.dumps(document, allow_nan=False)))
    return document


def _comment(observation: Observed) -> str:
    return comment([_document(observation)])


def _cost_line(observation: Observed) -> str:
    """The line for a terminal, without the backticks of the comment."""
    lines = terminal(_document(observation), 10_000)
    return next((line for line in lines if line.startswith("Expected cost")), "")


def _cell(observation: Observed) -> str:
    """The bill in the comment's table."""
    [row] = [line for line in _comment(observation).splitlines() if line.startswith("| `demo`")]
    return row.split("|")[5].strip()


def test_a_larger_size_costs_more_above_the_fold_and_line_by_line() -> None:
    cost = _document(LARGER)["cost"]
    assert cost
    assert cost["before"]
    assert cost["after"]
    assert {line["name"] for line in changed_lines(cost)} == {"cpuspot"}
    above, _, below = _comment(LARGER).partition("<details")
    assert re.search(r"\| `\$[\d,]+`, was `\$[\d,]+` \|", above)
    assert re.match(r"Expected cost: \$[\d,]+ a month \(was \$", _cost_line(LARGER))
    assert "<summary>Expected cost</summary>" in below
    assert "| cpuspot | `$" in below


def test_a_change_that_costs_nothing_is_one_short_line() -> None:
    observation = observed(run(**pools()), run(**pools(general={"maxCount": 5})))
    assert _cost_line(observation).endswith(
        "a month, unchanged. The work is assumed, because the stack names none."
    )
    assert re.fullmatch(r"`\$[\d,]+`, as before", _cell(observation))
    assert "<summary>Expected cost</summary>" not in _comment(observation)


def test_where_nothing_changes_nothing_is_reported_on_cost() -> None:
    assert _comment(observed(run(), run())).endswith("\nNothing changes in `demo`.\n")
    over = run(budget={"monthly": 1})
    assert _comment(observed(over, over)).endswith("\nNothing changes in `demo`.\n")


def test_other_work_is_a_change_though_no_resource_is_one() -> None:
    work = {"training": {"pool": "cpuspot", "hoursPerMonth": 400, "stepHours": 4}}
    observation = observed(run(), run(workload=work))
    assert _document(observation)["outcome"] == "changed"
    assert "a month (was $" in _cost_line(observation)
    assert "assumed" not in _cost_line(observation)


def test_over_the_budget_is_a_warning_and_says_by_how_much() -> None:
    above = _comment(observed(run(), run(budget={"monthly": 300}))).partition("<details")[0]
    assert "> [!WARNING]\n> - Over the budget of `$300` a month by `$" in above


@pytest.mark.parametrize(
    ("observation", "line", "cell"),
    [
        (observed(None, run()), "a month. The work is assumed, because the stack names none.", "`"),
        (
            observed(Run(failure="x"), run()),
            "a month. The work is assumed, because the stack names none.",
            "`",
        ),
        (observed(run(), None), "", "–"),
        (observed(run(), Run(failure="x")), "", "–"),
        (observed(run(location="atlantiscentral"), run()), "The earlier cost is unknown.", "`, was unknown"),
    ],
)
def test_a_side_without_a_bill(observation: Observed, line: str, cell: str) -> None:
    assert _cell(observation).endswith(cell)
    assert _cost_line(observation).endswith(line)
    assert bool(_cost_line(observation)) == bool(line)
    assert (_document(observation)["cost"] is None) == (not line)


def test_a_bill_that_can_not_be_made_is_one_line() -> None:
    observation = observed(run(), run(**pools(general={"maxCount": 5}), cost={"currency": "EUR"}))
    assert _cost_line(observation).startswith(
        "Expected cost: unknown. cost.currency: EUR is not allowed offline"
    )
    assert "<summary>Expected cost</summary>" not in _comment(observation)


def test_no_network_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object, **__: object) -> None:
        raise AssertionError("a preview asks nobody")

    monkeypatch.setattr(socket.socket, "connect", refused)
    assert priced(LARGER) == priced(LARGER)


def test_numbers_and_what_is_hidden_read_as_the_engine_gives_them() -> None:
    """The engine's numbers are fractions, and what only an `up` knows is no text of ours."""
    plain = run()
    engine = replace(
        plain,
        resources={urn: replace(one, inputs=_as_the_engine(one.inputs)) for urn, one in plain.resources.items()},
        outputs=_as_the_engine(plain.outputs),
    )  # fmt: skip
    assert _document(observed(None, engine))["cost"] == _document(observed(None, plain))["cost"]
    for hidden in (SECRET, UNKNOWN):
        spoilt = _with_pool(plain, vmSize=hidden)
        assert "cpuspot.vmSize" in _cost_line(observed(None, spoilt)), hidden


@given(st.data())
@settings(max_examples=60)
def test_whatever_a_program_says_the_preview_goes_on(data: st.DataObject) -> None:
    basis = run().outputs["costBasis"]
    spoilt = _spoilt(basis, data)
    observation = observed(run(), replace(run(), outputs={**run().outputs, "costBasis": spoilt}))
    _comment(observation)


@given(st.data())
@settings(max_examples=60)
def test_whatever_a_pool_is_the_preview_goes_on(data: st.DataObject) -> None:
    pool = next(one for one in run().resources.values() if one.type == AGENT_POOL)
    key = data.draw(st.sampled_from(sorted(pool.inputs)))
    spoilt = _with_pool(run(), **{key: _spoilt(pool.inputs[key], data)})
    _comment(observed(run(), spoilt))


def _as_the_engine(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _as_the_engine(item) for key, item in value.items()}  # pyright: ignore[reportUnknownVariableType]
    if isinstance(value, list):
        return [_as_the_engine(item) for item in value]  # pyright: ignore[reportUnknownVariableType]
    return float(value) if isinstance(value, int) and not isinstance(value, bool) else value


def _with_pool(program: Run, **inputs: Any) -> Run:
    resources: dict[str, Resource] = dict(program.resources)
    for urn, one in program.resources.items():
        if one.type == AGENT_POOL and one.name.endswith("-cpuspot"):
            resources[urn] = replace(one, inputs={**one.inputs, **inputs})
    return replace(program, resources=resources)


def _anything() -> st.SearchStrategy[Any]:
    leaf = (
        st.none()
        | st.booleans()
        | st.integers()
        | st.floats(allow_nan=False, allow_infinity=False)
        | texts()
        | st.sampled_from(
            [0, -1, 1, 0.999999999, 1e308, 1e-308, 5e-324, "20+", "10m", "Spot", SECRET, UNKNOWN]
        )
    )
    return st.recursive(
        leaf,
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts(), inner, max_size=3),
        max_leaves=5,
    )


def _spoilt(value: Any, data: st.DataObject) -> Any:
    """One place of a value replaced by anything, or nothing left there."""
    if not isinstance(value, dict) or not value or data.draw(st.integers(0, 4)) == 0:
        return data.draw(_anything())
    items: dict[str, Any] = dict(value)  # pyright: ignore[reportUnknownArgumentType]
    key = data.draw(st.sampled_from(sorted(items)))
    items[key] = _spoilt(items[key], data)
    return items
