"""Has Azure evict the VMs that the drill's own work runs on, and no others."""

from dataclasses import dataclass
from typing import Final

from kubeflow_aks.clients.kubernetes.objects import Object, at, name_of
from kubeflow_aks.drill.cluster_events import ClusterEvents
from kubeflow_aks.drill.cluster_view import ClusterView
from kubeflow_aks.drill.errors import DrillError
from kubeflow_aks.drill.scale_sets import ScaleSets, Vm
from kubeflow_aks.text.sentences import first_of

_CLUSTER_LABEL: Final = "kubernetes.azure.com/cluster"
"""AKS's label of every node: the node resource group (docs/facts/aks.md)."""
_MOST_NAMES: Final = 3


@dataclass(frozen=True)
class AzureSpotEvictor:
    """Evicts spot nodes of one cluster; with `any_node` also those with pods of others."""

    view: ClusterView
    scale_sets: ScaleSets
    cluster_events: ClusterEvents
    any_node: bool = False
    sells_out: bool = False

    def evict(self, pool: str, count: int | None) -> None:
        """Evict nodes of a spot pool that the drill's pods run on.

        Raises:
            DrillError: no node may be evicted, or Azure refuses.
        """
        nodes = self._evictable(pool)[:count]
        vms = [self._vm(node, pool) for node in nodes]
        for node, vm in zip(nodes, vms, strict=True):
            self.cluster_events.evicting(name_of(node))
            if not self.scale_sets.evict(vm):
                raise DrillError(f"the VM of node {name_of(node)} was deleted before it could be evicted")

    def sell_out(self, pool: str) -> None:
        """Not possible on Azure."""
        raise DrillError(f"{pool}: Azure cannot be made to sell out")

    def bring_back(self, pool: str) -> None:
        """Not possible on Azure."""
        raise DrillError(f"{pool}: Azure's capacity cannot be changed")

    def _evictable(self, pool: str) -> list[Object]:
        """The nodes that may be evicted."""
        busy = [node for node in self.view.of_pool(pool) if self.view.own_on(name_of(node))]
        foreign_pods = {name_of(node): self.view.foreign_pods_on(name_of(node)) for node in busy}
        evictable = [node for node in busy if self.any_node or not foreign_pods[name_of(node)]]
        if not evictable:
            others = [pod for pods in foreign_pods.values() for pod in pods]
            reason = f"each also runs pods of others ({first_of(others, _MOST_NAMES)})"
            raise DrillError(
                f"{pool}: no node can be evicted: {reason if busy else 'none runs work of the drill'}; wait for "
                "them to end, or pass --any-node to evict such nodes too"
            )
        return evictable

    def _vm(self, node: Object, pool: str) -> Vm:
        """The VM of a node; a `DrillError` where it is not of this cluster and of a spot pool."""
        name = name_of(node)
        vm = Vm.of(name, str(at(node, "spec", "providerID") or ""))
        group = str(at(node, "metadata", "labels", _CLUSTER_LABEL) or "")
        if vm.group.lower() != group.lower():
            raise DrillError(
                f"node {name}: its VM is in resource group {vm.group}, not in the cluster's own ({group or 'unknown'})"
            )
        self.scale_sets.check_spot(vm, pool)
        return vm
