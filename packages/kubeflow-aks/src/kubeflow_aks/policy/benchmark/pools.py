"""Agent pools: separate resources, and the profiles of a cluster."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final

from kubeflow_aks.policy.benchmark.table import azure_policy, checkov, high, low, medium, psrule
from kubeflow_aks.policy.benchmark.values import (
    Every,
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


RULES: Final = (
    high(
        "pool-without-public-addresses",
        "Nodes have no public addresses of their own.",
        every_pool(must_not_be("enableNodePublicIP", "true", instead="false")),
        checkov("AKSNodePublicIpDisabled.py", "CKV_AZURE_143, CIS-AKS 5.4.3"),
    ),
    low(
        "pool-takes-enough-pods",
        "A node allows 50 pods or more.",
        every_pool(_enough_pods),
        checkov("AKSMaxPodsMinimum.py", "CKV_AZURE_168, Azure.AKS.NodeMinPods"),
    ),
    low(
        "pool-of-scale-sets",
        "Nodes come from scale sets, which is the default.",
        every_pool(
            must_not_be("type", "AvailabilitySet", "VirtualMachines", instead="VirtualMachineScaleSets")
        ),
        checkov("AKSPoolTypeIsScaleSet.py", "CKV_AZURE_169, Azure.AKS.PoolScaleSet"),
    ),
    low(
        "pool-scales-by-itself",
        "Every pool has the autoscaler.",
        every_pool(must_be("enableAutoScaling", "true")),
        psrule("Azure.AKS.Rule.ps1", "Azure.AKS.AutoScaling"),
    ),
    medium(
        "pool-in-zones",
        "Every pool names availability zones.",
        every_pool(_described(must_be_set("availabilityZones"))),
        psrule("Azure.AKS.Rule.ps1", "Azure.AKS.AvailabilityZone"),
    ),
    medium(
        "pool-of-three-system-nodes",
        "There are three system nodes or more.",
        _enough_system_nodes,
        psrule("Azure.AKS.Rule.ps1", "Azure.AKS.MinNodeCount"),
    ),
    low(
        "pool-of-three-user-nodes",
        "Every on-demand user pool has three nodes or more.",
        every_pool(_described(_enough_nodes), lambda pool: not (pool.system or pool.spot)),
        psrule("Azure.AKS.Rule.ps1", "Azure.AKS.MinUserPoolNodes"),
    ),
    low(
        "pool-on-ephemeral-disks",
        "OS disks are ephemeral.",
        every_pool(_described(must_be("osDiskType", "Ephemeral"))),
        checkov("AKSEphemeralOSDisks.py", "CKV_AZURE_226, Azure.AKS.EphemeralOSDisk"),
    ),
    medium(
        "pool-encrypted-at-host",
        "Nodes encrypt their caches and temporary disks on the host.",
        every_pool(must_be("enableEncryptionAtHost", "true")),
        checkov("AKSEncryptionAtHostEnabled.py", "CKV_AZURE_227, AzPolicy 41425d9f"),
    ),
    medium(
        "pool-of-system-nodes-takes-add-ons-only",
        "System nodes run the cluster's own pods only.",
        every_pool(_takes_add_ons_only, lambda pool: pool.system),
        checkov("AKSOnlyCriticalPodsOnSystemNodes.py", "CKV_AZURE_232"),
    ),
    low(
        "pool-without-ssh",
        "Nodes run no SSH server.",
        every_pool(must_be("securityProfile.sshAccess", "Disabled", "EntraId")),
        azure_policy("AKS_DisableSSH_Audit.json", "AzPolicy 28257686"),
    ),
)
