"""The timeline as one SVG that needs nothing from elsewhere, in the colours of the demo's page."""

import textwrap
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final

from ckf_spot.where.lanes import HATCH, STYLE, LaneChart, clean, rect, text, tick_seconds, title
from ckf_spot.where.observations import Look
from ckf_spot.where.timeline import Timeline, clock, timeline

WIDTH: Final = 480
"""Where a phone shows it on 390, its letters are as high as those of a page; a screen shows it twice as wide."""
_MARGIN: Final = 8
_LABEL: Final = 12.5
_LINE: Final = 18
_TITLE_LETTERS: Final = 46
_LETTERS: Final = 66
"""Letters that fit into a line."""
_AXIS: Final = 44
_MOST_TICKS: Final = 4
_DAY: Final = timedelta(days=1)
_STYLES: Final = (STYLE, Path(__file__).parent / "timeline.css")
_NAMESPACE: Final = "http://www.w3.org/2000/svg"
_ROLE: Final = 'role="img" aria-labelledby="title description"'
_SIZE: Final = f'width="100%" style="max-width: {2 * WIDTH}px"'
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
        self._titles = textwrap.wrap(self._title(), _TITLE_LETTERS)
        self._leads = textwrap.wrap(self._lead(), _LETTERS)
        self._top = 14 + len(self._titles) * 24 + len(self._leads) * _LINE
        self._seconds = max((line.end - line.start).total_seconds(), 1)
        self._chart = LaneChart(
            line.lanes,
            line.waiting,
            self._seconds,
            top=self._top,
            width=WIDTH,
            left=132,
            right=40,
            row_gap=12,
            padding=12,
            label=_LABEL,
        )

    def draw(self) -> str:
        bottom = self._chart.bottom
        height = bottom + _AXIS + -(-len(_LEGEND_ENTRIES) // 2) * _LINE
        return "\n".join(
            [
                f'<svg xmlns="{_NAMESPACE}" viewBox="0 0 {WIDTH} {height:g}" {_SIZE} {_ROLE}>',
                f'<title id="title">{clean(self._title())}</title>',
                f'<desc id="description">{clean(self._in_words())}</desc>',
                f"<style>\n{''.join(style.read_text(encoding='utf-8') for style in _STYLES)}</style>",
                f"<defs>\n{HATCH}\n</defs>",
                f'<rect class="page" width="{WIDTH}" height="{height:g}"/>',
                *self._head(),
                *self._gaps(),
                *(part for lane in self._line.lanes for part in self._chart.lane(lane)),
                *self._chart.waiting(),
                *self._axis(),
                *_legend(bottom + _AXIS),
                "</svg>",
                "",
            ]
        )

    def _title(self) -> str:
        scope = f"namespace {self._look.namespace}" if self._look.namespace else "all namespaces"
        count = sum(bar.evicted for lane in self._line.lanes for node in lane.nodes for bar in node.pods)
        return f"{_counted(count, 'pod') if count else 'No pods'} evicted in {scope}"

    def _in_words(self) -> str:
        """The lanes, one sentence each."""
        return " ".join(
            f"{lane.name}: {_counted(len(lane.nodes), 'node')}, "
            f"{_counted(sum(node.evicted for node in lane.nodes), 'eviction')}, "
            f"{_counted(sum(len(node.pods) for node in lane.nodes), 'pod')}."
            for lane in self._line.lanes
        )

    def _lead(self) -> str:
        kind = (
            "as recorded" if self._look.since else "as the cluster remembers it: pods long gone are missing"
        )
        return f"{_date(self._line.start)} – {_date(self._line.end)} UTC, {kind}"

    def _head(self) -> Iterator[str]:
        for number, words in enumerate(self._titles):
            yield text(_MARGIN, 26 + number * 24, words, "title")
        for number, words in enumerate(self._leads):
            yield text(_MARGIN, 21 + len(self._titles) * 24 + number * _LINE, words, "lead")

    def _x(self, moment: datetime) -> float:
        return self._chart.x((moment - self._line.start).total_seconds())

    def _gaps(self) -> Iterator[str]:
        for gap in self._line.gaps:
            x, end = self._x(gap.start), self._x(gap.end)
            yield "<g>" + title(f"not watched: {clock(gap.start)} – {clock(gap.end)}")
            yield rect(x, self._top, max(end - x, 2), self._chart.bottom - self._top, "unwatched") + "</g>"

    def _axis(self) -> Iterator[str]:
        start, end = self._line.start, self._line.end
        step = tick_seconds(self._seconds, _MOST_TICKS)
        form = "%H:%M:%S" if step % 60 else "%H:%M" if end - start < _DAY else "%d %b %H:%M"
        first = -(-int(start.timestamp()) // step) * step
        for tick in range(first, int(end.timestamp()) + 1, step):
            moment = datetime.fromtimestamp(tick, start.tzinfo)
            yield from self._chart.tick((moment - start).total_seconds(), f"{moment:{form}}")


def _legend(top: float) -> Iterator[str]:
    for number, (style, shape, words) in enumerate(_LEGEND_ENTRIES):
        line, column = divmod(number, 2)
        x, y = _MARGIN + column * WIDTH / 2, top - 8 + line * _LINE
        yield f'<g class="{style}" transform="translate({x:g} {y:g})">{shape}{text(31, 12, words, "lead")}</g>'


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}{'s' * (number != 1)}"


def _date(moment: datetime) -> str:
    return f"{moment:%Y-%m-%d %H:%M:%S}"
