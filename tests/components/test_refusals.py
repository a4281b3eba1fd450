"""Impossible arguments of every component: each is refused in words, before anything is registered."""

from typing import Any, cast

import pulumi
import pytest
from hypothesis import given as arbitrary
from hypothesis import settings
from hypothesis import strategies as st

from components.arguments.checked import checked
from components.arguments.errors import ArgumentsError
from components.arguments.form import keys_of, plain_kind
from components.cluster.aks_cluster_args import AksClusterArgs
from components.cluster.cluster_rules import cluster_rules
from components.package import COMPONENTS
from components.pools.agent_pools import AgentPoolsArgs, rules
from tests.components.conftest import Cloud
from tests.components.sample_arguments import CONTRACT, GROUP_ID, SPOT_KEY

OTHERS = f"{GROUP_ID}/providers/Microsoft."
GROUP = {"resource_group_name": "group", "location": "westeurope"}
POOL: dict[str, Any] = {"name": "batch", "vm_size": "Standard_D8s_v5", "max_count": 3}
SPOT: dict[str, Any] = {**POOL, "priority": "Spot", "eviction_policy": "Delete"}
LABELLED: dict[str, Any] = {"labels": {"kubeflow-aks/workload": "batch"}}
LEAST: dict[str, dict[str, Any]] = {
    "AgentPools": {"resource_group_name": "group", "pools": [POOL]},
    "AksCluster": {**GROUP, "resource_group_id": GROUP_ID},
    "Alerting": {
        **GROUP,
        "cluster_id": f"{OTHERS}ContainerService/managedClusters/aks",
        "pools": [],
        "emails": ["ml@example.com"],
    },
    "ContainerRegistry": {**GROUP, "puller_object_id": "id"},
    "DataStore": {**GROUP, "oidc_issuer": "https://issuer"},
    "KubeflowPrerequisites": {"pools": []},
    "Monitoring": {**GROUP, "cluster_id": f"{OTHERS}ContainerService/managedClusters/aks", "logs": ["guard"]},
    "Network": GROUP,
}
COMPONENT = {component.__name__: component for component in COMPONENTS}
NODES = {"node_resource_group_name": "nodes"}
BUDGET = {"monthly": 100.0, "start_date": "2026-12-01", "emails": ["ml@example.com"]}
KEY = "ssh-rsa AAAA"
ED25519 = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4f"
NAT = "userAssignedNATGateway"
RANGES = "apiAccess.authorizedIpRanges"
REGISTRY = f"{OTHERS}ContainerRegistry/registries/shared"
WORKSPACE = f"{OTHERS}OperationalInsights/workspaces/shared"


def make(component: str, name: str, args: dict[str, Any], cloud: Cloud) -> None:
    """Makes a component with its least arguments and these."""
    arguments = {**LEAST[component], **args}
    if component == "AgentPools":
        arguments.setdefault("cluster", cloud.managed_cluster)
    cast(Any, COMPONENT[component])(name, arguments, cloud.opts)


def pool(**fields: Any) -> dict[str, Any]:
    """Arguments of one pool that differs in these."""
    return {"pools": [{**POOL, **fields}]}


def cluster_of(group: str, **fields: Any) -> dict[str, Any]:
    """Arguments of a cluster that differs in these fields of a group."""
    return {group: fields}


IMPOSSIBLE: list[tuple[str, dict[str, Any], str]] = [
    ("AgentPools", pool(maxCount=3), "pools[0].maxCount"),
    ("AgentPools", pool(max_cout=3), "pools[0].max_cout"),
    ("AgentPools", {"pools": [{"name": "batch", "max_count": 3}]}, "pools[0].vmSize"),
    ("AgentPools", {"pools": POOL}, "pools"),
    ("AgentPools", {"pools": ["batch"]}, "pools[0]"),
    ("AgentPools", {"cluster": "aks"}, "cluster"),
    ("AgentPools", pool(name=""), "pools[0].name"),
    ("AgentPools", pool(name="averylongpoolname"), "pools[0].name"),
    ("AgentPools", pool(max_count="3"), "pools[0].maxCount"),
    ("AgentPools", pool(min_count=4), "pools[0].minCount"),
    ("AgentPools", pool(priority="Sport"), "pools[0].priority"),
    ("AgentPools", {"pools": [{**SPOT, "max_price": float("nan")}]}, "pools[0].maxPrice"),
    ("AgentPools", {"pools": [{**SPOT, "max_price": -2.0}]}, "pools[0].maxPrice"),
    ("AgentPools", pool(taints=["team=vision"]), "pools[0].taints[0]"),
    ("AgentPools", pool(taints=["team=vision:NoScheduled"]), "pools[0].taints[0]"),
    ("AgentPools", pool(taints="team=vision:NoSchedule"), "pools[0].taints"),
    ("AgentPools", pool(labels={"-team": "vision"}), "pools[0].labels.-team"),
    ("AgentPools", pool(labels={"team": "my vision"}), "pools[0].labels.team"),
    ("AgentPools", pool(zones=["4"]), "pools[0].zones[0]"),
    ("AgentPools", pool(zones=[1]), "pools[0].zones[0]"),
    ("AgentPools", pool(os_disk={"size": 3}), "pools[0].osDisk.size"),
    ("AgentPools", pool(gpus="one"), "pools[0].gpus"),
    ("AgentPools", pool(gpus=-1), "pools[0].gpus"),
    ("AgentPools", {"pools": [{**SPOT, **LABELLED, "fallback": "batchod"}]}, "pools[0].fallback"),
    ("AgentPools", {"pools": [{**SPOT, "fallback": "od"}, {**POOL, "name": "od"}]}, "pools[0].fallback"),
    ("AgentPools", {"pools": [{**SPOT, **LABELLED, "fallback": "batch"}]}, "pools[0].fallback"),
    ("AgentPools", {"pools": [{**POOL, **LABELLED, "fallback": "batch"}]}, "pools[0].fallback"),
    ("AksCluster", {"system_pools": {}}, "system_pools"),
    ("AksCluster", cluster_of("system_pool", maxCount=3), "systemPool.maxCount"),
    ("AksCluster", cluster_of("system_pool", zones=["4"]), "systemPool.zones[0]"),
    ("AksCluster", cluster_of("kubernetes", tier="Standard"), "kubernetes.tier"),
    ("AksCluster", cluster_of("kubernetes", version="1.34.2"), "kubernetes.version"),
    ("AksCluster", cluster_of("kubernetes", version=1.34), "kubernetes.version"),
    (
        "AksCluster",
        cluster_of("kubernetes", maintenance={"start_time": "25:00"}),
        "kubernetes.maintenance.startTime",
    ),
    (
        "AksCluster",
        cluster_of("kubernetes", maintenance={"duration_hours": 2}),
        "kubernetes.maintenance.durationHours",
    ),
    ("AksCluster", cluster_of("network", service_cidr="10.0.0.1"), "network.serviceCidr"),
    ("AksCluster", cluster_of("network", service_cidr="10.244.1.0/24"), "network.serviceCidr"),
    ("AksCluster", cluster_of("network", policy="azure"), "network.policy"),
    ("AksCluster", cluster_of("network", route_table_id="table"), "network.routeTableId"),
    (
        "AksCluster",
        cluster_of("api_access", admin_group_object_ids=["admins"]),
        "apiAccess.adminGroupObjectIds[0]",
    ),
    ("AksCluster", cluster_of("api_access", local_accounts=False), "apiAccess.localAccounts"),
    ("AksCluster", cluster_of("autoscaler", scan_interval="10"), "autoscaler.scanInterval"),
    (
        "AksCluster",
        cluster_of("autoscaler", scale_down_utilization_threshold=50),
        "autoscaler.scaleDownUtilizationThreshold",
    ),
    ("AksCluster", {"ssh": {}}, "ssh.publicKey"),
    ("AksCluster", {"ssh": {"public_key": KEY}}, "ssh.publicKey"),
    ("ContainerRegistry", {"attach": "registry"}, "attach"),
    ("ContainerRegistry", {"sku": "Premium", "retention_days": 366}, "retentionDays"),
    ("DataStore", {"soft_delete_days": 0}, "softDeleteDays"),
    ("DataStore", {"profiles": {"team": {"service_account": []}}}, "profiles.team.service_account"),
    ("KubeflowPrerequisites", {"pools": None}, "pools"),
    ("KubeflowPrerequisites", {"pools": [{**CONTRACT[0], "role": "batch"}, CONTRACT[1]]}, "pools[0].role"),
    ("KubeflowPrerequisites", {"pools": CONTRACT[:1]}, "pools[0].fallback"),
    ("KubeflowPrerequisites", {"inotify": {"max_user_watches": "many"}}, "inotify.maxUserWatches"),
    ("KubeflowPrerequisites", {"inotify": {"max_user_instances": 64}}, "inotify.maxUserInstances"),
    ("KubeflowPrerequisites", {"namespace": "Kubeflow"}, "namespace"),
    ("KubeflowPrerequisites", {"storage_class": {"name": "my disks"}}, "storageClass.name"),
    ("Monitoring", {"workspace": "logs"}, "workspace"),
    ("Monitoring", {"retention_days": 7}, "retentionDays"),
    ("Network", {"subnets": {"a": "10.224.0.0/24", "b": "10.224.0.128/25"}}, "subnets.b"),
    ("Network", {"subnets": {"a": "10.224.0.0"}}, "subnets.a"),
    ("Network", {"subnets": ["10.224.0.0/24"]}, "subnets"),
    ("Network", {"vnet_cidr": "10.224.0.1/16"}, "vnetCidr"),
    ("AgentPools", pool(vm_size=""), "pools[0].vmSize"),
    ("AgentPools", pool(vm_size="Standard D8s"), "pools[0].vmSize"),
    ("AgentPools", pool(subnet_id="subnet"), "pools[0].subnetId"),
    ("AgentPools", pool(mode="System", min_count=1, vm_size="Standard_B4ms"), "pools[0].vmSize"),
    (
        "AgentPools",
        pool(labels={"kubernetes.azure.com/mode": "user"}),
        "pools[0].labels.kubernetes.azure.com/mode",
    ),
    ("AgentPools", pool(labels={"agentpool": "batch"}), "pools[0].labels.agentpool"),
    ("AgentPools", pool(labels={SPOT_KEY: "spot"}), f"pools[0].labels.{SPOT_KEY}"),
    ("AgentPools", pool(taints=[f"{SPOT_KEY}=spot:NoSchedule"]), "pools[0].taints[0]"),
    ("AgentPools", pool(taints=["node.kubernetes.io/unreachable:NoExecute"]), "pools[0].taints[0]"),
    ("AgentPools", pool(tags={"azure-x": "a"}), "pools[0].tags.azure-x"),
    ("AgentPools", {"kubernetes_version": "latest"}, "kubernetesVersion"),
    ("AksCluster", {"resource_group_name": ""}, "resourceGroupName"),
    ("AksCluster", {"resource_group_name": "group."}, "resourceGroupName"),
    ("AksCluster", {"resource_group_id": "group"}, "resourceGroupId"),
    ("AksCluster", {"location": "west-europe"}, "location"),
    ("AksCluster", {"cluster_name": "-aks"}, "clusterName"),
    ("AksCluster", {"cluster_name": "a" * 64}, "clusterName"),
    ("AksCluster", {"dns_prefix": "my_prefix"}, "dnsPrefix"),
    ("AksCluster", {"node_resource_group": "a" * 81}, "nodeResourceGroup"),
    ("AksCluster", {"identity_id": "ours"}, "identityId"),
    ("AksCluster", {"identity_id": f"{OTHERS}Network/virtualNetworks/vnet"}, "identityId"),
    ("AksCluster", {"tags": {"a<b": "c"}}, "tags.a<b"),
    ("AksCluster", {"tags": dict.fromkeys(map(str, range(51)), "")}, "tags"),
    ("AksCluster", cluster_of("kubernetes", tier="Gold"), "kubernetes.tier"),
    ("AksCluster", cluster_of("kubernetes", maintenance={"day": "Caturday"}), "kubernetes.maintenance.day"),
    (
        "AksCluster",
        cluster_of("kubernetes", maintenance={"utc_offset": "CET"}),
        "kubernetes.maintenance.utcOffset",
    ),
    ("AksCluster", cluster_of("network", pod_cidr="10.244.0.0/25"), "network.podCidr"),
    ("AksCluster", cluster_of("network", pod_cidr="169.254.0.0/16"), "network.podCidr"),
    ("AksCluster", cluster_of("network", pod_cidr="::/0"), "network.podCidr"),
    ("AksCluster", cluster_of("network", service_cidr="10.0.0.0/30"), "network.serviceCidr"),
    ("AksCluster", cluster_of("network", outbound_type="managedNATGateway"), "network.outboundType"),
    ("AksCluster", cluster_of("api_access", authorized_ip_ranges=["10.0.0.0/8"]), f"{RANGES}[0]"),
    ("AksCluster", cluster_of("api_access", authorized_ip_ranges=["everyone"]), f"{RANGES}[0]"),
    ("AksCluster", cluster_of("api_access", authorized_ip_ranges=["0.0.0.0/32", "8.8.8.8/32"]), RANGES),
    (
        "AksCluster",
        {**cluster_of("api_access", authorized_ip_ranges=["0.0.0.0/32"]), "network": {"outbound_type": NAT}},
        RANGES,
    ),
    (
        "AksCluster",
        cluster_of("api_access", authorized_ip_ranges=["8.8.8.8/32"], private_cluster=True),
        RANGES,
    ),
    (
        "AksCluster",
        cluster_of("api_access", authorized_ip_ranges=[f"8.8.8.{n}/32" for n in range(201)]),
        RANGES,
    ),
    ("AksCluster", cluster_of("system_pool", vm_size="Standard_B4ms"), "systemPool.vmSize"),
    ("AksCluster", cluster_of("system_pool", subnet_id="subnet"), "systemPool.subnetId"),
    ("AksCluster", cluster_of("system_pool", max_count=1), "systemPool.minCount"),
    (
        "AksCluster",
        cluster_of("system_pool", other_properties={"vmSize": "Standard_D8s_v5"}),
        "systemPool.otherProperties.vmSize",
    ),
    ("AksCluster", {"ssh": {"public_key": ED25519, "admin_username": "root"}}, "ssh.adminUsername"),
    ("ContainerRegistry", {"sku": "Gold"}, "sku"),
    ("ContainerRegistry", {"puller_object_id": ""}, "pullerObjectId"),
    ("ContainerRegistry", {"registry_name": "my-registry"}, "registryName"),
    ("ContainerRegistry", {"retention_days": 30}, "retentionDays"),
    ("ContainerRegistry", {"authorized_ip_ranges": ["8.8.8.8/32"]}, "authorizedIpRanges"),
    (
        "ContainerRegistry",
        {"sku": "Premium", "authorized_ip_ranges": ["10.0.0.0/8"]},
        "authorizedIpRanges[0]",
    ),
    (
        "ContainerRegistry",
        {"sku": "Premium", "authorized_ip_ranges": [f"8.8.8.{n}/32" for n in range(101)]},
        "authorizedIpRanges",
    ),
    ("ContainerRegistry", {"attach": REGISTRY, "sku": "Premium", "retention_days": 30}, "retentionDays"),
    ("ContainerRegistry", {"attach": REGISTRY, "registry_name": "another"}, "registryName"),
    ("DataStore", {"account_name": "My_Account"}, "accountName"),
    ("DataStore", {"oidc_issuer": "http://issuer"}, "oidcIssuer"),
    ("DataStore", {"sku": "Standard_GRS"}, "sku"),
    ("DataStore", {"tags": {"windowsx": "a"}}, "tags.windowsx"),
    ("DataStore", {"profiles": {"Team": {}}}, "profiles.Team"),
    ("DataStore", {"profiles": {"team": {"service_accounts": []}}}, "profiles.team.serviceAccounts"),
    ("DataStore", {"profiles": {"team": {"service_accounts": ["A b"]}}}, "profiles.team.serviceAccounts[0]"),
    (
        "DataStore",
        {"profiles": {"team": {"service_accounts": [f"a{n}" for n in range(21)]}}},
        "profiles.team.serviceAccounts",
    ),
    ("DataStore", {"profiles": {"team": {"identity_name": "x"}}}, "profiles.team.identityName"),
    ("KubeflowPrerequisites", {"namespace": "kubeflow"}, "namespace"),
    ("KubeflowPrerequisites", {"namespace": "controller-aks"}, "namespace"),
    ("KubeflowPrerequisites", {"guards": "yes"}, "guards"),
    ("KubeflowPrerequisites", {"general_labels": {"my pool": "a"}}, "generalLabels.my pool"),
    ("KubeflowPrerequisites", {"storage_class": {"name": "default"}}, "storageClass.name"),
    ("KubeflowPrerequisites", {"storage_class": {"name": "checkpoints"}}, "checkpoints.name"),
    ("KubeflowPrerequisites", {"checkpoints": {"name": "managed-csi"}}, "checkpoints.name"),
    ("Alerting", {"cluster_id": "cluster"}, "clusterId"),
    ("Alerting", {"emails": []}, "emails"),
    ("Alerting", {"emails": ["ml"]}, "emails[0]"),
    ("Alerting", {"webhooks": ["http://hooks.example.com"]}, "webhooks[0]"),
    ("Alerting", {"webhooks": [f"https://hooks.example.com/{n}" for n in range(11)]}, "webhooks"),
    ("Alerting", {"fallback_hours": 0}, "fallbackHours"),
    (
        "Alerting",
        {"pools": [{"name": "spot", "min_count": 0, "max_count": 1, "price": -1}]},
        "pools[0].price",
    ),
    ("Alerting", {"max_node_provision_time": "soon"}, "maxNodeProvisionTime"),
    ("Alerting", {"namespace": "Ours"}, "namespace"),
    ("Monitoring", {"cluster_id": "cluster"}, "clusterId"),
    ("Monitoring", {"logs": ["everything"]}, "logs[0]"),
    ("Monitoring", {"logs": ["guard", "guard"]}, "logs"),
    ("Monitoring", {"workspace_name": "a"}, "workspaceName"),
    ("Monitoring", {"budget": BUDGET}, "nodeResourceGroupName"),
    ("Monitoring", {**NODES, "budget": {**BUDGET, "emails": []}}, "budget.emails"),
    ("Monitoring", {**NODES, "budget": {**BUDGET, "emails": ["ml"]}}, "budget.emails[0]"),
    ("Monitoring", {**NODES, "budget": {**BUDGET, "action_groups": ["money"]}}, "budget.actionGroups[0]"),
    ("Monitoring", {**NODES, "budget": {**BUDGET, "start_date": "2026-12-02"}}, "budget.startDate"),
    ("Monitoring", {**NODES, "budget": {**BUDGET, "monthly": 0.0}}, "budget.monthly"),
    (
        "Monitoring",
        {**NODES, "cost_export": {"container": "cost", "start_date": "2026-12-02"}},
        "costExport.container",
    ),
    ("Monitoring", {"workspace": WORKSPACE, "retention_days": 90}, "retentionDays"),
    ("Monitoring", {"workspace": WORKSPACE, "workspace_name": "logs"}, "workspaceName"),
    ("Network", {"subnets": {"a": "10.225.0.0/24"}}, "subnets.a"),
    ("Network", {"subnets": {"a": "10.224.0.0/30"}}, "subnets.a"),
    ("Network", {"vnet_cidr": "169.254.0.0/16", "subnets": {}}, "vnetCidr"),
    ("Network", {"outbound_type": "userDefinedRouting"}, "routeTableId"),
    ("Network", {"dns_label": "My_Label"}, "dnsLabel"),
    ("Network", {"vnet_name": "-"}, "vnetName"),
    ("Network", {"nat_gateway_name": "nat!"}, "natGatewayName"),
    ("Network", {"subnet_names": {"gpu": "GatewaySubnet"}}, "subnetNames.gpu"),
]


@pytest.mark.parametrize(("component", "args", "key"), IMPOSSIBLE)
def test_an_impossible_argument_is_refused_in_words(
    cloud: Cloud, component: str, args: dict[str, Any], key: str
) -> None:
    with pytest.raises(ArgumentsError) as refusal:
        make(component, "refused", args, cloud)
    assert [mistake.key for mistake in refusal.value.mistakes] == [key]
    assert str(refusal.value).startswith(f"{component}: invalid arguments:\n{key}: ")
    assert cloud.names("refused") == []


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | st.just("10.0.0.0/16"),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=5), inner, max_size=2),
    max_leaves=4,
)
GROUPS = {"kubernetes", "network", "api_access", "autoscaler", "system_pool", "ssh"}


@settings(deadline=None, max_examples=150)
@arbitrary(data=st.data())
def test_whatever_is_given_no_check_ends_with_a_traceback(data: st.DataObject) -> None:
    """Every component's checks on made-up values of its own keys; what they let through is not made here."""
    args: dict[str, Any] = dict(LEAST["AksCluster"])
    group = data.draw(st.sampled_from(sorted(GROUPS)))
    kind, _ = plain_kind(keys_of(AksClusterArgs)[group])
    args[group] = data.draw(st.dictionaries(st.sampled_from(sorted(keys_of(kind))), VALUES, max_size=3))
    made_up = {**POOL, **data.draw(st.dictionaries(st.sampled_from(["zones", "taints", "labels"]), VALUES))}
    pools = {**LEAST["AgentPools"], "cluster": pulumi.Output.from_input(None), "pools": [made_up]}
    for check in (
        lambda: checked("AksCluster", AksClusterArgs, cast(Any, args), cluster_rules),
        lambda: checked("AgentPools", AgentPoolsArgs, cast(Any, pools), rules),
    ):
        try:
            check()
        except ArgumentsError as refusal:
            refused = refusal.mistakes
        else:
            refused = ()
        assert all("; expected " in str(mistake) for mistake in refused)
