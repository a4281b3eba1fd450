"""The second picture: what the work costs at every eviction rate, and from which on spot does not pay."""

import math
from dataclasses import dataclass
from typing import Any, Final

from kubeflow_aks.cost.by_rate import ByRate, Curve
from kubeflow_aks.cost.formatting import money, share
from kubeflow_aks.cost.report.drawing import Drawing, round_money, style
from kubeflow_aks.text.palette import FAINT, INK, ON_DEMAND, SOFT, SPOT

_HEIGHT: Final = 470
"""Height without the marks, each of which has a line of its own above the axes."""
_RIGHT, _TOP, _BOTTOM = 270, 74, 66
_MARK: Final = 16
_LETTER: Final = 7.6
"""Pixels of one letter, roughly."""
_COLOURS: Final = (SPOT[1], "#15803d", "#7c3aed")
_BELOW: Final = 0.8
"""Share of the least amount at which a logarithmic scale begins."""
_HEADROOM: Final = 2.2
"""The picture ends at so many times the price on demand: what costs more goes out at the top."""
_FEW_DECADES: Final = 1.3
_MANY_DECADES: Final = 4
_LEAST_GAP: Final = 0.055
"""Gap between two labels, as a share of the height."""
_POINTS: Final[dict[str, Any]] = {"textcoords": "offset points", "annotation_clip": False, "va": "center"}
_ON_WHITE: Final[dict[str, Any]] = {
    **_POINTS,
    "size": 11,
    "bbox": {"facecolor": "#ffffff", "linewidth": 0, "pad": 1.5},
}
_FAR_RIGHT: Final = 0.7
_NEAR_LEFT: Final = 0.3


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

    def share(self, amount: float) -> float:
        """How high an amount stands, from 0 to 1."""
        if not self.bottom:
            return amount / self.top
        return math.log(amount / self.bottom) / math.log(self.top / self.bottom)


@style("cost-by-rate")
def cost_by_rate(costs: ByRate, currency: str, title: str, subtitle: str) -> str:
    """The picture of at least one curve as an SVG document; `currency` is an ISO code."""
    scale, end = _scale(costs), costs.rates[-1]
    top = scale.top
    left = 30 + int(max(len(money(amount, currency)) for amount in (top, top / 10, scale.bottom)) * _LETTER)
    above = _MARK * len(costs.marks)
    drawing = Drawing(_HEIGHT + above, (left, _RIGHT, _TOP + above, _BOTTOM))
    axes = drawing.axes
    axes.set_xlim(0, end)
    scale.apply(axes)
    axes.grid(axis="y")
    axes.set_axisbelow(True)
    axes.tick_params(length=0, which="both")
    axes.tick_params(axis="x", pad=9)  # so that "0 %" stands below the least amount
    axes.locator_params(axis="x", nbins=8)
    axes.xaxis.set_major_formatter(_percent_tick)
    axes.yaxis.set_major_formatter(round_money(currency))
    axes.set_xlabel("chance that a spot VM is evicted within the next hour", labelpad=8)
    axes.axhline(costs.on_demand, color=ON_DEMAND[1], linewidth=1.6)
    labels = [(costs.on_demand, f"on demand  {money(costs.on_demand, currency)}", ON_DEMAND[1])]
    for curve, colour in zip(costs.curves, _COLOURS, strict=False):
        height = _line(axes, costs, curve, colour, top)
        labels.append((height, _named(curve, end, leaves=height == top), colour))
    _labels(axes, labels, scale)
    for number, mark in enumerate(costs.marks):
        axes.axvline(mark.rate, color=INK, linewidth=1.1, linestyle=(0, (2, 3)), zorder=1)
        side, gap = (
            ("right", -6) if mark.rate > _FAR_RIGHT * end else ("left", 6)
        )  # words stay in the picture
        axes.annotate(mark.words, (mark.rate, top), (gap, 12 + _MARK * number), **_ON_WHITE, ha=side)
    for curve, colour in zip(costs.curves, _COLOURS, strict=False):
        if curve.breaks_even is not None and curve.breaks_even <= end:
            _break_even(axes, curve.breaks_even, (scale.bottom, costs.on_demand), colour, end)
    drawing.text(24, 24, title, size=16, weight="bold")
    drawing.text(24, 47, subtitle + scale.words, color=SOFT)
    return drawing.svg(title, f"{subtitle}. {_described(costs, currency)}")


def _named(curve: Curve, end: float, *, leaves: bool) -> str:
    if curve.breaks_even is not None and curve.breaks_even > end:
        return f"{curve.name}\n(pays up to {share(curve.breaks_even)})"
    return f"{curve.name}{' ▲' if leaves else ''}"


def _line(axes: Any, costs: ByRate, curve: Curve, colour: str, top: float) -> float:
    """Draws a curve as far as it is in the picture, and returns how high it is at its end."""
    points = list(zip(costs.rates, curve.amounts, strict=True))
    inside = [point for point in points if point[1] <= top]
    beyond = next((point for point in points if point[1] > top), None)
    if inside and beyond and math.isfinite(beyond[1]):
        (rate, amount), (further, more) = inside[-1], beyond
        inside.append((rate + (further - rate) * (top - amount) / (more - amount), top))
    axes.plot([rate for rate, _ in inside], [amount for _, amount in inside], color=colour, linewidth=2.2)
    if beyond and inside:
        axes.plot(*inside[-1], color=colour, marker="^", markersize=8, clip_on=False)
    return top if beyond else inside[-1][1]


def _labels(axes: Any, labels: list[tuple[float, str, str]], scale: _Scale) -> None:
    """Names at the right end of the lines, moved apart where they would touch."""
    place, lines = math.inf, 0
    for height, words, colour in sorted(labels, reverse=True):
        above, lines = lines, 1 + words.count("\n")
        place = min(
            scale.share(height), place - _LEAST_GAP * (above + lines) / 2
        )  # each is centred on its place
        axes.annotate(
            words, (1, place), (12, 0), xycoords="axes fraction", **_POINTS, color=colour, weight="bold"
        )


def _break_even(axes: Any, rate: float, amounts: tuple[float, float], colour: str, end: float) -> None:
    """A point where a curve meets the price on demand, the second of `amounts`, and a line down to the first."""
    bottom, amount = amounts
    axes.plot(
        [rate], [amount], color=colour, marker="o", markersize=8, markerfacecolor="#ffffff", markeredgewidth=2
    )
    axes.plot([rate, rate], [bottom, amount], color=FAINT, linewidth=1.2, zorder=1)
    words = f"from {share(rate)} on\nspot costs more"
    # The curve comes from below on the left and goes on above on the right, so the other two corners are free.
    side, place = ("left", (8, -30)) if rate < _NEAR_LEFT * end else ("right", (-8, 20))
    axes.annotate(words, (rate, amount), place, **_ON_WHITE, color=colour, ha=side)


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
