"""The Pulumi package that the components make up."""

import inspect
import json
from pathlib import Path
from typing import Any, Final, cast

import pulumi
import yaml
from pulumi.provider import ConstructResult
from pulumi.provider.experimental import component
from pulumi.provider.experimental.analyzer import ComponentDefinition
from pulumi.provider.server import ComponentInitError

from .arguments.errors import ArgumentsError
from .arguments.wire import ChoiceAnalyzer, PythonArguments
from .cluster.aks_cluster import AksCluster
from .data_store.data_store import DataStore
from .kubeflow.prerequisites import KubeflowPrerequisites
from .monitoring.alerting import Alerting
from .monitoring.monitoring import Monitoring
from .network.network import Network
from .pools.agent_pools import AgentPools
from .registry.container_registry import ContainerRegistry

NAME: Final = "kubeflow-aks"
NAMESPACE: Final = "ckf"
"""First part of an SDK's name, as in `@ckf/kubeflow-aks`; without it npm's would be named as one of Pulumi's own."""
_DECLARED: Final = yaml.safe_load(Path(__file__).with_name("PulumiPlugin.yaml").read_text(encoding="utf-8"))
VERSION: Final[str] = _DECLARED["version"]
COMPONENTS: Final[list[type[pulumi.ComponentResource]]] = [
    AgentPools,
    AksCluster,
    Alerting,
    ContainerRegistry,
    DataStore,
    KubeflowPrerequisites,
    Monitoring,
    Network,
]


_METADATA: Final = {
    "displayName": "Kubeflow on AKS",
    "description": "An Azure Kubernetes cluster for Charmed Kubeflow, where batch work runs on spot machines, safely",
    "keywords": [
        "pulumi",
        "category/cloud",
        "kind/component",
        "azure",
        "aks",
        "kubernetes",
        "kubeflow",
        "spot",
    ],
    "license": "Apache-2.0",
    "publisher": "The Kubeflow on AKS authors",
}
_SECRETS: Final = (("AksCluster", "kubeconfig"), ("KubeflowPrerequisites", "jujuToken"))
"""Outputs that are always secret."""
_TEXTS: Final = (("ContractPool", "role"), ("ContractPool", "priority"), ("ContractPool", "architecture"))
"""Choices in what is an output of one component and an input of another: Pulumi YAML assigns no enum (1.25.0)."""


class Package(component.ComponentProvider):
    """Makes components for programs in other processes; its schema comes from their types and docstrings."""

    def __init__(self) -> None:
        # The provider makes its own analyzer, and takes no other.
        component.Analyzer = ChoiceAnalyzer  # pyright: ignore[reportPrivateImportUsage]
        super().__init__(COMPONENTS, NAME, NAMESPACE, VERSION)
        self.schema = json.dumps(_completed(json.loads(self.schema or "")))

    def map_inputs(self, inputs: pulumi.Inputs, component_def: ComponentDefinition) -> pulumi.Inputs:
        """The arguments as Python names them (`components.arguments.wire`).

        Raises:
            pulumi.InputPropertiesError: required ones are missing.
        """
        return PythonArguments(self.get_type_definition).of(component_def, inputs)

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
                [
                    {"property_path": mistake.key, "reason": mistake.reason}
                    for mistake in error.inner.mistakes
                ],
            ) from None


def _completed(schema: dict[str, Any]) -> dict[str, Any]:
    """The schema with what Pulumi does not take from types: who made it, secret outputs, and texts for choices."""
    for name, output in _SECRETS:
        schema["resources"][f"{NAME}:index:{name}"]["properties"][output]["secret"] = True
    for name, field in _TEXTS:
        declared = schema["types"][f"{NAME}:index:{name}"]["properties"][field]
        del declared["$ref"]
        declared["type"] = "string"
    return _without_indentation(schema | _METADATA)


def _without_indentation(value: Any, key: str = "") -> Any:
    """A part of the schema; its descriptions are docstrings, which Python cleans itself from 3.13 on."""
    if isinstance(value, dict):
        fields = cast(dict[str, Any], value).items()
        return {name: _without_indentation(field, name) for name, field in fields if field is not None}
    if isinstance(value, list):
        return [_without_indentation(item) for item in cast(list[Any], value)]
    return inspect.cleandoc(value) if key == "description" and isinstance(value, str) else value
