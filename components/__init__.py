"""The components of a stack: thin, one noun each, no configuration and no module-level resources."""

from components.agent_pools import AgentPools
from components.aks_cluster import AksCluster
from components.container_registry import ContainerRegistry
from components.kubeflow import KubeflowPrerequisites
from components.network import Network

__all__ = ["AgentPools", "AksCluster", "ContainerRegistry", "KubeflowPrerequisites", "Network"]
