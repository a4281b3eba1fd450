"""Another team's cluster, made without this repository."""

import pulumi
from pulumi_azure_native import containerservice, resources

group = resources.ResourceGroup("platform", location="westeurope")
cluster = containerservice.ManagedCluster(
    "platform",
    resource_group_name=group.name,
    dns_prefix="platform",
    identity={"type": containerservice.ResourceIdentityType.SYSTEM_ASSIGNED},
    agent_pool_profiles=[{"name": "system", "mode": "System", "vm_size": "Standard_D4s_v5", "count": 2}],
)
containerservice.AgentPool(
    "batch",
    agent_pool_name="batch",
    resource_group_name=group.name,
    resource_name_=cluster.name,
    vm_size="Standard_D8s_v5",
    scale_set_priority="Spot",
    enable_auto_scaling=True,
    min_count=0,
    max_count=10,
)
pulumi.export("cluster", cluster.name)
