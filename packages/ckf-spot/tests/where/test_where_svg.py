"""The picture: one well-formed SVG of its own, with every pool, node, pod and eviction in its place."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import timedelta
from itertools import pairwise
from xml.etree import ElementTree

import pytest
from made import NOW, POOLS, SPOT, assigned, event, look, node, node_name, pod

from ckf_spot.where.observations import Gap, Look
from ckf_spot.where.svg import WIDTH, svg

NAMESPACE = "{http://www.w3.org/2000/svg}"
HERE, LOST = node_name("cpuspot", 1), node_name("cpuspot", 0)
NODES = [node("general"), node("cpuspot", 1, created=6), node("gpuspot", notice=2)]
EVENTS = [
    assigned("train-old", LOST, ago=20),
    event("SuccessfulCreate", "Created pod: train-old", "Job", "train", ago=20),
]
PODS = [
    pod("train-new", HERE, created=4),
    pod("gpu-x", node_name("gpuspot"), owner=("Job", "gpu"), created=15, disruption="EvictionByEvictionAPI"),
    pod("db-0", HERE, owner=("StatefulSet", "db"), created=60 * 24 * 90),
    pod("late", owner=("Job", "late"), created=9, unschedulable=9, tolerations=[SPOT]),
    pod("<script>", node_name("general"), owner=None, namespace="a&b", created=2),
]
SEEN = look(PODS, NODES, events=EVENTS)
RECORDED = replace(
    SEEN,
    since=NOW - timedelta(hours=1),
    gaps=(Gap(NOW - timedelta(minutes=30), NOW - timedelta(minutes=25)),),
)


def drawn(seen: Look) -> ElementTree.Element:
    return ElementTree.fromstring(svg(seen))  # noqa: S314 - our own


def lanes(root: ElementTree.Element) -> dict[str, ElementTree.Element]:
    """The lanes by the pool's name."""
    groups = [group for group in root.iter(f"{NAMESPACE}g") if group.get("class", "").startswith("lane")]
    return {group.find(f"{NAMESPACE}text").text or "": group for group in groups}  # type: ignore[union-attr]


def titles(element: ElementTree.Element) -> list[str]:
    return [title.text or "" for title in element.iter(f"{NAMESPACE}title")]


def styled(element: ElementTree.Element, style: str) -> list[ElementTree.Element]:
    """Elements of a class, but for the legend's."""
    return [part for part in element.iter() if style in part.get("class", "").split() and part.get("x")]


def test_it_needs_nothing_from_elsewhere() -> None:
    text = svg(SEEN)
    assert re.findall(r"https?://[^\"']+", text) == ["http://www.w3.org/2000/svg"]
    assert re.findall(r"(?:href|src|@import|url\()[^#)]*", text) == ["url("]
    assert "<script" not in text


def test_each_pool_has_a_lane_in_the_colour_of_its_capacity() -> None:
    styles = {name: (lane.get("class") or "").split()[-1] for name, lane in lanes(drawn(SEEN)).items()}
    assert styles == {
        "general": "ondemand",
        "cpuspot": "spot",
        "cpuod": "ondemand",
        "gpuspot": "spot",
        "gpuod": "ondemand",
        "waiting": "lane",
    }


def test_nodes_and_pods_are_in_the_lane_of_their_pool() -> None:
    names = {name: titles(lane) for name, lane in lanes(drawn(SEEN)).items()}
    assert [title.split(":")[0] for title in names["cpuspot"] if title.startswith("aks-")] == [LOST, HERE]
    assert [
        title
        for title in names["cpuspot"]
        if title.startswith("team-a/train-new (Job/train): 07:56:00 – 08:00:00")
    ]
    assert names["cpuod"] == []
    assert names["general"][-1].startswith("a&b/<script> (Pod/<script>): ")


def test_an_eviction_is_marked_on_the_pod_and_on_its_node() -> None:
    lane = lanes(drawn(SEEN))["cpuspot"]
    assert "team-a/train-old (Job/train): 07:40:00 – 07:56:00 on " + f"{LOST}, evicted" in titles(lane)
    assert f"07:56:00: {LOST} was taken back" in titles(lane)
    assert len(styled(lane, "lost")) == 1
    assert len([mark for mark in lane.iter(f"{NAMESPACE}path") if mark.get("class") == "evicted"]) == 1


def test_the_title_counts_the_evictions() -> None:
    assert titles(drawn(SEEN))[0] == "2 pods evicted in all namespaces"
    assert titles(drawn(look(namespace="team-a")))[0] == "No pods evicted in namespace team-a"


def test_an_announced_eviction_is_marked() -> None:
    assert len(styled(lanes(drawn(SEEN))["gpuspot"], "notice")) == 1


def test_pods_without_a_node_wait_in_a_lane_of_their_own() -> None:
    assert titles(lanes(drawn(SEEN))["waiting"]) == ["team-a/late (Job/late): no node for 9m"]


def test_the_description_has_a_sentence_for_each_pool() -> None:
    root = drawn(SEEN)
    description = root.findtext(f"{NAMESPACE}desc") or ""
    assert description.startswith("general: ")
    assert "cpuspot: 2 nodes, 1 eviction, " in description
    assert root.get("aria-labelledby") == "title description"


def test_time_without_watching_is_marked() -> None:
    assert "not watched: 07:30:00 – 07:35:00" in titles(drawn(RECORDED))
    assert len(styled(drawn(RECORDED), "unwatched")) == 1


def test_a_look_begins_with_the_oldest_batch_work_and_a_record_with_itself() -> None:
    text = [line.text or "" for line in drawn(SEEN).iter(f"{NAMESPACE}text")]
    lead = " ".join(text[1:3])
    assert lead.startswith("2026-11-21 07:40:00 – 2026-11-21 08:00:00 UTC, as the cluster remembers it: pods")
    text = [line.text or "" for line in drawn(RECORDED).iter(f"{NAMESPACE}text")]
    assert text[1] == "2026-11-21 07:00:00 – 2026-11-21 08:00:00 UTC, as recorded"


def test_without_nodes_those_of_the_pods_are_drawn() -> None:
    lane = lanes(drawn(look(PODS, None, events=EVENTS)))["cpuspot"]
    assert {title.split(":")[0] for title in titles(lane) if title.startswith("aks-")} == {LOST, HERE}


def test_without_nodes_and_contract_the_capacity_is_shown_as_unknown() -> None:
    drawn_lanes = lanes(drawn(look(PODS, None, pools=None)))
    assert {name: lane.get("class") for name, lane in drawn_lanes.items()} == {
        "cpuspot": "lane unknown",
        "general": "lane unknown",
        "gpuspot": "lane unknown",
        "waiting": "lane ",
    } or all(lane.get("class") == "lane unknown" for name, lane in drawn_lanes.items() if name != "waiting")


def test_the_letters_are_legible_on_a_phone() -> None:
    root = drawn(RECORDED)
    sizes: dict[str, float] = {}
    for selectors, rules in re.findall(r"([^{}]+)\{([^{}]*)\}", root.findtext(f"{NAMESPACE}style") or ""):
        if size := re.search(r"font(?:-size)?: ([\d.]+)px", rules):
            sizes |= {part.split()[-1].lstrip("."): float(size[1]) for part in selectors.split(",")}
    styles = {part.get("class", "") for part in root.iter(f"{NAMESPACE}text")}
    assert {"title", "lead", "name", "kind", "size", "pod-label", "tick-label"} <= styles
    assert min(sizes.get(style, sizes["text"]) for style in styles) * 390 / WIDTH >= 10


@pytest.mark.parametrize(
    "name", ["team-a", "a-namespace-with-a-name-as-long-as-a-namespace-can-have-it-in-kubernetes"]
)
@pytest.mark.parametrize("days", [0, 40])
def test_no_text_stands_outside_the_picture(name: str, days: int) -> None:
    root = drawn(replace(SEEN, namespace=name, since=NOW - timedelta(days=days, hours=1)))
    for part in root.iter(f"{NAMESPACE}text"):
        words, style = part.text or "", part.get("class")
        length = len(words) * (9.6 if style == "title" else 6.7)
        left = float(part.get("x", 0)) - (length / 2 if style == "tick-label" else 0)
        assert left >= 0, words
        assert left + length <= WIDTH, words


@pytest.mark.parametrize(
    "span", [timedelta(0), timedelta(seconds=30), timedelta(hours=5), timedelta(days=40)]
)
def test_bars_stay_in_the_picture_and_ticks_stay_few(span: timedelta) -> None:
    root = drawn(replace(SEEN, since=NOW - span))
    for bar in root.iter(f"{NAMESPACE}rect"):
        assert 0 <= float(bar.get("x", 0)) <= float(bar.get("x", 0)) + float(bar.get("width", 0)) <= WIDTH
    assert 1 <= len([part for part in root.iter() if part.get("class") == "tick"]) <= 15


def test_many_pods_side_by_side_do_not_overlap() -> None:
    pods = [pod(f"train-{number}", HERE, created=9) for number in range(12)]
    bars = styled(lanes(drawn(look(pods, NODES)))["cpuspot"], "pod")
    heights = sorted(float(bar.get("y", 0)) for bar in bars)
    assert len(bars) == 12
    assert min(after - before for before, after in pairwise(heights)) >= float(bars[0].get("height", 0))


def test_every_pool_of_the_contract_has_a_lane_though_there_is_nothing_to_see() -> None:
    assert list(lanes(drawn(look()))) == [*POOLS, "waiting"]
