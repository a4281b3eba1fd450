"""Tags of Azure resources, by which cost and owner are found."""

from collections.abc import Iterator
from typing import Final

from kubeflow_aks.policy.rule import Resource
from kubeflow_aks.policy.rules.resources import tags
from kubeflow_aks.policy.table import PerResource, rules

_AZURE: Final = "azure-native:"
UNTAGGABLE: Final = frozenset(
    {
        "azure-native:authorization:RoleAssignment",
        "azure-native:authorization:RoleDefinition",
        "azure-native:consumption:Budget",
        "azure-native:containerservice:MaintenanceConfiguration",
        "azure-native:costmanagement:Export",
        "azure-native:dashboard:DashboardDefinition",
        "azure-native:managedidentity:FederatedIdentityCredential",
        "azure-native:monitor:DataCollectionRuleAssociation",
        "azure-native:monitor:DiagnosticSetting",
        "azure-native:network:Route",
        "azure-native:network:SecurityRule",
        "azure-native:network:Subnet",
        "azure-native:network:VirtualNetworkPeering",
        "azure-native:storage:BlobContainer",
        "azure-native:storage:BlobServiceProperties",
        "azure-native:storage:ManagementPolicy",
    }
)
"""Types that cannot have tags in Azure (the providers' schema has no `tags`)."""
_REQUIRED: Final = ("owner", "environment")


def _tagged(resource: Resource) -> Iterator[str]:
    if not resource.kind.startswith(_AZURE) or resource.kind in UNTAGGABLE:
        return
    if missing := [name for name in _REQUIRED if not tags(resource).get(name)]:
        yield f"no tag {' and '.join(missing)}"


RULES: Final = rules(
    {
        "azure-resources-are-tagged": PerResource(_tagged),
    }
)
