"""Arguments that the tests of several files start from."""

from components.agent_pools import AgentPoolSpec
from components.aks_cluster_args import (
    AksClusterArgs,
    ApiAccessArgs,
    AutoscalerArgs,
    ClusterNetworkArgs,
    KubernetesArgs,
    MaintenanceArgs,
)
from components.kubeflow import KubeflowPrerequisitesArgs
from components.kubeflow.inotify import InotifyArgs
from components.kubeflow.storage import StorageClassArgs

REGULAR = AgentPoolSpec(
    name="general",
    vm_size="Standard_D8s_v5",
    spot=False,
    gpu=False,
    min_count=2,
    max_count=3,
    labels={"kubeflow-aks/workload": "platform"},
    taints=[],
    os_disk_type="Managed",
    os_disk_gib=128,
    zones=[],
    max_pods=110,
    subnet_id="subnet",
    eviction_policy=None,
    max_price=None,
    gpu_instance_profile=None,
    protect=True,
)
GROUP_ID = "/subscriptions/1234/resourceGroups/group"
ACCESS = ApiAccessArgs(
    authorized_ip_ranges=[],
    private_cluster=False,
    local_accounts=True,
    admin_group_object_ids=[],
    kubelogin_mode="azurecli",
)
ENTRA: ApiAccessArgs = {**ACCESS, "local_accounts": False, "admin_group_object_ids": ["ml-admins"]}
CLUSTER = AksClusterArgs(
    resource_group_name="group",
    resource_group_id=GROUP_ID,
    location="westeurope",
    kubernetes=KubernetesArgs(
        version="1.34",
        support_plan="AKSLongTermSupport",
        tier="Premium",
        upgrade_channel="patch",
        node_os_upgrade_channel="NodeImage",
    ),
    maintenance=MaintenanceArgs(day="Saturday", start_time="22:00", duration_hours=6, utc_offset="+00:00"),
    network=ClusterNetworkArgs(
        pod_cidr="10.244.0.0/16",
        service_cidr="10.0.0.0/16",
        dns_service_ip="10.0.0.10",
        outbound_type="loadBalancer",
    ),
    api_access=ACCESS,
    autoscaler=AutoscalerArgs(
        scan_interval="10s",
        max_node_provision_time="10m",
        scale_down_delay_after_add="10m",
        scale_down_unneeded_time="10m",
        scale_down_utilization_threshold=0.5,
        balance_similar_node_groups=False,
        skip_nodes_with_local_storage=True,
        skip_nodes_with_system_pods=True,
        max_graceful_termination_sec=600,
    ),
    system_pool={**REGULAR, "name": "system", "taints": ["CriticalAddonsOnly=true:NoSchedule"]},
    ssh=None,
    tags={"owner": "ml"},
)
SPOT_KEY = "kubernetes.azure.com/scalesetpriority"
PREREQUISITES = KubeflowPrerequisitesArgs(
    namespace="kubeflow-aks",
    priorities="1:\n  - .*\n",
    pool_contract="[]",
    storage_class=StorageClassArgs(name="ckf-zrs", sku="StandardSSD_ZRS", reclaim_policy="Retain"),
    general_labels={"kubeflow-aks/workload": "platform"},
    inotify=InotifyArgs(max_user_instances=1280, max_user_watches=655360),
    device_plugin=True,
    spot_taint_key=SPOT_KEY,
    guards=True,
    argo_retries=False,
    protect=True,
)
