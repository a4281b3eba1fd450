"""Who may reach the API server and sign in."""

from collections.abc import Iterator
from typing import Any

from pull_request.observed import UNKNOWN
from pull_request.telling.reading import at, texts
from pull_request.telling.words.sides import CLUSTER, Sides
from pull_request.telling.words.word import Level, Word, listed

_EVERYWHERE = "0.0.0.0/0"
_RANGES = "Ranges that may reach the API server"


def words(seen: Sides) -> Iterator[Word]:
    """What changes of the way to a cluster's API server."""
    for old, new in seen.pairs(CLUSTER):
        for level, text in _told(old.inputs, new.inputs):
            yield {"kind": "api-access", "level": level, "subject": new.name, "text": text}


def _told(before: Any, after: Any) -> Iterator[tuple[Level, str]]:
    private = [at(side, "apiServerAccessProfile", "enablePrivateCluster") is True for side in (before, after)]
    if private[0] != private[1]:
        way = "private" if private[1] else "public"
        yield "caution", f"The API server becomes {way}, which AKS refuses for a cluster that exists."
    ranges = [_ranges(side) for side in (before, after)]
    if not private[1]:
        yield from _of_ranges(*map(_known, ranges), unknown=UNKNOWN in ranges[1])
    command = [
        at(side, "apiServerAccessProfile", "disableRunCommand") is not True for side in (before, after)
    ]
    if command[0] != command[1]:
        yield (
            (
                "caution",
                "Commands may be run through Azure again (`az aks command invoke`), past allowed ranges.",
            )
            if command[1]
            else ("news", "Commands can no longer be run through Azure (`az aks command invoke`).")
        )
    local = [at(side, "disableLocalAccounts") is not True for side in (before, after)]
    if local[0] != local[1]:
        yield (
            ("danger", "Local accounts are on again: whoever has an admin kubeconfig gets in without Entra.")
            if local[1]
            else ("caution", "Local accounts are off: only members of Entra groups sign in from now on.")
        )
    groups = [texts(at(side, "aadProfile", "adminGroupObjectIDs")) for side in (before, after)]
    yield from _of_lists("Admin groups", *groups)


def _ranges(inputs: Any) -> list[str]:
    found = texts(at(inputs, "apiServerAccessProfile", "authorizedIPRanges"))
    return [] if _EVERYWHERE in found else found


def _known(values: list[str]) -> list[str]:
    return [one for one in values if one != UNKNOWN]


def _of_ranges(before: list[str], after: list[str], *, unknown: bool) -> Iterator[tuple[Level, str]]:
    """What changes of the ranges; one that only an `up` knows may be any of those that seem to go."""
    if before and unknown:
        yield from _of_lists(_RANGES, [one for one in before if one in after], after)
    elif before and not after:
        yield (
            "danger",
            f"The API server may be reached from every address, no longer only from {listed(before)}.",
        )
    elif after and not before:
        yield (
            "caution",
            f"The API server may be reached only from {listed(after)}, no longer from everywhere.",
        )
    else:
        yield from _of_lists(_RANGES, before, after)


def _of_lists(what: str, before: list[str], after: list[str]) -> Iterator[tuple[Level, str]]:
    added = [one for one in after if one not in before]
    gone = [one for one in before if one not in after]
    told = [f"{listed(values)} {verb}" for values, verb in ((added, "added"), (gone, "removed")) if values]
    if told:
        yield "caution", f"{what}: {'; '.join(told)}."
