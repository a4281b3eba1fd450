"""The prices that a stack's bill will need, so that they can be queried together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain
from typing import Any, cast

from aks_facts import services
from kubeflow_aks.cost.stack import Stack


def required_prices(stack: Stack, region: str) -> tuple[tuple[str, str], ...]:
    """Every VM size of its pools, the cluster's own included, and every service, each with the region."""
    sizes = chain.from_iterable(_sizes(resource.inputs) for resource in stack.resources)
    return tuple((name, region) for name in dict.fromkeys((*sizes, *services())))


def _sizes(inputs: Mapping[str, Any]) -> Iterator[str]:
    own: Any = inputs.get("agentPoolProfiles")
    for pool in (inputs, *(cast(list[Any], own) if isinstance(own, list) else ())):
        size: Any = cast(Mapping[str, Any], pool).get("vmSize") if isinstance(pool, Mapping) else None
        if isinstance(size, str):
            yield size
