"""Changes of who can reach the API server and sign in."""

from collections.abc import Iterator
from typing import Any

from kubeflow_aks.json_values import at, texts
from kubeflow_aks.pull_request.observed import UNKNOWN
from kubeflow_aks.pull_request.report.impacts.impact import Impact, Level, added_and_removed, impact, listed
from kubeflow_aks.pull_request.report.impacts.sides import CLUSTER, Sides

_EVERYWHERE = "0.0.0.0/0"
_RANGES = "Ranges that can reach the API server"


def impacts(sides: Sides) -> Iterator[Impact]:
    """Changes of the access to a cluster's API server."""
    for old, new in sides.pairs(CLUSTER):
        for level, text in _changes(old.inputs, new.inputs):
            yield impact("api-access", level, new.name, text)


def _changes(before: Any, after: Any) -> Iterator[tuple[Level, str]]:
    private = [at(side, "apiServerAccessProfile", "enablePrivateCluster") is True for side in (before, after)]
    if private[0] != private[1]:
        access = "private" if private[1] else "public"
        yield "caution", f"The API server becomes {access}, which AKS refuses for an existing cluster."
    ranges = [_ranges(side) for side in (before, after)]
    if not private[1]:
        yield from _of_ranges(*ranges)
    command = [
        at(side, "apiServerAccessProfile", "disableRunCommand") is not True for side in (before, after)
    ]
    if command[0] != command[1]:
        yield (
            (
                "caution",
                "Commands can be run through Azure again (`az aks command invoke`), also from outside allowed ranges.",
            )
            if command[1]
            else ("news", "Commands can no longer be run through Azure (`az aks command invoke`).")
        )
    local = [at(side, "disableLocalAccounts") is not True for side in (before, after)]
    if local[0] != local[1]:
        yield (
            ("danger", "Local accounts are on again: an admin kubeconfig gives access without Entra.")
            if local[1]
            else ("caution", "Local accounts are off: only members of Entra groups sign in from now on.")
        )
    groups = [texts(at(side, "aadProfile", "adminGroupObjectIDs")) for side in (before, after)]
    yield from _of_lists("Admin groups", *groups)


def _ranges(inputs: Any) -> list[str]:
    ranges = texts(at(inputs, "apiServerAccessProfile", "authorizedIPRanges"))
    return [] if _EVERYWHERE in ranges else ranges


def _of_ranges(before: list[str], after: list[str]) -> Iterator[tuple[Level, str]]:
    """Changes of the ranges; a range that is unknown until `up` may be any of those that seem removed."""
    unknown = UNKNOWN in after
    before, after = ([one for one in side if one != UNKNOWN] for side in (before, after))
    if before and unknown:
        yield from _of_lists(_RANGES, [one for one in before if one in after], after)
    elif before and not after:
        yield (
            "danger",
            f"The API server can be reached from every address, no longer only from {listed(before)}.",
        )
    elif after and not before:
        yield (
            "caution",
            f"The API server can be reached only from {listed(after)}, no longer from everywhere.",
        )
    else:
        yield from _of_lists(_RANGES, before, after)


def _of_lists(what: str, before: list[str], after: list[str]) -> Iterator[tuple[Level, str]]:
    added = [one for one in after if one not in before]
    removed = [one for one in before if one not in after]
    if changes := added_and_removed(added, removed):
        yield "caution", f"{what}: {changes}."
