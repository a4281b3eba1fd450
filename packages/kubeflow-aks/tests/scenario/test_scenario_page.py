"""The page stands by itself and shows what was observed."""

from __future__ import annotations

import re
from dataclasses import replace
from html.parser import HTMLParser
from itertools import pairwise
from typing import Any, cast
from xml.etree import ElementTree

import pytest

from kubeflow_aks.scenario.checks import attempts, check_all, evicted
from kubeflow_aks.scenario.observations import Observations, Where
from kubeflow_aks.scenario.report.page import page
from kubeflow_aks.scenario.report.svg import svg
from kubeflow_aks.scenario.report.timeline import timeline
from tests.scenario.letters import smallest_letters
from tests.scenario.recorded import Raw, recorded, without


@pytest.fixture(scope="module")
def observed() -> Observations:
    return recorded()


@pytest.fixture(scope="module")
def html(observed: Observations) -> str:
    return page(observed, check_all(observed), None)


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


def test_every_check_is_on_the_page_with_its_observation(observed: Observations, html: str) -> None:
    for result in check_all(observed):
        assert result.observed in html
    assert html.count('class="passed"') == 14
    assert "14 of 14 checks passed" in html


def test_a_failed_check_is_marked() -> None:
    observed = recorded(without("sold-out"))
    html = page(observed, check_all(observed), None)
    assert html.count('class="failed"><b>✘</b>') == 1
    assert "13 of 14 checks passed" in html


def test_the_page_shows_what_is_simulated(html: str) -> None:
    for what in ("the nodes", "the cluster autoscaler", "the spot market"):
        assert what in html.partition("Simulated:")[2]
    assert "simulated minutes" in html


def test_the_timeline_is_well_formed(observed: Observations) -> None:
    ElementTree.fromstring(svg(observed))  # noqa: S314 - our own


def test_the_timeline_has_a_title_and_its_steps_in_words(observed: Observations) -> None:
    root = ElementTree.fromstring(svg(observed))  # noqa: S314 - our own
    assert root.findtext("title") == "Timeline of pools, their nodes and the pods on them"
    assert "3 min 02 s: Azure evicts a spot node, with 30 s notice." in (root.findtext("desc") or "")
    assert root.get("aria-labelledby") == "timeline-title timeline-description"


def test_no_backtick_is_shown_as_it_is(observed: Observations) -> None:
    reasons = {"sold-out": "nobody can sell out Azure; see `az vm list-skus`"}
    html = page(replace(observed, left_out=reasons), check_all(replace(observed, left_out=reasons)), None)
    assert "<code>az vm list-skus</code>" in html
    assert "`" not in html


@pytest.mark.parametrize(
    ("minutes", "expected", "unit"), [(1.3, 16, "seconds"), (2.2, 14, "seconds"), (29.8, 15, "minutes")]
)
def test_the_axis_has_many_ticks_however_short_the_time(
    observed: Observations, minutes: float, expected: int, unit: str
) -> None:
    factor = minutes * 60 / timeline(observed).end
    steps = tuple(
        replace(step, began=step.began * factor, ended=step.ended * factor) for step in observed.steps
    )
    picture = svg(replace(observed, steps=steps, where=Where.LOCAL))
    assert picture.count('class="tick"') == expected
    assert f">{unit} since the beginning<" in picture


def test_the_page_fits_a_phone(html: str) -> None:
    """No column is wider than the page; what is wider scrolls by itself."""
    widths = re.findall(r"minmax\((.+?), 1fr\)", html)
    assert widths == ["min(400px, 100%)"]
    assert ".scroll { overflow-x: auto; }" in html
    assert re.search(r'<div class="scroll" tabindex="0">\s*<svg', html)
    assert html.count("<table>") == html.count('<div class="scroll"><table>')


def test_the_letters_of_the_timeline_have_8_pixels_on_a_phone(html: str) -> None:
    """What does not fit beside one another at that size is scrolled to."""
    [width] = re.findall(r"figure \.scroll svg \{[^}]*min-width: (\d+)px", html)
    style = "".join(re.findall(r"svg [^{]*\{[^}]*\}", html))
    assert smallest_letters(style + html[html.index("<figure>") :], float(width)) >= 8


HOSTILE = "<script>alert(1)</script> \"'&"
_NAMES = frozenset({"stack", "name", "namespace", "task", "pool", "node", "owner", "vm_size", "title", "key"})


def _hostile(raw: Raw) -> None:
    """Every name that the cluster, the stack or the scenario gives is followed by markup."""

    def visit(value: Any) -> Any:
        if isinstance(value, dict):
            fields = cast(dict[str, Any], value).items()
            return {
                key: entry + HOSTILE if key in _NAMES and isinstance(entry, str) else visit(entry)
                for key, entry in fields
            }
        return [visit(entry) for entry in cast(list[Any], value)] if isinstance(value, list) else value

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
    observed = recorded(_hostile)
    verdicts = tuple(replace(result, observed=result.observed + HOSTILE) for result in check_all(observed))
    hostile_elements = _elements(page(observed, verdicts, None))
    assert hostile_elements.names <= _elements(html).names
    for shown in (
        f"Stack demo{HOSTILE}",
        f"requests no node of cpuspot{HOSTILE} after",
        f"cpuod{HOSTILE} instead of cpuspot{HOSTILE}",
        f"once more{HOSTILE}",
        f"prepare-features, task 0{HOSTILE}",
    ):
        assert shown.replace("`", "") in hostile_elements.text, shown
    ElementTree.fromstring(svg(observed))  # noqa: S314 - our own


def test_every_pod_that_ran_is_named_on_hover(observed: Observations) -> None:
    picture = svg(observed)
    ran = [pod for pod in observed.pods if pod.running is not None and pod.node]
    assert ran
    for pod in ran:
        assert f"<title>{pod.namespace}/{pod.name}: " in picture


def test_spot_and_on_demand_pools_are_drawn_in_their_colours(observed: Observations) -> None:
    picture = svg(observed)
    assert picture.count('class="lane spot"') == sum(pool.spot for pool in observed.pools)
    assert picture.count('class="lane ondemand"') == sum(not pool.spot for pool in observed.pools)


def test_gpu_pools_are_marked(observed: Observations) -> None:
    assert svg(observed).count(", GPU</text>") == sum(pool.role == "gpu" for pool in observed.pools)


def test_evictions_shortages_refusals_and_fallbacks_are_marked(observed: Observations) -> None:
    picture = svg(observed)
    assert picture.count('path class="evicted"') == len(observed.lines("eviction"))
    for mark in ('class="soldout"', 'class="refused"', 'class="backoff"', 'class="fallback"'):
        assert picture.count(mark) == 1


def test_bars_of_one_row_do_not_overlap(observed: Observations) -> None:
    rows: dict[tuple[str, int], list[tuple[float, float]]] = {}
    for lane in timeline(observed).lanes:
        for node in lane.nodes:
            rows.setdefault((lane.pool.name, node.row), []).append((node.start, node.end))
            for pod in node.pods:
                rows.setdefault((node.name, pod.track), []).append((pod.start, pod.end))
    for spans in rows.values():
        ordered = sorted(spans)
        assert all(before[1] <= after[0] for before, after in pairwise(ordered))


def test_a_vm_is_shown_from_its_request_on(observed: Observations) -> None:
    requested = {line["node"]: line["time"] for line in observed.lines("node-creating")}
    nodes = [node for lane in timeline(observed).lanes for node in lane.nodes if node.name in requested]
    assert nodes
    assert all(node.start == requested[node.name] and node.start < (node.ready or 0) for node in nodes)


def test_a_vm_that_never_was_ready_is_not_called_ready() -> None:
    def never_ready(raw: Raw) -> None:
        raw["nodes"] = [{**raw["nodes"][0], "ready": None}]

    observed = recorded(never_ready)
    [node] = [node for lane in timeline(observed).lanes for node in lane.nodes]
    assert ": never ready, " in node.title
    assert 'class="node" x=' not in svg(observed)


def test_a_shortage_that_does_not_end_lasts_to_the_end() -> None:
    def no_return(raw: Raw) -> None:
        raw["journal"] = [line for line in raw["journal"] if line.get("supply") != "available"]

    line = timeline(recorded(no_return))
    [span] = [span for lane in line.lanes for span in lane.sold_out]
    assert span.end == line.end


def test_the_controllers_pause_is_shown_for_each_evicted_task(observed: Observations) -> None:
    hit = {
        name
        for name, pods in attempts(observed.pods).items()
        if any(evicted(pod, observed) for pod in pods[:-1])
    }
    assert hit
    pauses = {bar.label for bar in timeline(observed).waiting if bar.style == "pause"}
    assert pauses == {f"{task}: its controller's pause" for task in hit}


def test_a_scenario_that_ended_early_has_a_page_too() -> None:
    def early(raw: Raw) -> None:
        raw["steps"] = [{**raw["steps"][0], "problem": "5 of 6 pods run after 150 s"}]
        raw["journal"], raw["nodes"], raw["pods"], raw["jobs"] = [], [], [], []

    observed = recorded(early)
    assert "no node was needed" in page(observed, check_all(observed), None)


def test_a_check_that_could_not_be_made_is_marked_with_its_reason() -> None:
    observed = replace(recorded(), left_out={"sold-out": "nobody can sell out Azure"})
    html = page(observed, check_all(observed), None)
    assert html.count('class="not-made"><b>–</b>') == 1
    assert "nobody can sell out Azure" in html
    assert "13 of 13 checks passed, 1 could not be made here" in html


def test_a_page_of_azure_does_not_mention_a_simulation() -> None:
    observed = replace(recorded(), where=Where.AZURE)
    html = page(observed, check_all(observed), None)
    assert "on Azure, in a drill" in html
    assert "simulated" not in html.lower()
