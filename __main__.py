"""One stack: settings → plan → components → outputs."""

from program import packages

packages.check()

import pulumi
import pulumi_kubernetes as kubernetes
from pulumi_azure_native import resources

from components.agent_pools import AgentPools
from components.aks_cluster import AksCluster
from components.aliases import without_version_aliases
from components.container_registry import ContainerRegistry
from components.data_store import DataStore
from components.kubeflow.prerequisites import KubeflowPrerequisites
from components.monitoring import Monitoring
from components.network import Network
from program import arguments
from program.stack_plan import stack_plan

plan = stack_plan()
pulumi.runtime.register_stack_transformation(without_version_aliases)
name, protected = plan.names.base, pulumi.ResourceOptions(protect=plan.settings.protect)
group = resources.ResourceGroup(name, **arguments.resource_group(plan), opts=protected)
network = Network(name, arguments.network(plan, group), protected)
cluster = AksCluster(name, arguments.cluster(plan, group, network), protected)
registry = ContainerRegistry(name, arguments.registry(plan, group, network, cluster), protected)
store_args = arguments.data_store(plan, group, cluster)
store = DataStore(name, store_args, protected) if store_args else None
monitoring_args = arguments.monitoring(plan, group, cluster)
monitoring = Monitoring(name, monitoring_args, protected) if monitoring_args else None
pools = AgentPools(name, arguments.pools(plan, group, network, cluster))
provider = kubernetes.Provider(name, **arguments.kubernetes_provider(cluster))
before_objects = [resource for resource in (*pools.resources, registry, store, monitoring) if resource]
in_cluster = pulumi.ResourceOptions(provider=provider, depends_on=before_objects)
kubeflow = KubeflowPrerequisites(name, arguments.prerequisites(plan, cluster), in_cluster)
outputs = arguments.outputs(plan, group, network, cluster, kubeflow, registry, store, monitoring)
for output, value in outputs.items():
    pulumi.export(output, value)
