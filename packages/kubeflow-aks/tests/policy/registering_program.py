"""A program that registers the resources of one case of the table, directly with Pulumi."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any, cast

import pulumi

from kubeflow_aks.policy.rule import UNKNOWN
from tests.policy.violating_table import Registered, Secret

_PROVIDER = "pulumi:providers:"


def register(resources: Sequence[Registered]) -> None:
    """Registers the resources."""
    for it in resources:
        options = pulumi.ResourceOptions(protect=it.protect or None, ignore_changes=list(it.ignore_changes))
        inputs = cast(dict[str, Any], _inputs(it.inputs))
        if it.type.startswith(_PROVIDER):
            pulumi.ProviderResource(it.type.removeprefix(_PROVIDER), it.name, inputs, options)
        else:
            pulumi.CustomResource(it.type, it.name, inputs, options)


def _inputs(value: Any) -> Any:
    if value is UNKNOWN:
        return _unknown()
    if isinstance(value, Secret):
        return pulumi.Output.secret(value.value)
    if isinstance(value, dict):
        return {key: _inputs(item) for key, item in cast(dict[str, Any], value).items()}
    if isinstance(value, list):
        return [_inputs(item) for item in cast(list[Any], value)]
    return value


def _unknown() -> pulumi.Output[Any]:
    """An output of something that does not exist yet."""
    dependencies, value, is_known = asyncio.Future[Any](), asyncio.Future[Any](), asyncio.Future[bool]()
    dependencies.set_result(set())
    value.set_result(None)
    is_known.set_result(False)
    return pulumi.Output(dependencies, value, is_known)
