"""Reads the Azure stand-in: agent pools with the node each would get, and the autoscaler's profile."""

from typing import Any

from kubeflow_aks.local_aks.simulation.autoscaler.model import Node
from kubeflow_aks.local_aks.simulation.autoscaler.parse import parse_node
from kubeflow_aks.local_aks.simulation.autoscaler.profile import Profile
from kubeflow_aks.local_aks.simulation.journal import Journal
from kubeflow_aks.local_aks.simulation.vms.agent_pools import AgentPool, Azure
from kubeflow_aks.local_aks.simulation.vms.nodes import UnknownVmSizeError, template_node


class SeveralClustersError(ValueError):
    """The Azure stand-in has pools of several clusters, but there is one control plane."""


class AzureReader:
    """Azure's pools and profile, as far as they can be simulated; the journal has one error for each exception."""

    def __init__(self, azure: Azure, journal: Journal) -> None:
        self._azure = azure
        self._journal = journal
        self._pools: dict[str, tuple[AgentPool, Node]] = {}
        self._wire: dict[str, dict[str, Any]] = {}
        """What the last look at each pool was made from; parsing it again takes longer than a comparison."""
        self._profile: tuple[dict[str, Any], Profile] | None = None

    def pools(self) -> dict[str, AgentPool]:
        """The pools by name, without those that can't be simulated; one that was known stays as it was.

        Raises:
            SeveralClustersError: they are of more than one cluster.
        """
        entries = {name: entry for wire in self._azure.agent_pools() for name, entry in self._read(wire)}
        clusters = sorted({pool.cluster_id for pool, _ in entries.values()})
        if len(clusters) > 1:
            raise SeveralClustersError(f"one control plane can't be several clusters: {', '.join(clusters)}")
        self._pools = entries
        return {name: pool for name, (pool, _) in entries.items()}

    def template(self, pool: str) -> Node:
        """The next node of a pool that `pools` returned last."""
        return self._pools[pool][1]

    def profile(self, pools: dict[str, AgentPool]) -> Profile:
        """The autoscaler's settings; AKS's defaults where there are none or one is not valid."""
        pool = next(iter(pools.values()), None)
        if pool is None:
            return Profile()
        try:
            wire = self._azure.autoscaler_profile(pool.cluster_id)
            if self._profile is None or self._profile[0] != wire:
                self._profile = (dict(wire), Profile.from_wire(wire))
            return self._profile[1]
        except (ValueError, LookupError) as error:
            self._journal.error_once(str(error))
            return Profile()

    def _read(self, wire: dict[str, Any]) -> list[tuple[str, tuple[AgentPool, Node]]]:
        """A pool and its template under its name, or nothing."""
        name = str(wire.get("name"))
        entry = self._pools.get(name)
        if entry is not None and self._wire.get(name) == wire:
            return [(name, entry)]
        self._wire[name] = wire
        try:
            pool = AgentPool.from_wire(wire)
            if entry is None or entry[0] != pool:
                entry = (pool, parse_node(template_node(pool)))
        except UnknownVmSizeError as error:
            self._journal.error_once(str(error))
        except (ValueError, TypeError, LookupError, AttributeError) as error:
            self._journal.error_once(f"pool {name}: its properties can't be simulated: {error!r}")
        return [] if entry is None else [(name, entry)]
