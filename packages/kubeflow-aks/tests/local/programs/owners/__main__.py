"""The program of those who own a cluster and its network, written without any component."""

import pulumi
from pulumi_azure_native import containerservice as aks
from pulumi_azure_native import managedidentity, network, resources

LOCATION = "westeurope"

group = resources.ResourceGroup("owners", resource_group_name="owners", location=LOCATION)
subnet = network.SubnetArgs(name="nodes", address_prefix="10.1.0.0/24")
vnet = network.VirtualNetwork(
    "owners",
    virtual_network_name="owners",
    resource_group_name=group.name,
    location=LOCATION,
    address_space=network.AddressSpaceArgs(address_prefixes=["10.1.0.0/16"]),
    subnets=[subnet],
)
identity = managedidentity.UserAssignedIdentity(
    "owners", resource_name_="owners-id", resource_group_name=group.name, location=LOCATION
)
pool = aks.ManagedClusterAgentPoolProfileArgs(
    name="system",
    mode="System",
    vm_size="Standard_D4s_v5",
    count=2,
    os_type="Linux",
    type="VirtualMachineScaleSets",
    vnet_subnet_id=pulumi.Output.concat(vnet.id, "/subnets/nodes"),
)
cluster = aks.ManagedCluster(
    "owners",
    resource_name_="their-cluster",
    resource_group_name=group.name,
    location=LOCATION,
    dns_prefix="their-api",
    node_resource_group="their-machines",
    kubernetes_version="1.34",
    identity=aks.ManagedClusterIdentityArgs(
        type=aks.ResourceIdentityType.USER_ASSIGNED, user_assigned_identities=[identity.id]
    ),
    network_profile=aks.ContainerServiceNetworkProfileArgs(
        network_plugin="azure", network_plugin_mode="overlay", pod_cidr="10.244.0.0/16"
    ),
    agent_pool_profiles=[pool],
    enable_rbac=True,
)
pulumi.export("cluster", cluster.id)
pulumi.export("subnet", pulumi.Output.concat(vnet.id, "/subnets/nodes"))
pulumi.export("identity", identity.id)
