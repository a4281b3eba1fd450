"""All advice for a stack: each change on its own, best first, and what can be done at once."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from kubeflow_aks.clients.az import Az, AzError
from kubeflow_aks.clients.spot_placement import Desired, PlacementScore, placement_scores
from kubeflow_aks.cost.advice.advice import Advice, Advised, Change
from kubeflow_aks.cost.advice.kinds import KINDS, Kind
from kubeflow_aks.cost.advice.kinds.commitments import uncommitted
from kubeflow_aks.cost.advice.quota import QuotasOf, Room
from kubeflow_aks.cost.advice.situation import BillOf, OffersOf, Situation
from kubeflow_aks.cost.advice.trials import Trials, new_spot_vms
from kubeflow_aks.cost.figures import Range


def advise(stack_name: str, root: Path, bill_of: BillOf, offers: OffersOf, quotas: QuotasOf) -> Advised:
    """Changes that lower the expected bill of a stack.

    Each change is tried by running the program with it, so nothing is advised that planning refuses.

    Raises:
        StackFileError: there is no such stack.
        pulumi.RunError: its settings are wrong.
        CostError: its bill can't be made.
    """
    trials = Trials(stack_name, root, bill_of, offers)
    start = trials.begin()
    room = Room(start, quotas)
    useful = [
        (kind, change, it[0])
        for kind in KINDS
        for change in kind(start)
        if (it := trials.tried(start, change, room))
    ]
    refused = tuple(f"{sentence}: it needs {lack}" for sentence, lack in trials.refused.items())
    unknown = (*_unknown(start), *(f"{sentence}: {why}" for sentence, why in trials.unknown.items()))
    useful.sort(key=lambda it: -it[2].saves)
    joint = sorted(((kind, change) for kind, change, it in useful if not it.alone), key=lambda it: it[1].last)
    together, accepted, then = _together(trials, start, room, joint)
    return Advised(
        currency=start.bill.currency,
        on_demand=start.bill.on_demand(),
        advice=tuple(advice for _, _, advice in useful),
        together=together,
        on_demand_then=then.bill.on_demand() if together else None,
        changes=accepted,
        unknown=unknown,
        refused=refused,
    )


def _unknown(situation: Situation) -> Iterator[str]:
    """Commitments that no origin has a price for."""
    nodes = uncommitted(situation)
    lacking = {
        size: count for size, count in nodes.items() if not situation.offers(size, situation.bill.region)
    }
    if lacking:
        which = " and ".join(f"{count} {size.removeprefix('Standard_')}" for size, count in lacking.items())
        yield (
            f"a reservation or a savings plan for {which}, which are always there: no price here; one of 1 year was 32 "
            "to 41 % below the price on demand in a published case, one of 3 years 54 to 62 % "
            "(docs/facts/prices.md#commitments)"
        )


def _together(
    trials: Trials, start: Situation, room: Room, candidates: list[tuple[Kind, Change]]
) -> tuple[Advice | None, tuple[tuple[str, Range], ...], Situation]:
    """One change after the other, the best first; one that saves nothing beside the others is left out.

    Each is determined again for what those before it leave: its best values may have changed.
    """
    now, notes, accepted = start, dict[str, None](), list[tuple[str, Range]]()
    paths, any_assumed = set[tuple[str, ...]](), False
    for kind, change in candidates:
        again = change if now is start else next((it for it in kind(now) if it.topic == change.topic), None)
        if again and (tried := trials.tried(now, again, room)) and not tried[0].alone:
            now = tried[1]
            of_quota = tuple(room.notes(now))  # which the next change may alter
            notes |= {note: None for note in tried[0].notes if note not in of_quota}
            accepted.append((again.sentence, now.amount))
            any_assumed |= tried[0].assumed
            paths |= again.values.keys()
    if len(accepted) < 2:  # noqa: PLR2004 - a single one is listed already
        return None, (), now
    lines = now.file.lines(frozenset(path[0] for path in paths))
    advice = Advice(
        "all of these",
        lines,
        start.amount,
        now.amount,
        (*notes, *room.notes(now)),
        spot_vms=new_spot_vms(start, now),
        region=now.bill.region,
        assumed=any_assumed,
    )
    return advice, tuple(accepted), now


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
