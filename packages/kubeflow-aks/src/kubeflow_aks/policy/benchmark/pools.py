"""Agent pools: separate resources, and the profiles of a cluster."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final

from kubeflow_aks.policy.benchmark.values import (
    Inputs,
    Look,
    at,
    in_turn,
    is_set,
    items,
    must_be,
    must_be_set,
    must_not_be,
    shown,
)
from kubeflow_aks.policy.rule import Resource
from kubeflow_aks.policy.rules.resources import PLATFORM, WORKLOAD, Pool, pools
from kubeflow_aks.policy.table import Every, rules

_FALLBACK: Final = "kubeflow-aks/fallback="
"""Taint of an on-demand fallback pool (docs/decisions/0003-labels-and-taints.md)."""
_LEAST_PODS: Final = 50
_LEAST_NODES: Final = 3


def every_pool(look: Look, which: Callable[[Pool], bool] = lambda _: True) -> Every:
    """What is wrong with each of these pools."""

    def check(pool: Pool) -> Iterable[str]:
        return (pool.path + message for message in look(pool.wire)) if which(pool) else ()

    return lambda resources: in_turn(pools(resources), check)


def _described(look: Look) -> Look:
    """Adds the pool's purpose to messages, so that an exception can be for spot pools alone."""

    def described(inputs: Inputs) -> Iterator[str]:
        for message in look(inputs):
            uses = {
                "fallback": any(str(it).startswith(_FALLBACK) for it in items(inputs, "nodeTaints")),
                "platform": at(inputs, f"nodeLabels.{WORKLOAD}") == PLATFORM,
                "spot": at(inputs, "scaleSetPriority") == "Spot",
                "GPU": is_set(at(inputs, "gpuProfile")),
            }
            purpose = ", ".join(use for use, so in uses.items() if so)
            yield f"{message} ({purpose})" if purpose else message

    return described


def _enough_pods(inputs: Inputs) -> Iterator[str]:
    if (most := at(inputs, "maxPods")) is None or most < _LEAST_PODS:
        yield f"maxPods is {shown(most)}; expected {_LEAST_PODS} or more"


def _enough_nodes(inputs: Inputs) -> Iterator[str]:
    if (least := _nodes(inputs)) < _LEAST_NODES:
        yield f"{_counted_by(inputs)} is {least}; expected {_LEAST_NODES} or more"


def _counted_by(inputs: Inputs) -> str:
    """The input with the minimum of nodes; `count` is the initial number if the pool autoscales."""
    return "minCount" if at(inputs, "enableAutoScaling") else "count"


def _nodes(inputs: Inputs) -> int:
    return at(inputs, _counted_by(inputs)) or 0


def _enough_system_nodes(resources: Sequence[Resource]) -> Iterator[tuple[str, str]]:
    """System nodes of all pools together; reported for the cluster."""
    system = [pool for pool in pools(resources) if pool.system]
    if system and (nodes := sum(_nodes(pool.wire) for pool in system)) < _LEAST_NODES:
        first = min(system, key=lambda pool: not pool.path)
        yield first.urn, f"the system pools have {nodes} nodes at least; expected {_LEAST_NODES} or more"


def _takes_add_ons_only(inputs: Inputs) -> Iterator[str]:
    if "CriticalAddonsOnly=true:NoSchedule" not in items(inputs, "nodeTaints"):
        yield "nodeTaints lack CriticalAddonsOnly=true:NoSchedule, so any pod can run there"


RULES: Final = rules(
    {
        "pool-without-public-addresses": every_pool(
            must_not_be("enableNodePublicIP", "true", instead="false")
        ),
        "pool-takes-enough-pods": every_pool(_enough_pods),
        "pool-of-scale-sets": every_pool(
            must_not_be("type", "AvailabilitySet", "VirtualMachines", instead="VirtualMachineScaleSets")
        ),
        "pool-scales-by-itself": every_pool(must_be("enableAutoScaling", "true")),
        "pool-in-zones": every_pool(_described(must_be_set("availabilityZones"))),
        "pool-of-three-system-nodes": _enough_system_nodes,
        "pool-of-three-user-nodes": every_pool(
            _described(_enough_nodes), lambda pool: not (pool.system or pool.spot)
        ),
        "pool-on-ephemeral-disks": every_pool(_described(must_be("osDiskType", "Ephemeral"))),
        "pool-encrypted-at-host": every_pool(must_be("enableEncryptionAtHost", "true")),
        "pool-of-system-nodes-takes-add-ons-only": every_pool(_takes_add_ons_only, lambda pool: pool.system),
        "pool-without-ssh": every_pool(must_be("securityProfile.sshAccess", "Disabled", "EntraId")),
    }
)
