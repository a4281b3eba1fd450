"""The dashboard as a picture of its page: what its queries answered, drawn much as Grafana draws it."""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, Final

from kubeflow_aks.cost.report.drawing import (
    LINE,
    MARGIN,
    SMALL,
    WIDTH,
    Drawing,
    LegendEntry,
    heading_height,
    legend_height,
    round_money,
    style,
)
from kubeflow_aks.text.palette import ON_DEMAND, SOFT, SPOT, SYSTEM

_HOUR: Final = 3600
_HEIGHT: Final = 110
"""Pixels of one panel's axes."""
_TICKS: Final = 26
"""Pixels of the hours below them."""
_LEFT: Final = 50
_STATS: Final = 4 * LINE
"""Pixels of the numbers in a row."""
_COLOURS: Final = {"cpuspot": SPOT, "cpuod": ON_DEMAND, "system": SYSTEM}
"""Fill and line of a series by the first word of its name."""
_OTHERS: Final = (("#fecaca", "#b91c1c"), ("#bbf7d0", "#15803d"), ("#e9d5ff", "#7e22ce"))

Answers = Mapping[str, Sequence[Mapping[str, Any]]]
Series = dict[str, dict[float, float]]
"""Values by time, in seconds, by name."""


@style("dashboard")
def picture(panels: Sequence[Mapping[str, Any]], answers: Answers, title: str, subtitle: str) -> str:
    """SVG of some panels: of numbers, one in a row; of series over time, one below the other.

    Args:
        panels: of the dashboard.
        answers: of their queries, by title and letter.
        title: the headline.
        subtitle: what was recorded.
    """
    numbers = [panel for panel in panels if panel["type"] == "stat"]
    charts = [(panel, _series(panel, answers)) for panel in panels if panel["type"] == "timeseries"]
    times = sorted({at for _, series in charts for values in series.values() for at in values})
    top = heading_height(title, subtitle)
    heights = [LINE + _HEIGHT + _TICKS + legend_height(list(_legend(series))) for _, series in charts]
    drawing = Drawing(int(top + _STATS + sum(heights)), (0, 0, 0, 0))
    drawing.axes.set_axis_off()
    drawing.heading(title, subtitle)
    words: list[str] = []
    for number, panel in enumerate(numbers):
        x = MARGIN + number * (WIDTH - 2 * MARGIN) / len(numbers)
        shown = _number(panel, answers)
        drawing.text(x, top + LINE / 2, shown, size=24, weight="bold")
        for line, text in enumerate(re.split(r" (?=\()", panel["title"])):
            drawing.text(x, top + LINE * (1.7 + line), text, color=SOFT)
        words.append(f"{panel['title']}: {shown}")
    y = top + _STATS
    for (panel, series), height in zip(charts, heights, strict=True):
        drawing.text(MARGIN, y, panel["title"], size=SMALL, weight="bold")
        _chart(drawing, panel, series, times, y + LINE)
        drawing.legend(y + LINE + _HEIGHT + _TICKS, list(_legend(series)))
        most = ", ".join(f"{name} at most {max(values.values()):g}" for name, values in series.items())
        words.append(f"{panel['title']}: {most}")
        y += height
    return drawing.svg(title, f"{subtitle}. {'; '.join(words)}")


def _number(panel: Mapping[str, Any], answers: Answers) -> str:
    [series] = answers[f"{panel['title']} A"]
    value = float(series["values"][-1][1])
    share = panel["fieldConfig"]["defaults"]["unit"] == "percentunit"
    return f"{100 * value:.0f} %" if share else f"{value:.0f}"


def _series(panel: Mapping[str, Any], answers: Answers) -> Series:
    """What a panel shows, without what is 0 all the time."""
    series: Series = {}
    for target in panel["targets"]:
        for answer in answers[f"{panel['title']} {target['refId']}"]:
            name = _filled(target["legendFormat"], answer["metric"])
            series[name] = {at: float(value) for at, value in answer["values"]}
    return {name: values for name, values in sorted(series.items()) if any(values.values())}


def _filled(legend: str, labels: Mapping[str, str]) -> str:
    return re.sub("{{(.+?)}}", lambda match: labels[match[1]], legend)


def _colours(series: Series) -> Iterator[tuple[str, tuple[str, str]]]:
    others = iter(_OTHERS)
    for name in series:
        yield name, _COLOURS.get(name.split()[0]) or next(others)


def _legend(series: Series) -> Iterator[LegendEntry]:
    for name, (fill, line) in _colours(series):
        yield {"facecolor": fill, "edgecolor": line}, name


def _chart(
    drawing: Drawing, panel: Mapping[str, Any], series: Series, times: Sequence[float], y: float
) -> None:
    """One panel with its axes so many pixels below the top."""
    height, unit = drawing.height, panel["fieldConfig"]["defaults"]["unit"]
    axes = drawing.figure.add_axes(
        (_LEFT / WIDTH, 1 - (y + _HEIGHT) / height, (WIDTH - _LEFT - MARGIN) / WIDTH, _HEIGHT / height)
    )
    bars = panel["interval"] is not None
    rows = {at: tuple(values.get(at, 0.0) for values in series.values()) for at in times}
    if bars:
        rows = {at: row for at, row in rows.items() if at % _HOUR == 0}
    else:  # in steps: where nothing changes no point is needed
        changes = [at for before, at in pairwise(times) if rows[before] != rows[at]]
        rows = {at: rows[at] for at in sorted({times[0], *changes, times[-1]})}
    hours = [at / _HOUR for at in rows]
    base = [0.0] * len(rows)
    for (_, (fill, line)), values in zip(_colours(series), zip(*rows.values(), strict=True), strict=True):
        above = [low + value for low, value in zip(base, values, strict=True)]
        if bars:
            axes.bar(hours, values, 0.8, base, facecolor=fill, edgecolor=line)
        else:
            axes.fill_between(hours, base, above, step="post", facecolor=fill, edgecolor=line, linewidth=0.8)
        base = above
    axes.grid(axis="y")
    axes.set_axisbelow(True)
    axes.tick_params(length=0)
    axes.tick_params(axis="x", pad=7)  # so that the first hour stands below the least value
    axes.set_ylim(0, 1.15 * max(base))
    axes.set_xlim(0, times[-1] / _HOUR)
    axes.locator_params(axis="y", nbins=4, integer=unit == "none")
    axes.xaxis.set_major_formatter(_hours)
    if unit == "currencyUSD":
        axes.yaxis.set_major_formatter(round_money("USD"))


def _hours(hour: float, _: int) -> str:
    return f"{hour:g} h"
