"""The recording monitor: what the program registers, with the engine's URNs and every option."""

from dataclasses import dataclass, field
from typing import Any, cast

import pulumi
from google.protobuf import json_format
from pulumi.runtime import mocks, rpc, settings
from pulumi.runtime.proto import resource_pb2

from kubeflow_aks.recorder.marks import SECRET, SIGNATURE

STACK_TYPE = "pulumi:pulumi:Stack"


class DuplicateUrnError(Exception):
    """Two resources with one URN, which the real engine refuses."""


@dataclass(frozen=True)
class Resource:
    """One registered resource: wire names, plain values."""

    urn: str
    type: str
    name: str
    custom: bool
    """False for a component."""
    parent: str
    inputs: dict[str, Any]
    secret_inputs: frozenset[str]
    """Paths of inputs that are secret."""
    unknown_inputs: frozenset[str]
    """Paths of inputs that are unknown before `up`; their value is None."""
    options: dict[str, Any]
    depends_on: tuple[str, ...]
    property_dependencies: dict[str, tuple[str, ...]]


@dataclass
class Values:
    """Plain values read from the protocol, and the paths of what was secret or unknown in them."""

    secrets: set[str] = field(default_factory=set[str])
    unknowns: set[str] = field(default_factory=set[str])

    def plain(self, value: Any, path: str = "") -> Any:
        """A protocol value without its markers."""
        if isinstance(value, dict):
            mapping = cast(dict[str, Any], value)
            if mapping.get(SIGNATURE) == SECRET:
                self.secrets.add(path)
                return self.plain(mapping["value"], path)
            return {key: self.plain(item, f"{path}.{key}" if path else key) for key, item in mapping.items()}
        if isinstance(value, list):
            return [self.plain(item, f"{path}[{i}]") for i, item in enumerate(cast(list[Any], value))]
        if value == rpc.UNKNOWN:
            self.unknowns.add(path)
            return None
        return int(value) if isinstance(value, float) and value.is_integer() else value


class RecordingMonitor(mocks.MockMonitor):
    """A mock monitor that answers as the engine does and records every request."""

    def __init__(self, answers: mocks.Mocks) -> None:
        super().__init__(answers)
        self.registered: dict[str, Resource] = {}
        self.outputs: dict[str, tuple[dict[str, Any], Values]] = {}
        """Outputs of components and of the stack, by URN."""
        self.invokes: list[str] = []

    def make_urn(self, parent: str, type_: str, name: str) -> str:
        """The engine's URN, which names the types of all parents."""
        if parent and (parent_type := parent.split("::")[2]) != STACK_TYPE:
            type_ = f"{parent_type}${type_}"
        return f"urn:pulumi:{pulumi.get_stack()}::{pulumi.get_project()}::{type_}::{name}"

    def GetDeploymentInfo(self, request: Any) -> Any:  # noqa: N802 - name of the protocol
        """What this supports: all but the short form of aliases, so that the SDK sends them as whole URNs."""
        info = cast(Any, super()).GetDeploymentInfo(request)
        info.supportedFeatures.remove(resource_pb2.RESOURCE_MONITOR_FEATURE_ALIAS_SPECS)
        return info

    def RegisterResource(self, request: Any) -> Any:  # noqa: N802 - name of the protocol
        """Records a registration; in a preview nothing is created, so the answer has no outputs."""
        urn = self.make_urn(request.parent, request.type, request.name)
        if urn in self.registered:
            raise DuplicateUrnError(f"duplicate resource URN {urn}")
        values = Values()
        inputs = values.plain(json_format.MessageToDict(request.object))
        self.registered[urn] = Resource(
            urn=urn,
            type=request.type,
            name=request.name,
            custom=request.custom,
            parent=request.parent,
            inputs=inputs,
            secret_inputs=frozenset(values.secrets),
            unknown_inputs=frozenset(values.unknowns),
            options=self._inherited(request.parent) | _options(request, urn),
            depends_on=tuple(sorted(request.dependencies)),
            property_dependencies={
                key: tuple(deps.urns) for key, deps in request.propertyDependencies.items()
            },
        )
        if request.custom and not settings.is_dry_run():
            return cast(Any, super()).RegisterResource(request)
        return resource_pb2.RegisterResourceResponse(urn=urn)

    def RegisterResourceOutputs(self, request: Any) -> Any:  # noqa: N802 - name of the protocol
        """Records the outputs of a component or of the stack."""
        values = Values()
        self.outputs[request.urn] = values.plain(json_format.MessageToDict(request.outputs)), values
        return cast(Any, super()).RegisterResourceOutputs(request)

    def Invoke(self, request: Any) -> Any:  # noqa: N802 - name of the protocol
        """Records an invoke."""
        self.invokes.append(request.tok)
        return cast(Any, super()).Invoke(request)

    def _inherited(self, parent: str) -> dict[str, Any]:
        """The options that the engine itself passes on from a parent (pulumi/pulumi, `inheritFromParent`)."""
        options = self.registered[parent].options if parent in self.registered else {}
        return {name: options[name] for name in ("deletedWith", "retainOnDelete") if name in options}


def _options(request: Any, urn: str) -> dict[str, Any]:
    options: dict[str, Any] = {
        name: getattr(request, name) for name in ("protect", "retainOnDelete") if request.HasField(name)
    }
    options |= {
        name: list(getattr(request, name))
        for name in ("ignoreChanges", "replaceOnChanges", "additionalSecretOutputs", "hideDiffs")
        if getattr(request, name)
    }
    options |= {
        name: getattr(request, name)
        for name in ("deletedWith", "provider", "version", "importId")
        if getattr(request, name)
    }
    if request.deleteBeforeReplaceDefined:
        options["deleteBeforeReplace"] = request.deleteBeforeReplace
    if request.HasField("customTimeouts"):
        options["customTimeouts"] = json_format.MessageToDict(request.customTimeouts)
    if aliases := sorted(alias for alias in request.aliasURNs if not _is_of_the_sdk(alias, urn)):
        options["aliases"] = aliases
    return options


def _is_of_the_sdk(alias: str, urn: str) -> bool:
    """Whether an alias is one that a provider's SDK gives every resource: another type of its package, nothing else."""
    (*place, types, name), (*own_place, own_types, own_name) = alias.split("::"), urn.split("::")
    parents, _, type_ = types.rpartition("$")
    own_parents, _, own_type = own_types.rpartition("$")
    same = (place, parents, name) == (own_place, own_parents, own_name)
    return same and type_ != own_type and type_.split(":")[0] == own_type.split(":")[0]
