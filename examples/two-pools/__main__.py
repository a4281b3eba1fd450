"""A cluster for Charmed Kubeflow with spot machines for batch work, and on-demand ones while spot is sold out."""

import pulumi
import pulumi_kubernetes as kubernetes
from kubeflow_aks_components.cluster.aks_cluster import AksCluster
from kubeflow_aks_components.kubeflow.prerequisites import KubeflowPrerequisites
from kubeflow_aks_components.network.network import Network
from kubeflow_aks_components.pools.agent_pools import AgentPools
from kubeflow_aks_components.pools.pool_specs import AgentPoolSpec
from pulumi_azure_native import resources

location = pulumi.Config().require("location")
group = resources.ResourceGroup("team", location=location)
network = Network("team", {"resource_group_name": group.name, "location": location})
cluster = AksCluster(
    "team",
    {
        "resource_group_name": group.name,
        "resource_group_id": group.id,
        "location": location,
        "system_pool": {"min_count": 1, "subnet_id": network.subnet_ids["system"]},
    },
)
pools = AgentPools(
    "team",
    {
        "resource_group_name": group.name,
        "cluster": cluster.managed_cluster,
        "pools": [
            AgentPoolSpec(
                name="platform",
                vm_size="Standard_D8s_v5",
                min_count=2,
                max_count=3,
                labels={"kubeflow-aks/workload": "platform"},
                subnet_id=network.subnet_ids["general"],
            ),
            AgentPoolSpec(
                name="batch",
                vm_size="Standard_D8ds_v5",
                max_count=10,
                priority="Spot",
                eviction_policy="Delete",
                labels={"kubeflow-aks/workload": "batch"},
                fallback="batchod",
                subnet_id=network.subnet_ids["cpu"],
            ),
            AgentPoolSpec(
                name="batchod",
                vm_size="Standard_D8ds_v5",
                max_count=5,
                labels={"kubeflow-aks/workload": "batch"},
                # Only work that names the label tolerates it.
                taints=["kubeflow-aks/fallback=true:NoSchedule"],
                subnet_id=network.subnet_ids["cpu"],
            ),
        ],
    },
    pulumi.ResourceOptions(deleted_with=cluster),  # only because this program makes it
)
provider = kubernetes.Provider(
    "team",
    kubeconfig=cluster.kubeconfig,
    cluster_identifier=cluster.cluster_id,
    enable_config_map_mutable=True,
)
KubeflowPrerequisites(
    "team",
    {"pools": pools.contract, "protect": False},
    pulumi.ResourceOptions(provider=provider, depends_on=pools.resources, deleted_with=cluster),
)
pulumi.export("cluster", cluster.name)
pulumi.export("pools", pools.names)
pulumi.export("kubeconfig", cluster.kubeconfig)
