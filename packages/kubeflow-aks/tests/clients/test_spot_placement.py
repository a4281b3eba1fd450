"""Azure's spot placement scores, from a recorded answer of `az`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from kubeflow_aks.clients.az import Az, AzError
from kubeflow_aks.clients.spot_placement import Desired, PlacementScore, placement_scores
from tests.clients.az_placement import FORBIDDEN, RECORDED, installed, words


class _Answers(Az):
    """`az` with one answer."""

    def __init__(self, answer: Any) -> None:
        super().__init__()
        self.__dict__["answer"] = answer

    def run(self, *_: str) -> str:
        return json.dumps(self.__dict__["answer"])


def test_a_recorded_answer_is_read() -> None:
    desired = Desired("Standard_D2_v2", 1)
    rows = RECORDED["placementScores"]
    for row, text in zip(rows, ("the subscription may not use it", "Low"), strict=True):
        scores = placement_scores(_Answers({**RECORDED, "placementScores": [row]}), row["region"], [desired])
        assert scores == {desired: PlacementScore(row["score"], quota_available=True)}
        assert scores[desired].words == text


def test_what_azure_does_not_score_is_missing() -> None:
    rows = [{"sku": "STANDARD_d2_V2", "score": "DataNotFoundOrStale"}, {"sku": "another"}, None]
    scores = placement_scores(
        _Answers({"placementScores": rows}),
        "eastus",
        [Desired("Standard_D2_v2", 1), Desired("Standard_D4_v2", 1)],
    )
    assert scores == {Desired("Standard_D2_v2", 1): PlacementScore("DataNotFoundOrStale", None)}
    assert [score.words for score in scores.values()] == ["no recent data"]


@pytest.mark.parametrize("answer", [None, [], {}, {"placementScores": "High"}])
def test_another_answer_is_an_error(answer: Any) -> None:
    with pytest.raises(AzError, match="printed something unexpected"):
        placement_scores(_Answers(answer), "eastus", [Desired("Standard_D2_v2", 1)])


def test_five_sizes_of_one_count_are_one_request(tmp_path: Path) -> None:
    log = installed(tmp_path)
    desired = [Desired(f"Standard_D{n}s_v5", 3) for n in range(7)] + [Desired("Standard_D0s_v5", 9)]
    assert placement_scores(Az(str(tmp_path / "az")), "westeurope", [*desired, *desired]).keys() == {*desired}
    called = words(log)
    assert [len(json.loads(line[line.index("--desired-sizes") + 1])) for line in called] == [5, 2, 1]
    assert [line[line.index("--desired-count") + 1] for line in called] == ["3", "3", "9"]
    assert called[2] == [
        *("compute-recommender", "spot-placement-score", "--location", "westeurope"),
        *("--desired-locations", '["westeurope"]', "--desired-sizes", '[{"sku": "Standard_D0s_v5"}]'),
        *("--desired-count", "9", "--availability-zones", "false", "--output", "json"),
    ]


@pytest.mark.parametrize(
    ("error", "code", "remedy"),
    [
        (FORBIDDEN, 1, "; it needs the role Compute Recommendations Role on the subscription"),
        (
            "ERROR: 'compute-recommender' is misspelled or not recognized by the system.",
            2,
            "; update the Azure CLI with `az upgrade`",
        ),
        ("ERROR: Please run 'az login' to setup account.", 1, "Please run 'az login' to setup account."),
    ],
)
def test_a_failure_names_what_is_missing(error: str, code: int, remedy: str, tmp_path: Path) -> None:
    installed(tmp_path, error=error, code=code)
    with pytest.raises(AzError) as raised:
        placement_scores(Az(str(tmp_path / "az")), "westeurope", [Desired("Standard_D2_v2", 1)])
    assert str(raised.value).startswith("`az compute-recommender spot-placement-score` failed: ")
    assert str(raised.value).endswith(remedy)
