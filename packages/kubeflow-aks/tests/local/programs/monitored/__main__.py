"""A cluster whose logs are collected, made anew when its pod range changes."""

import sys
from pathlib import Path

import pulumi
from pulumi_azure_native import resources

sys.path.append(str(Path(__file__).resolve().parents[6]))  # the folder that holds components/

from components.azure.aliases import without_version_aliases
from components.cluster.aks_cluster import AksCluster
from components.monitoring.monitoring import Monitoring

LOCATION = "westeurope"

pulumi.runtime.register_stack_transformation(without_version_aliases)
group = resources.ResourceGroup("monitored", resource_group_name="monitored", location=LOCATION)
cluster = AksCluster(
    "monitored",
    {
        "resource_group_name": group.name,
        "resource_group_id": group.id,
        "location": LOCATION,
        "network": {"pod_cidr": pulumi.Config().get("pods") or "10.244.0.0/16"},
    },
)
Monitoring(
    "monitored",
    {
        "resource_group_name": group.name,
        "location": LOCATION,
        "cluster_id": cluster.cluster_id,
        "logs": ["kube-audit-admin"],
        "node_resource_group_name": cluster.managed_cluster.node_resource_group.apply(str),
        "budget": {"monthly": 100.0, "start_date": "2026-12-01", "emails": ["ml@example.com"]},
        "cost_export": {
            "container": "/subscriptions/00000000-0000-0000-0000-000000000000/resourceGroups/hub/providers/"
            "Microsoft.Storage/storageAccounts/hub/blobServices/default/containers/cost",
            "start_date": "2026-12-02",
        },
    },
)
