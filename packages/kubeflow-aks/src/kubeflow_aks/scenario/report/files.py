"""The files of a scenario: the page and the observations."""

from collections.abc import Sequence
from pathlib import Path

from kubeflow_aks.ownership import open_folder
from kubeflow_aks.scenario.checks import CheckResult
from kubeflow_aks.scenario.cost import ScenarioCost
from kubeflow_aks.scenario.observations import Observations, to_json
from kubeflow_aks.scenario.report.page import page
from kubeflow_aks.text.files import write_whole


def write(
    folder: Path,
    observed: Observations,
    results: Sequence[CheckResult],
    cost: ScenarioCost | None,
    *,
    name: str = "demo",
) -> Path:
    """Writes the page and the observations as `{name}.html` and `{name}.json` into a folder, made if missing.

    Returns:
        The page.
    """
    open_folder(folder.parent, folder.name)
    write_whole(folder / f"{name}.json", to_json(observed))
    html = folder / f"{name}.html"
    write_whole(html, page(observed, results, cost))
    return html
