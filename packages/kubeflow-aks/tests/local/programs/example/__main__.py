"""The smallest program with everything the engine runner must cope with: both providers, secrets, own modules."""

import cluster
import pulumi
import pulumi_kubernetes as kubernetes
from pulumi_azure_native import resources

config = pulumi.Config()
location = config.require("location")
if location == "nowhere":
    raise pulumi.RunError("example:location: 'nowhere' is no region")

group = resources.ResourceGroup("group", resource_group_name="example", location=location)
managed = cluster.cluster(group, location)
pool = cluster.pool(group, managed, config.require_object("pool"))
provider = kubernetes.Provider(
    "inside",
    kubeconfig=cluster.kubeconfig(group, managed),
    cluster_identifier=managed.id,
    enable_config_map_mutable=True,
)
inside = pulumi.ResourceOptions(provider=provider)
namespace = kubernetes.core.v1.Namespace(
    "namespace", metadata={"name": config.require("namespace")}, opts=inside
)
kubernetes.core.v1.ConfigMap(
    "pools",
    metadata={"name": "pools", "namespace": namespace.metadata["name"]},
    data={"spot": config.require_object("pool")["vmSize"]},
    opts=inside,
)

pulumi.export("pool", pool.name)
pulumi.export("password", pulumi.Output.secret("correct horse"))
