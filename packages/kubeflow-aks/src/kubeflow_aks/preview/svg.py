"""The picture of the pools as SVG, self-contained."""

from collections.abc import Iterator
from html import escape

from kubeflow_aks.preview import tree
from kubeflow_aks.preview.lanes import Lane, kind_of, lanes
from kubeflow_aks.preview.pools import full_name, node_range
from kubeflow_aks.recorder.document import PlanDocument, Pool
from kubeflow_aks.text import palette
from kubeflow_aks.text.picture import opening

_WORK_X, _WORK_WIDTH = 24, 300
_POOL_X, _POOL_WIDTH = 400, 250
_FALLBACK_X = 730
_WIDTH = _FALLBACK_X + _POOL_WIDTH + 24
_TOP, _ROW, _BOX, _LANE_GAP = 64, 84, 68, 18
_COLOURS = {"system": palette.SYSTEM, "Regular": palette.ON_DEMAND, "Spot": palette.SPOT}
_STYLE = (
    "text{font:13px system-ui,sans-serif;fill:#111827}.b{font-weight:600}.s{font-size:11.5px;fill:#4b5563}"
    ".a{stroke:#4b5563;stroke-width:1.5;fill:none;marker-end:url(#tip)}.d{stroke-dasharray:6 4}"
)

_ARROW_TIP = (
    '<defs><marker id="tip" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8" orient="auto">'
    '<path d="M0 0L8 4L0 8z" fill="#4b5563"/></marker></defs>'
)


def svg(document: PlanDocument) -> str:
    """Work on the left, pools in the middle, fallbacks on the right, with a legend."""
    title = f"Agent pools of {tree.title(document)} and what runs where"
    drawn = lanes(document)
    rows = sum(len(lane.rows) for lane in drawn)
    height = _TOP + rows * _ROW + len(drawn) * _LANE_GAP + 30
    size = f'viewBox="0 0 {_WIDTH} {height}" width="{_WIDTH}" height="{height}"'
    lines = [
        opening(f'xmlns="http://www.w3.org/2000/svg" {size}', title, _in_words(drawn), "pools"),
        f"<style>{_STYLE}</style>",
        _ARROW_TIP,
        f'<rect width="{_WIDTH}" height="{height}" fill="#ffffff"/>',
        _text(_WORK_X, 34, title, "b"),
        *_lanes(drawn),
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


def _lanes(rows: list[Lane]) -> Iterator[str]:
    top = _TOP
    for lane in rows:
        height = len(lane.rows) * _ROW - (_ROW - _BOX)
        yield _rect(_WORK_X, top, _WORK_WIDTH, height, ("#ffffff", "#6b7280"))
        yield _text(_WORK_X + 14, top + 28, lane.work, "b")
        yield _text(_WORK_X + 14, top + 48, lane.how, "s")
        for pool, instead in lane.rows:
            middle = top + _BOX // 2
            yield from _pool(pool, _POOL_X, top)
            yield f'<path class="a" d="M{_WORK_X + _WORK_WIDTH} {middle}H{_POOL_X}"/>'
            if any(instead is below for below, _ in lane.rows):  # it is the next row
                x = _POOL_X + _POOL_WIDTH // 2
                yield f'<path class="a d" d="M{x} {top + _BOX}V{top + _ROW}"/>'
            elif instead:
                yield from _pool(instead, _FALLBACK_X, top)
                yield f'<path class="a d" d="M{_POOL_X + _POOL_WIDTH} {middle}H{_FALLBACK_X}"/>'
                yield _text(_POOL_X + _POOL_WIDTH + 12, middle - 7, "sold out", "s")
            top += _ROW
        top += _LANE_GAP


def _pool(pool: Pool, x: int, y: int) -> Iterator[str]:
    yield _rect(x, y, _POOL_WIDTH, _BOX, _COLOURS[kind_of(pool)], dashed=pool["priority"] == "Spot")
    yield _text(x + 14, y + 22, full_name(pool), "b")
    yield _text(x + 14, y + 40, pool["vmSize"], "s")
    yield _text(x + 14, y + 57, f"{_words(pool)}, {node_range(pool)} nodes", "s")


def _legend(y: int) -> Iterator[str]:
    x = _WORK_X
    for kind, words in (("Regular", "on demand"), ("Spot", "spot"), ("system", "always there, on demand")):
        yield _rect(x, y, 14, 14, _COLOURS[kind], dashed=kind == "Spot")
        yield _text(x + 22, y + 12, words, "s")
        x += 130


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
