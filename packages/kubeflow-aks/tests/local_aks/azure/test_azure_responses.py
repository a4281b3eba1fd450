"""Bodies of Azure: only what the SDK knows, in the form it knows."""

from typing import Any

import pytest
from azure_bodies import (
    CLUSTER_ID,
    GROUP_ID,
    LOCATION,
    VNET_ID,
    Json,
    cluster,
    put,
    put_pool,
    spot_pool,
    user_pool,
    with_cluster,
    with_network,
    without,
)

from kubeflow_aks.local_aks.azure import sdk_schema
from kubeflow_aks.local_aks.azure.responses import BUILDERS
from kubeflow_aks.local_aks.azure.state import AGENT_POOL, DIAGNOSTIC_SETTING, MANAGED_CLUSTER, AzureState
from kubeflow_aks.local_aks.azure.types import (
    BLOB_CONTAINER,
    FEDERATED_CREDENTIAL,
    LOG_WORKSPACE,
    RESOURCE_GROUP,
    STORAGE_ACCOUNT,
    SUBNET,
    TYPES,
)

ACCOUNT_ID = f"{GROUP_ID}/providers/Microsoft.Storage/storageAccounts/kfdata"
IDENTITY_ID = f"{GROUP_ID}/providers/Microsoft.ManagedIdentity/userAssignedIdentities/id"
WORKSPACE_ID = f"{GROUP_ID}/providers/Microsoft.OperationalInsights/workspaces/audit-logs"
NETWORK = f"{GROUP_ID}/providers/Microsoft.Network"
REQUESTS: dict[str, tuple[str, Json]] = {
    RESOURCE_GROUP: (GROUP_ID + "2", {"location": LOCATION, "tags": {"owner": "me"}}),
    "azure-native:network:VirtualNetwork": (
        VNET_ID + "2",
        {"location": LOCATION, "addressSpace": {"addressPrefixes": ["10.9.0.0/16"]}},
    ),
    SUBNET: (f"{VNET_ID}/subnets/more", {"addressPrefix": "10.21.0.0/24"}),
    "azure-native:network:PublicIPAddress": (
        f"{NETWORK}/publicIPAddresses/ip",
        {
            "location": LOCATION,
            "publicIPAllocationMethod": "Static",
            "sku": {"name": "Standard"},
            "dnsSettings": {"domainNameLabel": "kubeflow"},
        },
    ),
    "azure-native:network:NatGateway": (f"{NETWORK}/natGateways/nat", {"location": LOCATION}),
    "azure-native:network:NetworkSecurityGroup": (
        f"{NETWORK}/networkSecurityGroups/nsg",
        {"location": LOCATION},
    ),
    "azure-native:managedidentity:UserAssignedIdentity": (
        IDENTITY_ID,
        {"location": LOCATION},
    ),
    "azure-native:authorization:RoleAssignment": (
        f"{GROUP_ID}/providers/Microsoft.Authorization/roleAssignments/8f6e3a52-6d56-4f0e-9a57-0d4c1f1c5f01",
        {"principalId": "p", "roleDefinitionId": "/pull", "principalType": "ServicePrincipal"},
    ),
    FEDERATED_CREDENTIAL: (
        f"{IDENTITY_ID}/federatedIdentityCredentials/sa-run",
        {"issuer": "https://issuer/", "subject": "system:serviceaccount:a:run", "audiences": ["api://x"]},
    ),
    STORAGE_ACCOUNT: (
        ACCOUNT_ID,
        {"location": LOCATION, "kind": "StorageV2", "sku": {"name": "Standard_ZRS"}},
    ),
    "azure-native:storage:BlobServiceProperties": (f"{ACCOUNT_ID}/blobServices/default", {}),
    BLOB_CONTAINER: (f"{ACCOUNT_ID}/blobServices/default/containers/team-a", {}),
    "azure-native:containerregistry:Registry": (
        f"{GROUP_ID}/providers/Microsoft.ContainerRegistry/registries/Images",
        {"location": LOCATION, "sku": {"name": "Basic"}},
    ),
    LOG_WORKSPACE: (WORKSPACE_ID, {"location": LOCATION}),
    DIAGNOSTIC_SETTING: (
        f"{CLUSTER_ID}/providers/Microsoft.Insights/diagnosticSettings/logs",
        {
            "workspaceId": WORKSPACE_ID,
            "logAnalyticsDestinationType": "Dedicated",
            "logs": [{"category": "guard", "enabled": True}],
        },
    ),
    "azure-native:monitor:AzureMonitorWorkspace": (
        f"{GROUP_ID}/providers/Microsoft.Monitor/accounts/metrics",
        {"location": LOCATION},
    ),
    "azure-native:monitor:ActionGroup": (
        f"{GROUP_ID}/providers/Microsoft.Insights/actionGroups/alerts",
        {"location": "global", "enabled": True, "groupShortName": "alerts"},
    ),
    "azure-native:monitor:DataCollectionEndpoint": (
        f"{GROUP_ID}/providers/Microsoft.Insights/dataCollectionEndpoints/prometheus",
        {"location": LOCATION},
    ),
    "azure-native:monitor:DataCollectionRule": (
        f"{GROUP_ID}/providers/Microsoft.Insights/dataCollectionRules/prometheus",
        {"location": LOCATION},
    ),
    "azure-native:monitor:DataCollectionRuleAssociation": (
        f"{CLUSTER_ID}/providers/Microsoft.Insights/dataCollectionRuleAssociations/prometheus",
        {"dataCollectionRuleId": "/rule"},
    ),
    "azure-native:alertsmanagement:PrometheusRuleGroup": (
        f"{GROUP_ID}/providers/Microsoft.AlertsManagement/prometheusRuleGroups/alerts",
        {"location": LOCATION, "scopes": ["/workspace"], "rules": [{"alert": "A", "expression": "1"}]},
    ),
    "azure-native:dashboard:Dashboard": (
        f"{GROUP_ID}/providers/Microsoft.Dashboard/dashboards/spot",
        {"location": LOCATION},
    ),
    "azure-native:dashboard:DashboardDefinition": (
        f"{GROUP_ID}/providers/Microsoft.Dashboard/dashboards/spot/dashboardDefinitions/default",
        {"properties": {"serializedData": "{}"}},
    ),
    "azure-native:consumption:Budget": (
        f"{GROUP_ID}/providers/Microsoft.Consumption/budgets/money",
        {
            "amount": 100,
            "category": "Cost",
            "timeGrain": "Monthly",
            "timePeriod": {"startDate": "2026-12-01T00:00:00Z"},
        },
    ),
    "azure-native:costmanagement:Export": (
        f"{GROUP_ID}/providers/Microsoft.CostManagement/exports/cost",
        {
            "location": "westeurope",
            "identity": {"type": "SystemAssigned"},
            "definition": {"type": "ActualCost", "timeframe": "MonthToDate"},
            "deliveryInfo": {"destination": {"container": "cost"}},
        },
    ),
    MANAGED_CLUSTER: (CLUSTER_ID + "2", cluster(autoScalerProfile={"expander": "priority"})),
    AGENT_POOL: (f"{CLUSTER_ID}/agentPools/spot", spot_pool()),
    "azure-native:containerservice:MaintenanceConfiguration": (
        f"{CLUSTER_ID}/maintenanceConfigurations/default",
        {},
    ),
}


@pytest.fixture
def bodies(azure: AzureState) -> dict[str, Json]:
    """One body of every type."""
    manager = with_cluster(azure)
    with_network(manager)
    return {token: put(manager, token, *request) for token, request in REQUESTS.items()}


def test_every_type_has_a_body() -> None:
    assert set(TYPES) == set(BUILDERS) == set(REQUESTS)


def test_bodies_hold_only_what_the_sdk_knows_at_any_depth(bodies: dict[str, Json]) -> None:
    for token, body in bodies.items():
        properties = without(body, "id")  # every resource has one; the SDK keeps it apart
        assert unknown_names(sdk_schema.preview(token, properties), properties) == [], token


def unknown_names(documented: Any, body: Any, path: str = "") -> list[str]:
    """Paths in a body that its type does not have: a preview of the body drops them."""
    match documented, body:
        case dict(), dict():
            return [
                name
                for key, value in body.items()  # pyright: ignore[reportUnknownVariableType]
                for name in (
                    unknown_names(documented[key], value, f"{path}.{key}")
                    if key in documented
                    else [f"{path}.{key}"]
                )
            ]
        case list(), list():
            pairs = zip(documented, body, strict=True)  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]
            return [name for k, b in pairs for name in unknown_names(k, b, path)]  # pyright: ignore[reportUnknownVariableType]
        case _:
            return [] if documented == body or isinstance(body, dict) else [path]


def test_bodies_say_what_and_where_they_are(bodies: dict[str, Json]) -> None:
    for token, body in bodies.items():
        assert (body["id"], body["type"]) == (REQUESTS[token][0], TYPES[token].arm)
        assert body["name"] == REQUESTS[token][0].rsplit("/", 1)[-1]


def test_a_static_address_has_an_address_and_a_name(bodies: dict[str, Json]) -> None:
    address = bodies["azure-native:network:PublicIPAddress"]
    assert address["ipAddress"].startswith("203.0.113.")
    assert address["dnsSettings"]["fqdn"] == "kubeflow.westeurope.cloudapp.azure.com"
    assert address["sku"] == {"name": "Standard", "tier": "Regional"}


def test_a_registry_has_a_login_server(bodies: dict[str, Json]) -> None:
    assert bodies["azure-native:containerregistry:Registry"]["loginServer"] == "images.azurecr.io"


def test_identities_have_principals_of_their_own(azure: AzureState) -> None:
    manager, token = with_cluster(azure), "azure-native:managedidentity:UserAssignedIdentity"
    identities = f"{GROUP_ID}/providers/Microsoft.ManagedIdentity/userAssignedIdentities"
    one, two = (
        put(manager, token, f"{identities}/{name}", {"location": LOCATION}) for name in ("one", "two")
    )
    assert len({one["principalId"], one["clientId"], two["principalId"], two["clientId"]}) == 4


def test_tags_are_kept(bodies: dict[str, Json]) -> None:
    assert bodies[RESOURCE_GROUP]["tags"] == {"owner": "me"}


@pytest.mark.parametrize(
    ("pool", "kind", "size"),
    [
        (user_pool(vmSize="Standard_D8s_v5"), "Managed", 256),
        (user_pool(vmSize="Standard_D16s_v5"), "Managed", 512),
        (user_pool(vmSize="Standard_D8ds_v5"), "Ephemeral", 300),
        (user_pool(vmSize="Standard_D8ds_v5", osDiskSizeGB=100), "Ephemeral", 100),
        (user_pool(vmSize="Standard_D8ds_v5", osDiskSizeGB=512), "Managed", 512),
        (spot_pool(vmSize="Standard_D8ds_v5", scaleSetEvictionPolicy="Deallocate"), "Managed", 256),
    ],
)
def test_aks_chooses_the_os_disk_if_the_request_has_none(
    azure: AzureState, pool: Json, kind: str, size: int
) -> None:
    answer = put_pool(with_cluster(azure), "pool", pool)
    assert (answer["osDiskType"], answer["osDiskSizeGB"]) == (kind, size)


def test_authorised_addresses_come_back_as_ranges(azure: AzureState) -> None:
    manager = with_cluster(azure, apiServerAccessProfile={"authorizedIPRanges": ["198.51.100.7"]})
    body = manager.get(CLUSTER_ID)
    assert body
    assert body["apiServerAccessProfile"]["authorizedIPRanges"] == ["198.51.100.7/32"]


@pytest.mark.parametrize(
    ("network", "expected"),
    [
        ({}, {"networkPluginMode": "overlay", "podCidr": "10.244.0.0/16", "networkDataplane": "azure"}),
        ({"networkPlugin": "azure"}, {"networkDataplane": "azure"}),
        ({"networkPlugin": "kubenet"}, {"podCidrs": ["10.244.0.0/16"]}),
        ({"serviceCidr": "10.1.0.0/16", "dnsServiceIP": "10.1.0.10"}, {"serviceCidrs": ["10.1.0.0/16"]}),
    ],
)
def test_the_network_profile_is_completed(azure: AzureState, network: Json, expected: Json) -> None:
    body = with_cluster(azure, networkProfile=network).get(CLUSTER_ID)
    assert body
    profile = body["networkProfile"]
    assert {name: profile[name] for name in expected} == expected
    assert ("podCidr" in profile) == (network.get("networkPlugin") != "azure")


def test_a_pool_keeps_its_version_when_the_cluster_moves_on(azure: AzureState) -> None:
    manager = with_cluster(azure)
    put_pool(manager, "user", user_pool())
    put(manager, MANAGED_CLUSTER, CLUSTER_ID, cluster(kubernetesVersion="1.35"))
    assert put_pool(manager, "user", user_pool(tags={"a": "b"}))["orchestratorVersion"] == "1.34"
    assert put_pool(manager, "new", user_pool())["orchestratorVersion"] == "1.35"


def test_a_managed_nat_gateway_has_an_address(azure: AzureState) -> None:
    body = with_cluster(azure, networkProfile={"outboundType": "managedNATGateway"}).get(CLUSTER_ID)
    assert body
    assert "loadBalancerProfile" not in body["networkProfile"]
    assert body["networkProfile"]["natGatewayProfile"]["effectiveOutboundIPs"]
