"""What stays of a demo when its local AKS is gone: the page, and all that was observed."""

from collections.abc import Sequence
from pathlib import Path

from story.observations import Observations, to_json
from story.promises import Verdict
from story.report.page import page
from story.show_cost import ShowCost


def write(folder: Path, seen: Observations, verdicts: Sequence[Verdict], cost: ShowCost | None) -> Path:
    """Writes `demo.html` and `demo.json` into a folder.

    Args:
        folder: made where it is not there.
        seen: what was observed.
        verdicts: what was judged from it.
        cost: what it would have cost; None where a price is not known.

    Returns:
        The page.
    """
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "demo.json").write_text(to_json(seen), encoding="utf-8")
    html = folder / "demo.html"
    html.write_text(page(seen, verdicts, cost), encoding="utf-8")
    return html
