"""Bills a stack as it was and as it is to be, at the same prices."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from kubeflow_aks.cost.billing import bill
from kubeflow_aks.cost.difference import Difference
from kubeflow_aks.cost.figures import CostError
from kubeflow_aks.cost.prices.market import Market
from kubeflow_aks.cost.stack import Stack

_OUTPUT: Final = "costBasis"


def difference(before: Stack | None, after: Stack, market: Market) -> Difference:
    """Both bills at the prices of one market, so that only the change shows.

    A program from before the output `costBasis` exports no work; then both bills are for the work of the changed one.

    Args:
        before: None for a new stack.
        after: what it is to be.
        market: the source of prices.

    Raises:
        CostError: the bill of `after` can't be made.
    """
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
