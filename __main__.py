"""One stack: settings → plan → components → outputs."""

from program import packages

packages.check()

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
from program import arguments
from program.stack_plan import stack_plan

plan = stack_plan()
pulumi.runtime.register_stack_transformation(without_version_aliases)
name, protected = plan.names.base, pulumi.ResourceOptions(protect=plan.settings.protect)
new = arguments.resource_group(plan)
group = resources.ResourceGroup(name, **new, opts=protected) if new else arguments.given_group(plan)
network = Network(name, arguments.network(plan, group), protected)
cluster = AksCluster(name, arguments.cluster(plan, group, network), protected)
registry = ContainerRegistry(name, arguments.registry(plan, group, network, cluster), protected)
store = DataStore(name, data, protected) if (data := arguments.data_store(plan, group, cluster)) else None
logs = arguments.monitoring(plan, group, cluster, registry)
monitoring = Monitoring(name, logs, protected) if logs else None
watched = arguments.alerting(plan, group, cluster)
alerting = Alerting(name, watched, protected) if watched else None
with_cluster = pulumi.ResourceOptions(deleted_with=cluster.managed_cluster)
pools = AgentPools(name, arguments.pools(plan, group, network, cluster), with_cluster)
provider = kubernetes.Provider(name, **arguments.kubernetes_provider(cluster))
before = [resource for resource in (*pools.resources, registry, store, monitoring, alerting) if resource]
inside = pulumi.ResourceOptions(provider=provider, depends_on=before, deleted_with=cluster.managed_cluster)
kubeflow = KubeflowPrerequisites(name, arguments.prerequisites(plan, pools), inside)
outputs = arguments.outputs(plan, group, network, cluster, pools, kubeflow, registry, store, monitoring)
for output, value in outputs.items():
    pulumi.export(output, value)
