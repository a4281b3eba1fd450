"""What the Pulumi package consists of."""

from typing import Final

import pulumi

from components.agent_pools import AgentPools
from components.aks_cluster import AksCluster
from components.container_registry import ContainerRegistry
from components.kubeflow.prerequisites import KubeflowPrerequisites
from components.network import Network

NAME: Final = "kubeflow-aks"
VERSION: Final = "0.1.0"
COMPONENTS: Final[list[type[pulumi.ComponentResource]]] = [
    AgentPools,
    AksCluster,
    ContainerRegistry,
    KubeflowPrerequisites,
    Network,
]
