"""Applies the rules of `policy` to the resources of each of the two programs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, cast

from kubeflow_aks.policy.exceptions import Accepted
from kubeflow_aks.policy.results import reported, rule_results
from kubeflow_aks.policy.rule import STACK, Violation
from kubeflow_aks.policy.rule import UNKNOWN as NOT_KNOWN
from kubeflow_aks.policy.rule import Resource as PolicyResource
from kubeflow_aks.pull_request.observed import SECRET, Run, shown


def violations_of(stack: str, run: Run | None, accepted: Sequence[Accepted]) -> list[Violation]:
    """Violations without an exception, and undecided mandatory rules; empty if the program failed."""
    if run is None or run.failure:
        return []
    resources = [
        PolicyResource(
            urn=resource.urn,
            type=resource.type,
            name=resource.name,
            inputs=shown(resource.inputs, NOT_KNOWN),
            secret_inputs=frozenset(_secret("", resource.inputs)),
            protect=resource.protect,
            ignore_changes=frozenset(resource.ignore_changes),
        )
        for resource in run.resources.values()
    ]
    outputs = PolicyResource(
        f"stack::{stack}", STACK, stack, shown(run.outputs, NOT_KNOWN), frozenset(_secret("", run.outputs))
    )
    return reported(rule_results(stack, [outputs, *resources], accepted))


def _secret(path: str, value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for key, item in cast(dict[str, Any], value).items():
            yield from _secret(f"{path}.{key}" if path else key, item)
    elif isinstance(value, list):
        for number, item in enumerate(cast(list[Any], value)):
            yield from _secret(f"{path}[{number}]", item)
    elif value == SECRET:
        yield path
