"""The timeline as SVG: inside the page, styled by its style sheet, or as a picture of its own."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from html import escape
from pathlib import Path
from typing import Final

from kubeflow_aks.scenario.observations import Observations, StepRecord, Where
from kubeflow_aks.scenario.report.timeline import NodeBar, PodBar, PoolLane, Span, Timeline, WaitBar, timeline
from kubeflow_aks.text.columns import cut
from kubeflow_aks.text.numbers import counted, duration
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
_PICTURE_WIDTH: Final = 1000
_LEFT: Final = 178
_PICTURE_LEFT: Final = 128
_RIGHT: Final = 20
_FOLDER: Final = Path(__file__).parent
_ONLY_WAITING: Final = frozenset({"pod waiting", "controller's pause"})
"""Entries of the legend that a picture without waiting pods does not need."""
_LINE: Final = 18
_TOP: Final = 58
_TRACK: Final = 15
_NODE_PADDING: Final = 3
_ROW_GAP: Final = 5
_LANE_PADDING: Final = 9
_LOWEST_LANE: Final = 60
_SOLD_OUT_STRIP: Final = 14
_REFUSED_BOTTOM: Final = 12
_LETTER: Final = 5.7
"""Width of one letter of the smallest text, roughly."""
_MARKER_GAP: Final = 22
_FEWEST_LETTERS: Final = 3
_TICKS: Final = (5, 10, 15, 30, 60, 120, 300, 600, 1200, 1800, 3600)
_MOST_TICKS: Final = 16
_MINUTE: Final = 60
_LEGEND_COLUMNS: Final = 4


def svg(observed: Observations) -> str:
    """Lanes of pools with their nodes, pods on them, and what the market and the autoscaler did; for a page."""
    return _Drawing(observed, timeline(observed), _WIDTH, _LEFT).draw("timeline")


def picture(observed: Observations, title: str, subtitle: str) -> str:
    """The pools for batch work as a document of its own, with a title, the steps and a legend.

    Args:
        observed: what was observed.
        title: its headline.
        subtitle: in smaller letters under it.
    """
    line = timeline(observed)
    lanes = tuple(lane for lane in line.lanes if lane.pool.elastic)
    drawing = _Drawing(observed, replace(line, lanes=lanes, waiting=()), _PICTURE_WIDTH, _PICTURE_LEFT)
    drawn = drawing.draw("timeline")
    top = 62
    steps = [f"{number}  {_plain(step.title)}" for number, step in enumerate(drawing.steps, start=1)]
    legend = [entry for entry in LEGEND if entry[2] not in _ONLY_WAITING]
    below = top + drawing.height + 14
    step_lines, legend_lines = -(-len(steps) // 2), -(-len(legend) // _LEGEND_COLUMNS)
    height = below + step_lines * _LINE + legend_lines * _LINE + 24
    styles = "".join((_FOLDER / name).read_text(encoding="utf-8") for name in ("colours.css", "timeline.css"))
    size = f'viewBox="0 0 {_PICTURE_WIDTH} {height:g}" width="{_PICTURE_WIDTH}" height="{height:g}"'
    return "\n".join(
        [
            opening(
                f'xmlns="http://www.w3.org/2000/svg" {size}',
                title,
                f"{subtitle} {drawing.in_words()}",
                "demo",
            ),
            f"<style>\n{styles}</style>",
            f'<rect class="ground" width="{_PICTURE_WIDTH}" height="{height:g}"/>',
            _text(10, 26, title, "headline"),
            _text(10, 46, subtitle, "lead"),
            f'<g transform="translate(0 {top})">{drawn}</g>',
            *_columns([_text(0, 0, step, "step") for step in steps], 2, below),
            *_columns([_entry(*entry) for entry in legend], _LEGEND_COLUMNS, below + step_lines * _LINE + 12),
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
    return f'<g class="{style}"><g transform="translate(0 -12)">{shape}</g>{_text(33, 0, words, "step")}</g>'


class _Drawing:
    def __init__(self, observed: Observations, line: Timeline, width: float, left: float) -> None:
        """`width` is that of the whole drawing, `left` that of the names of lanes; both in pixels."""
        self._observed = observed
        self._how = "" if observed.where == Where.AZURE else " (simulated)"
        self._line = line
        self._width = width
        self._left = left
        self._plot = width - left - _RIGHT
        self._tops: dict[str, tuple[float, float]] = {}
        self.steps = [step for step in observed.steps if step.began < line.end]
        self.height: float = 0

    def in_words(self) -> str:
        """The steps and when they began."""
        steps = (f"{duration(step.began)}: {_plain(step.title)}." for step in self.steps)
        return " ".join(steps)

    def draw(self, name: str) -> str:
        """The drawing; `name` begins the ids of its title and description."""
        bottom = _TOP
        for lane in self._line.lanes:
            height = _height(lane)
            self._tops[lane.pool.name] = (bottom, height)
            bottom += height
        end = bottom + self._waiting_height()
        body = [
            *self._step_marks(end),
            *(part for lane in self._line.lanes for part in self._lane(lane)),
            *self._waiting(bottom, end),
            *self._fallbacks(),
            *self._axis(end),
        ]
        self.height = end + 44
        size = (
            f'viewBox="0 0 {self._width:g} {self.height:g}" width="{self._width:g}" height="{self.height:g}"'
        )
        title = "Timeline of pools, their nodes and the pods on them"
        return "\n".join(
            [
                opening(size, title, self.in_words(), name),
                _DEFINITIONS,
                *body,
                "</svg>",
            ]
        )

    def _waiting_height(self) -> float:
        if not self._line.waiting:
            return 0
        tracks = 1 + max(bar.track for bar in self._line.waiting)
        return max(tracks * _TRACK + 2 * _LANE_PADDING, _LOWEST_LANE)

    def _x(self, seconds: float) -> float:
        return round(
            self._left + self._plot * min(max(seconds, 0), self._line.end) / max(self._line.end, 1), 1
        )

    def _lane(self, lane: PoolLane) -> Iterator[str]:
        top, height = self._tops[lane.pool.name]
        pool = lane.pool
        yield f'<g class="lane {_kind(lane)}">'
        yield f'<line class="rule" x1="0" x2="{self._width}" y1="{top}" y2="{top}"/>'
        yield _text(8, top + 20, pool.name, "name")
        yield _text(8, top + 35, f"{pool.priority}{', GPU' if pool.role == 'gpu' else ''}", "kind")
        yield _text(8, top + 49, pool.vm_size.removeprefix("Standard_"), "size")
        for span in lane.sold_out:
            x, width = self._x(span.start), self._x(span.end) - self._x(span.start)
            yield "<g>" + _title(f"sold out for {duration(span.end - span.start)}{self._how}")
            yield _rect(x, top + 1, width, height - 2, "soldout")
            yield _text(x + 5, top + 14, "sold out", "soldout-label") + "</g>"
        for span in lane.back_off:
            y = top + height - 4
            yield "<g>" + _title(
                f"the autoscaler requests no node of {pool.name} after a failed scale-up{self._how}"
            )
            yield f'<line class="backoff" x1="{self._x(span.start)}" x2="{self._x(span.end)}" y1="{y}" y2="{y}"/>'
            if span.end < self._line.end:
                yield _text(self._x(span.end) + 4, y + 3, "back-off ends", "note")
            yield "</g>"
        for at in lane.refused:
            yield "<g>" + _title(f"{duration(at)}: Azure refused a VM{self._how}")
            yield f'<path class="refused" d="{_cross(self._x(at), top + height - _REFUSED_BOTTOM)}"/></g>'
        for node in lane.nodes:
            yield from self._node(node, lane, top)
        if not lane.nodes:
            words = "no VM was to be had" if lane.refused else "no node was needed"
            yield _text(self._left + 8, top + height / 2 + 4, words, "note")
        yield "</g>"

    def _node(self, node: NodeBar, lane: PoolLane, top: float) -> Iterator[str]:
        y = _first_row(lane, top) + sum(_row_height(tracks) + _ROW_GAP for tracks in lane.rows[: node.row])
        height = _row_height(node.tracks)
        start, end = self._x(node.start), self._x(node.end)
        ready = min(end, self._x(node.end if node.ready is None else node.ready))
        yield "<g>" + _title(_node_title(node, lane) + self._how)
        if ready > start:
            yield _rect(start, y, ready - start, height, "booting")
        yield _rect(ready, y, end - ready, height, "node")
        if node.notice is not None:
            notice = self._x(node.notice)
            yield _rect(notice, y, end - notice, height, "notice")
        yield "</g>"
        for pod in node.pods:
            yield from self._pod(pod, y + _NODE_PADDING + pod.track * _TRACK)
        if node.evicted:
            yield "<g>" + _title(f"{duration(node.end)}: evicted{self._how}")
            yield f'<path class="evicted" d="M{end} {y - 3}l5 -7h-10z"/>'
            yield f'<line class="evicted" x1="{end}" x2="{end}" y1="{y - 3}" y2="{y + height}"/></g>'

    def _pod(self, pod: PodBar, y: float) -> Iterator[str]:
        daemon = " daemon" if pod.pod.owner == "DaemonSet" else ""
        style = f"pod{daemon}{' lost' if pod.evicted else ''}"
        name = pod.pod.task if pod.pod.part else pod.pod.name
        yield from self._labelled(Span(pod.start, pod.end), y, style, name, _pod_title(pod))

    def _labelled(self, span: Span, y: float, style: str, words: str, title: str) -> Iterator[str]:
        """A bar with as much of its label as fits, all of it on hover."""
        x, width = self._x(span.start), max(self._x(span.end) - self._x(span.start), 2)
        yield "<g>" + _title(title)
        yield _rect(x, y, width, _TRACK - 3, style)
        letters = int((width - 6) / _LETTER)
        if letters > _FEWEST_LETTERS:
            yield _text(x + 4, y + 9.3, cut(words, letters), "pod-label")
        yield "</g>"

    def _waiting(self, top: float, end: float) -> Iterator[str]:
        if not self._line.waiting:
            yield f'<line class="rule" x1="0" x2="{self._width}" y1="{end}" y2="{end}"/>'
            return
        yield '<g class="lane">'
        yield f'<line class="rule" x1="0" x2="{self._width}" y1="{top}" y2="{top}"/>'
        yield _text(8, top + 20, "waiting", "name")
        yield _text(8, top + 35, "pods without a node", "kind")
        for bar in self._line.waiting:
            yield from self._wait(bar, top + _LANE_PADDING + bar.track * _TRACK)
        yield f'<line class="rule" x1="0" x2="{self._width}" y1="{end}" y2="{end}"/></g>'

    def _wait(self, bar: WaitBar, y: float) -> Iterator[str]:
        what = "its controller waits, by the wall clock" if bar.pause else "no node has room"
        title = f"{bar.task}: {what}, {duration(bar.end - bar.start)}"
        label = f"{bar.task}: its controller's pause" if bar.pause else bar.task
        yield from self._labelled(
            Span(bar.start, bar.end), y, "pause" if bar.pause else "pending", label, title
        )

    def _fallbacks(self) -> Iterator[str]:
        for turn in self._line.fallbacks:
            if turn.source not in self._tops or turn.target not in self._tops:
                continue
            x, (source, depth), (target, height) = (
                self._x(turn.at),
                self._tops[turn.source],
                self._tops[turn.target],
            )
            if source < target:
                begin, end = source + depth - _REFUSED_BOTTOM, target + _LANE_PADDING + 2
            else:
                begin, end = source + _LANE_PADDING, target + height - _LANE_PADDING - 2
            words = f"{turn.target} instead of {turn.source}"
            yield "<g>" + _title(f"{duration(turn.at)}: {words}{self._how}")
            yield f'<path class="fallback" d="M{x} {begin}V{end}"/>'
            yield _text(x - 8, target + height / 2 + 4, "fallback", "fallback-label") + "</g>"

    def _step_marks(self, bottom: float) -> Iterator[str]:
        places = self._marker_places(self.steps)
        for number, step in enumerate(self.steps, start=1):
            x, at, following = places[number - 1], self._x(step.began), [*places, self._width][number]
            label = step.key.replace("-", " ")
            yield '<g class="step-mark">' + _title(f"{number}. {_plain(step.title)}")
            yield f'<path class="step-line" d="M{x} 32L{at} 44V{bottom}"/>'
            yield f'<circle cx="{x}" cy="22" r="10"/>' + _text(x, 26, str(number), "step-number")
            if following - x > _MARKER_GAP + len(label) * _LETTER:
                yield _text(x + 15, 26, label, "step-label")
            yield "</g>"

    def _marker_places(self, steps: Sequence[StepRecord]) -> list[float]:
        """Where the numbers stand: at the step's beginning, or beside the one before."""
        places: list[float] = []
        for step in steps:
            at = self._x(step.began)
            places.append(max(at, places[-1] + _MARKER_GAP) if places else at)
        return places

    def _axis(self, top: float) -> Iterator[str]:
        step = next((step for step in _TICKS if self._line.end / step <= _MOST_TICKS), _TICKS[-1])
        unit, seconds = ("minutes", 60) if step >= _MINUTE else ("seconds", 1)
        for tick in range(0, int(self._line.end) + 1, step):
            x = self._x(tick)
            yield f'<line class="tick" x1="{x}" x2="{x}" y1="{top}" y2="{top + 5}"/>'
            yield _text(x, top + 18, f"{tick // seconds}", "tick-label")
        words = f"{unit} since the beginning"
        if self._observed.simulated:
            speed, wall = self._observed.speed, self._line.end / self._observed.speed
            words = f"simulated {words}, {speed:.0f} times as fast as the wall clock ({wall:.0f} s)"
        yield _text(self._left + self._plot / 2, top + 36, words, "tick-label")


def _kind(lane: PoolLane) -> str:
    return "spot" if lane.pool.spot else "ondemand"


def _height(lane: PoolLane) -> float:
    rows = sum(_row_height(tracks) + _ROW_GAP for tracks in lane.rows) - _ROW_GAP
    return max(rows + _first_row(lane, 0) + _LANE_PADDING, _LOWEST_LANE)


def _first_row(lane: PoolLane, top: float) -> float:
    return top + _LANE_PADDING + (_SOLD_OUT_STRIP if lane.sold_out else 0)


def _row_height(tracks: int) -> float:
    return tracks * _TRACK + 2 * _NODE_PADDING - 3


def _node_title(node: NodeBar, lane: PoolLane) -> str:
    ready = f"ready {duration(node.ready)}" if node.ready else "ready from the start"
    end = f"{'evicted' if node.evicted else 'until'} {duration(node.end)}"
    return f"{node.name} ({lane.pool.priority}): {ready}, {end}, {counted(len(node.pods), 'pod')}"


def _pod_title(pod: PodBar) -> str:
    fate = " evicted" if pod.evicted else ""
    return f"{pod.pod.namespace}/{pod.pod.name}: {duration(pod.start)} – {duration(pod.end)}{fate}"


def _plain(text: str) -> str:
    """Text without the backticks that mark code: a picture has none."""
    return text.replace("`", "")


def _title(words: str) -> str:
    """What is shown on hover."""
    return f"<title>{escape(words)}</title>"


def _rect(x: float, y: float, width: float, height: float, style: str) -> str:
    return f'<rect class="{style}" x="{x:g}" y="{y:g}" width="{max(width, 0):.1f}" height="{height:g}"/>'


def _text(x: float, y: float, words: str, style: str) -> str:
    return f'<text class="{style}" x="{x:g}" y="{y:g}">{escape(words)}</text>'


def _cross(x: float, y: float) -> str:
    return f"M{x - 4} {y - 4}l8 8M{x + 4} {y - 4}l-8 8"


_DEFINITIONS: Final = """\
<defs>
<pattern id="hatch" width="7" height="7" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
<line class="hatch" x1="0" x2="0" y1="0" y2="7"/></pattern>
<marker id="tip" viewBox="0 0 8 8" refX="6" refY="4" markerWidth="8" markerHeight="8" orient="auto">
<path class="tip" d="M0 0L8 4L0 8z"/></marker>
</defs>"""
