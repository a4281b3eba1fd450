"""The ARM types the program may use, and how azure-native treats each.

What replaces a resource: docs/facts/pulumi.md#what-azure-native-replaces.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property
from typing import Any, Final

from kubeflow_aks.local_aks.azure.state import AGENT_POOL, DIAGNOSTIC_SETTING, MANAGED_CLUSTER

_GROUP: Final = "/subscriptions/{subscriptionId}/resourceGroups/{resourceGroupName}"
_GROUP_OF_AKS: Final = (
    "/subscriptions/{subscriptionId}/resourcegroups/{resourceGroupName}"  # AKS answers lower case
)


_IDS: Final = ("scope", "resourceUri")
"""Inputs that are whole ids: what a resource belongs to that can belong to any other."""


class AutoName(Enum):
    """How azure-native names a resource whose program gives no name (`getDefaultName` in `provider.go`)."""

    RANDOM = "logical name and 8 random hex digits"
    COPY = "logical name as it is"
    UUID = "random UUID"


class Evidence(Enum):
    """Source for the values that Azure adds to a PUT."""

    RECORDING = "recording"
    """Azure-native 2.90.0 in March 2025 (tests/local_aks/azure/data/azure-native-aks-recording.json)."""
    API_SCHEMA = "API schema"
    """Azure's, as the SDK of azure-native has it: names and forms of all values, and defaults."""
    DOCUMENT = "document"
    NOTHING = "nothing"
    """Our assumption."""


@dataclass(frozen=True, kw_only=True)
class Inline:
    """A property of a resource that holds nested resources, which can also be resources of their own."""

    property: str
    type: str
    """Pulumi type token of the nested resource."""
    segment: str
    """Segment of the nested resource's id, e.g. `agentPools`."""
    owned: bool
    """Whether a PUT that leaves an entry out deletes it, and a PUT that brings a new one creates it."""


@dataclass(frozen=True, kw_only=True)
class ArmType:
    """One resource type."""

    pulumi: str
    """Pulumi type token."""
    arm: str
    """The `type` of its bodies."""
    path: str
    """Its id; names in braces are inputs of the resource, the last of them its name."""
    auto_name: AutoName = AutoName.RANDOM
    force_new: frozenset[str] = frozenset()
    """Body properties whose change replaces the resource (`forceNewMap` in `replacement.go`, `x-ms-mutability`)."""
    inline: Inline | None = None
    located: bool = True
    """Whether it has a location, which Check fills in."""
    evidence: Evidence = Evidence.API_SCHEMA
    """What its answers rest on."""
    other_evidence: Mapping[str, Evidence] = field(default_factory=dict[str, Evidence])
    """Properties whose values rest on something else."""

    @cached_property
    def path_inputs(self) -> tuple[str, ...]:
        """The inputs that make up its id."""
        return tuple(name for name in re.findall(r"{(\w+)}", self.path) if name != "subscriptionId")

    @property
    def name_input(self) -> str:
        """The input that names it."""
        return self.path_inputs[-1]

    @property
    def replacing(self) -> frozenset[str]:
        """Every property path whose change replaces the resource."""
        return self.force_new.union(self.path_inputs)

    def id_of(self, inputs: Mapping[str, Any], subscription: str) -> str:
        """The ARM id that inputs describe."""
        return self.path.format(subscriptionId=subscription, **inputs).replace("//", "/")

    def names_in(self, arm_id: str) -> dict[str, str]:
        """The path inputs read back from an id; empty when the id is of another type."""
        pattern = re.sub(r"{(\w+)}", lambda m: f"(?P<{m[1]}>{'.+' if m[1] in _IDS else '[^/]+'})", self.path)
        match = re.fullmatch(pattern, arm_id, re.IGNORECASE)
        return {k: v for k, v in match.groupdict().items() if k != "subscriptionId"} if match else {}


_NETWORK: Final = frozenset(
    f"networkProfile.{name}"
    for name in (
        "serviceCidr",
        "serviceCidrs",
        "dnsServiceIP",
        "networkMode",
        "networkPlugin",
        "networkPluginMode",
        "podCidr",
        "networkDataplane",
        "networkPolicy",
        "outboundType",
    )
)
_CLUSTER: Final = f"{_GROUP_OF_AKS}/providers/Microsoft.ContainerService/managedClusters/{{resourceName}}"
_VNET: Final = f"{_GROUP}/providers/Microsoft.Network/virtualNetworks/{{virtualNetworkName}}"
VIRTUAL_NETWORK: Final = "azure-native:network:VirtualNetwork"
_ACCOUNT: Final = f"{_GROUP}/providers/Microsoft.Storage/storageAccounts/{{accountName}}"
BLOB_CONTAINER: Final = "azure-native:storage:BlobContainer"
FEDERATED_CREDENTIAL: Final = "azure-native:managedidentity:FederatedIdentityCredential"
STORAGE_ACCOUNT: Final = "azure-native:storage:StorageAccount"
SUBNET: Final = "azure-native:network:Subnet"
PUBLIC_IP: Final = "azure-native:network:PublicIPAddress"
REGISTRY: Final = "azure-native:containerregistry:Registry"
RESOURCE_GROUP: Final = "azure-native:resources:ResourceGroup"
ROLE_ASSIGNMENT: Final = "azure-native:authorization:RoleAssignment"
LOG_WORKSPACE: Final = "azure-native:operationalinsights:Workspace"

_TYPES: Final = (
    ArmType(
        pulumi=RESOURCE_GROUP,
        arm="Microsoft.Resources/resourceGroups",
        path=_GROUP,
        force_new=frozenset({"location"}),
        evidence=Evidence.RECORDING,
    ),
    ArmType(
        pulumi=VIRTUAL_NETWORK,
        arm="Microsoft.Network/virtualNetworks",
        path=_VNET,
        force_new=frozenset({"location"}),
        inline=Inline(property="subnets", type=SUBNET, segment="subnets", owned=True),
    ),
    ArmType(
        pulumi=SUBNET,
        arm="Microsoft.Network/virtualNetworks/subnets",
        path=f"{_VNET}/subnets/{{subnetName}}",
        auto_name=AutoName.COPY,
        located=False,
    ),
    ArmType(
        pulumi=PUBLIC_IP,
        arm="Microsoft.Network/publicIPAddresses",
        path=f"{_GROUP}/providers/Microsoft.Network/publicIPAddresses/{{publicIpAddressName}}",
        force_new=frozenset({"location", "publicIPAddressVersion", "publicIPPrefix", "sku"}),
        other_evidence=dict.fromkeys(
            ("idleTimeoutInMinutes", "publicIPAddressVersion", "publicIPAllocationMethod", "sku"),
            Evidence.NOTHING,
        ),
    ),
    ArmType(
        pulumi="azure-native:network:NatGateway",
        arm="Microsoft.Network/natGateways",
        path=f"{_GROUP}/providers/Microsoft.Network/natGateways/{{natGatewayName}}",
        other_evidence={"idleTimeoutInMinutes": Evidence.NOTHING},
    ),
    ArmType(
        pulumi="azure-native:network:NetworkSecurityGroup",
        arm="Microsoft.Network/networkSecurityGroups",
        path=f"{_GROUP}/providers/Microsoft.Network/networkSecurityGroups/{{networkSecurityGroupName}}",
        other_evidence={"defaultSecurityRules": Evidence.DOCUMENT},
    ),
    ArmType(
        pulumi="azure-native:managedidentity:UserAssignedIdentity",
        arm="Microsoft.ManagedIdentity/userAssignedIdentities",
        path=f"{_GROUP_OF_AKS}/providers/Microsoft.ManagedIdentity/userAssignedIdentities/{{resourceName}}",
        force_new=frozenset({"location"}),
    ),
    ArmType(
        pulumi=ROLE_ASSIGNMENT,
        arm="Microsoft.Authorization/roleAssignments",
        path="/{scope}/providers/Microsoft.Authorization/roleAssignments/{roleAssignmentName}",
        auto_name=AutoName.UUID,
        force_new=frozenset({"principalId"}),
        located=False,
    ),
    ArmType(
        pulumi=FEDERATED_CREDENTIAL,
        arm="Microsoft.ManagedIdentity/userAssignedIdentities/federatedIdentityCredentials",
        path=f"{_GROUP_OF_AKS}/providers/Microsoft.ManagedIdentity/userAssignedIdentities/{{resourceName}}"
        "/federatedIdentityCredentials/{federatedIdentityCredentialResourceName}",
        located=False,
    ),
    ArmType(
        pulumi=STORAGE_ACCOUNT,
        arm="Microsoft.Storage/storageAccounts",
        path=_ACCOUNT,
        force_new=frozenset({"location", "isHnsEnabled"}),
        other_evidence={"accessTier": Evidence.DOCUMENT},
    ),
    ArmType(
        pulumi="azure-native:storage:BlobServiceProperties",
        arm="Microsoft.Storage/storageAccounts/blobServices",
        path=f"{_ACCOUNT}/blobServices/{{blobServicesName}}",
        located=False,
    ),
    ArmType(
        pulumi=BLOB_CONTAINER,
        arm="Microsoft.Storage/storageAccounts/blobServices/containers",
        path=f"{_ACCOUNT}/blobServices/default/containers/{{containerName}}",
        located=False,
        other_evidence={"publicAccess": Evidence.NOTHING},
    ),
    ArmType(
        pulumi=REGISTRY,
        arm="Microsoft.ContainerRegistry/registries",
        path=f"{_GROUP}/providers/Microsoft.ContainerRegistry/registries/{{registryName}}",
        force_new=frozenset({"location"}),
        other_evidence={"dataEndpointEnabled": Evidence.NOTHING},
    ),
    ArmType(
        pulumi=LOG_WORKSPACE,
        arm="Microsoft.OperationalInsights/workspaces",
        path=f"{_GROUP}/providers/Microsoft.OperationalInsights/workspaces/{{workspaceName}}",
        force_new=frozenset({"location"}),
        other_evidence=dict.fromkeys(("retentionInDays", "sku"), Evidence.DOCUMENT),
    ),
    ArmType(
        pulumi=DIAGNOSTIC_SETTING,
        arm="Microsoft.Insights/diagnosticSettings",
        path="/{resourceUri}/providers/Microsoft.Insights/diagnosticSettings/{name}",
        located=False,
    ),
    ArmType(
        pulumi="azure-native:monitor:AzureMonitorWorkspace",
        arm="Microsoft.Monitor/accounts",
        path=f"{_GROUP}/providers/Microsoft.Monitor/accounts/{{azureMonitorWorkspaceName}}",
        force_new=frozenset({"location"}),
    ),
    ArmType(
        pulumi="azure-native:monitor:ActionGroup",
        arm="Microsoft.Insights/actionGroups",
        path=f"{_GROUP}/providers/Microsoft.Insights/actionGroups/{{actionGroupName}}",
        force_new=frozenset({"location"}),
    ),
    ArmType(
        pulumi="azure-native:monitor:DataCollectionEndpoint",
        arm="Microsoft.Insights/dataCollectionEndpoints",
        path=f"{_GROUP}/providers/Microsoft.Insights/dataCollectionEndpoints/{{dataCollectionEndpointName}}",
        force_new=frozenset({"location"}),
    ),
    ArmType(
        pulumi="azure-native:monitor:DataCollectionRule",
        arm="Microsoft.Insights/dataCollectionRules",
        path=f"{_GROUP}/providers/Microsoft.Insights/dataCollectionRules/{{dataCollectionRuleName}}",
        force_new=frozenset({"location"}),
    ),
    ArmType(
        pulumi="azure-native:monitor:DataCollectionRuleAssociation",
        arm="Microsoft.Insights/dataCollectionRuleAssociations",
        path="/{resourceUri}/providers/Microsoft.Insights/dataCollectionRuleAssociations/{associationName}",
        located=False,
    ),
    ArmType(
        pulumi="azure-native:alertsmanagement:PrometheusRuleGroup",
        arm="Microsoft.AlertsManagement/prometheusRuleGroups",
        path=f"{_GROUP}/providers/Microsoft.AlertsManagement/prometheusRuleGroups/{{ruleGroupName}}",
        force_new=frozenset({"location"}),
    ),
    ArmType(
        pulumi="azure-native:dashboard:Dashboard",
        arm="Microsoft.Dashboard/dashboards",
        path=f"{_GROUP}/providers/Microsoft.Dashboard/dashboards/{{dashboardName}}",
        force_new=frozenset({"location"}),
    ),
    ArmType(
        pulumi="azure-native:dashboard:DashboardDefinition",
        arm="Microsoft.Dashboard/dashboards/dashboardDefinitions",
        path=f"{_GROUP}/providers/Microsoft.Dashboard/dashboards/{{dashboardName}}"
        "/dashboardDefinitions/{definitionName}",
        located=False,
    ),
    ArmType(
        pulumi="azure-native:consumption:Budget",
        arm="Microsoft.Consumption/budgets",
        path="/{scope}/providers/Microsoft.Consumption/budgets/{budgetName}",
        located=False,
    ),
    ArmType(
        pulumi="azure-native:costmanagement:Export",
        arm="Microsoft.CostManagement/exports",
        path="/{scope}/providers/Microsoft.CostManagement/exports/{exportName}",
    ),
    ArmType(
        pulumi=MANAGED_CLUSTER,
        arm="Microsoft.ContainerService/ManagedClusters",
        path=_CLUSTER,
        force_new=_NETWORK
        | {
            "diskEncryptionSetID",
            "dnsPrefix",
            "fqdnSubdomain",
            "linuxProfile",
            "location",
            "nodeResourceGroup",
            "windowsProfile",
        },
        inline=Inline(property="agentPoolProfiles", type=AGENT_POOL, segment="agentPools", owned=False),
        evidence=Evidence.RECORDING,
        other_evidence=dict.fromkeys(
            ("autoScalerProfile", "autoUpgradeProfile", "oidcIssuerProfile"), Evidence.DOCUMENT
        ),
    ),
    ArmType(
        pulumi=AGENT_POOL,
        arm="Microsoft.ContainerService/managedClusters/agentPools",
        path=f"{_CLUSTER}/agentPools/{{agentPoolName}}",
        auto_name=AutoName.COPY,
        force_new=frozenset({"vmSize", "gpuInstanceProfile", "networkProfile.nodePublicIPTags"}),
        located=False,
        evidence=Evidence.RECORDING,
        other_evidence=dict.fromkeys(("osDiskSizeGB", "osDiskType"), Evidence.DOCUMENT),
    ),
    ArmType(
        pulumi="azure-native:containerservice:MaintenanceConfiguration",
        arm="Microsoft.ContainerService/managedClusters/maintenanceConfigurations",
        path=f"{_CLUSTER}/maintenanceConfigurations/{{configName}}",
        auto_name=AutoName.COPY,
        located=False,
    ),
)
TYPES: Final[Mapping[str, ArmType]] = {arm_type.pulumi: arm_type for arm_type in _TYPES}
"""Every type the stand-in knows, by Pulumi type token."""
