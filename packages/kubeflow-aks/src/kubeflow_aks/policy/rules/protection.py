"""Protection against a destroy: complete, or absent for a temporary stack."""

from collections.abc import Iterator, Sequence
from typing import Final

from kubeflow_aks.policy.rule import Resource
from kubeflow_aks.policy.rules.pools import homes
from kubeflow_aks.policy.rules.resources import CLUSTER, CONFIG_MAP, name_of, pools, tags
from kubeflow_aks.policy.table import rules

_VALUABLE: Final = (
    "azure-native:resources:ResourceGroup",
    "azure-native:network:VirtualNetwork",
    "azure-native:network:PublicIPAddress",
    "azure-native:containerregistry:Registry",
    "azure-native:storage:StorageAccount",
    CLUSTER,
)
"""Types of valuable resources; the pool of Charmed Kubeflow and the last object of a stack are found by their role."""
_LAST: Final = "agent-pools"
_DEMO: Final = "demo"
_EXPIRES: Final = "expires"

Findings = Iterator[tuple[str, str]]


def _whole(resources: Sequence[Resource]) -> Findings:
    valuable = _valuable(resources)
    if any(it.protect for it in valuable):
        for it in valuable:
            if not it.protect:
                yield (it.urn, "not protected although others are, so a destroy starts before it is refused")


def _for_a_time(resources: Sequence[Resource]) -> Findings:
    valuable = _valuable(resources)
    clusters = [it for it in valuable if it.kind == CLUSTER]
    if any(it.protect for it in valuable):
        return
    for it in clusters:
        environment = tags(it).get("environment")
        if environment != _DEMO and not tags(it).get(_EXPIRES):
            yield (
                it.urn,
                f"nothing is protected, and tags.environment is {environment or 'not set'} without a tag {_EXPIRES}",
            )


def _free(resources: Sequence[Resource]) -> Findings:
    for it in _valuable(resources):
        day = tags(it).get(_EXPIRES)
        if it.protect and day:
            yield it.urn, f"expires {day} but is protected, so it cannot be destroyed then"


def _valuable(resources: Sequence[Resource]) -> list[Resource]:
    home = {pool.urn for pool in homes(list(pools(resources)))}
    return [
        it
        for it in resources
        if it.kind in _VALUABLE or it.urn in home or (it.type == CONFIG_MAP and name_of(it) == _LAST)
    ]


RULES: Final = rules(
    {
        "protection-is-whole": _whole,
        "only-demos-are-unprotected": _for_a_time,
        "what-expires-is-unprotected": _free,
    }
)
