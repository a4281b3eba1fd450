"""The pictures of the pools."""

import copy
import re
import xml.etree.ElementTree as ET
from typing import cast

import pytest

from kubeflow_aks.preview.lanes import lanes
from kubeflow_aks.preview.mermaid import mermaid
from kubeflow_aks.preview.pools import pool_table
from kubeflow_aks.preview.svg import svg
from kubeflow_aks.recorder.document import PlanDocument, Pool

SVG = "{http://www.w3.org/2000/svg}"


def test_each_pool_is_in_exactly_one_lane(created: PlanDocument) -> None:
    shown = [pool["name"] for lane in lanes(created) for row in lane.rows for pool in row if pool]
    assert sorted(shown) == sorted(pool["name"] for pool in created["pools"])


def test_pools_of_one_workload_share_a_lane(created: PlanDocument) -> None:
    lane = next(lane for lane in lanes(created) if lane.how == "kubeflow-aks/workload=cpu")
    assert [(pool["name"], fallback and fallback["name"]) for pool, fallback in lane.rows] == [
        ("cpuspot", "cpuod"),
        ("cpuspot2", None),
    ]


@pytest.fixture
def of_two_sizes(document: PlanDocument) -> PlanDocument:
    """The document of `dev` with one more VM size of `cpuspot`."""
    copied = copy.deepcopy(document)
    place = next(number for number, pool in enumerate(copied["pools"]) if pool["name"] == "cpuspot")
    size = {"name": "cpuspot3f2a", "vmSize": "Standard_D8ads_v5"}
    copied["pools"].insert(place + 1, cast(Pool, {**copied["pools"][place], **size}))
    return copied


def test_a_size_that_is_sold_out_points_to_the_next_and_the_last_to_the_fallback(
    of_two_sizes: PlanDocument,
) -> None:
    arrows = re.findall(r'pool_(\w+) -\. "sold out" \.-> pool_(\w+)', mermaid(of_two_sizes))
    assert arrows[:2] == [("cpuspot", "cpuspot3f2a"), ("cpuspot3f2a", "cpuod")]
    assert 'pool_cpuspot3f2a["cpuspot3f2a of cpuspot<br/>' in mermaid(of_two_sizes)


def test_the_svg_draws_each_size_and_their_fallback_once(of_two_sizes: PlanDocument) -> None:
    texts = [item.text for item in ET.fromstring(svg(of_two_sizes)).iter(f"{SVG}text")]  # noqa: S314 - our own
    for name in ("cpuspot", "cpuspot3f2a of cpuspot", "cpuod"):
        assert texts.count(name) == 1


def test_the_table_shows_of_which_pool_a_size_is(of_two_sizes: PlanDocument) -> None:
    rows = [line for line in pool_table(of_two_sizes["pools"], 200) if "Standard_D8ads_v5" in line]
    assert [row.split()[:3] for row in rows] == [["cpuspot3f2a", "of", "cpuspot"]]
    assert rows[0].endswith("cpuod")


def test_mermaid_draws_each_pool_once_and_each_fallback_dashed(created: PlanDocument) -> None:
    text = mermaid(created)
    assert sorted(re.findall(r'pool_(\w+)\["', text)) == sorted(pool["name"] for pool in created["pools"])
    arrows = re.findall(r'pool_(\w+) -\. "sold out" \.-> pool_(\w+)', text)
    assert arrows == [(pool["fallbackOf"], pool["name"]) for pool in created["pools"] if pool["fallbackOf"]]


def test_mermaid_colours_spot_and_on_demand_apart(document: PlanDocument) -> None:
    boxes = dict(re.findall(r'pool_(\w+)\[".*?"\]:::(\w+)', mermaid(document)))
    assert boxes == {
        "system": "system",
        "general": "system",
        "cpuspot": "Spot",
        "cpuod": "Regular",
        "gpuspot": "Spot",
        "gpuod": "Regular",
    }


def test_the_svg_is_well_formed_and_names_every_pool(created: PlanDocument) -> None:
    texts = [item.text for item in ET.fromstring(svg(created)).iter(f"{SVG}text")]  # noqa: S314 - our own text
    for pool in created["pools"]:
        assert texts.count(pool["name"]) == 1


def test_nothing_in_the_svg_lies_outside(created: PlanDocument) -> None:
    root = ET.fromstring(svg(created))  # noqa: S314 - our own text
    width, height = int(root.attrib["width"]), int(root.attrib["height"])
    for box in root.iter(f"{SVG}rect"):
        assert int(box.get("x", "0")) + int(box.attrib["width"]) <= width
        assert int(box.get("y", "0")) + int(box.attrib["height"]) <= height


def test_the_svg_is_legible_on_a_phone(created: PlanDocument) -> None:
    drawn = svg(created)
    width = int(ET.fromstring(drawn).attrib["width"])  # noqa: S314 - our own text
    assert min(map(float, re.findall(r"font(?:-size)?:([\d.]+)px", drawn))) * 390 / width >= 10


def test_the_svg_loads_nothing_from_elsewhere(document: PlanDocument) -> None:
    assert re.findall(r'(?:href|src)="|url\((?!#)', svg(document)) == []


def test_the_svg_has_a_title_and_the_picture_in_words(document: PlanDocument) -> None:
    root = ET.fromstring(svg(document))  # noqa: S314 - our own text
    title, description = root.findtext(f"{SVG}title"), root.findtext(f"{SVG}desc") or ""
    assert title == "Agent pools of kubeflow-aks-dev and what runs where"
    assert root.get("aria-labelledby") == "pools-title pools-description"
    assert (
        "CPU batch work: cpuspot (Standard_D8ds_v5, spot, 0–10 nodes), "
        "if sold out cpuod (Standard_D8ds_v5, on demand, 0–5 nodes)."
    ) in description
