"""`python -m kubeflow_aks.cost` draws pictures of a stack, and sets what was observed beside what was assumed."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from kubeflow_aks.cli.process import main as command_line
from kubeflow_aks.cost.billing import Account, bill
from kubeflow_aks.cost.by_rate import of_work
from kubeflow_aks.cost.command import planned
from kubeflow_aks.cost.figures import EvictionRate, Range, Source
from kubeflow_aks.cost.prices import market_of
from kubeflow_aks.cost.report.pictures import BY_POOL, BY_RATE
from kubeflow_aks.project import PROJECT_ROOT


def main(arguments: Sequence[str]) -> int:
    """Runs the command."""
    return command_line(["cost", *arguments])


TEXT = "{http://www.w3.org/2000/svg}text"


def report(hours: int, evicted: int, pool: str = "cpuspot") -> dict[str, Any]:
    """A record of so many hours: one node that stays, and others that are evicted after 2, 4, 6 … hours."""

    def at(hour: int) -> str:
        return f"2026-11-22T{hour:02}:00:00Z"

    ends = [at(2 * number) for number in range(1, evicted + 1)]
    nodes = [
        {
            "name": f"aks-{pool}-1-vmss00000{number}",
            "pool": pool,
            "capacity": "spot",
            "created": at(0),
            "notice": end,
            "gone": end,
        }
        for number, end in enumerate([None, *ends])
    ]
    return {"version": 2, "time": at(hours), "since": at(0), "work": [], "nodes": nodes}


@pytest.fixture(autouse=True)
def _wide(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "110")


def ran(*arguments: str, capsys: pytest.CaptureFixture[str]) -> tuple[int, str, str]:
    code = main([*arguments, "--offline"])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


@pytest.mark.parametrize("stack", ["dev", "prod"])
def test_the_pictures_of_a_stack(stack: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = ran(stack, "--format", "svg", "--build", str(tmp_path), capsys=capsys)
    files = [tmp_path / stack / BY_POOL, tmp_path / stack / BY_RATE]
    assert (code, out.splitlines()) == (0, [str(file) for file in files])
    drawn = [ElementTree.fromstring(file.read_text(encoding="utf-8")) for file in files]  # noqa: S314 - by us
    by_pool, by_rate = ({"".join(element.itertext()) for element in root.iter(TEXT)} for root in drawn)
    assert {"cpuspot", "system", "control plane", "on spot", "on demand"} <= by_pool
    words = " ".join(by_rate)
    assert "on spot, without checkpoints" in words
    assert "on spot, with the best checkpoints" in words
    assert any("5 % an hour, assumed" in words for words in by_rate)


@pytest.mark.parametrize("stack", ["dev", "prod"])
def test_the_curve_of_the_stack_as_it_is_has_the_bills_amounts(stack: str) -> None:
    """At rates at which full pools are played, for the spot pool of dev is full at times."""
    plan = planned(stack, PROJECT_ROOT)
    market = market_of(plan, offline=True, report=print)
    drawn = of_work(Account(plan, market).batch())
    assert drawn is not None
    assert drawn.curves[0].name == ("as the stack has it" if stack == "prod" else "without checkpoints")
    for chance in (0.0, 0.05, 0.2):
        rate = EvictionRate(Range.exactly(chance), Source("a test"))
        pools = bill(plan, market).rates
        billed = bill(plan, market, observed=dict.fromkeys(pools, rate))
        work = [line for line in billed.work if line.pool in pools]
        drawn_amount = drawn.curves[0].amounts[drawn.rates.index(chance)]
        assert drawn_amount == pytest.approx(sum(line.amount.expected for line in work))
        assert drawn.on_demand == pytest.approx(sum(line.on_demand.expected for line in work))


def test_what_was_observed_stands_beside_the_assumption_and_makes_the_bill(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "where.json"
    file.write_text(json.dumps(report(hours=20, evicted=9)), encoding="utf-8")
    before = ran("dev", "--format", "json", capsys=capsys)[1]
    after = ran("dev", "--format", "json", "--observed", str(file), capsys=capsys)[1]
    assert json.loads(after)["monthly"]["expected"] > json.loads(before)["monthly"]["expected"]
    _, out, _ = ran("dev", "--observed", str(file), capsys=capsys)
    assert "What was observed from 2026-11-22 00:00 until 2026-11-22 20:00 UTC" in out
    [row] = [line.split() for line in out.splitlines() if line.startswith("cpuspot ") and "assumed" in line]
    assert row[1:6] == ["10", "110", "9", "7.9", "%"]
    assert "observed: 9 evictions in 110 node hours" in out


def test_too_little_leaves_the_bill_as_it_was(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "where.json"
    file.write_text(json.dumps(report(hours=3, evicted=0)), encoding="utf-8")
    _, out, _ = ran("dev", "--observed", str(file), capsys=capsys)
    assert "the bill is unchanged" in " ".join(out.split())
    assert "cpuspot: 3 node hours are too few to tell 5 % an hour from 20 %" in out


def test_the_observed_rate_is_marked_in_the_picture(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "where.json"
    file.write_text(json.dumps(report(hours=20, evicted=9)), encoding="utf-8")
    ran("dev", "--format", "svg", "--build", str(tmp_path), "--observed", str(file), capsys=capsys)
    assert "cpuspot: 7.9 % an hour, observed" in (tmp_path / "dev" / BY_RATE).read_text(encoding="utf-8")


def test_a_report_of_another_cluster_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "where.json"
    file.write_text(json.dumps(report(hours=3, evicted=2, pool="otherspot")), encoding="utf-8")
    code, out, problems = ran("dev", "--observed", str(file), capsys=capsys)
    assert (code, out) == (3, "")
    allowed = "expected one of this stack's pools: system, general, cpuspot, cpuod, gpuspot, gpuod"
    assert problems.splitlines() == [f"error: where.json: pool 'otherspot' is not allowed; {allowed}"]


def test_the_name_of_a_stack_in_a_file_of_others_leads_nowhere_else(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from kubeflow_aks.recorder.document import plan_document  # noqa: PLC0415
    from kubeflow_aks.recorder.run import record  # noqa: PLC0415

    plan = tmp_path / "plan.json"
    plan.write_text(
        json.dumps({**plan_document(record("dev", root=PROJECT_ROOT, preview=True)), "stack": "../../there"}),
        encoding="utf-8",
    )
    code, _, problems = ran(
        "--plan", str(plan), "--format", "svg", "--build", str(tmp_path / "a/b"), capsys=capsys
    )
    assert (code, problems.startswith("error: stack: '../../there' is not allowed; expected ")) == (3, True)
    assert [file.name for file in tmp_path.iterdir()] == ["plan.json"]
