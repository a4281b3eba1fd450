"""Check of azure-native: defaults first, then everything it can judge without Azure."""

import hashlib
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from pulumi.runtime import rpc as wire
from pulumi.runtime.proto import provider_pb2 as proto

from kubeflow_aks.local_aks.azure import constraints, sdk_schema
from kubeflow_aks.local_aks.azure.arm import Json
from kubeflow_aks.local_aks.azure.types import ArmType, AutoName
from kubeflow_aks.local_aks.protocol.wire import UNKNOWN, Unknown, has_unknown
from kubeflow_aks.recorder import sdk_types

CREATE_BEFORE_DELETE: Final = "__createBeforeDelete"
"""Marks inputs whose name Check made up, so that a replacement can be created first."""
API_VERSION: Final = "azureApiVersion"

_HEX_DIGITS: Final = 8
_Autonaming = proto.CheckRequest.AutonamingOptions


@dataclass(frozen=True, kw_only=True)
class Naming:
    """What Check may name a resource by."""

    logical_name: str
    seed: bytes
    """Random seed of the engine: one seed always gives one name."""
    mode: int | None = None
    """Mode of the stack's `pulumi:autonaming` setting, None without one."""
    proposed: str = ""


def check(
    arm_type: ArmType,
    news: Json,
    olds: Json,
    naming: Naming,
    default_location: Callable[[Json], str | Unknown | None],
) -> tuple[Json, list[str]]:
    """Inputs completed with defaults, and what is wrong with them, one sentence each."""
    inputs = without_nulls(news)
    _name(inputs, arm_type, olds, naming)
    if arm_type.located and "location" not in inputs:
        location = olds.get("location") or default_location(inputs)
        if location is not None:
            inputs["location"] = location
    mistakes = _mistakes(arm_type, inputs)
    inputs.setdefault(API_VERSION, sdk_schema.api_version(arm_type.pulumi))
    return inputs, mistakes


def without_nulls(values: Mapping[str, Any]) -> Json:
    """Values as the provider unmarshals them: properties that are null are not there."""
    return {k: without_nulls(v) if isinstance(v, dict) else v for k, v in values.items() if v is not None}  # pyright: ignore[reportUnknownArgumentType]


def body(inputs: Json) -> Json:
    """Inputs without Check's own marks."""
    return {k: v for k, v in inputs.items() if not k.startswith("__") and k != API_VERSION}


def _name(inputs: Json, arm_type: ArmType, olds: Json, naming: Naming) -> None:
    name = arm_type.name_input
    if name in inputs:
        return
    if name in olds:
        chosen, random = olds[name], bool(olds.get(CREATE_BEFORE_DELETE))
    elif naming.mode == _Autonaming.DISABLE:
        return
    elif naming.mode == _Autonaming.ENFORCE or (
        naming.mode == _Autonaming.PROPOSE and arm_type.auto_name is not AutoName.UUID
    ):
        chosen, random = naming.proposed, True
    else:
        digest = hashlib.sha256(naming.logical_name.encode() + naming.seed).digest()
        chosen = {
            AutoName.RANDOM: naming.logical_name + digest.hex()[:_HEX_DIGITS],
            AutoName.COPY: naming.logical_name,
            AutoName.UUID: str(uuid.UUID(bytes=digest[:16], version=4)),
        }[arm_type.auto_name]
        random = arm_type.auto_name is not AutoName.COPY
    inputs[name] = chosen
    if random:
        inputs[CREATE_BEFORE_DELETE] = True


def _mistakes(arm_type: ArmType, inputs: Json) -> list[str]:
    """Missing properties and broken constraints in the provider's words, and what the SDK does not know in ours.

    The real provider drops unknown properties and lets Azure judge enum values (docs/facts/pulumi.md#names-and-types);
    a stand-in that accepted them would hide spelling mistakes.
    """
    checked = _with_sentinels(body(inputs))
    mistakes = [f"missing required property '{name}'" for name in arm_type.path_inputs if name not in inputs]
    for line in sdk_types.check_resource(arm_type.pulumi, checked):
        path, _, what = line.partition(": ")
        name = path.partition(".")[2]
        if what != "required":
            mistakes.append(f"'{name}': {what}")
        elif name not in arm_type.path_inputs:
            mistakes.append(f"missing required property '{name}'")
    if arm_type.located and "location" not in inputs:
        mistakes.append(
            "missing required property 'location'. Either set it explicitly or configure it with "
            "'pulumi config set azure-native:location <value>'."
        )
    return mistakes + constraints.violations(arm_type.pulumi, inputs)


def _with_sentinels(value: Any) -> Any:
    """Values with unknowns as the wire's sentinel, which the SDK's types admit anywhere."""
    if value == UNKNOWN:
        return wire.UNKNOWN
    if isinstance(value, dict) and has_unknown(value):  # pyright: ignore[reportUnknownArgumentType]
        return {k: _with_sentinels(v) for k, v in value.items()}  # pyright: ignore[reportUnknownVariableType]
    if isinstance(value, list):
        return [_with_sentinels(item) for item in value]  # pyright: ignore[reportUnknownVariableType]
    return value  # pyright: ignore[reportUnknownVariableType]
