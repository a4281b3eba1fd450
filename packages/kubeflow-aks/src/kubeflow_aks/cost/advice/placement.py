"""Azure's spot placement score for the spot VMs that advice adds, as a note on each advice."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

from kubeflow_aks.clients.az import Az, AzError
from kubeflow_aks.clients.spot_placement import Desired, PlacementScore, placement_scores
from kubeflow_aks.cost.advice.advice import Advice, Advised


def with_scores(advised: Advised, az: Az, report: Callable[[str], None]) -> Advised:
    """The advice with today's scores in its notes; `report` gets one sentence where there are none."""
    every = [*advised.advice, *([advised.together] if advised.together else [])]
    desired = {
        it.region: [*(vms for one in every if one.region == it.region for vms in one.spot_vms)]
        for it in every
    }
    try:
        scores = {region: placement_scores(az, region, vms) for region, vms in desired.items() if vms}
    except AzError as error:
        report(f"Azure's spot placement scores are not available ({error})")
        return advised
    return replace(
        advised,
        advice=tuple(_noted(one, scores) for one in advised.advice),
        together=_noted(advised.together, scores) if advised.together else None,
    )


def _noted(advice: Advice, scores: Mapping[str, Mapping[Desired, PlacementScore]]) -> Advice:
    return replace(advice, notes=(*advice.notes, *_notes(advice, scores.get(advice.region, {}))))


def _notes(advice: Advice, scores: Mapping[Desired, PlacementScore]) -> Iterator[str]:
    for vms in advice.spot_vms:
        if score := scores.get(vms):
            lacks = ", and the spot quota is not enough" if score.quota_available is False else ""
            yield (
                f"Azure's spot placement score for {vms.count} {vms.size} in {advice.region} is {score.words} "
                f"now{lacks}; a snapshot, no promise"
            )
