"""The second picture: what the work costs at every eviction rate, and from which on spot does not pay."""

from __future__ import annotations

import math
from typing import Any, Final

from kubeflow_aks.cost.by_rate import ByRate, Curve
from kubeflow_aks.cost.formatting import money, share
from kubeflow_aks.cost.report.drawing import Drawing, round_money, style
from kubeflow_aks.text.palette import FAINT, INK, ON_DEMAND, SOFT, SPOT

_HEIGHT: Final = 470
_RIGHT, _TOP, _BOTTOM = 270, 74, 66
_LETTER: Final = 7.6
"""Pixels of one letter, roughly."""
_COLOURS: Final = (SPOT[1], "#15803d", "#7c3aed")
_HEADROOM: Final = 2.2
"""The picture ends at so many times the price on demand: what costs more goes out at the top."""
_LEAST_GAP: Final = 0.055
"""Between two labels, as a share of the height."""
_POINTS: Final[dict[str, Any]] = {"textcoords": "offset points", "annotation_clip": False, "va": "center"}
_ON_WHITE: Final[dict[str, Any]] = {
    **_POINTS,
    "size": 11,
    "bbox": {"facecolor": "#ffffff", "linewidth": 0, "pad": 1.5},
}
_FAR_RIGHT: Final = 0.7
_NEAR_LEFT: Final = 0.3


def cost_by_rate(found: ByRate, currency: str, title: str, subtitle: str) -> str:
    """The picture as an SVG document.

    Args:
        found: at least one curve.
        currency: ISO code.
        title: its headline.
        subtitle: in smaller letters under it.
    """
    with style("cost-by-rate"):
        return _drawn(found, currency, title, subtitle)


def _drawn(found: ByRate, currency: str, title: str, subtitle: str) -> str:
    top, end = _top(found), found.rates[-1]
    left = 30 + int(max(len(money(amount, currency)) for amount in (top, top / 10)) * _LETTER)
    drawing = Drawing(_HEIGHT, (left, _RIGHT, _TOP, _BOTTOM))
    axes = drawing.axes
    axes.set_xlim(0, end)
    axes.set_ylim(0, top)
    axes.grid(axis="y")
    axes.set_axisbelow(True)
    axes.tick_params(length=0)
    axes.tick_params(axis="x", pad=9)  # so that "0 %" stands below "$0"
    axes.locator_params(axis="x", nbins=8)
    axes.xaxis.set_major_formatter(_percent_tick)
    axes.yaxis.set_major_formatter(round_money(currency))
    axes.set_xlabel("chance that a spot VM is evicted within the next hour", labelpad=8)
    axes.axhline(found.on_demand, color=ON_DEMAND[1], linewidth=1.6)
    labels = [(found.on_demand, f"on demand  {money(found.on_demand, currency)}", ON_DEMAND[1])]
    for curve, colour in zip(found.curves, _COLOURS, strict=False):
        height = _line(axes, found, curve, colour, top)
        labels.append((height, _named(curve, end, leaves=height == top), colour))
    _labels(axes, labels, end, top)
    for number, mark in enumerate(found.marks):
        axes.axvline(mark.rate, color=INK, linewidth=1.1, linestyle=(0, (2, 3)))
        side, gap = _side(mark.rate, end)
        axes.annotate(mark.words, (mark.rate, top), (gap, -9 - 16 * number), **_ON_WHITE, ha=side)
    for curve, colour in zip(found.curves, _COLOURS, strict=False):
        if curve.breaks_even is not None and curve.breaks_even <= end:
            _break_even(axes, curve.breaks_even, found.on_demand, colour, end)
    drawing.text(24, 24, title, size=16, weight="bold")
    drawing.text(24, 47, subtitle, color=SOFT)
    return drawing.svg(title, f"{subtitle}. {_described(found, currency)}")


def _named(curve: Curve, end: float, *, leaves: bool) -> str:
    if curve.breaks_even is not None and curve.breaks_even > end:
        return f"{curve.name}\n(pays up to {share(curve.breaks_even)})"
    return f"{curve.name}{' ▲' if leaves else ''}"


def _line(axes: Any, found: ByRate, curve: Curve, colour: str, top: float) -> float:
    """Draws a curve as far as it is in the picture.

    Returns:
        How high it is at its end.
    """
    inside = [
        (rate, amount) for rate, amount in zip(found.rates, curve.amounts, strict=True) if amount <= top
    ]
    beyond = next(
        ((rate, amount) for rate, amount in zip(found.rates, curve.amounts, strict=True) if amount > top),
        None,
    )
    if inside and beyond and math.isfinite(beyond[1]):
        (rate, amount), (further, more) = inside[-1], beyond
        inside.append((rate + (further - rate) * (top - amount) / (more - amount), top))
    axes.plot([rate for rate, _ in inside], [amount for _, amount in inside], color=colour, linewidth=2.2)
    if beyond and inside:
        axes.plot(*inside[-1], color=colour, marker="^", markersize=8, clip_on=False)
    return top if beyond else inside[-1][1]


def _labels(axes: Any, labels: list[tuple[float, str, str]], end: float, top: float) -> None:
    """Names at the right end of the lines, moved apart where they would touch."""
    place, lines = math.inf, 0
    for height, words, colour in sorted(labels, reverse=True):
        above, lines = lines, 1 + words.count("\n")
        place = min(height, place - _LEAST_GAP * top * (above + lines) / 2)  # each is centred on its place
        axes.annotate(words, (end, place), (12, 0), **_POINTS, color=colour, weight="bold")


def _break_even(axes: Any, rate: float, amount: float, colour: str, end: float) -> None:
    axes.plot(
        [rate], [amount], color=colour, marker="o", markersize=8, markerfacecolor="#ffffff", markeredgewidth=2
    )
    axes.plot([rate, rate], [0, amount], color=FAINT, linewidth=1.2)
    words = f"from {share(rate)} on\nspot costs more"
    # The curve comes from below on the left and goes on above on the right, so the other two corners are free.
    side, place = ("left", (8, -30)) if rate < _NEAR_LEFT * end else ("right", (-8, 20))
    axes.annotate(words, (rate, amount), place, **_ON_WHITE, color=colour, ha=side)


def _side(rate: float, end: float) -> tuple[str, int]:
    """How words stand beside a rate, so that they stay in the picture."""
    return ("right", -6) if rate > _FAR_RIGHT * end else ("left", 6)


def _percent_tick(rate: float, _: int) -> str:
    return f"{100 * rate:g} %"


def _top(found: ByRate) -> float:
    """Above the price on demand and every curve, unless one grows far beyond it."""
    largest = max(
        (amount for curve in found.curves for amount in curve.amounts if math.isfinite(amount)), default=0.0
    )
    first = max(curve.amounts[0] for curve in found.curves if math.isfinite(curve.amounts[0]))
    return max(1.25 * found.on_demand, 1.25 * first, min(1.1 * largest, _HEADROOM * found.on_demand)) or 1.0


def _described(found: ByRate, currency: str) -> str:
    """The picture as text, for a screen reader."""
    parts = [f"on demand: {money(found.on_demand, currency)}"]
    for curve in found.curves:
        start, stop = money(curve.amounts[0], currency), money(curve.amounts[-1], currency)
        words = f"{curve.name}: {start} without evictions, {stop} at {share(found.rates[-1])} an hour"
        if curve.breaks_even is not None:
            words += f", more than on demand from {share(curve.breaks_even)} on"
        parts.append(words)
    return "; ".join((*parts, *(mark.words for mark in found.marks)))
