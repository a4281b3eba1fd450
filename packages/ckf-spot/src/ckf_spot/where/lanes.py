"""Pools as lanes, with their nodes and the pods on them, as SVG: what this package's picture and the demo's have alike.

Times are seconds from the chart's beginning, lengths are pixels.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from html import escape
from pathlib import Path
from typing import Final, TypeVar

_T = TypeVar("_T")
_Time = TypeVar("_Time", float, datetime)

_LOWEST_BAR: Final = 12
_BAR_GAP: Final = 3
_NODE_PADDING: Final = 3
_LOWEST_LANE: Final = 60
_NARROWEST: Final = 2
_LETTER: Final = 0.6
"""Width of one letter for its height, roughly."""
_FEWEST_LETTERS: Final = 3
_TICKS: Final = (5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 28800, 86400)
_NOT_IN_XML: Final = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")

STYLE: Final = Path(__file__).parent / "lanes.css"
"""Colours in light and dark, and the look of lanes and bars."""
HATCH: Final = """\
<pattern id="hatch" width="7" height="7" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
<line class="hatch" x1="0" x2="0" y1="0" y2="7"/></pattern>"""
"""A pattern for `<defs>`."""


@dataclass(frozen=True, kw_only=True)
class Bar:
    """A pod while it was on a node, or while it waited.

    Attributes:
        track: its place among the bars beside it, from 0.
        style: its classes.
        label: text on it, as much as fits.
        title: text on hover.
        evicted: whether it ended by an eviction.
    """

    start: float
    end: float
    track: int
    style: str
    label: str
    title: str
    evicted: bool = False


@dataclass(frozen=True, kw_only=True)
class NodeBar:
    """A node.

    Attributes:
        ready: when it was ready; None if it never was.
        notice: when its eviction was announced, None without one.
        evicted: whether it was evicted at `end`.
        row: its place in the lane, from 0.
        title: text on hover.
        end_title: text of the mark of its eviction, on hover.
    """

    name: str
    start: float
    ready: float | None
    end: float
    notice: float | None
    evicted: bool
    pods: tuple[Bar, ...]
    row: int
    title: str
    end_title: str

    @property
    def tracks(self) -> int:
        """How many pods it had side by side, 1 at least."""
        return _tracks(self.pods)


@dataclass(frozen=True, kw_only=True)
class Lane:
    """One pool.

    Attributes:
        style: class of its colours: spot, ondemand or unknown.
        vm_size: empty if unknown.
        empty: text of a lane without nodes.
        free: height that is kept free above the nodes.
    """

    name: str
    style: str
    kind: str
    vm_size: str
    nodes: tuple[NodeBar, ...]
    empty: str
    free: float = 0


class LaneChart:
    """Where lanes stand, and their drawing."""

    def __init__(
        self,
        lanes: Sequence[Lane],
        waiting: Sequence[Bar] | None,
        seconds: float,
        *,
        top: float,
        width: float,
        left: float,
        right: float,
        row_gap: float,
        padding: float,
        label: float | None,
    ) -> None:
        """Places the lanes below one another.

        Args:
            lanes: from top to bottom.
            waiting: bars of the lane of pods without a node; None: there is no such lane.
            seconds: length of the time axis.
            top: where the first lane begins.
            width: of the whole chart.
            left: width of the lanes' names.
            right: margin behind the time axis.
            row_gap: between two rows of nodes.
            padding: above and below the nodes of a lane.
            label: height of the letters on bars, which have as much of their label as fits; None: they have none.
        """
        self._waiting = waiting
        self._seconds = seconds
        self._left = left
        self._plot = width - left - right
        self._width = width
        self._row_gap = row_gap
        self._padding = padding
        self._label = label
        self._track = max(_LOWEST_BAR, round((label or 0) * 1.25)) + _BAR_GAP
        self.places: dict[str, tuple[float, float]] = {}
        """Top and height of each lane, by name."""
        self._waiting_top = top
        for lane in lanes:
            self.places[lane.name] = (self._waiting_top, self._height(lane))
            self._waiting_top += self._height(lane)
        height = 0 if waiting is None else max(_tracks(waiting) * self._track + 2 * padding, _LOWEST_LANE)
        self.bottom = self._waiting_top + height
        """Where the last lane ends."""

    def x(self, seconds: float) -> float:
        """The place of a moment, within the chart."""
        return round(self._left + self._plot * min(max(seconds, 0), self._seconds) / max(self._seconds, 1), 1)

    def lane(self, lane: Lane, marks: Iterable[str] = ()) -> Iterator[str]:
        """A lane with its nodes and pods; the marks lie below the nodes."""
        top, height = self.places[lane.name]
        yield f'<g class="lane {lane.style}">'
        yield from self._head(top, lane.name, lane.kind)
        yield text(8, top + 49, lane.vm_size.removeprefix("Standard_"), "size")
        yield from marks
        for node in lane.nodes:
            yield from self._node(node, lane, top + self._padding + lane.free)
        if not lane.nodes:
            yield text(self._left + 8, top + height / 2 + 4, lane.empty, "note")
        yield "</g>"

    def waiting(self) -> Iterator[str]:
        """The lane of pods without a node, and the line that ends the chart."""
        if self._waiting is None:
            yield self._rule(self.bottom)
            return
        yield '<g class="lane">'
        yield from self._head(self._waiting_top, "waiting", "without a node")
        for bar in self._waiting:
            yield from self._bar(bar, self._waiting_top + self._padding)
        yield self._rule(self.bottom) + "</g>"

    def tick(self, seconds: float, label: str) -> Iterator[str]:
        """A tick of the time axis below the chart."""
        x = self.x(seconds)
        yield f'<line class="tick" x1="{x}" x2="{x}" y1="{self.bottom}" y2="{self.bottom + 5}"/>'
        yield text(x, self.bottom + 18, label, "tick-label")

    def _head(self, top: float, name: str, kind: str) -> Iterator[str]:
        yield self._rule(top)
        yield text(8, top + 20, name, "name")
        yield text(8, top + 35, kind, "kind")

    def _rule(self, y: float) -> str:
        return f'<line class="rule" x1="0" x2="{self._width}" y1="{y}" y2="{y}"/>'

    def _height(self, lane: Lane) -> float:
        rows = sum(self._row_height(tracks) + self._row_gap for tracks in _rows(lane)) - self._row_gap
        return max(rows + 2 * self._padding + lane.free, _LOWEST_LANE)

    def _row_height(self, tracks: int) -> float:
        return tracks * self._track + 2 * _NODE_PADDING - _BAR_GAP

    def _node(self, node: NodeBar, lane: Lane, top: float) -> Iterator[str]:
        y = top + sum(self._row_height(tracks) + self._row_gap for tracks in _rows(lane)[: node.row])
        height = self._row_height(node.tracks)
        start, end = self.x(node.start), self.x(node.end)
        ready = None if node.ready is None or node.ready > node.end else self.x(node.ready)
        boot_end = end if ready is None else ready
        yield "<g>" + title(node.title)
        if boot_end > start:
            yield rect(start, y, boot_end - start, height, "booting")
        if ready is not None:
            yield rect(ready, y, max(end - ready, _NARROWEST), height, "node")
        if node.notice is not None:
            notice = self.x(node.notice)
            yield rect(notice, y, max(end - notice, _NARROWEST), height, "notice")
        yield "</g>"
        for pod in node.pods:
            yield from self._bar(pod, y + _NODE_PADDING)
        if node.evicted:
            yield "<g>" + title(node.end_title)
            yield f'<path class="evicted" d="M{end} {y - 3}l5 -7h-10z"/>'
            yield f'<line class="evicted" x1="{end}" x2="{end}" y1="{y - 3}" y2="{y + height}"/></g>'

    def _bar(self, bar: Bar, top: float) -> Iterator[str]:
        """A bar; all of its title is shown on hover."""
        x, y = self.x(bar.start), top + bar.track * self._track
        width = max(self.x(bar.end) - x, _NARROWEST)
        yield "<g>" + title(bar.title)
        yield rect(x, y, width, self._track - _BAR_GAP, bar.style + (" lost" if bar.evicted else ""))
        letters = int((width - 6) / (_LETTER * self._label)) if self._label else 0
        if self._label and letters > _FEWEST_LETTERS:
            label = bar.label if len(bar.label) <= letters else bar.label[: letters - 1] + "…"
            yield text(x + 4, y + self._label - 0.2, label, "pod-label")
        yield "</g>"


def packed(
    things: Iterable[_T], span: Callable[[_T], tuple[_Time, _Time]]
) -> list[tuple[_T, _Time, _Time, int]]:
    """Each thing with its start, its end and the first row that is free then."""
    free: list[_Time] = []
    placed: list[tuple[_T, _Time, _Time, int]] = []
    for thing in sorted(things, key=lambda thing: span(thing)[0]):
        start, end = span(thing)
        row = next((row for row, since in enumerate(free) if since <= start), len(free))
        free[row : row + 1] = [max(start, end)]
        placed.append((thing, start, max(start, end), row))
    return placed


def tick_seconds(span: float, most: int) -> int:
    """Seconds between two ticks of an axis: round, and so many that a span has `most` of them or fewer."""
    step = next((step for step in _TICKS if span / step <= most), None)
    return step or _TICKS[-1] * -(-int(span) // (_TICKS[-1] * most))


def rect(x: float, y: float, width: float, height: float, style: str) -> str:
    """A rectangle; a negative width is none."""
    return f'<rect class="{style}" x="{x:g}" y="{y:g}" width="{max(width, 0):.1f}" height="{height:g}"/>'


def text(x: float, y: float, words: str, style: str) -> str:
    """A line of text."""
    return f'<text class="{style}" x="{x:g}" y="{y:g}">{clean(words)}</text>'


def title(words: str) -> str:
    """What is shown on hover."""
    return f"<title>{clean(words)}</title>"


def clean(words: str) -> str:
    """Text as it may stand in XML."""
    return escape(_NOT_IN_XML.sub("�", words))


def _rows(lane: Lane) -> list[int]:
    """Number of tracks in each row; a lane without nodes has one."""
    rows = 1 + max((node.row for node in lane.nodes), default=0)
    return [max((node.tracks for node in lane.nodes if node.row == row), default=1) for row in range(rows)]


def _tracks(bars: Iterable[Bar]) -> int:
    return 1 + max((bar.track for bar in bars), default=0)
