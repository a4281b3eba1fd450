"""An object in the engine's state: its live fields, the inputs behind them, and which of both are secret.

Source: `checkpointObject` and `annotateSecrets` of pulumi-kubernetes (provider.go).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Self

from google.protobuf import json_format, struct_pb2
from pulumi.runtime import rpc as pulumi_rpc

from kubeflow_aks.clients.kubernetes.objects import Object, fields, is_list, is_object
from kubeflow_aks.local_aks.protocol import wire

INPUTS: Final = "__inputs"
INITIAL_API_VERSION: Final = "__initialApiVersion"
FIELD_MANAGER: Final = "__fieldManager"


@dataclass(frozen=True)
class Checkpoint:
    """An object as the engine's state holds it.

    Attributes:
        inputs: the program's inputs.
        live: the object as the API server had it.
        initial_api_version: API version it was created with.
        field_manager: owner of its fields; empty before the first write.
    """

    inputs: Object
    live: Object
    initial_api_version: str
    field_manager: str

    @classmethod
    def read(cls, state: Object) -> Self:
        """A checkpoint from a state's properties (decoded, secrets in the clear)."""
        live = {key: value for key, value in state.items() if key != INPUTS}
        manager, api_version = live.pop(FIELD_MANAGER, None), live.pop(INITIAL_API_VERSION, None)
        return cls(fields(state.get(INPUTS)), live, str(api_version or ""), str(manager or ""))

    def write(self, secrets_of: struct_pb2.Struct) -> Object:
        """The state's properties; what is secret in `secrets_of`, and all data of a Secret, is marked so."""
        return {
            **with_secrets_of(without_nulls(self.live), secrets_of),
            INPUTS: with_secrets_of(without_nulls(self.inputs), secrets_of),
            INITIAL_API_VERSION: self.initial_api_version or self.live["apiVersion"],
            FIELD_MANAGER: self.field_manager,
        }


def with_secrets_of(values: Object, source: struct_pb2.Struct) -> Object:
    """The values with the secret marks of the request they came from.

    A list with a secret anywhere in it becomes secret as a whole; so do `data` and `stringData` of a Secret.
    """
    return _marked(values, json_format.MessageToDict(source))


def without_nulls(values: Object) -> Object:
    """The object without its null fields, at any depth."""
    return fields(_without_nulls(values))


def _marked(values: Object, source: Mapping[str, Any]) -> Object:
    if values.get("kind") == "Secret":
        clear = ("data", "stringData")
        return {key: wire.Secret(value) if key in clear else value for key, value in values.items()}
    return {key: _marked_field(value, source.get(key)) for key, value in values.items()}


def _marked_field(value: object, source: object) -> object:
    if is_object(value) and is_object(source) and not pulumi_rpc.is_rpc_secret(source):
        return _marked(value, source)
    return wire.Secret(value) if _has_secret(source) else value


def _has_secret(source: object) -> bool:
    if is_object(source):
        return pulumi_rpc.is_rpc_secret(source) or any(_has_secret(value) for value in source.values())
    return is_list(source) and any(_has_secret(item) for item in source)


def _without_nulls(value: object) -> object:
    if is_object(value):
        return {key: _without_nulls(entry) for key, entry in value.items() if entry is not None}
    if is_list(value):
        return [_without_nulls(item) for item in value]
    return value
