"""Trying a change: the program is run with it, and billed."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pulumi

from kubeflow_aks.clients.spot_placement import Desired
from kubeflow_aks.cost.advice.advice import Advice, Change
from kubeflow_aks.cost.advice.advice import Path as SettingPath
from kubeflow_aks.cost.advice.quota import Room
from kubeflow_aks.cost.advice.situation import BillOf, OffersOf, Situation, incomparable
from kubeflow_aks.cost.bill import Bill
from kubeflow_aks.cost.figures import CostError
from kubeflow_aks.cost.formatting import hours
from kubeflow_aks.cost.reading import from_plan
from kubeflow_aks.recorder.document import plan_document
from kubeflow_aks.recorder.run import record
from kubeflow_aks.recorder.stack_settings import StackFile, stack_file

_LEAST_SHARE = 0.002
"""Share of the bill; what saves less is not worth a line (our choice)."""
_MORE_LATE = 0.01
"""Share of the steps that may be late beyond those that are; with more a change is not advised (our choice)."""
_MORE_WAITS = 0.01
"""Share of the work's hours by which it may wait longer for nodes without a note (our choice)."""


@dataclass(frozen=True)
class Trials:
    """One stack of one tree, and the functions that make its bill and know what commitments cost."""

    name: str
    root: Path
    bill_of: BillOf
    offers: OffersOf
    refused: dict[str, str] = field(default_factory=dict[str, str])
    """Changes that the subscription's quota refuses, and of what it has too little."""
    unknown: dict[str, str] = field(default_factory=dict[str, str])
    """Changes whose bill can't be compared with the one now, and why."""

    def begin(self) -> Situation:
        """The stack as it is.

        Raises:
            StackFileError: there is no such stack.
            pulumi.RunError: its settings are wrong.
            CostError: its bill can't be made.
        """
        return self._situation(stack_file(self.name, self.root))

    def tried(self, start: Situation, change: Change, room: Room) -> tuple[Advice, Situation] | None:
        """What a change does; None where planning or quota refuse it, it makes the work impossible, or saves nothing.

        Where the stack has no work, planning validates the blog's, and the bill is that of a stack without.
        """
        if any(path[0] in start.file.secret for path in change.values):
            return None
        file = start.file.changed(change.values)
        keys = frozenset(path[0] for path in change.values)
        try:
            after = self._situation(file, start)
            without = self._situation(start.file.changed(change.needs), start) if change.needs else start
        except (pulumi.RunError, CostError):
            return None
        saved = without.amount.expected - after.amount.expected
        if not saved > _LEAST_SHARE * after.amount.expected or _undone(start, after):
            return None
        if why := incomparable(start.bill, after.bill):
            self.unknown[change.sentence] = why
            return None
        if lack := room.refusal(after):
            self.refused[change.sentence] = lack
            return None
        notes = (*change.notes, *(warning for warning in after.warnings if warning not in start.warnings))
        waits = tuple(_waits(start.bill, after.bill))
        alone = change.alone or len(notes) > len(change.notes)
        advice = Advice(
            change.sentence,
            file.lines(keys),
            start.amount,
            after.amount,
            (*notes, *waits, *room.notes(after)),
            alone,
            assumed=_assumed(start.bill, after.bill),
            spot_vms=new_spot_vms(start, after),
            region=after.bill.region,
            without=without.amount if change.needs else None,
        )
        return advice, after

    def _situation(self, file: StackFile, start: Situation | None = None) -> Situation:
        lacks_work = start and start.assumed and not file.get("workload")
        run = file.changed(written_work(start)) if start and lacks_work else file
        extra = {key: run.values[key] for key in run.written - run.secret}
        ran = record(self.name, root=self.root, preview=True, extra=extra)
        stack = from_plan(plan_document(ran))
        if lacks_work:
            basis: Mapping[str, Any] = stack.outputs["costBasis"]
            stack = replace(stack, outputs={**stack.outputs, "costBasis": {**basis, "workload": {}}})
        return Situation(file, stack, self.bill_of(stack), ran.messages, self.bill_of, self.offers)


def written_work(situation: Situation) -> Mapping[SettingPath, Any]:
    """The settings of the work that the bill is made for."""
    return {
        ("workload", name, key): int(value) if isinstance(value, float) and value.is_integer() else value
        for name, work in situation.work.items()
        for key, value in work.model_dump(by_alias=True, exclude_defaults=True).items()
    }


def new_spot_vms(start: Situation, after: Situation) -> tuple[Desired, ...]:
    """Spot VMs that a change adds; all of them where it moves the stack to another region."""
    same_region = start.bill.region == after.bill.region
    return tuple(it for it in after.spot_vms if not same_region or it not in start.spot_vms)


def _undone(start: Situation, after: Situation) -> bool:
    """Whether it is newly late, or the bill newly warns that work is not done in a month or that nodes don't start."""
    late = {it.name: it.misses.expected for it in start.bill.work if it.misses}
    return any(
        warning.startswith("pools.") and warning not in start.bill.warnings for warning in after.bill.warnings
    ) or any(it.misses and it.misses.expected > late.get(it.name, 0.0) + _MORE_LATE for it in after.bill.work)


def _waits(before: Bill, after: Bill) -> Iterator[str]:
    """Work that waits longer for nodes."""
    now = {it.name: it.waits for it in before.work}
    for it in after.work:
        if it.waits > now.get(it.name, 0.0) + _MORE_WAITS * it.useful:
            yield (
                f"{it.name} waits {hours(it.waits)} node hours a month for nodes, {hours(now.get(it.name, 0.0))} now"
            )


def _assumed(before: Bill, after: Bill) -> bool:
    """Whether a line that changes rests on a price that nobody quotes."""
    now = {line.name: line.amount for line in before.lines}
    return any(
        line.amount != now.get(line.name) and any(quote.source.assumed for quote in line.quotes)
        for line in after.lines
    )
