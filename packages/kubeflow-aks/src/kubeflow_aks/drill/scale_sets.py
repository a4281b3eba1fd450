"""The scale sets of node pools: read one, and have Azure evict one of its VMs.

Source: "Virtual Machine Scale Set VMs - Simulate Eviction" (204 where Azure will evict the VM); Azure/azure-cli#14133
(it may take 30 minutes).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from http import HTTPStatus
from typing import Final
from urllib.parse import quote

from kubeflow_aks.clients.errors import ClientError
from kubeflow_aks.clients.kubernetes.objects import at
from kubeflow_aks.clients.resource_manager import ResourceManager, Response
from kubeflow_aks.deployed.errors import StackError
from kubeflow_aks.drill.errors import DrillError

_API_VERSION: Final = "2024-11-01"
_EVICT_PERMISSION: Final = "Microsoft.Compute/virtualMachineScaleSets/virtualMachines/simulateEviction/action"
_READ_PERMISSION: Final = "Microsoft.Compute/virtualMachineScaleSets/read"
_POOL_TAG: Final = "aks-managed-poolName"
_PROVIDER_ID: Final = re.compile(
    r"azure:///subscriptions/(?P<subscription>[^/]+)/resourceGroups/(?P<group>[^/]+)"
    r"/providers/Microsoft\.Compute/virtualMachineScaleSets/(?P<set>[^/]+)/virtualMachines/(?P<id>[^/]+)",
    re.IGNORECASE,
)
_ACCEPTED: Final = frozenset({HTTPStatus.OK, HTTPStatus.ACCEPTED, HTTPStatus.NO_CONTENT})


@dataclass(frozen=True)
class Vm:
    """One VM of a scale set."""

    subscription: str
    group: str
    scale_set: str
    instance: str

    @classmethod
    def of(cls, node: str, provider_id: str) -> Vm:
        """The VM of a node, by its `spec.providerID`.

        Raises:
            DrillError: it is not a VM of a scale set.
        """
        match = _PROVIDER_ID.fullmatch(provider_id)
        if not match:
            raise DrillError(
                f"node {node} is not a VM of a scale set ({provider_id or 'it has no providerID'})"
            )
        return cls(match["subscription"], match["group"], match["set"], match["id"])

    @property
    def set_path(self) -> str:
        """The scale set's path in Resource Manager."""
        return (
            f"/subscriptions/{quote(self.subscription, safe='')}/resourceGroups/{quote(self.group, safe='')}"
            f"/providers/Microsoft.Compute/virtualMachineScaleSets/{quote(self.scale_set, safe='')}"
        )

    @property
    def path(self) -> str:
        """Its own path."""
        return f"{self.set_path}/virtualMachines/{quote(self.instance, safe='')}"


@dataclass(frozen=True)
class ScaleSets:
    """The scale sets of a cluster's node pools, through Resource Manager."""

    manager: ResourceManager

    @classmethod
    def of_caller(cls) -> ScaleSets:
        """With the caller's `az`.

        Raises:
            StackError: `az` is missing, or does not answer.
        """
        try:
            return cls(ResourceManager())
        except ClientError as error:
            raise StackError(str(error)) from None

    def check_spot(self, vm: Vm, pool: str) -> None:
        """Check that a VM's scale set is that of a spot pool.

        Raises:
            DrillError: it is another pool's, is not spot, or cannot be read.
        """
        response = self._request("GET", vm.set_path, _READ_PERMISSION)
        if response.status != HTTPStatus.OK:
            raise DrillError(f"scale set {vm.scale_set} cannot be read: {response.reason}")
        if (owner := at(response.body, "tags", _POOL_TAG)) != pool:
            raise DrillError(
                f"scale set {vm.scale_set} belongs to pool {owner}, not to {pool}; nothing was evicted"
            )
        if at(response.body, "properties", "virtualMachineProfile", "priority") != "Spot":
            raise DrillError(
                f"{pool}: its scale set {vm.scale_set} is not a spot pool's; nothing was evicted"
            )

    def evict(self, vm: Vm) -> bool:
        """Have Azure evict a spot VM; False if the VM no longer exists.

        Raises:
            DrillError: Azure refuses.
        """
        response = self._request("POST", f"{vm.path}/simulateEviction", _EVICT_PERMISSION)
        if response.status == HTTPStatus.NOT_FOUND:
            return False
        if response.status not in _ACCEPTED:
            raise DrillError(f"Azure does not evict {vm.scale_set}/{vm.instance}: {response.reason}")
        return True

    def _request(self, method: str, path: str, permission: str) -> Response:
        try:
            response = self.manager.request(method, path, _API_VERSION)
        except ClientError as error:
            raise DrillError(str(error)) from None
        if response.status == HTTPStatus.FORBIDDEN:
            raise DrillError(
                f"the account of `az` lacks the permission {permission} on the node resource group; "
                f"request a role that has it ({response.code})"
            )
        return response
