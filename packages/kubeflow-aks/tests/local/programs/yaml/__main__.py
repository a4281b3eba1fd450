"""Stands in for Pulumi's YAML host: registers what the Pulumi.yaml beside it says, in the form that our example has."""

import re
from pathlib import Path
from typing import Any, cast

import pulumi
import pulumi_azure_native.containerservice  # noqa: F401  # pyright: ignore[reportUnusedImport] - a cluster that is an output stays a resource
import yaml

TEXT = Path("Pulumi.yaml").read_text(encoding="utf-8")
PROGRAM: dict[str, dict[str, Any]] = yaml.safe_load(TEXT)
registered: dict[str, Any] = {name: pulumi.Config().require(name) for name in PROGRAM["config"]}


def value(of: Any) -> Any:
    """A value with its references, such as `${network.subnetIds.cpu}`, in place."""
    if isinstance(of, dict):
        return {key: value(part) for key, part in cast(dict[str, Any], of).items()}
    if isinstance(of, list):
        return [value(part) for part in cast(list[Any], of)]
    return looked_up(*of[2:-1].split(".")) if str(of).startswith("${") else of


def looked_up(name: str, output: str = "", *keys: str) -> Any:
    """What a reference names: a setting, or a resource's output and the keys in it."""
    if not output:
        return registered[name]
    outputs = cast(dict[str, pulumi.Output[Any]], vars(registered[name]))
    output_value = cast(pulumi.Output[Any], registered[name].id) if output == "id" else outputs[output]
    for key in keys:
        output_value = output_value[key]
    return output_value


def register(key: str, declared: dict[str, Any]) -> pulumi.Resource:
    """A resource, with the outputs that others refer to."""
    outputs = set(re.findall(rf"\$\{{{key}\.(\w+)", TEXT)) - {"id"}
    properties = dict.fromkeys(outputs) | value(declared["properties"])
    kind, name = declared["type"], declared.get("name", key)
    stated = value(declared.get("options", {}))
    options = pulumi.ResourceOptions(
        deleted_with=stated.get("deletedWith"),
        depends_on=stated.get("dependsOn"),
        providers=stated.get("providers"),
    )
    if kind.startswith("pulumi:providers:"):
        return pulumi.ProviderResource(kind.rpartition(":")[2], name, properties, options)
    if kind.startswith("kubeflow-aks:"):
        return pulumi.ComponentResource(kind, name, properties, options, remote=True)
    return pulumi.CustomResource(kind, name, properties, options)


for key, declared in PROGRAM["resources"].items():
    registered[key] = register(key, declared)
for name, output in PROGRAM["outputs"].items():
    pulumi.export(name, value(output))
