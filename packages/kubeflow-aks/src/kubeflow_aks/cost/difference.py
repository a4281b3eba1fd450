"""What a change of a stack does to its bill. Data only."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from kubeflow_aks.cost.bill import Bill, Part
from kubeflow_aks.cost.figures import Range

_NOTHING: Final = Range.exactly(0.0)


@dataclass(frozen=True)
class LineChange:
    """One line of either bill; None on the side that does not have it."""

    name: str
    part: Part
    before: Range | None
    after: Range | None


@dataclass(frozen=True)
class Difference:
    """Two bills at the same prices.

    Attributes:
        before: None where the stack is new, or where its bill can't be made.
        after: as the stack is to be.
        why_not: why there is no earlier bill, one line each; empty where the stack is new.
        notes: for comparing them, one sentence each.
    """

    before: Bill | None
    after: Bill
    why_not: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def lines(self) -> tuple[LineChange, ...]:
        """The lines of the bill, then those that are gone."""
        before, after = _amounts(self.before), _amounts(self.after)
        return tuple(
            LineChange(name, part, before.get((part, name)), after.get((part, name)))
            for part, name in {**after, **before}
        )


def _amounts(bill: Bill | None) -> dict[tuple[Part, str], Range]:
    amounts: dict[tuple[Part, str], Range] = {}
    for line in bill.lines if bill else ():
        amounts[line.part, line.name] = amounts.get((line.part, line.name), _NOTHING) + line.amount
    return amounts
