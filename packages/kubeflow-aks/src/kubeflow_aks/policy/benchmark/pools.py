"""Agent pools: separate resources, and the profiles of a cluster."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final, NamedTuple

from kubeflow_aks.policy.benchmark.sources import azure_policy, checkov, psrule
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
from kubeflow_aks.policy.rule import Resource, Rule
from kubeflow_aks.policy.rules.resources import PLATFORM, WORKLOAD

CLUSTER: Final = "azure-native:containerservice:ManagedCluster"
AGENT_POOL: Final = "azure-native:containerservice:AgentPool"
_FALLBACK: Final = "kubeflow-aks/fallback="
"""Taint of an on-demand fallback pool (docs/decisions/0003-labels-and-taints.md)."""
_LEAST_PODS: Final = 50
_LEAST_NODES: Final = 3


class Pool(NamedTuple):
    """One pool.

    Attributes:
        urn: of the pool, or of the cluster that defines it.
        where: prefix of a property's path in a message.
    """

    urn: str
    where: str
    inputs: Inputs

    @property
    def system(self) -> bool:
        """Whether it is for the cluster's own pods."""
        return at(self.inputs, "mode") == "System"

    @property
    def spot(self) -> bool:
        """Whether Azure may evict its nodes."""
        return at(self.inputs, "scaleSetPriority") == "Spot"


def pools(resources: Sequence[Resource]) -> Iterator[Pool]:
    """Every pool of a stack."""
    for resource in resources:
        if resource.kind == AGENT_POOL:
            yield Pool(resource.urn, "", resource.inputs)
        if resource.kind == CLUSTER:
            for index, profile in enumerate(items(resource.inputs, "agentPoolProfiles")):
                yield Pool(resource.urn, f"agentPoolProfiles[{index}].", profile)


def every_pool(look: Look, which: Callable[[Pool], bool] = lambda _: True) -> Every:
    """What is wrong with each of these pools."""

    def check(pool: Pool) -> Iterator[tuple[str, str]]:
        if which(pool):
            yield from ((pool.urn, pool.where + message) for message in look(pool.inputs))

    return lambda resources: in_turn(pools(resources), check)


def _described(look: Look) -> Look:
    """Adds the pool's purpose to messages, so that an exception can be for spot pools alone."""

    def described(inputs: Inputs) -> Iterator[str]:
        for message in look(inputs):
            uses = [
                use
                for use, so in (
                    (
                        "fallback",
                        any(str(taint).startswith(_FALLBACK) for taint in items(inputs, "nodeTaints")),
                    ),
                    ("platform", at(inputs, f"nodeLabels.{WORKLOAD}") == PLATFORM),
                    ("spot", at(inputs, "scaleSetPriority") == "Spot"),
                    ("GPU", is_set(at(inputs, "gpuProfile"))),
                )
                if so
            ]
            yield f"{message} ({', '.join(uses)})" if uses else message

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
    if system and (nodes := sum(_nodes(pool.inputs) for pool in system)) < _LEAST_NODES:
        first = min(system, key=lambda pool: not pool.where)
        yield first.urn, f"the system pools have {nodes} nodes at least; expected {_LEAST_NODES} or more"


def _takes_add_ons_only(inputs: Inputs) -> Iterator[str]:
    if "CriticalAddonsOnly=true:NoSchedule" not in items(inputs, "nodeTaints"):
        yield "nodeTaints lack CriticalAddonsOnly=true:NoSchedule, so any pod can run there"


RULES: Final = (
    Rule(
        "pool-without-public-addresses",
        "Nodes have no public addresses of their own.",
        source=checkov("AKSNodePublicIpDisabled.py"),
        severity="high",
        every=every_pool(must_not_be("enableNodePublicIP", "true", instead="false")),
        ids=("CKV_AZURE_143", "CIS-AKS 5.4.3"),
    ),
    Rule(
        "pool-takes-enough-pods",
        "A node allows 50 pods or more.",
        source=checkov("AKSMaxPodsMinimum.py"),
        severity="low",
        every=every_pool(_enough_pods),
        ids=("CKV_AZURE_168", "Azure.AKS.NodeMinPods"),
    ),
    Rule(
        "pool-of-scale-sets",
        "Nodes come from scale sets, which is the default.",
        source=checkov("AKSPoolTypeIsScaleSet.py"),
        severity="low",
        every=every_pool(
            must_not_be("type", "AvailabilitySet", "VirtualMachines", instead="VirtualMachineScaleSets")
        ),
        ids=("CKV_AZURE_169", "Azure.AKS.PoolScaleSet"),
    ),
    Rule(
        "pool-scales-by-itself",
        "Every pool has the autoscaler.",
        source=psrule("Azure.AKS.Rule.ps1"),
        severity="low",
        every=every_pool(must_be("enableAutoScaling", "true")),
        ids=("Azure.AKS.AutoScaling",),
    ),
    Rule(
        "pool-in-zones",
        "Every pool names availability zones.",
        source=psrule("Azure.AKS.Rule.ps1"),
        every=every_pool(_described(must_be_set("availabilityZones"))),
        ids=("Azure.AKS.AvailabilityZone",),
    ),
    Rule(
        "pool-of-three-system-nodes",
        "There are three system nodes or more.",
        source=psrule("Azure.AKS.Rule.ps1"),
        every=_enough_system_nodes,
        ids=("Azure.AKS.MinNodeCount",),
    ),
    Rule(
        "pool-of-three-user-nodes",
        "Every on-demand user pool has three nodes or more.",
        source=psrule("Azure.AKS.Rule.ps1"),
        severity="low",
        every=every_pool(_described(_enough_nodes), lambda pool: not (pool.system or pool.spot)),
        ids=("Azure.AKS.MinUserPoolNodes",),
    ),
    Rule(
        "pool-on-ephemeral-disks",
        "OS disks are ephemeral.",
        source=checkov("AKSEphemeralOSDisks.py"),
        severity="low",
        every=every_pool(_described(must_be("osDiskType", "Ephemeral"))),
        ids=("CKV_AZURE_226", "Azure.AKS.EphemeralOSDisk"),
    ),
    Rule(
        "pool-encrypted-at-host",
        "Nodes encrypt their caches and temporary disks on the host.",
        source=checkov("AKSEncryptionAtHostEnabled.py"),
        every=every_pool(must_be("enableEncryptionAtHost", "true")),
        ids=("CKV_AZURE_227", "AzPolicy 41425d9f"),
    ),
    Rule(
        "pool-of-system-nodes-takes-add-ons-only",
        "System nodes run the cluster's own pods only.",
        source=checkov("AKSOnlyCriticalPodsOnSystemNodes.py"),
        every=every_pool(_takes_add_ons_only, lambda pool: pool.system),
        ids=("CKV_AZURE_232",),
    ),
    Rule(
        "pool-without-ssh",
        "Nodes run no SSH server.",
        source=azure_policy("AKS_DisableSSH_Audit.json"),
        severity="low",
        every=every_pool(must_be("securityProfile.sshAccess", "Disabled", "EntraId")),
        ids=("AzPolicy 28257686",),
    ),
)
