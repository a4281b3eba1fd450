"""Bodies ARM answers with: what was put, completed with Azure's defaults and what only Azure knows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from kubeflow_aks.local_aks.azure.arm import Json
from kubeflow_aks.local_aks.azure.responses import kubernetes, monitoring, network, platform, storage
from kubeflow_aks.local_aks.azure.responses.put import Put

BUILDERS: Final[Mapping[str, Callable[[Put], Json]]] = {
    "azure-native:resources:ResourceGroup": platform.resource_group,
    "azure-native:managedidentity:UserAssignedIdentity": platform.user_assigned_identity,
    "azure-native:authorization:RoleAssignment": platform.role_assignment,
    "azure-native:containerregistry:Registry": platform.registry,
    "azure-native:managedidentity:FederatedIdentityCredential": platform.federated_identity_credential,
    "azure-native:storage:StorageAccount": storage.account,
    "azure-native:storage:BlobServiceProperties": storage.blob_service,
    "azure-native:storage:BlobContainer": storage.container,
    "azure-native:operationalinsights:Workspace": monitoring.workspace,
    "azure-native:monitor:DiagnosticSetting": monitoring.diagnostic_setting,
    "azure-native:network:VirtualNetwork": network.virtual_network,
    "azure-native:network:Subnet": network.subnet,
    "azure-native:network:PublicIPAddress": network.public_ip_address,
    "azure-native:network:NatGateway": network.nat_gateway,
    "azure-native:network:NetworkSecurityGroup": network.network_security_group,
    "azure-native:containerservice:ManagedCluster": kubernetes.managed_cluster,
    "azure-native:containerservice:AgentPool": kubernetes.agent_pool,
    "azure-native:containerservice:MaintenanceConfiguration": kubernetes.maintenance_configuration,
}
"""The body of a resource by its Pulumi type token."""

__all__ = ["BUILDERS", "Put"]
