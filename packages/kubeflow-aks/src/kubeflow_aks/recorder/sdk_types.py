"""Checks recorded inputs against the types the provider's Python SDK declares.

Mocks, type checkers and azure-native's own Check accept unknown properties in nested dicts and unknown enum
values (docs/facts/pulumi.md#names-and-types); this does not. It reads `pulumi._types`, which is private: the SDK is
pinned and `tests/recorder/test_sdk_types.py` guards the name.
"""

import enum
import importlib
import inspect
import sys
import threading
import types
import typing
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, wraps
from typing import Any, Final, ParamSpec, TypeVar, cast

import pulumi
from pulumi import _types  # pyright: ignore[reportPrivateUsage]
from pulumi.runtime import rpc

_LOADING: Final = threading.RLock()
_Given = ParamSpec("_Given")
_Found = TypeVar("_Found")
_NEWER = {"OSSKU": ("Ubuntu2404",), "KnownDataFlowStreams": ("Microsoft-PrometheusMetrics",)}
"""Values that Azure takes and the SDK does not list, by enumeration: those of AKS's newer APIs
(docs/facts/aks.md#node-images), and of managed Prometheus (Azure/prometheus-collector,
`AddonBicepTemplate/FullAzureMonitorMetricsProfile.bicep`)."""


def loaded_once(function: Callable[_Given, _Found]) -> Callable[_Given, _Found]:
    """Caches what a function finds in an SDK, and lets one thread at a time look.

    SDK modules load when they are first used, and to other threads one that is being loaded looks complete before it is
    (python/cpython#114763, mended in Python 3.12.3).
    """
    cached = cache(function)

    @wraps(function)
    def find(*args: _Given.args, **kwargs: _Given.kwargs) -> _Found:
        with _LOADING:
            return cached(*args, **kwargs)

    return find


def check_resource(token: str, inputs: Mapping[str, Any]) -> list[str]:
    """Mistakes in the inputs of one resource, one line each; empty when the SDK declares every part.

    Args:
        token: Pulumi type token, e.g. `azure-native:containerservice:AgentPool`.
        inputs: wire (camelCase) property names to plain values; None and the unknown sentinel always pass.

    Raises:
        LookupError: the SDK has no resource of that token.
    """
    return _check_object(inputs, input_class(token), token.rsplit(":", 1)[-1])


@loaded_once
def resource_class(token: str) -> type:
    """The class of a resource.

    Raises:
        LookupError: the SDK has no resource of that token.
    """
    package, module, name = token.split(":")
    root = "pulumi_" + package.replace("-", "_")
    importlib.import_module(root)
    group, _, version = module.partition("/")  # kubernetes: rbac.authorization.k8s.io/v1 is module rbac.v1
    try:
        source = importlib.import_module(".".join(filter(None, (root, group.split(".")[0], version))))
    except ImportError as error:
        raise LookupError(f"the SDK has no module for {token}") from error
    if (resource := getattr(source, name, None)) is None:
        raise LookupError(f"the SDK has no resource {name} ({token})")
    return resource


@loaded_once
def input_class(token: str) -> type:
    """The class of a resource's inputs.

    Raises:
        LookupError: the SDK has no resource of that token.
    """
    resource = resource_class(token)
    source, name = sys.modules[resource.__module__], resource.__name__
    return getattr(source, f"{name}InitArgs", None) or getattr(source, f"{name}Args")


@loaded_once
def hints(cls: type) -> dict[str, Any]:
    """Types of an input class's properties, by wire name."""
    return _types._raw_return_hints(cls)  # type: ignore[attr-defined] # noqa: SLF001 # pyright: ignore


@loaded_once
def required(cls: type) -> frozenset[str]:
    """Wire names of the properties that an input class can't do without."""
    wire: dict[str, str] = _types._py_to_pulumi_names_from_py_properties(cls)  # type: ignore[attr-defined] # noqa: SLF001 # pyright: ignore
    parameters = list(inspect.signature(cls.__init__).parameters.items())[1:]
    return frozenset(
        wire.get(name, name)
        for name, parameter in parameters
        if parameter.default is parameter.empty and parameter.kind is parameter.KEYWORD_ONLY
    )


def arms(hint: Any) -> Iterator[Any]:
    """Every concrete type that an Input hint allows, without unions, Input and Optional."""
    origin = typing.get_origin(hint)
    if origin in (typing.Union, types.UnionType):
        for arm in typing.get_args(hint):
            yield from arms(arm)
    elif (
        origin is pulumi.Output
        or hint is type(None)
        or (inspect.isclass(origin) and issubclass(origin, typing.Awaitable))
    ):
        return
    else:
        yield hint


def _check_object(value: Mapping[str, Any], cls: type, path: str) -> list[str]:
    fields = hints(cls)
    mistakes = [f"{path}.{key}: unknown property" for key in value if key not in fields]
    mistakes += [
        f"{path}.{key}: required" for key in sorted(required(cls)) if key in fields and key not in value
    ]
    for key, item in value.items():
        if key in fields:
            mistakes += _check(item, fields[key], f"{path}.{key}")
    return mistakes


def _check(value: Any, hint: Any, path: str) -> list[str]:
    allowed_types = list(arms(hint))
    if (
        value is None
        or value == rpc.UNKNOWN
        or not allowed_types
        or Any in allowed_types
        or object in allowed_types
    ):
        return []
    enums = [arm for arm in allowed_types if inspect.isclass(arm) and issubclass(arm, enum.Enum)]
    if enums and not isinstance(value, dict | list):
        allowed = [
            value for arm in enums for value in (*(m.value for m in arm), *_NEWER.get(arm.__name__, ()))
        ]
        return [] if value in allowed else [f"{path}: {value!r} is not one of {allowed}"]
    for arm in allowed_types:
        mistakes = _check_arm(value, arm, path)
        if mistakes is not None:
            return mistakes
    return [f"{path}: {value!r} does not fit {hint}"]


def _check_arm(value: Any, arm: Any, path: str) -> list[str] | None:
    """Mistakes of a value under one concrete type, or None when that type is not meant for such a value."""
    origin, args = typing.get_origin(arm), typing.get_args(arm)
    if origin is typing.Literal:
        return [] if value in args else None
    if inspect.isclass(arm) and _types.is_input_type(arm):
        return _check_object(cast(dict[str, Any], value), arm, path) if isinstance(value, dict) else None
    if inspect.isclass(origin) and issubclass(origin, Mapping):
        if not isinstance(value, dict):
            return None
        items = cast(dict[str, Any], value).items()
        return [m for key, item in items for m in _check(item, args[1], f"{path}.{key}")]
    if inspect.isclass(origin) and issubclass(origin, Sequence):
        if not isinstance(value, list):
            return None
        elements = enumerate(cast(list[Any], value))
        return [m for i, item in elements for m in _check(item, args[0], f"{path}[{i}]")]
    return [] if _primitive(value, arm) else None


def _primitive(value: Any, arm: Any) -> bool:
    if isinstance(value, bool):
        return arm is bool
    if arm is float:
        return isinstance(value, int | float)
    return inspect.isclass(arm) and isinstance(value, arm)
