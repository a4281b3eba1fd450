"""What stays of a demo when its local AKS is gone: the page, and all that was observed."""

from collections.abc import Sequence
from pathlib import Path

from local_aks.demo.observations import Observations, to_json
from local_aks.demo.promises import Verdict
from local_aks.demo.report.page import page


def write(folder: Path, seen: Observations, verdicts: Sequence[Verdict]) -> Path:
    """Writes `demo.html` and `demo.json` into a folder.

    Returns:
        The page.
    """
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "demo.json").write_text(to_json(seen), encoding="utf-8")
    html = folder / "demo.html"
    html.write_text(page(seen, verdicts), encoding="utf-8")
    return html
