"""Shapes of inputs and outputs as azure-native's Python SDK declares them.

The real provider converts between both with its own metadata, from which the SDK is generated too. This reads
`pulumi._types`, which is private: the SDK is pinned, and `tests/local_aks/azure/test_azure_sdk_schema.py` guards it.
"""

import collections.abc
import inspect
import re
import typing
from collections.abc import Callable, Mapping
from typing import Any, Final

from pulumi import _types  # pyright: ignore[reportPrivateUsage]

from kubeflow_aks.json_values import folded
from kubeflow_aks.local_aks.azure.arm import Json
from kubeflow_aks.local_aks.protocol.wire import UNKNOWN, Unknown
from kubeflow_aks.recorder import sdk_types

_API_VERSION: Final = re.compile(r"Uses Azure REST API version (\S+?)\.(?:\s|$)")
_input_types: Callable[[type], dict[str, Any]] = _types.input_type_types
_output_types: Callable[[type], dict[str, Any]] = _types.output_type_types
_resource_types: Callable[[type], dict[str, Any]] = _types.resource_types


@sdk_types.loaded_once
def api_version(token: str) -> str:
    """The ARM API version the provider uses for a resource, e.g. `2025-09-01`."""
    for overload in typing.get_overloads(sdk_types.resource_class(token).__init__):
        if match := _API_VERSION.search(overload.__doc__ or ""):
            return match.group(1)
    raise LookupError(f"the SDK names no API version for {token}")


@sdk_types.loaded_once
def output_fields(token: str) -> Mapping[str, Any]:
    """Wire names of a resource's outputs, with their type hints."""
    return _resource_types(sdk_types.resource_class(token))


@sdk_types.loaded_once
def input_fields(token: str) -> Mapping[str, Any]:
    """Wire names of a resource's inputs, with their type hints."""
    return _input_types(sdk_types.input_class(token))


def preview(token: str, inputs: Json) -> Json:
    """The outputs a preview shows: inputs in the shape of outputs, and unknown what only Azure knows.

    This is `PreviewOutputs` of pulumi-azure-native's `convert` package.
    """
    return _preview_object(inputs, output_fields(token))


def project(token: str, outputs: Mapping[str, Any]) -> Json:
    """The part of outputs that are inputs, in the shape of inputs (`SdkOutputsToSdkInputs`).

    The outputs may be spelt as Azure's API or `az` does: `scan-interval`, `osDiskSizeGb`, null for what is not there.
    """
    return _project_object(outputs, input_fields(token))


@sdk_types.loaded_once
def _fields(cls: type) -> Mapping[str, Any]:
    return _input_types(cls) if _types.is_input_type(cls) else _output_types(cls)


def _object_fields(hint: Any) -> Mapping[str, Any] | None:
    """The fields of the object type a hint admits, None when it admits none."""
    for arm in sdk_types.arms(hint):
        if inspect.isclass(arm) and (_types.is_input_type(arm) or _types.is_output_type(arm)):
            return _fields(arm)
    return None


def _element(hint: Any, container: type) -> Any:
    """The element hint of the list or map type a hint admits, None when it admits none."""
    for arm in sdk_types.arms(hint):
        origin = typing.get_origin(arm)
        if inspect.isclass(origin) and issubclass(origin, container):
            return typing.get_args(arm)[-1]
    return None


def _preview_object(values: Json, fields: Mapping[str, Any]) -> Json:
    return {name: _preview(values.get(name, UNKNOWN), hint) for name, hint in fields.items()}


def _preview(value: Any, hint: Any) -> Any:
    match value:
        case Unknown() | None:
            return UNKNOWN
        case list():
            element = _element(hint, collections.abc.Sequence)
            return UNKNOWN if element is None else [_preview(item, element) for item in value]  # pyright: ignore[reportUnknownVariableType]
        case dict():
            if (fields := _object_fields(hint)) is not None:
                return _preview_object(value, fields)  # pyright: ignore[reportUnknownArgumentType]
            element = _element(hint, collections.abc.Mapping)
            return UNKNOWN if element is None else {k: _preview(v, element) for k, v in value.items()}  # pyright: ignore[reportUnknownVariableType]
        case _:
            return value


def _project_object(values: Mapping[str, Any], fields: Mapping[str, Any]) -> Json:
    present = {folded(name): value for name, value in values.items() if value is not None}
    return {
        name: _project(present[folded(name)], hint)
        for name, hint in fields.items()
        if folded(name) in present
    }


def _project(value: Any, hint: Any) -> Any:
    match value:
        case list():
            element = _element(hint, collections.abc.Sequence)
            return [_project(item, element) for item in value]  # pyright: ignore[reportUnknownVariableType]
        case dict():
            if (fields := _object_fields(hint)) is not None:
                return _project_object(value, fields)  # pyright: ignore[reportUnknownArgumentType]
            if _element(hint, collections.abc.Sequence) is not None:
                return list(value)  # a set of ids, which ARM answers as a map  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]
            element = _element(hint, collections.abc.Mapping)
            return {k: _project(v, element) for k, v in value.items()}  # pyright: ignore[reportUnknownVariableType]
        case _:
            return value
