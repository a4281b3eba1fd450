"""The page stands by itself and shows what was observed."""

from __future__ import annotations

import re
from dataclasses import replace
from html.parser import HTMLParser
from itertools import pairwise
from typing import Any, cast
from xml.etree import ElementTree

import pytest

from story.observations import Observations, Where
from story.promises import attempts, evicted, judge
from story.report.page import page
from story.report.svg import svg
from story.report.timeline import timeline
from tests.story.recorded import Raw, recorded, without


@pytest.fixture(scope="module")
def seen() -> Observations:
    return recorded()


@pytest.fixture(scope="module")
def html(seen: Observations) -> str:
    return page(seen, judge(seen), None)


def test_the_page_needs_nothing_from_elsewhere(html: str) -> None:
    assert not re.findall(r"""(?:src|href)=|url\((?!#)|@import|https?:|//[a-z]""", html)


def test_the_page_has_no_script(html: str) -> None:
    assert "<script" not in html


def test_the_page_is_readable_in_light_and_dark(html: str) -> None:
    assert "prefers-color-scheme: dark" in html
    assert "color-scheme: light dark" in html


def test_every_colour_of_the_light_page_has_one_for_the_dark(html: str) -> None:
    light, dark = (
        set(re.findall(r"(--[a-z-]+): #", block)) for block in re.findall(r":root \{(.*?)\}", html, re.DOTALL)
    )
    assert light == dark


def test_every_promise_is_on_the_page_with_what_was_seen(seen: Observations, html: str) -> None:
    for verdict in judge(seen):
        assert verdict.seen in html
    assert html.count('class="kept"') == 14
    assert "14 of 14 promises kept" in html


def test_a_broken_promise_is_marked() -> None:
    seen = recorded(without("sold-out"))
    html = page(seen, judge(seen), None)
    assert html.count('class="broken"><b>✘</b>') == 1
    assert "13 of 14 promises kept" in html


def test_the_page_says_what_is_simulated(html: str) -> None:
    for what in ("the nodes", "the cluster autoscaler", "the spot market"):
        assert what in html.partition("Simulated:")[2]
    assert "simulated minutes" in html


def test_the_timeline_is_well_formed(seen: Observations) -> None:
    ElementTree.fromstring(svg(seen))  # noqa: S314 - our own


HOSTILE = "<script>alert(1)</script> \"'&"
_NAMES = frozenset(
    {"stack", "name", "namespace", "task", "pool", "node", "owner", "vm_size", "title", "seen", "key"}
)


def _hostile(raw: Raw) -> None:
    """Every name that the cluster, the stack or the story gives is followed by markup."""

    def visit(value: Any) -> Any:
        if isinstance(value, dict):
            fields = cast(dict[str, Any], value).items()
            return {
                key: each + HOSTILE if key in _NAMES and isinstance(each, str) else visit(each)
                for key, each in fields
            }
        return [visit(each) for each in cast(list[Any], value)] if isinstance(value, list) else value

    raw.update(visit(raw))
    for line in raw["journal"]:
        line["insteadOf"] = [name + HOSTILE for name in line.get("insteadOf", ())]


class _Elements(HTMLParser):
    """Names of all elements and attributes, and the text."""

    def __init__(self) -> None:
        super().__init__()
        self.names: set[str] = set()
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names |= {tag, *(f"@{name}" for name, _ in attrs)}

    def handle_data(self, data: str) -> None:
        self.text += data


def _elements(html: str) -> _Elements:
    parser = _Elements()
    parser.feed(html)
    return parser


def test_names_with_markup_in_them_are_shown_as_they_are(html: str) -> None:
    seen = recorded(_hostile)
    verdicts = tuple(replace(each, seen=each.seen + HOSTILE) for each in judge(seen))
    found = _elements(page(seen, verdicts, None))
    assert found.names <= _elements(html).names
    for shown in (
        f"Stack demo{HOSTILE}",
        f"asks for no node of cpuspot{HOSTILE} after",
        f"cpuod{HOSTILE} instead of cpuspot{HOSTILE}",
        f"once more{HOSTILE}",
        f"prepare-features, task 0{HOSTILE}",
    ):
        assert shown.replace("`", "") in found.text, shown
    ElementTree.fromstring(svg(seen))  # noqa: S314 - our own


def test_every_pod_that_ran_is_named_on_hover(seen: Observations) -> None:
    picture = svg(seen)
    ran = [pod for pod in seen.pods if pod.running is not None and pod.node]
    assert ran
    for pod in ran:
        assert f"<title>{pod.namespace}/{pod.name}: " in picture


def test_spot_and_on_demand_pools_are_drawn_in_their_colours(seen: Observations) -> None:
    picture = svg(seen)
    assert picture.count('class="lane spot"') == sum(pool.spot for pool in seen.pools)
    assert picture.count('class="lane ondemand"') == sum(not pool.spot for pool in seen.pools)


def test_gpu_pools_are_marked(seen: Observations) -> None:
    assert svg(seen).count(", GPU</text>") == sum(pool.role == "gpu" for pool in seen.pools)


def test_evictions_shortages_refusals_and_fallbacks_are_marked(seen: Observations) -> None:
    picture = svg(seen)
    assert picture.count('path class="evicted"') == len(seen.lines("eviction"))
    for mark in ('class="soldout"', 'class="refused"', 'class="backoff"', 'class="fallback"'):
        assert picture.count(mark) == 1


def test_bars_of_one_row_do_not_overlap(seen: Observations) -> None:
    rows: dict[tuple[str, int], list[tuple[float, float]]] = {}
    for lane in timeline(seen).lanes:
        for node in lane.nodes:
            rows.setdefault((lane.pool.name, node.row), []).append((node.start, node.end))
            for pod in node.pods:
                rows.setdefault((node.name, pod.track), []).append((pod.start, pod.end))
    for spans in rows.values():
        ordered = sorted(spans)
        assert all(before[1] <= after[0] for before, after in pairwise(ordered))


def test_a_vm_is_shown_from_its_request_on(seen: Observations) -> None:
    asked = {line["node"]: line["time"] for line in seen.lines("node-creating")}
    nodes = [node for lane in timeline(seen).lanes for node in lane.nodes if node.name in asked]
    assert nodes
    assert all(node.start == asked[node.name] and node.start < (node.ready or 0) for node in nodes)


def test_a_shortage_that_does_not_end_lasts_to_the_end() -> None:
    def no_return(raw: Raw) -> None:
        raw["journal"] = [line for line in raw["journal"] if line.get("supply") != "available"]

    line = timeline(recorded(no_return))
    [span] = [span for lane in line.lanes for span in lane.sold_out]
    assert span.end == line.end


def test_the_controllers_pause_is_shown_for_each_evicted_task(seen: Observations) -> None:
    hit = {name for name, pods in attempts(seen.pods).items() if any(evicted(pod, seen) for pod in pods[:-1])}
    assert hit
    assert {bar.task for bar in timeline(seen).waiting if bar.pause} == hit


def test_a_story_that_ended_early_has_a_page_too() -> None:
    def early(raw: Raw) -> None:
        raw["scenes"] = [{**raw["scenes"][0], "problem": "5 of 6 pods run after 150 s"}]
        raw["journal"], raw["nodes"], raw["pods"], raw["jobs"] = [], [], [], []

    seen = recorded(early)
    assert "no node was needed" in page(seen, judge(seen), None)


def test_what_was_not_to_be_seen_is_marked_with_its_reason() -> None:
    seen = replace(recorded(), left_out={"sold-out": "nobody can sell out Azure"})
    html = page(seen, judge(seen), None)
    assert html.count('class="unseen"><b>–</b>') == 1
    assert "nobody can sell out Azure" in html
    assert "13 of 13 promises kept, 1 not to be seen here" in html


def test_a_page_of_azure_says_nothing_of_a_simulation() -> None:
    seen = replace(recorded(), where=Where.AZURE)
    html = page(seen, judge(seen), None)
    assert "on Azure, in a drill" in html
    assert "simulated" not in html.lower()
