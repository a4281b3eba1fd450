"""The page: checks, timeline, tables, costs. One file; the browser needs nothing else.

`page.html.j2` is its text. Whatever was observed is escaped; only our drawings and style sheet are put in as they are.
"""

import re
from base64 import b64encode
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template
from markupsafe import Markup, escape

from kubeflow_aks.ownership import open_folder
from kubeflow_aks.scenario import cost as scenario_cost
from kubeflow_aks.scenario.checks import CheckResult, summary
from kubeflow_aks.scenario.cost import ScenarioCost
from kubeflow_aks.scenario.observations import Observations, to_json
from kubeflow_aks.scenario.report import table
from kubeflow_aks.scenario.report.svg import LEGEND, STYLES, svg
from kubeflow_aks.scenario.report.words import words_for
from kubeflow_aks.text.files import write_whole

_FOLDER: Final = Path(__file__).parent

_STYLES: Final = (*STYLES, _FOLDER / "page.css")


def write_page(
    folder: Path,
    observed: Observations,
    results: Sequence[CheckResult],
    cost: ScenarioCost | None,
    *,
    name: str = "demo",
) -> Path:
    """Writes `{name}.html`, the page, and `{name}.json`, the observations, into a folder; returns the page's path."""
    open_folder(folder.parent, folder.name)
    write_whole(folder / f"{name}.json", to_json(observed))
    html = folder / f"{name}.html"
    write_whole(html, page(observed, results, cost))
    return html


def page(observed: Observations, results: Sequence[CheckResult], cost: ScenarioCost | None) -> str:
    """The whole page as HTML; without what it would have cost where `cost` is None."""
    words = words_for(observed.where)
    return _template().render(
        title=summary(results),
        words=words,
        stack=observed.stack,
        style=Markup("".join(path.read_text(encoding="utf-8") for path in _STYLES)),  # noqa: S704 - ours
        results=results,
        timeline=Markup(svg(observed)),  # noqa: S704 - escapes what was observed itself
        legend=[(Markup(shape), style, words) for shape, style, words in LEGEND],  # noqa: S704 - our own text
        step_header=("", *table.step_header(observed)),
        step_rows=[(str(number), *row) for number, row in enumerate(table.step_rows(observed), start=1)],
        work_header=table.WORK_HEADER,
        work_rows=table.work_rows(observed),
        cost_header=scenario_cost.HEADER,
        cost_rows=scenario_cost.rows(cost) if cost else [],
        cost_notes=cost.notes if cost else (),
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
