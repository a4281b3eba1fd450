"""What a destroy must not take: all of it is protected, or the stack says that it is there for a time only."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from policy.rule import Resource, Rule
from policy.rules.pools import homes
from policy.rules.seen import CLUSTER, CONFIG_MAP, name_of, pools, tags

_DEAR: Final = (
    "azure-native:resources:ResourceGroup",
    "azure-native:network:VirtualNetwork",
    "azure-native:network:PublicIPAddress",
    "azure-native:containerregistry:Registry",
    "azure-native:storage:StorageAccount",
    CLUSTER,
)
"""Types of what hurts to lose; the home of Charmed Kubeflow and the last object of a stack are found by their role."""
_LAST: Final = "agent-pools"
_DEMO: Final = "demo"
_EXPIRES: Final = "expires"
_SOURCE: Final = "docs/decisions/0004-the-last-object-protects-the-stack.md"

Told = Iterator[tuple[str, str]]


def _whole(resources: Sequence[Resource]) -> Told:
    dear = _dear(resources)
    if any(it.protect for it in dear):
        for it in dear:
            if not it.protect:
                yield (
                    it.urn,
                    "not protected while others are, so a destroy begins before it is refused",
                )


def _for_a_time(resources: Sequence[Resource]) -> Told:
    dear = _dear(resources)
    clusters = [it for it in dear if it.kind == CLUSTER]
    if any(it.protect for it in dear):
        return
    for it in clusters:
        environment = tags(it).get("environment")
        if environment != _DEMO and not tags(it).get(_EXPIRES):
            yield (
                it.urn,
                f"nothing is protected, and tags.environment is {environment or 'not set'} without a tag {_EXPIRES}",
            )


def _free(resources: Sequence[Resource]) -> Told:
    for it in _dear(resources):
        day = tags(it).get(_EXPIRES)
        if it.protect and day:
            yield it.urn, f"expires {day} and is protected, so that nothing removes it then"


def _dear(resources: Sequence[Resource]) -> list[Resource]:
    home = {pool.urn for pool in homes(list(pools(resources)))}
    return [
        it
        for it in resources
        if it.kind in _DEAR or it.urn in home or (it.type == CONFIG_MAP and name_of(it) == _LAST)
    ]


RULES: Final = (
    Rule(
        "protection-is-whole",
        "All that hurts to lose is protected, the last object of the stack included, or none of it is.",
        _SOURCE,
        severity="high",
        mandatory=True,
        every=_whole,
    ),
    Rule(
        "only-demos-are-unprotected",
        "A stack without protection is a demo or has a tag that says when it expires.",
        _SOURCE,
        severity="high",
        every=_for_a_time,
    ),
    Rule(
        "what-expires-is-unprotected",
        "A stack with a tag that says when it expires can be destroyed.",
        _SOURCE,
        severity="low",
        every=_free,
    ),
)
