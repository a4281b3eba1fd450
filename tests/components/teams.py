"""Two programs of other teams: the components with what they cannot do without, and with every argument they take."""

from typing import Any, Final

import pulumi
import pulumi_kubernetes as kubernetes
from pulumi_azure_native import resources

from components.azure.aliases import without_version_aliases
from components.cluster.aks_cluster import AksCluster
from components.data_store.data_store import DataStore
from components.kubeflow.prerequisites import KubeflowPrerequisites
from components.monitoring.alerting import Alerting
from components.monitoring.monitoring import Monitoring
from components.network.network import Network
from components.pools.agent_pools import AgentPools
from components.registry.container_registry import ContainerRegistry

LOCATION: Final = "westeurope"
_ELSEWHERE: Final = (
    "/subscriptions/00000000-0000-0000-0000-000000000000/resourceGroups/elsewhere/providers/Microsoft."
)
_ROUTES: Final = f"{_ELSEWHERE}Network/routeTables/routes"
_SPOKE: Final = f"{_ELSEWHERE}Network/virtualNetworks/spoke/subnets/"
_RESERVED: Final = f"{_ELSEWHERE}Compute/capacityReservationGroups/reserved"
_KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4f ops"
_TAGS: Final = {"owner": "ml"}


Arguments = dict[type[pulumi.ComponentResource], list[dict[str, Any]]]
"""Arguments of each component, once for each time that it is made; those that `made` gives left out."""

LEAST: Final[Arguments] = {
    Network: [{}],
    AksCluster: [{}],
    ContainerRegistry: [{"puller_object_id": "kubelet"}],
    DataStore: [{"oidc_issuer": "https://issuer.example.invalid/"}],
    Monitoring: [{"cluster_id": f"{_ELSEWHERE}ContainerService/managedClusters/aks", "logs": ["kube-audit"]}],
    Alerting: [
        {
            "cluster_id": f"{_ELSEWHERE}ContainerService/managedClusters/aks",
            "pools": [{"name": "general", "min_count": 2, "max_count": 3}],
            "emails": ["ml@example.com"],
        }
    ],
    AgentPools: [
        {
            "pools": [
                {"name": "general", "vm_size": "Standard_D8s_v5", "min_count": 2, "max_count": 3},
                {
                    "name": "gpuspot",
                    "vm_size": "Standard_NC4as_T4_v3",
                    "gpus": 1,
                    "priority": "Spot",
                    "eviction_policy": "Delete",
                    "max_count": 4,
                },
            ]
        }
    ],
    KubeflowPrerequisites: [{"pools": []}],
}
"""Required arguments only."""

MOST: Final[Arguments] = {
    Network: [
        {
            "vnet_cidr": "10.1.0.0/16",
            "subnets": {"all": "10.1.0.0/20"},
            "subnet_names": {"all": "snet-all"},
            "outbound_type": "userAssignedNATGateway",
            "route_table_id": _ROUTES,
            "dns_label": "ours",
            "vnet_name": "vnet",
            "ingress_address_name": "ingress",
            "outbound_address_name": "outbound",
            "nat_gateway_name": "nat",
            "tags": _TAGS,
        },
        {"subnet_ids": {"all": f"{_SPOKE}nodes"}, "outbound_type": "userAssignedNATGateway"},
        {"managed_by_aks": True},
    ],
    AksCluster: [
        {
            "kubernetes": {
                "version": "1.33",
                "support_plan": "KubernetesOfficial",
                "tier": "Standard",
                "upgrade_channel": "none",
                "node_os_upgrade_channel": "SecurityPatch",
                "os_sku": "Ubuntu2404",
                "cost_analysis": True,
                "maintenance": {
                    "day": "Sunday",
                    "start_time": "01:00",
                    "duration_hours": 4,
                    "utc_offset": "+02:00",
                },
            },
            "network": {
                "pod_cidr": "10.2.0.0/16",
                "service_cidr": "10.3.0.0/16",
                "outbound_type": "userAssignedNATGateway",
                "policy": "cilium",
                "route_table_id": _ROUTES,
                "subnet_ids": {"all": f"{_SPOKE}nodes", "also": f"{_SPOKE}NODES"},
            },
            "api_access": {
                "private_dns_zone_id": f"{_ELSEWHERE}Network/privateDnsZones/private.westeurope.azmk8s.io",
                "subnet_id": f"{_SPOKE}api",
                "private_cluster": True,
                "run_command": False,
                "local_accounts": False,
                "admin_group_object_ids": ["1f7ae3c0-5b1d-4b8e-9c0a-2d6f3e8b7a51"],
                "kubelogin_mode": "workloadidentity",
            },
            "autoscaler": {
                "scan_interval": "20s",
                "max_node_provision_time": "15m",
                "scale_down_delay_after_add": "5m",
                "scale_down_unneeded_time": "5m",
                "scale_down_utilization_threshold": 0.4,
                "balance_similar_node_groups": True,
                "skip_nodes_with_local_storage": False,
                "skip_nodes_with_system_pods": False,
                "max_graceful_termination_sec": 300,
                "scale_down_unready_time": "5m",
                "scale_down_delay_after_delete": "20s",
                "scale_down_delay_after_failure": "0m",
                "new_pod_scale_up_delay": "1m",
                "max_empty_bulk_delete": 5,
                "max_total_unready_percentage": 30,
                "ok_total_unready_count": 1,
                "ignore_daemonsets_utilization": True,
                "daemonset_eviction_for_empty_nodes": True,
                "daemonset_eviction_for_occupied_nodes": False,
            },
            "system_pool": {
                "name": "addons",
                "vm_size": "Standard_D8s_v5",
                "min_count": 3,
                "max_count": 5,
                "os_disk_type": "Ephemeral",
                "os_disk_gib": 64,
                "max_pods": 60,
                "zones": ["1", "2", "3"],
                "encryption_at_host": True,
                "upgrade": {
                    "max_surge": "50%",
                    "max_unavailable": "0",
                    "drain_timeout_minutes": 45,
                    "node_soak_minutes": 10,
                    "undrainable_node_behavior": "Cordon",
                },
                "tags": {"pool": "addons"},
                "other_properties": {"enableUltraSSD": True, "kubeletConfig": {"cpuManagerPolicy": "static"}},
                "subnet_id": f"{_SPOKE}nodes",
            },
            "capacity_reservation_groups": {"gpu": _RESERVED},
            "blob_driver": False,
            "managed_prometheus": True,
            "ssh": {"admin_username": "ops", "public_key": _KEY},
            "tags": _TAGS,
            "cluster_name": "cluster",
            "dns_prefix": "dns",
            "node_resource_group": "nodes",
            "identity_name": "identity",
        },
        {
            "identity_id": f"{_ELSEWHERE}ManagedIdentity/userAssignedIdentities/ours",
            "network": {"policy": "calico"},
            "kubernetes": {"support_plan": "KubernetesOfficial"},
            "api_access": {
                "authorized_ip_ranges": ["203.0.113.0/24"],
                "local_accounts": False,
                "admin_group_object_ids": ["1f7ae3c0-5b1d-4b8e-9c0a-2d6f3e8b7a51"],
            },
            "ssh": {"public_key": _KEY},
        },
        {"adopted": True, "network": {"policy": "azure"}},
    ],
    ContainerRegistry: [
        {
            "puller_object_id": "kubelet",
            "sku": "Premium",
            "registry_name": "registry",
            "retention_days": 30,
            "authorized_ip_ranges": ["203.0.113.0/24"],
            "tags": _TAGS,
        },
        {"puller_object_id": "kubelet", "attach": f"{_ELSEWHERE}ContainerRegistry/registries/shared"},
    ],
    DataStore: [
        {
            "oidc_issuer": "https://issuer.example.invalid/",
            "profiles": {
                "team-a": {"service_accounts": ["default-editor", "trainer"], "identity_name": "team-a"},
                "team-b": {},
            },
            "account_name": "account",
            "sku": "Premium_LRS",
            "soft_delete_days": 30,
            "tags": _TAGS,
        }
    ],
    Monitoring: [
        {
            "cluster_id": f"{_ELSEWHERE}ContainerService/managedClusters/A",
            "logs": ["kube-audit"],
            "retention_days": 90,
            "workspace_name": "logs",
            "setting_name": "control-plane",
            "registry_id": f"{_ELSEWHERE}ContainerRegistry/registries/images",
            "registry_setting_name": "images",
            "node_resource_group_name": "nodes",
            "budget": {
                "monthly": 2500.0,
                "start_date": "2026-12-01",
                "emails": ["ml@example.com"],
                "action_groups": [f"{_ELSEWHERE}Insights/actionGroups/money"],
            },
            "budget_name": "money",
            "cost_export": {
                "container": f"{_ELSEWHERE}Storage/storageAccounts/exports/blobServices/default/containers/cost",
                "start_date": "2026-12-02",
                "type": "AmortizedCost",
            },
            "tags": _TAGS,
        },
        {
            "cluster_id": f"{_ELSEWHERE}ContainerService/managedClusters/B",
            "logs": ["guard"],
            "workspace": f"{_ELSEWHERE}OperationalInsights/workspaces/shared",
        },
    ],
    Alerting: [
        {
            "cluster_id": f"{_ELSEWHERE}ContainerService/managedClusters/A",
            "pools": [
                {
                    "name": "gpuspot",
                    "min_count": 0,
                    "max_count": 4,
                    "gpus": True,
                    "spot": True,
                    "price": 0.22,
                    "price_assumed": True,
                    "on_demand_price": 0.66,
                },
                {"name": "gpuod", "min_count": 0, "max_count": 2, "gpus": True, "fallback": True},
            ],
            "emails": ["ml@example.com"],
            "webhooks": ["https://hooks.example.com/T000"],
            "fallback_hours": 12,
            "dashboard": True,
            "namespace": "team",
            "eviction_handler": False,
            "max_node_provision_time": "15m",
            "scale_down_unready_time": "30m",
            "tags": _TAGS,
        }
    ],
    AgentPools: [
        {
            "pools": [
                {
                    "name": "addons",
                    "vm_size": "Standard_D8s_v5",
                    "mode": "System",
                    "min_count": 2,
                    "max_count": 3,
                    "protect": True,
                },
                {
                    "name": "gpuspot",
                    "vm_size": "Standard_NC24ads_A100_v4",
                    "gpus": 1,
                    "gpu_model": "NVIDIA A100",
                    "vcpus": 24,
                    "memory_gib": 220,
                    "architecture": "amd64",
                    "priority": "Spot",
                    "min_count": 1,
                    "max_count": 4,
                    "eviction_policy": "Deallocate",
                    "max_price": 0.5,
                    "labels": {"kubeflow-aks/workload": "gpu", "team": "a"},
                    "fallback": "gpuod",
                    "pool": "gpu",
                    "taints": ["team=a:NoSchedule"],
                    "os_disk": {"type": "Managed", "size_gib": 256},
                    "zones": ["1"],
                    "max_pods": 60,
                    "gpu_instance_profile": "MIG1g",
                    "encryption_at_host": True,
                    "tags": {"pool": "gpu"},
                    "subnet_id": f"{_SPOKE}nodes",
                },
                {
                    "name": "gpuod",
                    "vm_size": "Standard_NC24ads_A100_v4",
                    "gpus": 1,
                    "max_count": 2,
                    "labels": {"kubeflow-aks/workload": "gpu"},
                    "gpu_time_slices": 4,
                    "capacity_reservation_group_id": _RESERVED,
                    "upgrade": {
                        "max_surge": "0",
                        "max_unavailable": "1",
                        "drain_timeout_minutes": 60,
                        "node_soak_minutes": 5,
                        "undrainable_node_behavior": "Schedule",
                    },
                },
            ],
            "kubernetes_version": "1.33",
            "os_sku": "Ubuntu2404",
            "gpu_driver": "None",
            "tags": _TAGS,
        },
        {"pools": [{"name": "batch", "vm_size": "Standard_D8s_v5", "max_count": 2}], "adopted": True},
    ],
    KubeflowPrerequisites: [
        {
            "pools": [
                {
                    "name": "gpuspot",
                    "role": "gpu",
                    "priority": "Spot",
                    "vmSize": "Standard_NC24ads_A100_v4",
                    "gpus": 7,
                    "maxCount": 4,
                    "labels": {
                        "kubeflow-aks/workload": "gpu",
                        "kubernetes.azure.com/scalesetpriority": "spot",
                    },
                    "taints": ["nvidia.com/gpu=present:NoSchedule"],
                    "fallback": "gpuod",
                    "pool": "gpu",
                    "region": "westeurope",
                    "zones": ["1"],
                    "architecture": "amd64",
                    "gpuModel": "NVIDIA A100",
                    "allocatable": {"cpu": "23660m", "memory": "222930Mi"},
                },
                {
                    "name": "gpuod",
                    "role": "gpu",
                    "priority": "Regular",
                    "vmSize": "Standard_NC24ads_A100_v4",
                    "gpus": 7,
                    "maxCount": 2,
                    "labels": {"kubeflow-aks/workload": "gpu"},
                    "taints": ["nvidia.com/gpu=present:NoSchedule"],
                },
            ],
            "namespace": "ours",
            "storage_class": {"name": "disks", "sku": "Premium_LRS", "reclaim_policy": "Retain"},
            "checkpoints": {
                "enabled": True,
                "name": "blobs",
                "sku": "Premium_LRS",
                "reclaim_policy": "Delete",
            },
            "general_labels": {"team": "platform"},
            "inotify": {"enabled": True, "max_user_instances": 2560, "max_user_watches": 1310720},
            "device_plugin": True,
            "gpu_slices": True,
            "gpu_time_slices": [4],
            "network_policies": True,
            "guards": True,
            "eviction_handler": True,
            "on_advisory": "cordon",
            "return_to_spot": True,
            "node_prices": {"cpuspot": 0.11, "cpuod": 0.54},
            "argo_retries": True,
            "managed_prometheus": True,
            "pipelines": "2.16",
            "protect": False,
        },
        {
            "pools": [],
            "checkpoints": {"enabled": False},
            "inotify": {"enabled": False},
            "device_plugin": False,
            "guards": False,
            "eviction_handler": False,
        },
    ],
}
"""Every argument with another value than its default, in as many components as they exclude each other."""


def made(name: str, arguments: Arguments, *, protect: bool) -> None:
    """Makes each component with its arguments, in this order; the second one of a kind is `<name>-2`.

    Args:
        name: what the names of the components start with.
        arguments: of each component.
        protect: an option of them all.
    """
    pulumi.runtime.register_stack_transformation(
        without_version_aliases
    )  # as the program has it; much faster
    group = resources.ResourceGroup(name, resource_group_name=name, location=LOCATION)
    outputs_of_others: dict[str, Any] = {
        "resource_group_name": group.name,
        "resource_group_id": group.id,
        "location": LOCATION,
    }
    opts = pulumi.ResourceOptions(protect=protect)
    for component, variants in arguments.items():
        for number, args_of_one in enumerate(variants, 1):
            taken = component.__init__.__annotations__["args"].__annotations__
            args = {key: value for key, value in outputs_of_others.items() if key in taken} | args_of_one
            made: Any = component(name if number == 1 else f"{name}-{number}", args, opts)  # pyright: ignore
            if isinstance(made, AksCluster):
                outputs_of_others.setdefault("cluster", made.managed_cluster)
                provider = kubernetes.Provider(made.pulumi_resource_name, kubeconfig=made.kubeconfig)
                opts = pulumi.ResourceOptions(protect=protect, providers=[provider])
