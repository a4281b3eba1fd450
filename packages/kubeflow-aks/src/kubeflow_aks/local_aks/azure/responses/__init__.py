"""Bodies ARM answers with: what was put, completed with Azure's defaults and what only Azure knows."""

from collections.abc import Callable, Mapping
from typing import Final

from kubeflow_aks.local_aks.azure.arm import Json
from kubeflow_aks.local_aks.azure.responses import kubernetes, network, platform
from kubeflow_aks.local_aks.azure.responses.put import Put

BUILDERS: Final[Mapping[str, Callable[[Put], Json]]] = {
    "azure-native:resources:ResourceGroup": platform.resource_group,
    "azure-native:managedidentity:UserAssignedIdentity": platform.user_assigned_identity,
    "azure-native:authorization:RoleAssignment": platform.role_assignment,
    "azure-native:containerregistry:Registry": platform.registry,
    "azure-native:managedidentity:FederatedIdentityCredential": Put.answer,
    "azure-native:storage:StorageAccount": platform.storage_account,
    "azure-native:storage:BlobServiceProperties": Put.answer,
    "azure-native:storage:BlobContainer": platform.blob_container,
    "azure-native:operationalinsights:Workspace": platform.log_workspace,
    "azure-native:monitor:DiagnosticSetting": Put.answer,
    "azure-native:alertsmanagement:PrometheusRuleGroup": Put.answer,
    "azure-native:monitor:ActionGroup": Put.answer,
    "azure-native:monitor:AzureMonitorWorkspace": Put.answer,
    "azure-native:monitor:DataCollectionEndpoint": Put.answer,
    "azure-native:monitor:DataCollectionRule": Put.answer,
    "azure-native:monitor:DataCollectionRuleAssociation": Put.answer,
    "azure-native:dashboard:Dashboard": Put.answer,
    "azure-native:dashboard:DashboardDefinition": Put.answer,
    "azure-native:consumption:Budget": Put.answer,
    "azure-native:costmanagement:Export": platform.cost_export,
    "azure-native:network:VirtualNetwork": network.virtual_network,
    "azure-native:network:Subnet": network.subnet,
    "azure-native:network:PublicIPAddress": network.public_ip_address,
    "azure-native:network:NatGateway": network.nat_gateway,
    "azure-native:network:NetworkSecurityGroup": network.network_security_group,
    "azure-native:containerservice:ManagedCluster": kubernetes.managed_cluster,
    "azure-native:containerservice:AgentPool": kubernetes.agent_pool,
    "azure-native:containerservice:MaintenanceConfiguration": Put.answer,
}
"""The body of a resource by its Pulumi type token; `Put.answer` is what was put."""

__all__ = ["BUILDERS", "Put"]
