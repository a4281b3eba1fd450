"""The first picture: what each pool costs a month, on spot and on demand, and what comes on top."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from kubeflow_aks.cost.bill import Bill, Line
from kubeflow_aks.cost.figures import Range, total
from kubeflow_aks.cost.formatting import NEVER, money
from kubeflow_aks.cost.report.drawing import (
    LETTER,
    LINE,
    MARGIN,
    Drawing,
    LegendEntry,
    heading_height,
    legend_height,
    round_money,
    style,
)
from kubeflow_aks.text.columns import cut_middle
from kubeflow_aks.text.palette import ON_DEMAND, SOFT, SPOT, SYSTEM

Kind = Literal["spot", "on-demand", "home", "rest"]
_COLOURS: Final = {"spot": SPOT, "on-demand": ON_DEMAND, "home": SYSTEM, "rest": ("#ffffff", SYSTEM[1])}
_WORDS: Final = {
    "spot": "on spot",
    "on-demand": "on demand",
    "home": "always there, on demand",
    "rest": "the rest of the stack",
}
_LONGEST_NAME: Final = 40
_BAR, _GAP = 17, 10
_AXIS: Final = 30
"""Pixels of the amounts below the bars."""
_BESIDE: Final[dict[str, Any]] = {"textcoords": "offset points", "va": "center", "annotation_clip": False}
_MOST_REST: Final = 12
"""Rows of the rest of the stack; the smallest ones become one row."""
_WIDEST: Final = 1.5
"""A range that goes this many times beyond the largest expected amount is cut: all bars would be too short."""


@dataclass(frozen=True)
class Row:
    """One row: what it costs, and what the same work would cost on demand."""

    name: str
    kind: Kind
    amount: Range
    on_demand: Range

    @property
    def bars(self) -> tuple[tuple[Kind, Range], ...]:
        """One bar; two where the work would cost something else on demand."""
        mine = (self.kind, self.amount)
        return (mine,) if self.amount == self.on_demand else (mine, ("on-demand", self.on_demand))


def of_bill(bill: Bill) -> str:
    """The picture of a bill."""
    bars = rows(bill)
    expected, compared = _sums(bars)
    words = _amount(expected, bill.currency)
    title = (
        f"Stack {bill.stack}: {'work that is never done' if words == NEVER else f'{words} a month expected'}"
    )
    if expected != compared:
        subtitle = f"{money(compared.expected, bill.currency)} with all batch work on demand"
    else:
        subtitle = "nothing of it depends on spot"
    return cost_by_pool(bars, bill.currency, title, subtitle)


def rows(bill: Bill) -> tuple[Row, ...]:
    """A bill's lines by pool, its disks included; the smallest of the rest as one row."""
    named: dict[str, list[Line]] = {}
    for line in bill.lines:
        named.setdefault(line.pool or line.name, []).append(line)
    by_name = [Row(name, _kind(lines, bill), *_sums(lines)) for name, lines in named.items()]
    rest = sorted((row for row in by_name if row.kind == "rest"), key=lambda row: -row.amount.expected)
    small = rest[_MOST_REST - 1 :] if len(rest) > _MOST_REST else []
    shown = [row for row in by_name if row not in small]
    if small:
        shown.append(Row(f"{len(small)} smaller things", "rest", *_sums(small)))
    return tuple(shown)


def _kind(lines: Sequence[Line], bill: Bill) -> Kind:
    if lines[0].pool in bill.rates:
        return "spot"
    parts = {line.part for line in lines}
    return "on-demand" if "batch" in parts else "home" if "home" in parts else "rest"


def _sums(lines: Sequence[Line] | Sequence[Row]) -> tuple[Range, Range]:
    return total(line.amount for line in lines), total(line.on_demand for line in lines)


@style("cost-by-pool")
def cost_by_pool(bars: Sequence[Row], currency: str, title: str, subtitle: str) -> str:
    """The picture of at least one row as an SVG document; `currency` is an ISO code."""
    labels = [_amount(amount, currency) for row in bars for _, amount in row.bars]
    right = MARGIN + int(max(map(len, labels)) * LETTER)
    heights = [LINE + len(row.bars) * _BAR + _GAP for row in bars]
    top, entries = heading_height(title, subtitle), list(_legend(bars))
    bottom = _AXIS + legend_height(entries)
    drawing = Drawing(top + sum(heights) + bottom, (MARGIN, right, top, bottom))
    axes, end = drawing.axes, _end(bars)
    axes.set_xlim(0, end)
    axes.set_ylim(sum(heights), 0)
    y = 0.0
    for row, height in zip(bars, heights, strict=True):
        axes.annotate(
            cut_middle(row.name, _LONGEST_NAME), (0, y + LINE / 2), **_BESIDE, xytext=(0, 0), weight="bold"
        )
        for number, (kind, amount) in enumerate(row.bars):
            middle = y + LINE + (number + 0.5) * _BAR
            _bar(axes, middle, kind, amount, end)
            reach = 0.0 if math.isinf(amount.expected) else max(amount.expected, min(amount.high, end))
            colour = _COLOURS[kind][1] if kind in {"spot", "on-demand"} else SOFT
            axes.annotate(_amount(amount, currency), (reach, middle), (9, 0), **_BESIDE, color=colour)
        y += height
    axes.set_yticks([])
    axes.spines["left"].set_color(SOFT)
    axes.spines["bottom"].set_visible(False)
    axes.tick_params(axis="x", length=0)
    axes.locator_params(axis="x", nbins=3)
    axes.set_axisbelow(True)
    axes.grid(axis="x")
    axes.xaxis.set_major_formatter(round_money(currency))
    drawing.heading(title, subtitle)
    drawing.legend(drawing.height - legend_height(entries), entries)
    return drawing.svg(title, f"{subtitle}. {_described(bars, currency)}")


def _bar(axes: Any, y: float, kind: Kind, amount: Range, end: float) -> None:
    """A bar to the expected amount, and a line from the least to the most; an arrow where that is cut."""
    if math.isinf(amount.expected):
        return
    fill, line = _COLOURS[kind]
    axes.barh(
        y, amount.expected, _BAR - 3, color=fill, edgecolor=line, linestyle="--" if kind == "spot" else "-"
    )
    if not amount.exact:
        high = min(amount.high, end)
        tip = ">" if amount.high > end else "|"
        axes.plot([amount.low, high], [y, y], color=line, linewidth=1.2)
        axes.plot([amount.low], [y], color=line, marker="|", markersize=7)
        axes.plot([high], [y], color=line, marker=tip, markersize=7, clip_on=False)


def _amount(amount: Range, currency: str) -> str:
    words = money(amount.expected, currency)
    low, high = money(amount.low, currency), money(amount.high, currency)
    if math.isinf(amount.expected) or low == words == high:
        return words
    return f"{words}  ({low} to {'no end' if math.isinf(amount.high) else high})"


def _end(bars: Sequence[Row]) -> float:
    """Where the axis ends: beyond every expected amount, and beyond the ranges if they are not too wide."""
    amounts = [amount for row in bars for _, amount in row.bars if not math.isinf(amount.expected)]
    largest = max((amount.expected for amount in amounts), default=0.0)
    widest = max((amount.high for amount in amounts), default=0.0)
    return max(largest, min(widest, _WIDEST * largest)) or 1.0


def _legend(bars: Sequence[Row]) -> Iterator[LegendEntry]:
    shown = {kind for row in bars for kind, _ in row.bars}
    for kind, (fill, line) in _COLOURS.items():
        if kind in shown:
            yield (
                {"facecolor": fill, "edgecolor": line, "linestyle": "--" if kind == "spot" else "-"},
                _WORDS[kind],
            )
    if any(not amount.exact for row in bars for _, amount in row.bars):
        yield {"color": SOFT, "marker": "|", "markersize": 7, "linewidth": 1.2}, "range of what is assumed"


def _described(bars: Sequence[Row], currency: str) -> str:
    """The picture as text, for a screen reader."""
    return "; ".join(
        f"{row.name}: "
        + ", ".join(f"{_amount(amount, currency)} {_WORDS[kind]}" for kind, amount in row.bars)
        for row in bars
    )
