"""The Pulumi package that the components make up."""

import inspect
import json
from pathlib import Path
from typing import Any, Final, cast

import pulumi
import yaml
from pulumi.provider import ConstructResult
from pulumi.provider.experimental.component import ComponentProvider
from pulumi.provider.server import ComponentInitError

from .agent_pools import AgentPools
from .aks_cluster import AksCluster
from .container_registry import ContainerRegistry
from .data_store import DataStore
from .errors import ArgumentsError
from .kubeflow.prerequisites import KubeflowPrerequisites
from .monitoring import Monitoring
from .network import Network

NAME: Final = "kubeflow-aks"
_DECLARED: Final = yaml.safe_load(Path(__file__).with_name("PulumiPlugin.yaml").read_text(encoding="utf-8"))
VERSION: Final[str] = _DECLARED["version"]
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
    """Makes components for programs in other processes; its schema comes from their types and docstrings."""

    def __init__(self) -> None:
        super().__init__(COMPONENTS, NAME, version=VERSION)
        self.schema = json.dumps(_without_indentation(json.loads(self.schema or "")))

    def construct(
        self,
        name: str,
        resource_type: str,
        inputs: pulumi.Inputs,
        options: pulumi.ResourceOptions | None = None,
    ) -> ConstructResult:
        """Makes a component.

        Raises:
            pulumi.InputPropertiesError: invalid arguments, which the engine then reports one by one and without a
                stack trace.
        """
        try:
            return super().construct(name, resource_type, inputs, options)
        except ComponentInitError as error:
            if not isinstance(error.inner, ArgumentsError):
                raise
            raise pulumi.InputPropertiesError(
                "invalid arguments",
                [{"property_path": found.key, "reason": found.reason} for found in error.inner.mistakes],
            ) from None


def _without_indentation(value: Any, key: str = "") -> Any:
    """A part of the schema; its descriptions are docstrings, which Python cleans itself from 3.13 on."""
    if isinstance(value, dict):
        fields = cast(dict[str, Any], value).items()
        return {name: _without_indentation(field, name) for name, field in fields}
    if isinstance(value, list):
        return [_without_indentation(item) for item in cast(list[Any], value)]
    return inspect.cleandoc(value) if key == "description" and isinstance(value, str) else value
