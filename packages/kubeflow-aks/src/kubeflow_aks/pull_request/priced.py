"""The expected monthly cost of each of the two programs, at the repository's prices: a preview uses no network."""

from collections.abc import Mapping
from typing import Any, cast

from kubeflow_aks.cost.difference import difference
from kubeflow_aks.cost.figures import CostError
from kubeflow_aks.cost.prices import market_of
from kubeflow_aks.cost.report.change import CostChange, change_document
from kubeflow_aks.cost.stack import Resource, Stack
from kubeflow_aks.pull_request.observed import Observed, Run, shown


def priced(observed: Observed) -> CostChange | None:
    """Both bills; None if the head lacks the stack or does not run, so that nothing is paid for.

    There is no bill before where the head makes all anew beside the base's.
    """
    if observed.head is None or observed.head.failure:
        return None
    before = observed.base if observed.base and not observed.base.failure else None
    if observed.former_project:  # what the base has stays, and the head's comes on top
        before = None
    after = _stack(observed.stack, observed.head)
    notes: list[str] = []
    try:
        market = market_of(after, offline=True, report=notes.append)
        change = difference(_stack(observed.stack, before) if before else None, after, market)
    except CostError as error:
        return change_document(None, error.problems, notes)
    return change_document(change, notes=notes)


def _stack(name: str, run: Run) -> Stack:
    resources = (Resource(it.type, it.name, _plain(it.inputs)) for it in run.resources.values())
    return Stack(name, tuple(resources), _plain(run.outputs))


def _plain(values: Mapping[str, Any]) -> Mapping[str, Any]:
    return cast(Mapping[str, Any], shown(dict(values), None))
