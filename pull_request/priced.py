"""What each of the two programs is expected to cost a month, at the repository's prices: a preview asks nobody."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from cost.comparing import difference
from cost.figures import CostError
from cost.prices import market_of
from cost.report.change import CostChange, change_document
from cost.stack import Resource, Stack
from pull_request.observed import Observed, Run, shown


def priced(observed: Observed) -> CostChange | None:
    """Both bills; None where the head has no stack or does not run, so that there is nothing to pay for."""
    if observed.head is None or observed.head.failure:
        return None
    before = observed.base if observed.base and not observed.base.failure else None
    after = _stack(observed.stack, observed.head)
    told: list[str] = []
    try:
        market = market_of(after, offline=True, report=told.append)
        found = difference(_stack(observed.stack, before) if before else None, after, market)
    except CostError as error:
        return change_document(None, error.problems, told)
    return change_document(found, notes=told)


def _stack(name: str, run: Run) -> Stack:
    resources = (Resource(it.type, it.name, _known(it.inputs)) for it in run.resources.values())
    return Stack(name, tuple(resources), _known(run.outputs))


def _known(values: Mapping[str, Any]) -> Mapping[str, Any]:
    return cast(Mapping[str, Any], shown(dict(values), None))
