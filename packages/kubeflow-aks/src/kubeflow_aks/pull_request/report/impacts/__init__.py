"""What a change means for the cluster and its users, read from the inputs and outputs of resources."""

from collections.abc import Iterator, Sequence

from kubeflow_aks.pull_request.observed import Observed
from kubeflow_aks.pull_request.report.impacts import (
    access,
    azure,
    cluster,
    egress,
    losses,
    meanings,
    policy_exceptions,
    pool_changes,
    protection,
    storage,
    versions,
    whole_stacks,
)
from kubeflow_aks.pull_request.report.impacts.impact import Impact
from kubeflow_aks.pull_request.report.impacts.sides import Sides, sides_of
from kubeflow_aks.pull_request.violations import ExceptionChange

__all__ = ["Impact", "impacts_of"]

_LEVELS = ("danger", "caution", "news")


def impacts_of(observed: Observed, exceptions: Sequence[ExceptionChange] = ()) -> list[Impact]:
    """The impacts of a change, the worst first."""
    if observed.head is None:
        return list(whole_stacks.removed(observed))
    if observed.head.failure:
        return []
    impacts = [
        *protection.refused(observed.refused),
        *azure.refused(observed.azure.refused),
        *whole_stacks.not_judged(observed),
        *whole_stacks.beside_another(observed),
        *_impacts(sides_of(observed)),
        *policy_exceptions.impacts(exceptions),
    ]
    return sorted(impacts, key=lambda impact: _LEVELS.index(impact["level"]))


def _impacts(sides: Sides) -> Iterator[Impact]:
    yield from cluster.lost(sides)
    yield from pool_changes.impacts(sides)
    yield from losses.impacts(sides)
    yield from storage.impacts(sides)
    yield from egress.impacts(sides)
    yield from protection.impacts(sides)
    yield from versions.impacts(sides)
    yield from access.impacts(sides)
    yield from cluster.changed(sides)
    yield from meanings.impacts(sides)
