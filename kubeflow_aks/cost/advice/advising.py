"""All advice for a stack: each change on its own, best first, and what can be done at once."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from kubeflow_aks.cost.advice.advice import Advice, Advised, Change
from kubeflow_aks.cost.advice.kinds import KINDS
from kubeflow_aks.cost.advice.situation import BillOf, Situation
from kubeflow_aks.cost.advice.trials import Trials, new_spot_vms


def advise(stack_name: str, root: Path, bill_of: BillOf) -> Advised:
    """Changes that lower the expected bill of a stack.

    Each change is tried by running the program with it, so nothing is advised that planning refuses.

    Args:
        stack_name: a stack with a file `Pulumi.<stack>.yaml`.
        root: the project folder.
        bill_of: makes the bill of what the program registers.

    Raises:
        StackFileError: there is no such stack.
        pulumi.RunError: its settings are wrong.
        CostError: its bill can't be made.
    """
    trials = Trials(stack_name, root, bill_of)
    start = trials.begin()
    found = [(change, it[0]) for change in changes(start) if (it := trials.tried(start, change))]
    found.sort(key=lambda it: -it[1].saves)
    together, accepted, then = _together(
        trials, start, [change for change, advice in found if not advice.alone]
    )
    return Advised(
        currency=start.bill.currency,
        on_demand=start.bill.on_demand(),
        each=tuple(advice for _, advice in found),
        together=together,
        on_demand_then=then.bill.on_demand() if together else None,
        changes=accepted,
    )


def changes(situation: Situation) -> Iterator[Change]:
    """Every change worth trying."""
    for kind in KINDS:
        yield from kind(situation)


def _together(
    trials: Trials, start: Situation, candidates: list[Change]
) -> tuple[Advice | None, tuple[str, ...], Situation]:
    """One change after the other, the best first; one that saves nothing beside the others is left out.

    After each, the other changes are determined again: their best values may have changed.
    """
    now, notes, accepted = start, dict[str, None](), list[str]()
    beside = {change.topic: change for change in candidates}
    paths: set[tuple[str, ...]] = set()
    for change in candidates:
        again = beside.get(change.topic)
        if again and (tried := trials.tried(now, again)) and not tried[0].alone:
            now = tried[1]
            beside = {change.topic: change for change in changes(now)}
            notes |= dict.fromkeys(tried[0].notes)
            accepted.append(again.sentence)
            paths |= again.values.keys()
    if len(accepted) < 2:  # noqa: PLR2004 - a single one is listed already
        return None, (), now
    lines = now.file.lines(frozenset(path[0] for path in paths))
    advice = Advice(
        "all of these",
        lines,
        start.amount,
        now.amount,
        tuple(notes),
        spot_vms=new_spot_vms(start, now),
        region=now.bill.region,
    )
    return advice, tuple(accepted), now
