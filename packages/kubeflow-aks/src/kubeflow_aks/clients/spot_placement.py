"""Azure's spot placement scores: how likely some spot VMs of a size are to be had now.

A score is a snapshot and no promise: "A score of High or Medium doesn't guarantee allocation success or no evictions"
(spot-placement-score.md, 2026-05-19). The form of the answer is that of a recorded one
(`test_spot_placement_score_generate.yaml` of Azure/azure-cli, 2025-07-24).
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final

from kubeflow_aks.clients.az import Az, AzError
from kubeflow_aks.json_values import at, entries, text

ROLE: Final = "Compute Recommendations Role"
"""The role on the subscription that Azure requires (spot-placement-score.md, "REST API", 2026-05-19)."""
COMMAND: Final = ("compute-recommender", "spot-placement-score")
"""Part of the Azure CLI itself since 2.76 (`HISTORY.rst` of Azure/azure-cli)."""
_SIZES_AT_ONCE: Final = 5
_REASONS: Final = {
    "RestrictedSkuNotAvailable": "the subscription may not use it",
    "DataNotFoundOrStale": "no recent data",
}
"""In words what Azure returns in place of a score (spot-placement-score.md, "REST API", 2026-05-19)."""


@dataclass(frozen=True)
class Desired:
    """Spot VMs of a size that somebody wants to run at once, from 1."""

    size: str
    count: int


@dataclass(frozen=True)
class PlacementScore:
    """Azure's answer for one `Desired`.

    Attributes:
        score: `High`, `Medium` or `Low`, else why there is none.
        quota_available: whether the subscription's spot quota has room for them; None where Azure does not say.
    """

    score: str
    quota_available: bool | None

    @property
    def words(self) -> str:
        """The score, or in words why there is none."""
        return _REASONS.get(self.score, self.score)


def placement_scores(az: Az, region: str, desired: Iterable[Desired]) -> Mapping[Desired, PlacementScore]:
    """The scores of a region, without regard to zones; those that Azure does not return are missing.

    Raises:
        AzError: no answer; the text says what it needs where that is the reason.
    """
    by_count: dict[int, dict[str, None]] = {}
    for one in desired:
        by_count.setdefault(one.count, {})[one.size] = None
    return {
        Desired(size, count): score
        for count, sizes in by_count.items()
        for some in _batches(sizes)
        for size, score in _scores(az, region, some, count).items()
    }


def _batches(sizes: Iterable[str]) -> Iterator[list[str]]:
    left = iter(sizes)
    while some := list(islice(left, _SIZES_AT_ONCE)):
        yield some


def _scores(az: Az, region: str, sizes: Iterable[str], count: int) -> dict[str, PlacementScore]:
    by_name = {size.casefold(): size for size in sizes}
    try:
        answer: Any = az.json(
            *COMMAND,
            *("--location", region),
            *("--desired-locations", json.dumps([region])),
            *("--desired-sizes", json.dumps([{"sku": size} for size in by_name.values()])),
            *("--desired-count", str(count)),
            *("--availability-zones", "false"),
        )
    except AzError as error:
        raise AzError(f"{error}{_remedy(error)}", error.code) from None
    rows = at(answer, "placementScores")
    if not isinstance(rows, list):
        raise az.unexpected(*COMMAND)
    by_size = {text(at(row, "sku")).casefold(): row for row in entries(rows)}
    return {size: _score(by_size[name]) for name, size in by_name.items() if name in by_size}


def _score(row: Any) -> PlacementScore:
    quota = at(row, "isQuotaAvailable")
    return PlacementScore(text(at(row, "score")) or "none", quota if isinstance(quota, bool) else None)


def _remedy(error: AzError) -> str:
    """What to do about a failure that has a known reason."""
    if error.code == "AuthorizationFailed":
        return f"; it needs the role {ROLE} on the subscription"
    if "misspelled or not recognized" in str(error):
        return "; update the Azure CLI with `az upgrade`"
    return ""
