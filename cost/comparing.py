"""Bills a stack as it was and as it is to be, at the same prices."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from cost.billing import bill
from cost.difference import Difference
from cost.figures import CostError
from cost.prices.market import Market
from cost.stack import Stack

_OUTPUT: Final = "costBasis"


def difference(before: Stack | None, after: Stack, market: Market) -> Difference:
    """Both bills at the prices of one market, so that only the change shows.

    A program of before the output `costBasis` says nothing of the work; then both bills are for the work that the
    changed one says.

    Args:
        before: None for a new stack.
        after: what it is to be.
        market: who knows the prices.

    Raises:
        CostError: the bill of `after` can't be made.
    """
    changed = bill(after, market)
    if before is None:
        return Difference(None, changed)
    notes: tuple[str, ...] = ()
    if before.outputs.get(_OUTPUT) is None and after.outputs.get(_OUTPUT) is not None:
        before = replace(before, outputs={**before.outputs, _OUTPUT: after.outputs[_OUTPUT]})
        notes = ("The program of before says nothing of work: both bills are for the work of this change.",)
    try:
        return Difference(bill(before, market), changed, notes=notes)
    except CostError as error:
        return Difference(None, changed, error.problems, notes)
