"""What stays of a story when its cluster is gone: the page, and all that was observed."""

from collections.abc import Sequence
from pathlib import Path

from story.observations import Observations, to_json
from story.promises import Verdict
from story.report.page import page
from story.show_cost import ShowCost


def write(
    folder: Path,
    seen: Observations,
    verdicts: Sequence[Verdict],
    cost: ShowCost | None,
    *,
    name: str = "demo",
) -> Path:
    """Writes the page and the observations into a folder.

    Args:
        folder: made where it is not there.
        seen: what was observed.
        verdicts: what was judged from it.
        cost: what it would have cost; None where a price is not known.
        name: of both files, before `.html` and `.json`.

    Returns:
        The page.
    """
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.json").write_text(to_json(seen), encoding="utf-8")
    html = folder / f"{name}.html"
    html.write_text(page(seen, verdicts, cost), encoding="utf-8")
    return html
