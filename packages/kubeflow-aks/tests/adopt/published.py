"""The published clusters of `published.yaml`, as the simulated Azure has them and as `az` prints them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any, Final

import yaml

from kubeflow_aks.local_aks.azure.resource_manager import ResourceManager
from kubeflow_aks.local_aks.azure.state import AGENT_POOL, MANAGED_CLUSTER, AzureState
from kubeflow_aks.local_aks.azure.timing import Timing
from kubeflow_aks.local_aks.azure.types import RESOURCE_GROUP, TYPES, VIRTUAL_NETWORK
from kubeflow_aks.local_aks.azure_cli.output import named

TABLE: Final[dict[str, Any]] = yaml.safe_load(Path(__file__).with_suffix(".yaml").read_text(encoding="utf-8"))
SUBSCRIPTION: Final = "/subscriptions/00000000-0000-0000-0000-000000000000"
MADE: Final = date(2026, 1, 5)
"""The day on which they were made."""
_IDENTITY: Final = "azure-native:managedidentity:UserAssignedIdentity"
MAINTENANCE: Final = "azure-native:containerservice:MaintenanceConfiguration"


@dataclass(frozen=True)
class Published:
    """One cluster of the table."""

    name: str
    row: Mapping[str, Any]

    @property
    def group(self) -> str:
        """ARM id of its resource group."""
        return f"{SUBSCRIPTION}/resourceGroups/rg-{self.name}"

    @property
    def id(self) -> str:
        """Its ARM id."""
        return f"{self.group}/providers/Microsoft.ContainerService/managedClusters/{self.name}"

    @property
    def identity(self) -> str:
        """ARM id of its user-assigned identity."""
        name = self.row.get("identity", "identity")
        return f"{self.group}/providers/Microsoft.ManagedIdentity/userAssignedIdentities/{name}"

    @property
    def network(self) -> str:
        """ARM id of its own network."""
        return f"{self.group}/providers/Microsoft.Network/virtualNetworks/vnet"

    def pools(self) -> list[dict[str, Any]]:
        """Its pools as Azure's API takes them."""
        return [
            {
                "osType": "Linux",
                "type": "VirtualMachineScaleSets",
                **TABLE["recorded"]["pool"],
                **{key: value for key, value in pool.items() if key != "subnet"},
                **({"vnetSubnetID": f"{self.network}/subnets/{pool['subnet']}"} if "subnet" in pool else {}),
            }
            for pool in self.row["pools"]
        ]

    def body(self) -> dict[str, Any]:
        """It as Azure's API takes it, without pools."""
        recorded, cluster = TABLE["recorded"]["cluster"], self.row["cluster"]
        network = {"networkPolicy": TABLE["recorded"]["networkPolicy"], **cluster.get("networkProfile", {})}
        if network.get("networkDataplane") == "cilium":
            network["networkPolicy"] = "cilium"
        identity = {"type": "UserAssigned", "userAssignedIdentities": [self.identity]}
        identities = {"identity": identity} if "identity" in self.row else {}
        storage = {**recorded["storageProfile"], **cluster.get("storageProfile", {})}
        return {
            "location": "westeurope",
            "nodeResourceGroup": f"MC_rg-{self.name}_{self.name}_westeurope",
            "enableRBAC": True,
            "disableLocalAccounts": False,
            **recorded,
            **identities,
            **{key: value for key, value in cluster.items() if value is not None},
            "storageProfile": storage,
            "networkProfile": network,
        }

    def put(self, azure: AzureState) -> None:
        """Makes it in a simulated Azure, as its owners did, past Pulumi."""
        manager = ResourceManager(azure, Timing(float("inf")), lambda: MADE)
        manager.put(TYPES[RESOURCE_GROUP], self.group, {"location": "westeurope"})
        if "identity" in self.row:
            manager.put(TYPES[_IDENTITY], self.identity, {"location": "westeurope"})
        if subnets := self.row.get("network"):
            ranges = [{"name": name, "addressPrefix": cidr} for name, cidr in subnets.items()]
            space = {"addressPrefixes": list(subnets.values())}
            body = {"location": "westeurope", "addressSpace": space, "subnets": ranges}
            manager.put(TYPES[VIRTUAL_NETWORK], self.network, body)
        first, *others = self.pools()
        manager.put(TYPES[MANAGED_CLUSTER], self.id, {**self.body(), "agentPoolProfiles": [first]})
        for pool in others:
            manager.put(TYPES[AGENT_POOL], f"{self.id}/agentPools/{pool['name']}", pool)
        for pool in sorted(azure.children(self.id, AGENT_POOL), key=lambda pool: pool.id):
            azure.delete(pool.id)  # not by age, as Azure does not promise either
            azure.put(pool)
        for name, window in self.windows().items():
            manager.put(TYPES[MAINTENANCE], f"{self.id}/maintenanceConfigurations/{name}", window)

    def windows(self) -> dict[str, Any]:
        """Its maintenance configurations as Azure's API takes them, by name."""
        windows = dict(self.row.get("windows", {}))
        for name, window in self.row.get("maintenance", {}).items():
            content = {
                "schedule": {"weekly": {"dayOfWeek": window["day"], "intervalWeeks": 1}},
                "durationHours": window["hours"],
                "startTime": window["start"],
                "utcOffset": "+00:00",
                **({"startDate": window["from"]} if "from" in window else {}),
            }
            windows[name] = {"maintenanceWindow": content}
        return windows

    def shown(self, azure: AzureState) -> tuple[Any, Any]:
        """What `az aks show` and `az aks maintenanceconfiguration list` print of it."""
        manager = ResourceManager(azure, Timing(float("inf")), lambda: MADE)
        windows = [
            body for resource in azure.children(self.id, MAINTENANCE) if (body := manager.get(resource.id))
        ]
        return named({**(manager.get(self.id) or {}), "id": self.id}), named(windows)


ADOPTED: Final = [Published(name, row) for name, row in TABLE["adopted"].items()]
REFUSED: Final = [Published(name, row) for name, row in TABLE["refused"].items()]
ANSWERS: Final[Mapping[str, Any]] = TABLE["answers"]
"""What `az` printed of others, by name."""
SMALL: Final[Mapping[str, Any]] = {
    "id": f"{SUBSCRIPTION}/resourcegroups/rg/providers/Microsoft.ContainerService/managedClusters/small",
    "location": "westeurope",
    "kubernetesVersion": "1.34",
    "dnsPrefix": "small",
    "nodeResourceGroup": "MC_rg_small_westeurope",
    "identity": {"type": "SystemAssigned"},
    "agentPoolProfiles": [
        {
            "name": "nodepool1",
            "mode": "System",
            "vmSize": "Standard_D4s_v5",
            "count": 2,
            "maxPods": 110,
            "osDiskSizeGb": 128,
            "osDiskType": "Managed",
        }
    ],
}
"""The least that `az aks show` prints of a cluster that can be adopted."""
