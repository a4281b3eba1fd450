"""Arguments that the tests of several files start from."""

from pulumi_azure_native import containerservice as aks

from components.cluster.aks_cluster_args import AksClusterArgs, ApiAccessSpec
from components.kubeflow.prerequisites import KubeflowPrerequisitesArgs
from components.pools.pool_specs import AgentPoolSpec, ContractPool
from kubeflow_aks.recorder.answers import SUBSCRIPTION

GROUP_ID = "/subscriptions/00000000-0000-0000-0000-000000001234/resourceGroups/group"
SUBNET_ID = f"{GROUP_ID}/providers/Microsoft.Network/virtualNetworks/vnet/subnets/nodes"
SPOT_KEY = "kubernetes.azure.com/scalesetpriority"
REGULAR = AgentPoolSpec(
    name="general",
    vm_size="Standard_D8s_v5",
    min_count=2,
    max_count=3,
    labels={"kubeflow-aks/workload": "platform"},
    subnet_id=SUBNET_ID,
    protect=True,
)
ENTRA = ApiAccessSpec(local_accounts=False, admin_group_object_ids=["1f7ae3c0-5b1d-4b8e-9c0a-2d6f3e8b7a51"])
CLUSTER = AksClusterArgs(
    resource_group_name="group",
    resource_group_id=GROUP_ID,
    location="westeurope",
    system_pool={"vm_size": "Standard_D8s_v5", "subnet_id": SUBNET_ID},
    tags={"owner": "ml"},
)
CONTRACT = [
    ContractPool(
        name="batch",
        role="cpu",
        priority="Spot",
        vmSize="Standard_D8ds_v5",
        gpus=0,
        maxCount=10,
        labels={"kubeflow-aks/workload": "batch", SPOT_KEY: "spot"},
        taints=[f"{SPOT_KEY}=spot:NoSchedule"],
        fallback="batchod",
    ),
    ContractPool(
        name="batchod",
        role="cpu",
        priority="Regular",
        vmSize="Standard_D8s_v5",
        gpus=0,
        maxCount=5,
        labels={"kubeflow-aks/workload": "batch"},
        taints=[],
    ),
]
UNSAID = {
    "pool": None,
    "region": None,
    "zones": None,
    "architecture": None,
    "gpuModel": None,
    "allocatable": None,
}
"""What a contract may leave out, as `contract_text` writes it."""
PREREQUISITES = KubeflowPrerequisitesArgs(pools=CONTRACT)
"""What a cluster's prerequisites cannot do without."""


def managed_cluster() -> aks.ManagedCluster:
    """A cluster that is there already, as any program has made it."""
    return aks.ManagedCluster(
        "aks",
        resource_name_="aks",
        resource_group_name="group",
        location="westeurope",
        kubernetes_version="1.34",
        identity=aks.ManagedClusterIdentityArgs(
            type=aks.ResourceIdentityType.USER_ASSIGNED,
            user_assigned_identities=[f"{SUBSCRIPTION}/resourceGroups/group/identities/aks"],
        ),
    )
