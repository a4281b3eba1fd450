"""A deployed stack as one flat program: a statement for each resource, and the state that goes with it."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from kubeflow_aks.recorder.monitor import Resource

Json = dict[str, Any]

_COMPONENTS: Final = re.compile(r"::(?:[^:$]+:[^:$]+:[^:$]+\$)+")
"""Types of the parents in a URN."""
_OPTIONS: Final = {
    "ignoreChanges": "ignore_changes",
    "replaceOnChanges": "replace_on_changes",
    "deleteBeforeReplace": "delete_before_replace",
    "additionalSecretOutputs": "additional_secret_outputs",
}
_FILLED_IN: Final = frozenset({"azureApiVersion", "apiVersion", "kind"})
"""Inputs that SDK or provider add by themselves."""
_HEAD: Final = """\
import base64

import pulumi
import pulumi_kubernetes as kubernetes
from pulumi_azure_native import authorization, containerregistry, containerservice, managedidentity, network, resources

"""
_WITHOUT_ALIASES: Final = """\
pulumi.runtime.register_stack_transformation(
    lambda args: setattr(args.opts, "aliases", None) or pulumi.ResourceTransformationResult(args.props, args.opts)
)
"""


def program(resources: Sequence[Json], recorded: Mapping[str, Resource], *, aliases: bool) -> str:
    """The source of the flat program.

    Args:
        resources: what the state of the deployed stack holds, components too.
        recorded: the same resources with their options, by URN.
        aliases: whether to keep azure-native's version aliases, which our program drops.
    """
    custom = [of for of in resources if of["custom"] and "::pulumi:providers:azure" not in of["urn"]]
    names = {of["urn"]: f"r{index}" for index, of in enumerate(custom)}
    statements = [_statement(of, recorded[of["urn"]], names) for of in custom]
    return "".join((_HEAD, "" if aliases else _WITHOUT_ALIASES, *statements))


def state(checkpoint: Json) -> Json:
    """The state of the flat program: ours without components."""
    deployment = checkpoint["checkpoint"]["latest"]
    components = {
        of["urn"]
        for of in deployment["resources"]
        if not of["custom"] and of["type"] != "pulumi:pulumi:Stack"
    }
    [root] = [of["urn"] for of in deployment["resources"] if of["type"] == "pulumi:pulumi:Stack"]
    kept = [_without(of, components, root) for of in deployment["resources"] if of["urn"] not in components]
    flattened = json.loads(_COMPONENTS.sub("::", json.dumps({**deployment, "resources": kept})))
    return {**checkpoint, "checkpoint": {**checkpoint["checkpoint"], "latest": flattened}}


def project(folder: Path, name: str, stack: str, source: str) -> Path:
    """A project folder with that program."""
    folder.mkdir()
    (folder / "Pulumi.yaml").write_text(f"name: {name}\nruntime: python\n")
    (folder / f"Pulumi.{stack}.yaml").write_text("config: {}\n")
    (folder / "__main__.py").write_text(source)
    return folder


def _without(resource: Json, components: set[str], root: str) -> Json:
    parent = root if resource.get("parent") in components else resource.get("parent")
    dependencies = [urn for urn in resource.get("dependencies", []) if urn not in components]
    return {**resource, "dependencies": dependencies} | ({"parent": parent} if parent else {})


def _statement(resource: Json, recorded: Resource, names: Mapping[str, str]) -> str:
    variable, name = names[resource["urn"]], recorded.name
    options = _options(resource, recorded, names)
    if resource["type"] == "pulumi:providers:kubernetes":
        [cluster] = [names[urn] for urn in names if "ManagedCluster::" in urn]
        arguments = (
            f"kubeconfig=pulumi.Output.secret(containerservice.list_managed_cluster_admin_credentials_output("
            f"resource_group_name={name!r}, resource_name={cluster}.name)"
            f".kubeconfigs.apply(lambda found: base64.b64decode(found[0].value).decode())), "
            f"cluster_identifier={cluster}.id, enable_config_map_mutable=True"
        )
        return f"{variable} = kubernetes.Provider({name!r}, {arguments}, opts={options})\n"
    inputs = {
        key: value for key, value in resource["inputs"].items() if key not in _FILLED_IN and key[:2] != "__"
    }
    arguments = ", ".join(f"{_keyword(resource['type'], key)}={value!r}" for key, value in inputs.items())
    return f"{variable} = {_class(resource['type'])}({name!r}, {arguments}, opts={options})\n"


def _options(resource: Json, recorded: Resource, names: Mapping[str, str]) -> str:
    options = {
        python: repr(recorded.options[wire]) for wire, python in _OPTIONS.items() if wire in recorded.options
    }
    if needed := [names[urn] for urn in resource.get("dependencies", []) if urn in names]:
        options["depends_on"] = f"[{', '.join(needed)}]"
    if with_ := recorded.options.get("deletedWith"):
        options["deleted_with"] = names[with_]
    if resource["type"].startswith("kubernetes:"):
        options["provider"] = names[resource["provider"].rpartition("::")[0]]
    return f"pulumi.ResourceOptions({', '.join(f'{key}={value}' for key, value in options.items())})"


def _class(type_: str) -> str:
    package, module, name = type_.split(":")
    if package == "azure-native":
        return f"{module}.{name}"
    group, _, version = module.partition("/")
    return f"kubernetes.{group.split('.')[0]}.{version}.{name}"


def _keyword(type_: str, wire: str) -> str:
    """The SDK's keyword for an input, whose `resourceName` is irregular (docs/facts/pulumi.md#names-and-types)."""
    if wire == "resourceName" and type_.startswith("azure-native:"):
        return "resource_name_"
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", wire).lower()
