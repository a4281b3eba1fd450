"""What the show would have cost, from what was observed."""

from __future__ import annotations

import base64
import re

import pytest

from cost.figures import CostError
from recorder.document import PlanDocument, plan_document
from recorder.run import PROJECT_ROOT, record
from story.observations import Observations
from story.promises import judge
from story.report.page import page
from story.report.terminal import cost_lines
from story.show_cost import ShowCost, rows, show_cost
from tests.story.recorded import Raw, recorded


@pytest.fixture(scope="module")
def document() -> PlanDocument:
    return plan_document(record("demo", root=PROJECT_ROOT, preview=True))


@pytest.fixture(scope="module")
def seen() -> Observations:
    return recorded()


@pytest.fixture(scope="module")
def cost(document: PlanDocument, seen: Observations) -> ShowCost:
    return show_cost(document, seen)


def test_a_node_costs_from_its_request_to_its_end_at_its_pools_price(cost: ShowCost) -> None:
    """The recording's only node of cpuod was asked for at 278.8 s and went at 731.8 s."""
    pools = {each.pool.name: each for each in cost.pools}
    fallback = pools["cpuod"]
    assert (fallback.nodes, fallback.evictions, fallback.lost) == (1, 0, 0)
    assert fallback.seconds == pytest.approx(453, abs=1)
    assert fallback.amount == fallback.on_demand
    assert fallback.amount.expected == pytest.approx(0.544 * fallback.seconds / 3600, rel=1e-3)


def test_evictions_are_of_nodes_and_those_together_are_one_moment(cost: ShowCost) -> None:
    pools = {each.pool.name: each for each in cost.pools}
    assert (pools["cpuspot"].nodes, pools["cpuspot"].evictions, pools["cpuspot"].moments) == (6, 2, 2)
    assert (pools["gpuspot"].nodes, pools["gpuspot"].evictions, pools["gpuspot"].moments) == (5, 2, 1)


def test_on_demand_nothing_is_run_again(cost: ShowCost) -> None:
    for each in cost.pools:
        whole = each.on_demand.high
        assert each.on_demand.expected == pytest.approx(
            whole * (1 - (each.lost / each.seconds if each.seconds else 0))
        )
        assert (each.lost > 0) == (each.evictions > 0)


def test_spot_is_cheaper_and_the_sum_is_that_of_the_pools(cost: ShowCost) -> None:
    spot = [each for each in cost.pools if each.pool.spot]
    assert spot
    assert all(each.amount.expected < each.on_demand.expected for each in spot)
    *found, total = rows(cost)
    assert len(found) == len(cost.pools)
    assert total[0] == "all"
    assert f"The show would have cost {total[-2]} (" in cost.said[0]
    assert f"{total[-1]} all on demand" in cost.said[0]


def test_the_shows_rate_is_told_as_no_rate_of_azures(cost: ShowCost) -> None:
    told = [each for each in cost.said if "taken in" in each]
    assert [each.split(":")[0] for each in told] == ["cpuspot", "gpuspot"]
    assert all("on purpose" in each for each in told)


def test_where_spot_cost_more_it_is_said(document: PlanDocument, cost: ShowCost) -> None:
    """A T4 costs nearly as much on spot as on demand there: what ran again made it dearer."""

    def lost_for_longer(raw: Raw) -> None:
        taken = {
            line["node"]
            for line in raw["journal"]
            if line["kind"] == "eviction" and line["pool"] == "gpuspot"
        }
        for line in raw["journal"]:
            if line["kind"] == "node-creating" and line["node"] in taken:
                line["time"] = 0.0
        for pod in raw["pods"]:
            if pod["node"] in taken:
                pod["running"] = 0.0

    assert not [each for each in cost.said if "cost more" in each]
    [said] = [each for each in show_cost(document, recorded(lost_for_longer)).said if "cost more" in each]
    assert said.startswith("gpuspot: ")


def test_every_price_has_its_source(cost: ShowCost) -> None:
    told = " ".join(cost.said)
    assert "Azure's list price, as of 2026-06-18" in told
    assert all(each.pool.vm_size in told for each in cost.pools)


def test_without_an_eviction_nothing_is_said_of_rates(document: PlanDocument) -> None:
    def calm(raw: Raw) -> None:
        raw["journal"] = [line for line in raw["journal"] if line["kind"] != "eviction"]

    found = show_cost(document, recorded(calm))
    assert not [each for each in found.said if "taken" in each]
    assert sum(each.lost for each in found.pools) == 0


def test_a_size_without_a_price_is_told(document: PlanDocument) -> None:
    def unknown(raw: Raw) -> None:
        raw["pools"][2]["vm_size"] = "Standard_D2000_v9"

    with pytest.raises(CostError, match="Standard_D2000_v9"):
        show_cost(document, recorded(unknown))


def test_the_page_shows_table_and_pictures_without_anything_from_elsewhere(
    cost: ShowCost, seen: Observations
) -> None:
    html = page(seen, judge(seen), cost)
    assert "What it would have cost on Azure" in html
    for row in rows(cost):
        assert all(cell in html for cell in row)
    sources = re.findall(r'src="([^"]*)"', html)
    assert len(sources) == 2
    drawn = [base64.b64decode(each.removeprefix("data:image/svg+xml;base64,")).decode() for each in sources]
    assert drawn == [svg for _, svg in cost.pictures]
    assert not re.findall(r"https?:|//[a-z]", re.sub(r'src="[^"]*"', "", html))


def test_the_terminal_shows_the_same_within_its_width(cost: ShowCost) -> None:
    lines = list(cost_lines(cost, 100))
    assert max(map(len, lines)) <= 100
    assert any("cpuspot" in line and "$" in line for line in lines)
