"""Trying a change: the program is run with it, and billed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pulumi

from cost.advice.advice import Advice, Change
from cost.advice.advice import Path as SettingPath
from cost.advice.situation import BillOf, Situation
from cost.advice.stack_file import StackFile, stack_file
from cost.figures import CostError
from cost.reading import from_plan
from recorder.document import plan_document
from recorder.run import Record, record

_LEAST_SHARE = 0.002
"""Of the bill; what saves less is not worth a line (our choice)."""


@dataclass(frozen=True)
class Trials:
    """One stack of one tree, and who makes its bill."""

    name: str
    root: Path
    bill_of: BillOf

    def begin(self) -> Situation:
        """The stack as it is.

        Raises:
            StackFileError: there is no such stack.
            pulumi.RunError: its settings are wrong.
            CostError: its bill can't be made.
        """
        return self._situation(stack_file(self.name, self.root))

    def tried(self, start: Situation, change: Change) -> tuple[Advice, Situation] | None:
        """What a change does; None where planning refuses it, it makes the work impossible, or it saves nothing.

        Where the stack names no work, the blog's is written down for planning to judge, and left out again.
        """
        if any(path[0] in start.file.secret for path in change.values):
            return None
        file = start.file.changed(change.values)
        keys = frozenset(path[0] for path in change.values)
        try:
            if start.assumed:
                self._run(file.changed(written_work(start)))
            after = self._situation(file)
        except (pulumi.RunError, CostError):
            return None
        saved = start.amount.expected - after.amount.expected
        if not saved > _LEAST_SHARE * after.amount.expected or _undone(start, after):
            return None
        told = (*change.said, *(warning for warning in after.warnings if warning not in start.warnings))
        alone = change.alone or len(told) > len(change.said)
        found = Advice(change.sentence, file.lines(keys), start.amount, after.amount, told, alone)
        return found, after

    def _situation(self, file: StackFile) -> Situation:
        ran = self._run(file)
        stack = from_plan(plan_document(ran))
        return Situation(file, stack, self.bill_of(stack), ran.messages, self.bill_of)

    def _run(self, file: StackFile) -> Record:
        extra = {key: file.values[key] for key in file.written - file.secret}
        return record(self.name, root=self.root, preview=True, extra=extra)


def written_work(situation: Situation) -> Mapping[SettingPath, Any]:
    """The settings that say what work the bill is made for."""
    return {
        ("workload", name, key): int(value) if isinstance(value, float) and value.is_integer() else value
        for name, work in situation.work.items()
        for key, value in work.model_dump(by_alias=True, exclude_defaults=True).items()
    }


def _undone(start: Situation, after: Situation) -> bool:
    """Whether the bill says of a pool that its work is not done in a month, or that nodes would not start."""
    return any(
        warning.startswith("pools.") and warning not in start.bill.warnings for warning in after.bill.warnings
    )
