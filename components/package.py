"""The Pulumi package that the components make up."""

from typing import Final

import pulumi
from pulumi.provider import ConstructResult
from pulumi.provider.experimental.component import ComponentProvider
from pulumi.provider.server import ComponentInitError

from components.agent_pools import AgentPools
from components.aks_cluster import AksCluster
from components.container_registry import ContainerRegistry
from components.data_store import DataStore
from components.kubeflow.prerequisites import KubeflowPrerequisites
from components.mistakes import ArgumentsError
from components.monitoring import Monitoring
from components.network import Network

NAME: Final = "kubeflow-aks"
VERSION: Final = "0.1.0"
COMPONENTS: Final[list[type[pulumi.ComponentResource]]] = [
    AgentPools,
    AksCluster,
    ContainerRegistry,
    DataStore,
    KubeflowPrerequisites,
    Monitoring,
    Network,
]


class Package(ComponentProvider):
    """Makes components for programs in other processes; its schema is read from their types and docstrings."""

    def __init__(self) -> None:
        super().__init__(COMPONENTS, NAME, version=VERSION)

    def construct(
        self,
        name: str,
        resource_type: str,
        inputs: pulumi.Inputs,
        options: pulumi.ResourceOptions | None = None,
    ) -> ConstructResult:
        """Makes a component.

        Raises:
            pulumi.InputPropertiesError: arguments it refuses, which the engine then tells one by one; without this it
                would tell them with a stack trace.
        """
        try:
            return super().construct(name, resource_type, inputs, options)
        except ComponentInitError as error:
            if not isinstance(error.inner, ArgumentsError):
                raise
            raise pulumi.InputPropertiesError(
                "arguments that cannot be used",
                [{"property_path": found.key, "reason": found.reason} for found in error.inner.mistakes],
            ) from None
