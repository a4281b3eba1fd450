"""The timeline as one SVG that needs nothing from elsewhere, in the colours of the demo's page."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime, timedelta
from html import escape
from pathlib import Path
from typing import Final

from ckf_spot.where.observations import Look, Pod
from ckf_spot.where.table import age
from ckf_spot.where.timeline import Lane, NodeBar, PodBar, Timeline, WaitBar, timeline

WIDTH: Final = 1280
_LEFT: Final = 178
_RIGHT: Final = 24
_PLOT: Final = WIDTH - _LEFT - _RIGHT
_TOP: Final = 62
_TRACK: Final = 15
_NODE_PADDING: Final = 3
_ROW_GAP: Final = 12
_LANE_PADDING: Final = 12
_LOWEST_LANE: Final = 60
_LETTER: Final = 5.7
"""Width of one letter of the smallest text, roughly."""
_FEWEST_LETTERS: Final = 3
_AXIS: Final = 44
_LEGEND: Final = 30
_TICKS: Final = (5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 28800, 86400)
_MOST_TICKS: Final = 14
_DAY: Final = timedelta(days=1)
_STYLE: Final = Path(__file__).parent / "timeline.css"
_NOT_IN_XML: Final = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_NAMESPACE: Final = "http://www.w3.org/2000/svg"
_ROLE: Final = 'role="img" aria-labelledby="title description"'
_LEGEND_ENTRIES: Final = (
    ("spot", '<rect class="node" y="2" width="24" height="12"/>', "spot node"),
    ("ondemand", '<rect class="node" y="2" width="24" height="12"/>', "on-demand node"),
    ("", '<rect class="pod" y="3" width="24" height="10"/>', "batch work"),
    ("", '<rect class="pod other" y="3" width="24" height="10"/>', "any other pod"),
    ("", '<rect class="pod lost" y="3" width="24" height="10"/>', "evicted pod"),
    ("", '<rect class="pending" y="3" width="24" height="10"/>', "pod waiting"),
    ("", '<path class="evicted" d="M12 13l6 -9h-12z"/>', "node taken back"),
    ("", '<rect class="notice" y="2" width="24" height="12"/>', "eviction announced"),
    ("", '<rect class="unwatched" y="2" width="24" height="12"/>', "not watched"),
)


def svg(look: Look) -> str:
    """Lanes of pools with their nodes, the pods on them, and evictions."""
    return _Drawing(timeline(look), look).draw()


class _Drawing:
    def __init__(self, line: Timeline, look: Look) -> None:
        self._line = line
        self._look = look
        self._seconds = max((line.end - line.start).total_seconds(), 1)

    def draw(self) -> str:
        bottom: float = _TOP
        body: list[str] = []
        for lane in self._line.lanes:
            body += self._lane(lane, bottom)
            bottom += _height(lane)
        tracks = 1 + max((bar.track for bar in self._line.waiting), default=0)
        waiting = max(tracks * _TRACK + 2 * _LANE_PADDING, _LOWEST_LANE)
        body += self._waiting(bottom, waiting)
        bottom += waiting
        body = [*self._gaps(bottom), *body, *self._axis(bottom), *_legend(bottom + _AXIS)]
        height = bottom + _AXIS + _LEGEND
        return "\n".join(
            [
                f'<svg xmlns="{_NAMESPACE}" viewBox="0 0 {WIDTH} {height:g}" width="{WIDTH}" {_ROLE}>',
                f'<title id="title">{_clean(self._title())}</title>',
                f'<desc id="description">{_clean(self._in_words())}</desc>',
                f"<style>\n{_STYLE.read_text(encoding='utf-8')}</style>",
                _DEFINITIONS,
                f'<rect class="page" width="{WIDTH}" height="{height:g}"/>',
                *self._head(),
                *body,
                "</svg>",
                "",
            ]
        )

    def _title(self) -> str:
        scope = f"namespace {self._look.namespace}" if self._look.namespace else "all namespaces"
        count = self._line.evictions
        return f"{_counted(count, 'pod') if count else 'No pods'} evicted in {scope}"

    def _in_words(self) -> str:
        """The lanes, one sentence each."""
        return " ".join(
            f"{lane.pool or 'unknown pool'}: {_counted(len(lane.nodes), 'node')}, "
            f"{_counted(sum(node.taken for node in lane.nodes), 'eviction')}, "
            f"{_counted(sum(len(node.pods) for node in lane.nodes), 'pod')}."
            for lane in self._line.lanes
        )

    def _head(self) -> Iterator[str]:
        yield _text(8, 26, self._title(), "title")
        kind = (
            "as recorded" if self._look.since else "as the cluster remembers it: pods long gone are missing"
        )
        yield _text(8, 45, f"{_date(self._line.start)} – {_date(self._line.end)} UTC, {kind}", "lead")

    def _x(self, moment: datetime) -> float:
        share = (moment - self._line.start).total_seconds() / self._seconds
        return round(_LEFT + _PLOT * min(max(share, 0), 1), 1)

    def _lane(self, lane: Lane, top: float) -> Iterator[str]:
        yield f'<g class="lane {_kind(lane)}">'
        yield f'<line class="rule" x1="0" x2="{WIDTH}" y1="{top:g}" y2="{top:g}"/>'
        yield _text(8, top + 20, lane.pool or "unknown pool", "name")
        words = {True: "spot", False: "on-demand", None: "spot or on-demand"}[lane.spot]
        yield _text(8, top + 35, words, "kind")
        yield _text(8, top + 49, lane.vm_size.removeprefix("Standard_"), "size")
        for node in lane.nodes:
            yield from self._node(node, lane, top)
        if not lane.nodes:
            yield _text(_LEFT + 8, top + _height(lane) / 2 + 4, "no node", "note")
        yield "</g>"

    def _node(self, node: NodeBar, lane: Lane, top: float) -> Iterator[str]:
        y = top + _LANE_PADDING + sum(_row_height(tracks) + _ROW_GAP for tracks in lane.rows[: node.row])
        height = _row_height(node.tracks)
        start, end = self._x(node.start), self._x(node.end)
        fate = "taken back" if node.taken else "gone" if node.gone else "there"
        title = f"{node.name}: {_clock(node.start)} – {_clock(node.end)}, {fate}"
        yield f"<g><title>{_clean(title)}</title>"
        yield _rect(start, y, max(end - start, 2), height, "node")
        if node.notice is not None:
            notice = self._x(node.notice)
            yield _rect(notice, y, max(end - notice, 2), height, "notice")
        yield "</g>"
        for pod in node.pods:
            yield from self._pod(pod, y + _NODE_PADDING + pod.track * _TRACK)
        if node.taken:
            yield f"<g><title>{_clean(f'{_clock(node.end)}: {node.name} was taken back')}</title>"
            yield f'<path class="evicted" d="M{end:g} {y - 2:g}l5 -7h-10z"/>'
            yield f'<line class="evicted" x1="{end:g}" x2="{end:g}" y1="{y - 2:g}" y2="{y + height:g}"/></g>'

    def _pod(self, bar: PodBar, y: float) -> Iterator[str]:
        style = f"pod{'' if bar.pod.role == 'batch' else ' other'}{' lost' if bar.evicted else ''}"
        fate = ", evicted" if bar.evicted else ""
        title = f"{_name(bar.pod)}: {_clock(bar.start)} – {_clock(bar.end)} on {bar.pod.node}{fate}"
        yield from self._labelled(bar, y, style, title)

    def _waiting(self, top: float, height: float) -> Iterator[str]:
        yield '<g class="lane">'
        yield f'<line class="rule" x1="0" x2="{WIDTH}" y1="{top:g}" y2="{top:g}"/>'
        yield _text(8, top + 20, "waiting", "name")
        yield _text(8, top + 35, "pods without a node", "kind")
        for bar in self._line.waiting:
            yield from self._wait(bar, top + _LANE_PADDING + bar.track * _TRACK)
        bottom = top + height
        yield f'<line class="rule" x1="0" x2="{WIDTH}" y1="{bottom:g}" y2="{bottom:g}"/></g>'

    def _wait(self, bar: WaitBar, y: float) -> Iterator[str]:
        title = f"{_name(bar.pod)}: no node for {age(bar.end - bar.start)}"
        yield from self._labelled(bar, y, "pending", title)

    def _labelled(self, bar: PodBar | WaitBar, y: float, style: str, title: str) -> Iterator[str]:
        """A bar with as much of its label as fits, all of it on hover."""
        x, name = self._x(bar.start), bar.pod.name
        width = max(self._x(bar.end) - x, 2)
        yield f"<g><title>{_clean(title)}</title>"
        yield _rect(x, y, width, _TRACK - 3, style)
        letters = int((width - 6) / _LETTER)
        if letters > _FEWEST_LETTERS:
            label = name if len(name) <= letters else name[: letters - 1] + "…"
            yield _text(x + 4, y + 9.3, label, "pod-label")
        yield "</g>"

    def _gaps(self, bottom: float) -> Iterator[str]:
        for gap in self._line.gaps:
            x, end = self._x(gap.start), self._x(gap.end)
            title = f"not watched: {_clock(gap.start)} – {_clock(gap.end)}"
            yield f"<g><title>{title}</title>{_rect(x, _TOP, max(end - x, 2), bottom - _TOP, 'unwatched')}</g>"

    def _axis(self, top: float) -> Iterator[str]:
        step = next((step for step in _TICKS if self._seconds / step <= _MOST_TICKS), None)
        step = step or _TICKS[-1] * -(-int(self._seconds) // (_TICKS[-1] * _MOST_TICKS))
        first = -(-int(self._line.start.timestamp()) // step) * step
        for tick in range(first, int(self._line.end.timestamp()) + 1, step):
            moment = datetime.fromtimestamp(tick, self._line.start.tzinfo)
            x = self._x(moment)
            yield f'<line class="tick" x1="{x:g}" x2="{x:g}" y1="{top:g}" y2="{top + 5:g}"/>'
            form = (
                "%H:%M:%S"
                if step % 60
                else "%H:%M"
                if self._line.end - self._line.start < _DAY
                else "%d %b %H:%M"
            )
            yield _text(x, top + 18, f"{moment:{form}}", "tick-label")


def _legend(top: float) -> Iterator[str]:
    x: float = 8
    for style, shape, words in _LEGEND_ENTRIES:
        yield f'<g class="{style}" transform="translate({x:g} {top - 8:g})">{shape}{_text(31, 12, words, "lead")}</g>'
        x += 31 + len(words) * 6.4 + 24


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}{'s' * (number != 1)}"


def _kind(lane: Lane) -> str:
    return {True: "spot", False: "ondemand", None: "unknown"}[lane.spot]


def _height(lane: Lane) -> float:
    rows = sum(_row_height(tracks) + _ROW_GAP for tracks in lane.rows) - _ROW_GAP
    return max(rows + 2 * _LANE_PADDING, _LOWEST_LANE)


def _row_height(tracks: int) -> float:
    return tracks * _TRACK + 2 * _NODE_PADDING - 3


def _name(pod: Pod) -> str:
    return f"{pod.namespace}/{pod.name} ({pod.work})"


def _clock(moment: datetime) -> str:
    return f"{moment:%H:%M:%S}"


def _date(moment: datetime) -> str:
    return f"{moment:%Y-%m-%d %H:%M:%S}"


def _rect(x: float, y: float, width: float, height: float, style: str) -> str:
    return f'<rect class="{style}" x="{x:g}" y="{y:g}" width="{max(width, 0):.1f}" height="{height:g}"/>'


def _text(x: float, y: float, words: str, style: str) -> str:
    return f'<text class="{style}" x="{x:g}" y="{y:g}">{_clean(words)}</text>'


def _clean(text: str) -> str:
    return escape(_NOT_IN_XML.sub("�", text))


_DEFINITIONS: Final = """\
<defs>
<pattern id="hatch" width="7" height="7" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
<line class="hatch" x1="0" x2="0" y1="0" y2="7"/></pattern>
</defs>"""
