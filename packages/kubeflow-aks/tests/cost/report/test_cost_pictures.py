"""The pictures of a bill: what they say, that it fits, and that they are the same every time."""

from __future__ import annotations

import math
import os
import re
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from xml.etree import ElementTree

import pytest

from kubeflow_aks.cost.bill import Bill, Line, Part
from kubeflow_aks.cost.by_rate import CostAt, Mark, by_rate
from kubeflow_aks.cost.figures import EvictionRate, Range, Source
from kubeflow_aks.cost.report import cost_by_pool
from kubeflow_aks.cost.report.cost_by_rate import cost_by_rate
from kubeflow_aks.cost.report.drawing import WIDTH
from kubeflow_aks.project import IMPORT_PATH
from kubeflow_aks.text import palette

SVG = "{http://www.w3.org/2000/svg}"
exactly = Range.exactly


def line(name: str, part: Part, amount: Range, on_demand: Range | None = None, pool: str = "") -> Line:
    return Line(name, part, pool, None, amount, amount if on_demand is None else on_demand)


def bill(*lines: Line, stack: str = "dev", spot: Iterable[str] = ("cpuspot",)) -> Bill:
    rate = EvictionRate(Range(0.05, 0.0, 0.05), Source("assumed", assumed=True))
    return Bill(stack, "uksouth", "USD", lines, (), dict.fromkeys(spot, rate), (), None)


DEV = bill(
    line("system", "home", exactly(338.72), pool="system"),
    line("general", "home", Range(677, 677, 1015), pool="general"),
    line("cpuspot", "batch", Range(178.2, 166, 191), exactly(788.8), "cpuspot"),
    line("OS disks of cpuspot", "batch", exactly(10), exactly(9), "cpuspot"),
    line("cpuod", "batch", exactly(20), exactly(0), "cpuod"),
    line("control plane", "fixed", exactly(73)),
)


def parsed(svg: str) -> ElementTree.Element:
    return ElementTree.fromstring(svg)  # noqa: S314 - we have just drawn it


def texts(svg: str) -> list[str]:
    return ["".join(element.itertext()) for element in parsed(svg).iter(f"{SVG}text")]


def restarting(price: float, hours: float = 20) -> CostAt:
    """A month of 400 h in steps that start over."""

    def amount(rate: float) -> float:
        exponent = -math.log1p(-rate) * hours
        return (
            400 * price * (math.expm1(exponent) / exponent if exponent else 1.0)
            if exponent < 50
            else math.inf
        )

    return amount


def saving_often(price: float) -> CostAt:
    """The same with checkpoints."""
    return restarting(price, 1)


def test_each_pool_is_one_row_with_its_disks_and_what_it_would_cost_on_demand() -> None:
    rows = {row.name: row for row in cost_by_pool.rows(DEV)}
    assert list(rows) == ["system", "general", "cpuspot", "cpuod", "control plane"]
    assert [row.kind for row in rows.values()] == ["home", "home", "spot", "on-demand", "rest"]
    assert rows["cpuspot"].amount == Range(188.2, 176, 201)
    assert rows["cpuspot"].on_demand == exactly(797.8)


def test_the_picture_says_every_figure_and_reads_it_to_who_does_not_see_it() -> None:
    svg = cost_by_pool.of_bill(DEV)
    shown = texts(svg)
    for words in (
        "Stack dev: $1,297  ($1,285 to $1,648) a",
        "month expected",
        "cpuspot",
        "$188  ($176 to $201)",
        "$798",
        "$73.00",
        "on spot",
        "on demand",
    ):
        assert words in shown
    root = parsed(svg)
    assert root.get("role") == "img"
    named = {element.get("id"): element.text for element in root[:2]}
    assert named["title"] == "Stack dev: $1,297  ($1,285 to $1,648) a month expected"
    assert "cpuspot: $188  ($176 to $201) on spot, $798 on demand; " in str(named["description"])


def test_a_stack_without_spot_has_one_bar_for_each_thing() -> None:
    svg = cost_by_pool.of_bill(bill(line("system", "home", exactly(3), pool="system"), spot=()))
    assert "nothing of it depends on spot" in texts(svg)
    assert "on spot" not in texts(svg)


def test_work_that_is_never_done_is_words_and_no_bar() -> None:
    never = line("cpuspot", "batch", Range(math.inf, 5, math.inf), exactly(30), "cpuspot")
    svg = cost_by_pool.of_bill(bill(never, line("system", "home", exactly(12), pool="system")))
    assert {"never done", "Stack dev: work that is never done", "$30.00"} <= set(texts(svg))
    assert not re.search(r"\b(inf|nan)\b", svg, re.IGNORECASE)


def test_an_open_range_ends_in_an_arrow_and_says_so() -> None:
    open_end = line("cpuspot", "batch", Range(50, 40, math.inf), exactly(30), "cpuspot")
    assert "$50.00  ($40.00 to no end)" in texts(cost_by_pool.of_bill(bill(open_end)))


def test_the_smallest_of_many_things_are_one_row_and_nothing_is_lost() -> None:
    many = bill(*(line(f"thing {number}", "fixed", exactly(number)) for number in range(1, 31)))
    rows = cost_by_pool.rows(many)
    assert len(rows) == 12
    assert rows[-1].name == "19 smaller things"
    assert sum(row.amount.expected for row in rows) == sum(range(1, 31))


@pytest.mark.parametrize(
    "drawn",
    [
        DEV,
        bill(line("x", "home", exactly(0.002), pool="x")),
        bill(line("x", "batch", exactly(0), pool="cpuspot")),
        bill(line("a & <b>$x$</b> \\frac{1}", "fixed", exactly(1)), stack="<script>$\\alpha$"),
        bill(
            *(
                line(
                    f"pool{number}",
                    "batch",
                    Range(9e8 * number, number, math.inf),
                    exactly(1),
                    f"{'very-' * 20}{number}",
                )
                for number in range(20)
            )
        ),
    ],
)
def test_any_bill_makes_a_picture_whose_text_stays_inside(drawn: Bill) -> None:
    root = parsed(cost_by_pool.of_bill(drawn))
    assert float(root.get("width", "0")) == WIDTH
    height = float(root.get("height", "0"))
    for element in root.iter(f"{SVG}text"):
        words = "".join(element.itertext())
        x, y = float(element.get("x", "nan")), float(element.get("y", "nan"))
        width = len(words) * (9.5 if "bold" in str(element.get("style")) else 6.3)
        anchor = str(element.get("style"))
        left = x - width if "end" in anchor else x - width / 2 if "middle" in anchor else x
        assert 0 < y < height
        assert left > -1, words
        assert left + width < WIDTH + 4 or words.startswith("Stack"), words


def drawn_by_rate(*marks: Mark, price: float = 0.05, on_demand: float = 0.232) -> str:
    ways = [("without checkpoints", restarting(price)), ("with checkpoints", saving_often(price))]
    costs = by_rate(ways, 400 * on_demand, marks)
    return cost_by_rate(costs, "USD", "What evictions cost", "400 h a month")


def test_the_break_even_is_where_the_curve_meets_the_price_on_demand() -> None:
    costs = by_rate([("without", restarting(0.05)), ("with", saving_often(0.05))], 400 * 0.232, ())
    [without, with_checkpoints] = costs.curves
    assert without.breaks_even is not None
    assert restarting(0.05)(without.breaks_even) == pytest.approx(400 * 0.232, rel=1e-4)
    assert with_checkpoints.breaks_even is not None
    assert with_checkpoints.breaks_even > 3 * without.breaks_even
    assert (costs.rates[0], costs.rates[-1]) == (0, 0.25)
    shown = texts(cost_by_rate(costs, "USD", "Title", ""))
    assert "on spot, with (pays up to 92 %)" in shown


@pytest.mark.parametrize("svg", [cost_by_pool.of_bill(DEV), drawn_by_rate(Mark(0.05, "cpuspot: 5 %"))])
def test_letters_are_legible_on_a_phone_and_colours_are_those_of_every_picture(svg: str) -> None:
    sizes = [float(size) for size in re.findall(r"font[^;\"]*?([\d.]+)px", svg)]
    assert sizes
    assert min(sizes) * 390 / WIDTH >= 10
    paints = {paint.lower() for paint in re.findall(r"#[0-9a-fA-F]{6}", svg)}
    meanings = (*palette.SPOT, *palette.ON_DEMAND, *palette.SYSTEM, palette.INK, palette.SOFT, palette.FAINT)
    assert paints <= {*meanings, "#ffffff", "#000000"}


def boxes(svg: str) -> list[tuple[str, float, float, float, float]]:
    """Left, right, top and bottom of each line of text, a little wider than it is."""
    rectangles: list[tuple[str, float, float, float, float]] = []
    for element in parsed(svg).iter(f"{SVG}text"):
        moved = re.search(r"translate\(([-\d.]+) ([-\d.]+)\)", element.get("transform", ""))
        x = float(element.get("x") or (moved[1] if moved else 0))
        y = float(element.get("y") or (moved[2] if moved else 0))
        shape = element.get("style", "")
        size = float(shape.split("px")[0].split()[-1])
        words = "".join(element.itertext())
        width = len(words) * size * (0.7 if "700" in shape else 0.56)
        left = x - width if "end" in shape else x - width / 2 if "middle" in shape else x
        rectangles.append((words, left, left + width, y - 0.8 * size, y + 0.2 * size))
    return rectangles


@pytest.mark.parametrize("on_demand", [0.06, 0.232, 50.0, 4000.0])
@pytest.mark.parametrize("marks", [(), (0.05,), (0.0, 0.01, 0.24), (0.05, 0.06, 0.07)])
def test_no_text_touches_another_however_small_the_picture_is_shown(
    on_demand: float, marks: tuple[float, ...]
) -> None:
    """Text grows and shrinks with the picture, so what is apart at its width is apart on a phone."""
    rectangles = boxes(
        drawn_by_rate(*(Mark(rate, "cpuspot: 5 % an hour") for rate in marks), on_demand=on_demand)
    )
    for place, (words, left, right, top, bottom) in enumerate(rectangles):
        for other, at, end, above, below in rectangles[:place]:
            assert right < at or end < left or bottom < above or below < top, (words, other)


def test_lines_far_below_the_price_on_demand_are_distinguishable() -> None:
    """Today's rate is 5 %: a tenth more is a few pixels of a scale to 2.2 times the price on demand otherwise."""
    ways = [("plain", restarting(0.05, 8)), ("saved", saving_often(0.05))]
    svg = cost_by_rate(by_rate(ways, 400 * 0.5, ()), "USD", "Title", "Subtitle")
    assert "Subtitle; logarithmic scale" in texts(svg)
    heights = [
        float(re.findall(r"L [\d.]+ ([\d.]+)", element.get("d", ""))[10])
        for element in parsed(svg).iter(f"{SVG}path")
        if len(re.findall(r"L [\d.]+ ([\d.]+)", element.get("d", ""))) > 20
    ]
    assert len(heights) == 2
    assert heights[1] - heights[0] > 8
    free = cost_by_rate(by_rate([("x", lambda _: 0.0)], 9.0, ()), "USD", "Title", "Subtitle")
    assert "Subtitle" in texts(free)  # nothing has no logarithm


@pytest.mark.parametrize("price", [0.3, 0.232])
def test_there_is_no_break_even_where_spot_never_pays(price: float) -> None:
    assert [curve.breaks_even for curve in by_rate([("x", restarting(price))], 92.8, ()).curves] == [None]


def test_work_that_is_never_done_is_no_line_to_infinity() -> None:
    costs = by_rate([("x", restarting(0.05, hours=500))], 92.8, [Mark(0.9, "observed")])
    assert math.isinf(costs.curves[0].amounts[-1])
    svg = cost_by_rate(costs, "USD", "Title", "")
    assert not re.search(r"\b(inf|nan)\b", svg, re.IGNORECASE)
    assert "on spot, x ▲ goes on above" in texts(svg)
    assert "never done at 95 % an hour" in str(parsed(svg)[1].text)


def test_the_rate_of_today_and_the_break_even_are_marked() -> None:
    shown = texts(drawn_by_rate(Mark(0.05, "cpuspot: 5 % an hour, assumed")))
    ways = {"on demand  $92.80", "on spot, without checkpoints ▲ goes on above"}
    assert {"cpuspot: 5 % an hour, assumed", *ways} <= set(shown)
    assert "from 12 % on" in shown


@pytest.mark.parametrize(
    ("price", "on_demand", "marks"),
    [
        (1e-7, 1e-6, ()),
        (1e7, 5e7, (0.0, 0.0, 0.5)),
        (0.0, 0.0, (0.999,)),
        (5.0, 0.1, (0.05,)),
        (0.0, 1.0, (0.05,)),
    ],
)
def test_any_amounts_make_a_picture(price: float, on_demand: float, marks: tuple[float, ...]) -> None:
    svg = drawn_by_rate(*(Mark(rate, "mark") for rate in marks), price=price, on_demand=on_demand)
    assert "on demand  " in " ".join(texts(svg))


def test_a_picture_is_the_same_every_time_and_leaves_nothing_behind(tmp_path: Path) -> None:
    """Also in a process of its own, whose home must stay empty."""
    program = (
        "from kubeflow_aks.cost.bill import Bill, Line; from kubeflow_aks.cost.figures import Range;"
        "from kubeflow_aks.cost.report import cost_by_pool;"
        "one = Range.exactly(3.0); line = Line('a', 'home', 'a', None, one, one);"
        "print(cost_by_pool.of_bill(Bill('dev', 'r', 'USD', (line,), (), {}, (), None)))"
    )
    environment = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "PYTHONPATH": IMPORT_PATH}
    outputs = {
        subprocess.run(
            [sys.executable, "-c", program], capture_output=True, check=True, env=environment
        ).stdout
        for _ in range(2)
    }
    assert len(outputs) == 1
    assert list(tmp_path.iterdir()) == []
    mine = cost_by_pool.of_bill(bill(line("a", "home", exactly(3), pool="a"), spot=()))
    assert outputs == {mine.encode() + b"\n"}
