"""What the demo would have cost, from what was observed."""

from __future__ import annotations

import base64
import re

import pytest

from kubeflow_aks.cost.figures import CostError
from kubeflow_aks.project import PROJECT_ROOT
from kubeflow_aks.recorder.document import PlanDocument, plan_document
from kubeflow_aks.recorder.run import record
from kubeflow_aks.scenario.checks import check_all
from kubeflow_aks.scenario.cost import ScenarioCost, rows, scenario_cost
from kubeflow_aks.scenario.observations import Observations
from kubeflow_aks.scenario.report.page import page
from kubeflow_aks.scenario.report.terminal import cost_lines
from tests.scenario.letters import smallest_letters
from tests.scenario.recorded import Raw, recorded


@pytest.fixture(scope="module")
def document() -> PlanDocument:
    return plan_document(record("demo", root=PROJECT_ROOT, preview=True))


@pytest.fixture(scope="module")
def observed() -> Observations:
    return recorded()


@pytest.fixture(scope="module")
def cost(document: PlanDocument, observed: Observations) -> ScenarioCost:
    return scenario_cost(document, observed)


def test_a_node_costs_from_its_request_to_its_end_at_its_pools_price(cost: ScenarioCost) -> None:
    """The recording's only node of cpuod was requested at 278.8 s and went at 731.8 s."""
    pools = {entry.pool.name: entry for entry in cost.pools}
    fallback = pools["cpuod"]
    assert (fallback.nodes, fallback.evictions, fallback.lost) == (1, 0, 0)
    assert fallback.seconds == pytest.approx(453, abs=1)
    assert fallback.amount == fallback.on_demand
    assert fallback.amount.expected == pytest.approx(0.544 * fallback.seconds / 3600, rel=1e-3)


def test_evictions_are_of_nodes_and_those_together_are_one_moment(cost: ScenarioCost) -> None:
    pools = {entry.pool.name: entry for entry in cost.pools}
    assert (pools["cpuspot"].nodes, pools["cpuspot"].evictions, pools["cpuspot"].moments) == (6, 2, 2)
    assert (pools["gpuspot"].nodes, pools["gpuspot"].evictions, pools["gpuspot"].moments) == (5, 2, 1)


def test_on_demand_nothing_is_run_again(cost: ScenarioCost) -> None:
    for entry in cost.pools:
        whole = entry.on_demand.high
        assert entry.on_demand.expected == pytest.approx(
            whole * (1 - (entry.lost / entry.seconds if entry.seconds else 0))
        )
        assert (entry.lost > 0) == (entry.evictions > 0)


def test_spot_is_cheaper_and_the_sum_is_that_of_the_pools(cost: ScenarioCost) -> None:
    spot = [entry for entry in cost.pools if entry.pool.spot]
    assert spot
    assert all(entry.amount.expected < entry.on_demand.expected for entry in spot)
    *pool_rows, total = rows(cost)
    assert len(pool_rows) == len(cost.pools)
    assert total[0] == "all"
    assert f"The demo would have cost {total[-2]} (" in cost.notes[0]
    assert f"{total[-1]} all on demand" in cost.notes[0]


def test_the_demos_eviction_rate_is_not_reported_as_azures(cost: ScenarioCost) -> None:
    rates = [note for note in cost.notes if "evicted in" in note]
    assert [rate.split(":")[0] for rate in rates] == ["cpuspot", "gpuspot"]
    assert all("on purpose" in rate for rate in rates)


def test_pools_where_spot_was_dearer_are_reported(document: PlanDocument, cost: ScenarioCost) -> None:
    """A T4 costs nearly as much on spot as on demand there: repeated work made it dearer."""

    def lost_for_longer(raw: Raw) -> None:
        evicted = {
            line["node"]
            for line in raw["journal"]
            if line["kind"] == "eviction" and line["pool"] == "gpuspot"
        }
        for line in raw["journal"]:
            if line["kind"] == "node-creating" and line["node"] in evicted:
                line["time"] = 0.0
        for pod in raw["pods"]:
            if pod["node"] in evicted:
                pod["running"] = 0.0

    assert not [note for note in cost.notes if "cost more" in note]
    [note] = [
        entry for entry in scenario_cost(document, recorded(lost_for_longer)).notes if "cost more" in entry
    ]
    assert note.startswith("gpuspot: ")


def test_every_price_has_its_source(cost: ScenarioCost) -> None:
    text = " ".join(cost.notes)
    assert "Azure's list price, as of 2026-06-18" in text
    assert all(entry.pool.vm_size in text for entry in cost.pools)


def test_without_an_eviction_no_rate_is_reported(document: PlanDocument) -> None:
    def calm(raw: Raw) -> None:
        raw["journal"] = [line for line in raw["journal"] if line["kind"] != "eviction"]

    calm_cost = scenario_cost(document, recorded(calm))
    assert not [note for note in calm_cost.notes if "evicted" in note]
    assert sum(entry.lost for entry in calm_cost.pools) == 0


def test_a_size_without_a_price_is_reported(document: PlanDocument) -> None:
    def unknown(raw: Raw) -> None:
        raw["pools"][2]["vm_size"] = "Standard_D2000_v9"

    with pytest.raises(CostError, match="Standard_D2000_v9"):
        scenario_cost(document, recorded(unknown))


def test_the_page_shows_table_and_pictures_without_anything_from_elsewhere(
    cost: ScenarioCost, observed: Observations
) -> None:
    html = page(observed, check_all(observed), cost)
    assert "What it would have cost on Azure" in html
    for row in rows(cost):
        assert all(cell in html for cell in row)
    sources = re.findall(r'src="([^"]*)"', html)
    assert len(sources) == 2
    drawn = [
        base64.b64decode(source.removeprefix("data:image/svg+xml;base64,")).decode() for source in sources
    ]
    assert drawn == [svg for _, svg in cost.pictures]
    assert not re.findall(r"https?:|//[a-z]", re.sub(r'src="[^"]*"', "", html))


def test_the_terminal_shows_the_same_within_its_width(cost: ScenarioCost) -> None:
    lines = list(cost_lines(cost, 100))
    assert max(map(len, lines)) <= 100
    assert any("cpuspot" in line and "$" in line for line in lines)


def test_the_letters_of_the_pictures_have_8_pixels_on_a_phone(
    observed: Observations, cost: ScenarioCost
) -> None:
    [width] = re.findall(r"img\.cost \{[^}]*min-width: (\d+)px", page(observed, check_all(observed), cost))
    assert all(smallest_letters(drawn, float(width)) >= 8 for _, drawn in cost.pictures)
