"""The timeline as SVG: inside the page, styled by its style sheet, or as a picture of its own."""

import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from ckf_spot.where.lanes import HATCH, STYLE, LaneChart, rect, text, tick_seconds, title
from kubeflow_aks.scenario.observations import Observations, StepRecord
from kubeflow_aks.scenario.report.timeline import PoolLane, Timeline, simulation_note, timeline
from kubeflow_aks.text.numbers import duration
from kubeflow_aks.text.picture import opening

LEGEND: Final = (
    ('<rect class="node" x="1" y="2" width="24" height="12"/>', "spot", "spot node"),
    ('<rect class="node" x="1" y="2" width="24" height="12"/>', "ondemand", "on-demand node"),
    ('<rect class="booting" x="1" y="2" width="24" height="12"/>', "ondemand", "VM booting"),
    ('<rect class="pod" x="1" y="3" width="24" height="10"/>', "", "pod running (faint: DaemonSet)"),
    ('<rect class="pending" x="1" y="3" width="24" height="10"/>', "", "pod waiting"),
    ('<path class="evicted" d="M13 13l6 -9h-12z"/>', "", "eviction"),
    ('<rect class="soldout" x="1" y="2" width="24" height="12"/>', "", "sold out"),
    ('<rect class="pause" x="1" y="3" width="24" height="10"/>', "", "controller's pause"),
    ('<path class="refused" d="M9 4l8 8M17 4l-8 8"/>', "", "VM refused"),
    ('<line class="backoff" x1="2" x2="25" y1="8" y2="8"/>', "", "autoscaler's back-off"),
    ('<path class="fallback" d="M2 8H22"/>', "", "fallback to on-demand"),
)
"""Shape, class and words."""
_WIDTH: Final = 1280
_PICTURE_WIDTH: Final = 480
"""Where a phone shows it on 390, its letters are as high as those of a page."""
_LABEL: Final = 9.5
"""Height of pods' names, as in lanes.css."""
_LEFT: Final = 178
_PICTURE_LEFT: Final = 132
_PICTURE_LETTERS: Final = 66
"""Letters that fit into a line of the picture."""
_RIGHT: Final = 20
STYLES: Final = (STYLE, Path(__file__).parent / "timeline.css")
"""Style sheets that the timeline needs."""
_PICTURE_STYLES: Final = (*STYLES, Path(__file__).parent / "picture.css")
_ONLY_WAITING: Final = frozenset({"pod waiting", "controller's pause"})
"""Entries of the legend that a picture without waiting pods does not need."""
_LINE: Final = 18
_TOP: Final = 58
_LANE_PADDING: Final = 9
_REFUSED_BOTTOM: Final = 12
_NUMBER: Final = 24
"""Width of a step's number in the picture."""
_LETTER: Final = 5.7
"""Width of one letter of a step's label, roughly."""
_MARKER_GAP: Final = 22
_MOST_TICKS: Final = 16
_MINUTE: Final = 60
_LEGEND_COLUMNS: Final = 2


def svg(observed: Observations) -> str:
    """Lanes of pools with their nodes, pods on them, and what the market and the autoscaler did; for a page."""
    return _Drawing(observed, timeline(observed), _WIDTH, _LEFT, label=_LABEL).draw("timeline")


def picture(observed: Observations, headline: str, subtitle: str) -> str:
    """The pools for batch work as a document of its own, with a title, the steps and a legend."""
    line = timeline(observed)
    lanes = tuple(lane for lane in line.lanes if lane.pool.elastic)
    drawing = _Drawing(
        observed, replace(line, lanes=lanes, waiting=()), _PICTURE_WIDTH, _PICTURE_LEFT, label=None
    )
    drawn = drawing.draw("timeline")
    leads = textwrap.wrap(subtitle, _PICTURE_LETTERS)
    top = 44 + len(leads) * _LINE
    steps = [
        text(0, 0, "" if following else str(number), "step") + text(_NUMBER, 0, words, "step")
        for number, step in enumerate(drawing.steps, start=1)
        for following, words in enumerate(textwrap.wrap(_plain(step.title), _PICTURE_LETTERS))
    ]
    legend = [entry for entry in LEGEND if entry[2] not in _ONLY_WAITING]
    below = top + drawing.height + 14
    legend_top = below + len(steps) * _LINE + 12
    height = legend_top + -(-len(legend) // _LEGEND_COLUMNS) * _LINE + 12
    styles = "".join(path.read_text(encoding="utf-8") for path in _PICTURE_STYLES)
    size = f'viewBox="0 0 {_PICTURE_WIDTH} {height:g}" width="{_PICTURE_WIDTH}" height="{height:g}"'
    return "\n".join(
        [
            opening(
                f'xmlns="http://www.w3.org/2000/svg" {size}',
                headline,
                f"{subtitle} {drawing.in_words()}",
                "demo",
            ),
            f"<style>\n{styles}</style>",
            f'<rect class="ground" width="{_PICTURE_WIDTH}" height="{height:g}"/>',
            text(10, 26, headline, "headline"),
            *(text(10, 46 + number * _LINE, lead, "lead") for number, lead in enumerate(leads)),
            f'<g transform="translate(0 {top})">{drawn}</g>',
            *_columns(steps, 1, below),
            *_columns([_entry(*entry) for entry in legend], _LEGEND_COLUMNS, legend_top),
            "</svg>\n",
        ]
    )


def _columns(parts: Sequence[str], columns: int, top: float) -> Iterator[str]:
    """The parts column by column, each in its line."""
    lines = -(-len(parts) // columns)
    for number, part in enumerate(parts):
        column, line = divmod(number, lines)
        x, y = 10 + column * (_PICTURE_WIDTH - 10) / columns, top + (line + 0.5) * _LINE
        yield f'<g transform="translate({x:g} {y:g})">{part}</g>'


def _entry(shape: str, style: str, words: str) -> str:
    return f'<g class="{style}"><g transform="translate(0 -12)">{shape}</g>{text(33, 0, words, "step")}</g>'


class _Drawing:
    def __init__(
        self, observed: Observations, line: Timeline, width: float, left: float, *, label: float | None
    ) -> None:
        """`width` is that of the whole drawing, `left` that of the names of lanes, `label` the height of pods' names.

        All are in pixels. Without a height, pods and steps have no names on them.
        """
        self._observed = observed
        self._note = simulation_note(observed)
        self._line = line
        self._width = width
        self._labels = label is not None
        self._middle = (left + width - _RIGHT) / 2
        self._chart = LaneChart(
            line.lanes,
            line.waiting or None,
            line.end,
            top=_TOP,
            width=width,
            left=left,
            right=_RIGHT,
            row_gap=5,
            padding=_LANE_PADDING,
            label=label,
        )
        self._x = self._chart.x
        self.steps = [step for step in observed.steps if step.began < line.end]
        self.height = self._chart.bottom + 44 + _LINE * observed.simulated

    def in_words(self) -> str:
        """The steps and when they began."""
        steps = (f"{duration(step.began)}: {_plain(step.title)}." for step in self.steps)
        return " ".join(steps)

    def draw(self, name: str) -> str:
        """The drawing; `name` begins the ids of its title and description."""
        body = [
            *self._step_marks(),
            *(part for lane in self._line.lanes for part in self._chart.lane(lane, self._marks(lane))),
            *self._chart.waiting(),
            *self._fallbacks(),
            *self._axis(),
        ]
        size = (
            f'viewBox="0 0 {self._width:g} {self.height:g}" width="{self._width:g}" height="{self.height:g}"'
        )
        return "\n".join(
            [
                opening(size, "Timeline of pools, their nodes and the pods on them", self.in_words(), name),
                _DEFINITIONS,
                *body,
                "</svg>",
            ]
        )

    def _marks(self, lane: PoolLane) -> Iterator[str]:
        """What the market and the autoscaler did about a pool."""
        top, height = self._chart.places[lane.name]
        for span in lane.sold_out:
            x, width = self._x(span.start), self._x(span.end) - self._x(span.start)
            yield "<g>" + title(f"sold out for {duration(span.end - span.start)}{self._note}")
            yield rect(x, top + 1, width, height - 2, "soldout")
            yield text(x + 5, top + 14, "sold out", "soldout-label") + "</g>"
        for span in lane.back_off:
            y = top + height - 4
            yield "<g>" + title(
                f"the autoscaler requests no node of {lane.name} after a failed scale-up{self._note}"
            )
            yield f'<line class="backoff" x1="{self._x(span.start)}" x2="{self._x(span.end)}" y1="{y}" y2="{y}"/>'
            if span.end < self._line.end:
                yield text(self._x(span.end) + 4, y + 3, "back-off ends", "note")
            yield "</g>"
        for at in lane.refused:
            yield "<g>" + title(f"{duration(at)}: Azure refused a VM{self._note}")
            yield f'<path class="refused" d="{_cross(self._x(at), top + height - _REFUSED_BOTTOM)}"/></g>'

    def _fallbacks(self) -> Iterator[str]:
        places = self._chart.places
        for turn in self._line.fallbacks:
            if turn.source not in places or turn.target not in places:
                continue
            x, (source, depth), (target, height) = (
                self._x(turn.at),
                places[turn.source],
                places[turn.target],
            )
            if source < target:
                begin, end = source + depth - _REFUSED_BOTTOM, target + _LANE_PADDING + 2
            else:
                begin, end = source + _LANE_PADDING, target + height - _LANE_PADDING - 2
            words = f"{turn.target} instead of {turn.source}"
            yield "<g>" + title(f"{duration(turn.at)}: {words}{self._note}")
            yield f'<path class="fallback" d="M{x} {begin}V{end}"/>'
            yield text(x - 8, target + height / 2 + 4, "fallback", "fallback-label") + "</g>"

    def _step_marks(self) -> Iterator[str]:
        places = self._marker_places(self.steps)
        for number, step in enumerate(self.steps, start=1):
            x, at, following = places[number - 1], self._x(step.began), [*places, self._width][number]
            label = step.key.replace("-", " ")
            yield '<g class="step-mark">' + title(f"{number}. {_plain(step.title)}")
            yield f'<path class="step-line" d="M{x} 32L{at} 44V{self._chart.bottom}"/>'
            yield f'<circle cx="{x}" cy="22" r="10"/>' + text(x, 26, str(number), "step-number")
            if self._labels and following - x > _MARKER_GAP + len(label) * _LETTER:
                yield text(x + 15, 26, label, "step-label")
            yield "</g>"

    def _marker_places(self, steps: Sequence[StepRecord]) -> list[float]:
        """Where the numbers stand: at the step's beginning, or beside the one before."""
        places: list[float] = []
        for step in steps:
            at = self._x(step.began)
            places.append(max(at, places[-1] + _MARKER_GAP) if places else at)
        return places

    def _axis(self) -> Iterator[str]:
        step = tick_seconds(self._line.end, _MOST_TICKS)
        unit, seconds = ("minutes", 60) if step >= _MINUTE else ("seconds", 1)
        for tick in range(0, int(self._line.end) + 1, step):
            yield from self._chart.tick(tick, f"{tick // seconds}")
        words = [f"{unit} since the beginning"]
        if self._observed.simulated:
            speed, wall = self._observed.speed, self._line.end / self._observed.speed
            words = [f"simulated {words[0]},", f"{speed:.0f} times as fast as the wall clock ({wall:.0f} s)"]
        for number, line in enumerate(words):
            yield text(self._middle, self._chart.bottom + 36 + number * _LINE, line, "tick-label")


def _plain(text: str) -> str:
    """Text without the backticks that mark code: a picture has none."""
    return text.replace("`", "")


def _cross(x: float, y: float) -> str:
    return f"M{x - 4} {y - 4}l8 8M{x + 4} {y - 4}l-8 8"


_DEFINITIONS: Final = f"""\
<defs>
{HATCH}
<marker id="tip" viewBox="0 0 8 8" refX="6" refY="4" markerWidth="8" markerHeight="8" orient="auto">
<path class="tip" d="M0 0L8 4L0 8z"/></marker>
</defs>"""
