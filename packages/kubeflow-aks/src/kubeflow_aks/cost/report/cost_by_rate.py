"""The second picture: what the work costs at every eviction rate, and from which on spot does not pay."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from kubeflow_aks.cost.by_rate import ByRate, Curve
from kubeflow_aks.cost.formatting import money, share
from kubeflow_aks.cost.report.drawing import (
    LETTER,
    MARGIN,
    Drawing,
    LegendEntry,
    heading_height,
    legend_height,
    round_money,
    style,
)
from kubeflow_aks.text.palette import FAINT, INK, ON_DEMAND, SPOT

_HEIGHT: Final = 300
"""Pixels of the axes."""
_AXIS: Final = 62
"""Pixels of the rates below them and their name."""
_STYLES: Final = ("-", (0, (6, 3)), (0, (2, 2)))
"""Lines of the ways to do the work: all are on spot, whose colour they have."""
_BELOW: Final = 0.8
"""Share of the least amount at which a logarithmic scale begins."""
_HEADROOM: Final = 2.2
"""The picture ends at so many times the price on demand: what costs more goes out at the top."""
_FEW_DECADES: Final = 1.3
_MANY_DECADES: Final = 4
_ON_WHITE: Final[dict[str, Any]] = {
    "textcoords": "offset points",
    "annotation_clip": False,
    "va": "center",
    "bbox": {"facecolor": "#ffffff", "linewidth": 0, "pad": 1.5},
}
_NEAR_LEFT: Final = 0.35
_DEMAND: Final[dict[str, Any]] = {"color": ON_DEMAND[1], "linewidth": 1.6}
_MARK: Final[dict[str, Any]] = {"color": INK, "linewidth": 1.1, "linestyle": (0, (2, 3)), "zorder": 1}


@dataclass(frozen=True)
class _Scale:
    """The amounts from the bottom of the picture to its top; logarithmic where the bottom is above 0."""

    bottom: float
    top: float

    @property
    def words(self) -> str:
        """How to read it, where that is unusual."""
        return "; logarithmic scale" if self.bottom else ""

    def apply(self, axes: Any) -> None:
        """Sets the axis, with round amounts that are neither crowded nor lacking."""
        from matplotlib.ticker import LogLocator, NullLocator  # noqa: PLC0415 - half a second that only pictures need

        if self.bottom:
            axes.set_yscale("log")
            decades = math.log10(self.top / self.bottom)
            subs = (1, 2, 5) if decades > _FEW_DECADES else (1, 1.5, 2, 3, 5, 7)
            axes.yaxis.set_major_locator(LogLocator(subs=subs if decades < _MANY_DECADES else (1,)))
            axes.yaxis.set_minor_locator(NullLocator())
        axes.set_ylim(self.bottom, self.top)


@style("cost-by-rate")
def cost_by_rate(costs: ByRate, currency: str, title: str, subtitle: str) -> str:
    """The picture of at least one curve as an SVG document; `currency` is an ISO code."""
    scale, end = _scale(costs), costs.rates[-1]
    left = MARGIN + int(
        max(len(money(amount, currency)) for amount in (scale.top, scale.top / 10, scale.bottom)) * LETTER
    )
    entries = list(_legend(costs, currency, scale))
    subtitle += scale.words
    top, bottom = heading_height(title, subtitle), _AXIS + legend_height(entries)
    drawing = Drawing(top + _HEIGHT + bottom, (left, MARGIN, top, bottom))
    axes = drawing.axes
    axes.set_xlim(0, end)
    scale.apply(axes)
    axes.grid(axis="y")
    axes.set_axisbelow(True)
    axes.tick_params(length=0, which="both")
    axes.tick_params(axis="x", pad=9)  # so that "0 %" stands below the least amount
    axes.locator_params(axis="x", nbins=6)
    axes.xaxis.set_major_formatter(_percent_tick)
    axes.yaxis.set_major_formatter(round_money(currency))
    axes.set_xlabel("chance that a spot VM is evicted within an hour", labelpad=8)
    axes.axhline(costs.on_demand, **_DEMAND)
    for mark in costs.marks:
        axes.axvline(mark.rate, **_MARK)
    for curve, line in zip(costs.curves, _STYLES, strict=False):
        _line(axes, costs, curve, line, scale.top)
    for curve in costs.curves:
        if curve.breaks_even is not None and curve.breaks_even <= end:
            _break_even(axes, curve.breaks_even, (scale.bottom, costs.on_demand), end)
    drawing.heading(title, subtitle)
    drawing.legend(drawing.height - legend_height(entries), entries)
    return drawing.svg(title, f"{subtitle}. {_described(costs, currency)}")


def _legend(costs: ByRate, currency: str, scale: _Scale) -> Iterator[LegendEntry]:
    yield _DEMAND, f"on demand  {money(costs.on_demand, currency)}"
    for curve, line in zip(costs.curves, _STYLES, strict=False):
        words = f"on spot, {curve.name}"
        if curve.breaks_even is not None and curve.breaks_even > costs.rates[-1]:
            words += f" (pays up to {share(curve.breaks_even)})"
        if curve.amounts[-1] > scale.top:
            words += " ▲ goes on above"
        yield {"color": SPOT[1], "linewidth": 2.2, "linestyle": line}, words
    yield from ((_MARK, mark.words) for mark in costs.marks)


def _line(axes: Any, costs: ByRate, curve: Curve, line: object, top: float) -> None:
    """Draws a curve as far as it is in the picture."""
    points = list(zip(costs.rates, curve.amounts, strict=True))
    inside = [point for point in points if point[1] <= top]
    beyond = next((point for point in points if point[1] > top), None)
    if inside and beyond and math.isfinite(beyond[1]):
        (rate, amount), (further, more) = inside[-1], beyond
        inside.append((rate + (further - rate) * (top - amount) / (more - amount), top))
    rates, amounts = [rate for rate, _ in inside], [amount for _, amount in inside]
    axes.plot(rates, amounts, color=SPOT[1], linewidth=2.2, linestyle=line)
    if beyond and inside:
        axes.plot(*inside[-1], color=SPOT[1], marker="^", markersize=8, clip_on=False)


def _break_even(axes: Any, rate: float, amounts: tuple[float, float], end: float) -> None:
    """A point where a curve meets the price on demand, the second of `amounts`, and a line down to the first."""
    bottom, amount = amounts
    axes.plot(
        [rate],
        [amount],
        color=SPOT[1],
        marker="o",
        markersize=8,
        markerfacecolor="#ffffff",
        markeredgewidth=2,
    )
    axes.plot([rate, rate], [bottom, amount], color=FAINT, linewidth=1.2, zorder=1)
    words = f"from {share(rate)} on\nspot costs more"
    # The curve comes from below on the left and goes on above on the right, so the other two corners are free.
    side, place = ("left", (8, -30)) if rate < _NEAR_LEFT * end else ("right", (-8, 20))
    axes.annotate(words, (rate, amount), place, **_ON_WHITE, color=SPOT[1], ha=side)


def _percent_tick(rate: float, _: int) -> str:
    return f"{100 * rate:g} %"


def _scale(costs: ByRate) -> _Scale:
    """Logarithmic, so that ways far below the price on demand can be distinguished; linear where one costs nothing."""
    least = min([costs.on_demand, *(amount for curve in costs.curves for amount in curve.amounts)])
    return _Scale(_BELOW * least if least > 0 else 0.0, _top(costs))


def _top(costs: ByRate) -> float:
    """The axis' end, above the price on demand and every curve that does not grow far beyond it."""
    largest = max(
        (amount for curve in costs.curves for amount in curve.amounts if math.isfinite(amount)), default=0.0
    )
    first = max(curve.amounts[0] for curve in costs.curves if math.isfinite(curve.amounts[0]))
    return max(1.25 * costs.on_demand, 1.25 * first, min(1.1 * largest, _HEADROOM * costs.on_demand)) or 1.0


def _described(costs: ByRate, currency: str) -> str:
    """The picture as text, for a screen reader."""
    parts = [f"on demand: {money(costs.on_demand, currency)}"]
    for curve in costs.curves:
        start, stop = money(curve.amounts[0], currency), money(curve.amounts[-1], currency)
        words = f"{curve.name}: {start} without evictions, {stop} at {share(costs.rates[-1])} an hour"
        if curve.breaks_even is not None:
            words += f", more than on demand from {share(curve.breaks_even)} on"
        parts.append(words)
    return "; ".join((*parts, *(mark.words for mark in costs.marks)))
