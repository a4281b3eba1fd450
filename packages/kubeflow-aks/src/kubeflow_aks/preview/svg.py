"""The picture of the pools as SVG, self-contained."""

import textwrap
from collections.abc import Iterator
from html import escape

from kubeflow_aks.preview import tree
from kubeflow_aks.preview.lanes import Lane, kind_of, lanes
from kubeflow_aks.preview.pools import full_name, node_range
from kubeflow_aks.recorder.document import PlanDocument, Pool
from kubeflow_aks.text import palette
from kubeflow_aks.text.picture import opening

_WIDTH = 480
"""Pixels, as of the bill's pictures: where a phone shows it on 390, its letters are as high as those of a page."""
_MARGIN, _POOL_WIDTH = 10, 198
_FALLBACK_X = _WIDTH - _MARGIN - _POOL_WIDTH
_WORK, _ROW, _BOX, _LANE_GAP, _LINE = 50, 84, 70, 20, 20
_TITLE_LETTERS = 56
_COLOURS = {"system": palette.SYSTEM, "Regular": palette.ON_DEMAND, "Spot": palette.SPOT}
_STYLE = (
    "text{font:13px system-ui,sans-serif;fill:#111827}.b{font-weight:600}.s{fill:#4b5563}"
    ".a{stroke:#4b5563;stroke-width:1.5;fill:none;marker-end:url(#tip)}.d{stroke-dasharray:6 4}"
)

_ARROW_TIP = (
    '<defs><marker id="tip" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8" orient="auto">'
    '<path d="M0 0L8 4L0 8z" fill="#4b5563"/></marker></defs>'
)


def svg(document: PlanDocument) -> str:
    """Each kind of work above its pools, fallbacks on the right of these, with a legend."""
    title = f"Agent pools of {tree.title(document)} and what runs where"
    drawn = lanes(document)
    rows = sum(len(lane.rows) for lane in drawn)
    heading = textwrap.wrap(title, _TITLE_LETTERS)
    top = 34 + len(heading) * _LINE
    height = top + rows * _ROW + len(drawn) * (_WORK + _LANE_GAP) + 30
    size = f'viewBox="0 0 {_WIDTH} {height}" width="{_WIDTH}" height="{height}"'
    lines = [
        opening(f'xmlns="http://www.w3.org/2000/svg" {size}', title, _in_words(drawn), "pools"),
        f"<style>{_STYLE}</style>",
        _ARROW_TIP,
        f'<rect width="{_WIDTH}" height="{height}" fill="#ffffff"/>',
        *(_text(_MARGIN, 26 + number * _LINE, line, "b") for number, line in enumerate(heading)),
        *_lanes(drawn, top),
        *_legend(height - 26),
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


def _in_words(rows: list[Lane]) -> str:
    return " ".join(
        f"{lane.work}: "
        + "; ".join(
            _pool_in_words(pool) + (f", if sold out {_pool_in_words(instead)}" if instead else "")
            for pool, instead in lane.rows
        )
        + "."
        for lane in rows
    )


def _pool_in_words(pool: Pool) -> str:
    return f"{full_name(pool)} ({pool['vmSize']}, {_words(pool)}, {node_range(pool)} nodes)"


def _lanes(rows: list[Lane], top: int) -> Iterator[str]:
    for lane in rows:
        yield _text(_MARGIN, top + 14, lane.work, "b")
        yield _text(_MARGIN, top + 14 + _LINE, lane.how, "s")
        top += _WORK
        for pool, instead in lane.rows:
            middle, right = top + _BOX // 2, _MARGIN + _POOL_WIDTH
            yield from _pool(pool, _MARGIN, top)
            if any(instead is below for below, _ in lane.rows):  # it is the next row
                x = _MARGIN + _POOL_WIDTH // 2
                yield f'<path class="a d" d="M{x} {top + _BOX}V{top + _ROW}"/>'
            elif instead:
                yield from _pool(instead, _FALLBACK_X, top)
                yield f'<path class="a d" d="M{right} {middle}H{_FALLBACK_X}"/>'
                yield _text(right + 8, middle - 8, "sold out", "s")
            top += _ROW
        top += _LANE_GAP


def _pool(pool: Pool, x: int, y: int) -> Iterator[str]:
    yield _rect(x, y, _POOL_WIDTH, _BOX, _COLOURS[kind_of(pool)], dashed=pool["priority"] == "Spot")
    yield _text(x + 10, y + 22, full_name(pool), "b")
    yield _text(x + 10, y + 41, pool["vmSize"], "s")
    yield _text(x + 10, y + 59, f"{_words(pool)}, {node_range(pool)} nodes", "s")


def _legend(y: int) -> Iterator[str]:
    x = _MARGIN
    for kind, words in (("Regular", "on demand"), ("Spot", "spot"), ("system", "always there, on demand")):
        yield _rect(x, y, 14, 14, _COLOURS[kind], dashed=kind == "Spot")
        yield _text(x + 22, y + 12, words, "s")
        x += 120


def _words(pool: Pool) -> str:
    return "spot" if pool["priority"] == "Spot" else "on demand"


def _rect(x: int, y: int, width: int, height: int, paint: tuple[str, str], *, dashed: bool = False) -> str:
    fill, line = paint
    dash = ' stroke-dasharray="6 3"' if dashed else ""
    return (
        f'<rect x="{x}" y="{y}" width="{width}" height="{height}" rx="{min(8, height // 4)}" '
        f'fill="{fill}" stroke="{line}"{dash}/>'
    )


def _text(x: int, y: int, words: str, style: str) -> str:
    return f'<text x="{x}" y="{y}" class="{style}">{escape(words)}</text>'
