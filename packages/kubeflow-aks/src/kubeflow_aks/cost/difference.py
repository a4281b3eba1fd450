"""What a change of a stack does to its bill: both bills, at the same prices."""

from dataclasses import dataclass, replace
from typing import Final

from kubeflow_aks.cost.bill import Bill, Part
from kubeflow_aks.cost.figures import CostError, Range
from kubeflow_aks.cost.prices.market import Market
from kubeflow_aks.cost.stack import Stack

_NOTHING: Final = Range.exactly(0.0)
_OUTPUT: Final = "costBasis"


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


def difference(before: Stack | None, after: Stack, market: Market) -> Difference:
    """Both bills at the prices of one market, so that only the change shows; `before` is None for a new stack.

    A program from before the output `costBasis` exports no work; then both bills are for the work of the changed one.

    Raises:
        CostError: the bill of `after` can't be made.
    """
    from kubeflow_aks.cost.billing import bill  # noqa: PLC0415 - a third of a second that only bills need

    changed = bill(after, market)
    if before is None:
        return Difference(None, changed)
    notes: tuple[str, ...] = ()
    if before.outputs.get(_OUTPUT) is None and after.outputs.get(_OUTPUT) is not None:
        before = replace(before, outputs={**before.outputs, _OUTPUT: after.outputs[_OUTPUT]})
        notes = ("The earlier program exports no work: both bills are for the work of this change.",)
    try:
        return Difference(bill(before, market), changed, notes=notes)
    except CostError as error:
        return Difference(None, changed, error.problems, notes)
