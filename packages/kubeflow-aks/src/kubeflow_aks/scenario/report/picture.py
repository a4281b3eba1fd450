"""The timeline of a recorded demo as a picture of the documentation, for `kubeflow_aks.text.generated`."""

from pathlib import Path
from typing import Final

from kubeflow_aks.scenario.checks import check_all, summary
from kubeflow_aks.scenario.observations import Observations, from_json
from kubeflow_aks.scenario.report.svg import picture
from kubeflow_aks.scenario.report.words import words_for

PICTURE: Final = Path("docs/pictures/demo.svg")
_RECORDING: Final = Path("packages/kubeflow-aks/tests/scenario/data/observations.json")
"""What a demo wrote as `build/demo/demo.json`."""


def drawn(observed: Observations) -> str:
    """The picture: how many checks passed, the pools for batch work, the steps, and a legend."""
    words = words_for(observed.where)
    return picture(observed, f"{summary(check_all(observed))}, on {words.place}", words.caption)


def generated(root: Path) -> dict[Path, str]:
    """The picture by its file, for the project folder."""
    return {PICTURE: drawn(from_json((root / _RECORDING).read_text(encoding="utf-8")))}
