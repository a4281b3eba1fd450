"""The page: promises, timeline, tables, costs. One file; the browser needs nothing else.

`page.html.j2` is its text. Whatever was observed is escaped; only our drawings and style sheet are put in as they are.
"""

import re
from base64 import b64encode
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template
from markupsafe import Markup, escape

from story import show_cost
from story.observations import Observations
from story.promises import Verdict, summary
from story.report import table
from story.report.svg import svg
from story.report.words import words_for
from story.show_cost import ShowCost

_FOLDER: Final = Path(__file__).parent

_LEGEND: Final = (
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


def page(seen: Observations, verdicts: Sequence[Verdict], cost: ShowCost | None) -> str:
    """The whole page as HTML; without what it would have cost where `cost` is None."""
    words = words_for(seen.where)
    return _template().render(
        title=summary(verdicts),
        words=words,
        stack=seen.stack,
        style=Markup((_FOLDER / "style.css").read_text(encoding="utf-8")),  # noqa: S704 - our own file
        verdicts=verdicts,
        timeline=Markup(svg(seen)),  # noqa: S704 - escapes what was observed itself
        legend=[(Markup(shape), style, words) for shape, style, words in _LEGEND],  # noqa: S704 - our own text
        step_header=("", *table.step_header(seen)),
        step_rows=[(str(number), *row) for number, row in enumerate(table.step_rows(seen), start=1)],
        work_header=table.WORK_HEADER,
        work_rows=table.work_rows(seen),
        cost_header=show_cost.HEADER,
        cost_rows=show_cost.rows(cost) if cost else [],
        cost_said=cost.said if cost else (),
        cost_pictures=[(title, _data(svg)) for title, svg in cost.pictures] if cost else [],
    )


def _data(svg: str) -> str:
    """A picture as an address: it keeps its own ground and style, whatever the page's are."""
    return f"data:image/svg+xml;base64,{b64encode(svg.encode()).decode()}"


def _template() -> Template:
    environment = Environment(
        loader=FileSystemLoader(_FOLDER),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters |= {"code": _code, "sentence": _sentence}
    return environment.get_template("page.html.j2")


def _sentence(text: str) -> str:
    """Text with a capital."""
    return text[:1].upper() + text[1:]


def _code(text: str) -> Markup:
    """Text with what stands between backticks as code."""
    return Markup(re.sub(r"`([^`]+)`", r"<code>\1</code>", str(escape(text))))  # noqa: S704 - escaped before
