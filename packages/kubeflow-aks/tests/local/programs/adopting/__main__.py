"""A team that takes over the cluster of `programs/owners`, network and all, with the components."""

import sys
from pathlib import Path

import pulumi

sys.path.append(str(Path(__file__).resolve().parents[6]))  # the folder that holds components/

from components.azure.aliases import without_version_aliases
from components.cluster.aks_cluster import AksCluster
from components.cluster.aks_cluster_args import AksClusterArgs
from components.pools.agent_pools import AgentPools
from components.pools.pool_specs import AgentPoolSpec

config = pulumi.Config()
cluster_id, subnet = config.require("cluster"), config.require("subnet")
args = AksClusterArgs(
    resource_group_name="owners",
    resource_group_id=cluster_id.partition("/providers/")[0],
    location="westeurope",
    identity_id=config.require("identity"),
    system_pool={"subnet_id": subnet, "max_pods": 250},  # AKS never changes either
)
if config.get_bool("named"):
    args["cluster_name"] = "their-cluster"
    args["dns_prefix"] = "their-api"
    args["node_resource_group"] = "their-machines"

pulumi.runtime.register_stack_transformation(without_version_aliases)
cluster = AksCluster("team", args)
SPOT = AgentPoolSpec(
    name="spot",
    vm_size="Standard_D8ds_v5",
    max_count=3,
    priority="Spot",
    eviction_policy="Delete",
    subnet_id=subnet,
)
AgentPools(
    "team",
    {"resource_group_name": "owners", "cluster": cluster.managed_cluster, "pools": [SPOT]},
)
