"""One stack: settings → plan → components → outputs."""

from datetime import UTC, datetime

import pulumi
import pulumi_kubernetes as kubernetes
from pulumi_azure_native import resources

import arguments
from components.agent_pools import AgentPools
from components.aks_cluster import AksCluster
from components.aliases import without_version_aliases
from components.container_registry import ContainerRegistry
from components.data_store import DataStore
from components.kubeflow.prerequisites import KubeflowPrerequisites
from components.monitoring import Monitoring
from components.network import Network
from planning import plan
from settings import SettingsError
from settings.stack import refusal, stack_values, without_secrets

project, stack = pulumi.get_project(), pulumi.get_stack()
try:
    planned = plan(stack_values(), project=project, stack=stack, today=datetime.now(UTC).date())
except SettingsError as error:
    raise pulumi.RunError(refusal(error, stack)) from None
for warning in planned.warnings:
    pulumi.log.warn(without_secrets(warning))

pulumi.runtime.register_stack_transformation(without_version_aliases)
name, where, tags = planned.names.base, planned.settings.location, planned.settings.tags.as_dict()
keep = pulumi.ResourceOptions(protect=planned.settings.protect)
group = resources.ResourceGroup(name, resource_group_name=name, location=where, tags=tags, opts=keep)
network = Network(name, arguments.network(planned, group), keep)
cluster = AksCluster(name, arguments.cluster(planned, group, network), keep)
registry = ContainerRegistry(name, arguments.registry(planned, group, network, cluster), keep)
wanted, asked = arguments.data_store(planned, group, cluster), arguments.monitoring(planned, group, cluster)
store = DataStore(name, wanted, keep) if wanted else None
logs = Monitoring(name, asked, keep) if asked else None
pools = AgentPools(name, arguments.pools(planned, group, network, cluster))
provider = kubernetes.Provider(name, **arguments.kubernetes_provider(cluster))
first = [made for made in (*pools.resources, registry, store, logs) if made]
inside = pulumi.ResourceOptions(provider=provider, depends_on=first)
prerequisites = KubeflowPrerequisites(name, arguments.prerequisites(planned, cluster), inside)
outputs = arguments.outputs(
    planned, group, network, cluster, prerequisites, images=registry, store=store, logs=logs
)
for output, value in outputs.items():
    pulumi.export(output, value)
