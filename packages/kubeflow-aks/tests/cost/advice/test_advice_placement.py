"""Azure's placement scores beside advice."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from kubeflow_aks.clients.az import Az
from kubeflow_aks.clients.spot_placement import Desired
from kubeflow_aks.cost.advice import Advice, Advised, with_scores
from kubeflow_aks.cost.figures import Range
from tests.clients.az_placement import FORBIDDEN, installed, words

SIZE = "Standard_D8ads_v5"
OTHER_SIZE = Advice(
    "another size",
    (),
    Range.exactly(9),
    Range.exactly(5),
    ("measure a step there",),
    spot_vms=(Desired(SIZE, 10),),
    region="westeurope",
)
HOURS = replace(OTHER_SIZE, sentence="office hours", spot_vms=())
ELSEWHERE = replace(OTHER_SIZE, sentence="another region", region="northeurope", alone=True)
FOUND = Advised("USD", Range.exactly(9), (OTHER_SIZE, HOURS, ELSEWHERE), replace(OTHER_SIZE, sentence="all"))


def test_advice_that_adds_spot_vms_has_their_score(tmp_path: Path) -> None:
    log = installed(tmp_path, scores={SIZE: "Medium"}, lacks=(SIZE,))
    warnings: list[str] = []
    scored = with_scores(FOUND, Az(str(tmp_path / "az")), warnings.append)
    note = (
        f"Azure's spot placement score for 10 {SIZE} in westeurope is Medium now, and the spot quota is not enough; a "
        "snapshot, no promise"
    )
    assert scored.advice[0].notes == ("measure a step there", note)
    assert scored.advice[1].notes == ("measure a step there",)
    assert scored.advice[2].notes[1] == note.replace("westeurope", "northeurope")
    assert scored.together is not None
    assert scored.together.notes[1] == note
    assert warnings == []
    assert len(words(log)) == 2  # one for each region


def test_without_an_answer_advice_stays_as_it_is(tmp_path: Path) -> None:
    installed(tmp_path, error=FORBIDDEN)
    warnings: list[str] = []
    assert with_scores(FOUND, Az(str(tmp_path / "az")), warnings.append) == FOUND
    [warning] = warnings
    assert warning.startswith("Azure's spot placement scores are not available (`az compute-recommender ")
    assert "Compute Recommendations Role" in warning
