"""What a stack asks for, as an ARM template and Kubernetes manifests, for tools that read those."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

import yaml

from kubeflow_aks.recorder.document import PlannedResource

_SCHEMA: Final = "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#"


class _Type(NamedTuple):
    """ARM's name of a resource type, the API's version and the input that names the resource."""

    name: str
    api: str
    named: str


_TYPES: Final = {
    "authorization:RoleAssignment": _Type(
        "Microsoft.Authorization/roleAssignments", "2022-04-01", "roleAssignmentName"
    ),
    "containerregistry:Registry": _Type(
        "Microsoft.ContainerRegistry/registries", "2025-04-01", "registryName"
    ),
    "containerservice:AgentPool": _Type(
        "Microsoft.ContainerService/managedClusters/agentPools", "2025-10-01", "agentPoolName"
    ),
    "containerservice:MaintenanceConfiguration": _Type(
        "Microsoft.ContainerService/managedClusters/maintenanceConfigurations", "2025-10-01", "configName"
    ),
    "containerservice:ManagedCluster": _Type(
        "Microsoft.ContainerService/managedClusters", "2025-10-01", "resourceName"
    ),
    "managedidentity:UserAssignedIdentity": _Type(
        "Microsoft.ManagedIdentity/userAssignedIdentities", "2024-11-30", "resourceName"
    ),
    "monitor:DiagnosticSetting": _Type("Microsoft.Insights/diagnosticSettings", "2021-05-01-preview", "name"),
    "network:NatGateway": _Type("Microsoft.Network/natGateways", "2024-05-01", "natGatewayName"),
    "network:PublicIPAddress": _Type(
        "Microsoft.Network/publicIPAddresses", "2024-05-01", "publicIpAddressName"
    ),
    "network:VirtualNetwork": _Type("Microsoft.Network/virtualNetworks", "2024-05-01", "virtualNetworkName"),
    "operationalinsights:Workspace": _Type(
        "Microsoft.OperationalInsights/workspaces", "2023-09-01", "workspaceName"
    ),
    "resources:ResourceGroup": _Type("Microsoft.Resources/resourceGroups", "2024-03-01", "resourceGroupName"),
}
_ABOVE: Final = ("extendedLocation", "identity", "kind", "location", "sku", "tags", "zones")
"""What stands beside `properties`."""
_WHERE: Final = ("resourceGroupName", "resourceName")
"""What says where a resource is, in its address and not in its body."""


def write(planned: Iterable[PlannedResource], folder: Path) -> int:
    """Writes `template.json` and `<name>.yaml` for each object of Kubernetes.

    Returns:
        The number of resources written.

    Raises:
        LookupError: the program makes a type of Azure resource that is not known here.
    """
    resources: list[dict[str, Any]] = []
    objects = 0
    for resource in planned:
        package, _, token = resource["type"].partition(":")
        if package == "azure-native":
            resources.append(_of_azure(token, resource))
        elif package == "kubernetes":
            (folder / f"{resource['name']}.yaml").write_text(yaml.safe_dump(resource["inputs"]))
            objects += 1
    template = {"$schema": _SCHEMA, "contentVersion": "1.0.0.0", "resources": resources}
    (folder / "template.json").write_text(json.dumps(template, indent=1))
    return len(resources) + objects


def _of_azure(token: str, resource: PlannedResource) -> dict[str, Any]:
    if token not in _TYPES:
        raise LookupError(f"{resource['type']} is not known here: add it to the types")
    type_, inputs = _TYPES[token], dict(resource["inputs"])
    name = str(inputs.pop(type_.named, resource["name"]))
    parents = [str(inputs["resourceName"])] if type_.name.count("/") > 1 else []
    above = {key: inputs.pop(key) for key in _ABOVE if key in inputs}
    if identities := above.get("identity", {}).get("userAssignedIdentities"):
        above["identity"] |= {"userAssignedIdentities": {identity: {} for identity in identities}}
    properties = {key: value for key, value in inputs.items() if key not in _WHERE}
    if "subnets" in properties:
        properties["subnets"] = [_subnet(subnet) for subnet in properties["subnets"]]
    return {
        "type": type_.name,
        "apiVersion": type_.api,
        "name": "/".join([*parents, name]),
        **above,
        "properties": properties,
    }


def _subnet(subnet: Mapping[str, Any]) -> dict[str, Any]:
    body = dict(subnet)
    return {"name": body.pop("name"), "properties": body}
