"""The hands of a drill: Azure itself evicts the VMs that the drill's own work runs on, and nothing else."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from drill.azure import ResourceManager, Vm
from drill.errors import DrillError
from drill.happenings import Happenings
from drill.sight import Sight
from kube.objects import Object, at, name_of

_CLUSTER_LABEL: Final = "kubernetes.azure.com/cluster"
"""AKS's label of every node: the node resource group (docs/facts/aks.md)."""
_SHOWN: Final = 3


@dataclass(frozen=True)
class AzureHands:
    """Azure, for one cluster.

    Attributes:
        any_node: whether nodes that others' pods run on may be taken too.
    """

    sight: Sight
    azure: ResourceManager
    happenings: Happenings
    any_node: bool = False
    sells_out: bool = False

    def evict(self, pool: str, count: int | None) -> None:
        """Has nodes of a spot pool evicted that the drill's pods run on.

        Raises:
            DrillError: there is none that may be taken, or Azure refuses.
        """
        nodes = self._mine(pool)[:count]
        vms = [self._vm(node, pool) for node in nodes]
        for node, vm in zip(nodes, vms, strict=True):
            self.happenings.evicting(name_of(node))
            if not self.azure.evict(vm):
                raise DrillError(
                    f"the VM of node {name_of(node)} was gone before Azure was asked to evict it"
                )

    def sell_out(self, pool: str) -> None:
        """Nobody can."""
        raise DrillError(f"{pool}: nobody can make Azure sell out")

    def bring_back(self, pool: str) -> None:
        """As little as that."""
        raise DrillError(f"{pool}: nobody can make Azure sell out, or have VMs again")

    def _mine(self, pool: str) -> list[Object]:
        """The nodes that may be taken."""
        busy = [node for node in self.sight.of_pool(pool) if self.sight.own_on(name_of(node))]
        strangers = {name_of(node): self.sight.strangers_on(name_of(node)) for node in busy}
        mine = [node for node in busy if self.any_node or not strangers[name_of(node)]]
        if not mine:
            others = [pod for pods in strangers.values() for pod in pods]
            more = f" and {len(others) - _SHOWN} more" if len(others) > _SHOWN else ""
            whose = f"each also has pods of others ({', '.join(others[:_SHOWN])}{more})"
            raise DrillError(
                f"{pool}: no node can be taken: {whose if busy else 'none has work of the drill'}; wait for them to "
                "end, or say --any-node (ANY_NODE=1) to take their nodes too"
            )
        return mine

    def _vm(self, node: Object, pool: str) -> Vm:
        """The VM of a node, once it is sure that it is this cluster's and a spot pool's.

        Raises:
            DrillError: it is not.
        """
        name = name_of(node)
        vm = Vm.of(name, str(at(node, "spec", "providerID") or ""))
        group = str(at(node, "metadata", "labels", _CLUSTER_LABEL) or "")
        if vm.group.lower() != group.lower():
            raise DrillError(
                f"node {name}: its VM is in resource group {vm.group}, not in the cluster's own ({group or 'unknown'})"
            )
        self.azure.check_spot(vm, pool)
        return vm
