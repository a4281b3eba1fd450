"""Observations of two recorded variants of one stack; replacements are as in the change matrix."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import date
from typing import Any, cast

from components.pools.agent_pools import REPLACE_ON_CHANGES
from kubeflow_aks.pull_request.observed import SECRET, UNKNOWN, Change, Difference, Observed, Resource, Run
from kubeflow_aks.recorder.run import record
from kubeflow_aks.revisions.repository import Revision

BASE = Revision("origin/main", "0123456789abcdef0123456789abcdef01234567", date(2026, 11, 20))
HEAD = Revision("", "fedcba9876543210fedcba9876543210fedcba98", date(2026, 11, 22), edited=True)
DEMO_POOLS: Mapping[str, Any] = {
    "general": {"vmSize": "Standard_D8s_v5", "minCount": 2, "maxCount": 3},
    "cpuspot": {
        "vmSize": "Standard_D8ds_v5",
        "priority": "Spot",
        "maxCount": 10,
        "fallback": {"maxCount": 4, "vmSize": "Standard_D8ds_v5"},
    },
}
"""Pools to vary; the fallback has a size of its own, so that it stays when the spot pool changes."""
_FORCING = {
    "AgentPool": ("vmSize", *REPLACE_ON_CHANGES),
    "ManagedCluster": ("location", "networkProfile.podCidr"),
    "ResourceGroup": ("location",),
    "StorageClass": ("metadata.name", "parameters.skuName", "reclaimPolicy"),
}


def pools(**edits: Mapping[str, Any] | None) -> dict[str, Any]:
    """The setting `pools` with edits by pool; None leaves one out."""
    edited = {
        name: {**DEMO_POOLS.get(name, {}), **(edits.get(name) or {})} for name in {**DEMO_POOLS, **edits}
    }
    return {"pools": {name: pool for name, pool in edited.items() if edits.get(name, {}) is not None}}


def run(stack: str = "demo", **settings: Any) -> Run:
    """One run of the program; `settings` lie on top of the stack's file."""
    key = json.dumps([stack, settings], sort_keys=True)
    if key not in _RUNS:
        _RUNS[key] = _recorded(stack, settings)
    return _RUNS[key]


def observed(base: Run | None, head: Run | None, stack: str = "demo") -> Observed:
    """Both, and what differs."""
    changes = tuple(_changes(_of(base), _of(head))) if head else ()
    return Observed(stack, BASE, HEAD, base, head, changes)


def change(action: Any, type_token: str, name: str, *differences: Difference, forced_by: str = "") -> Change:
    """One change of the stack `demo`."""
    urn = f"urn:pulumi:demo::kubeflow-aks::{type_token}::{name}"
    return Change(urn, type_token, name, action, differences, (forced_by,) if forced_by else ())


def with_changes(*changes: Change, **fields: Any) -> Observed:
    """Those changes of a stack with nothing in it."""
    return replace(Observed("demo", BASE, HEAD, Run(), Run(), changes), **fields)


_RUNS: dict[str, Run] = {}


def _recorded(stack: str, settings: Mapping[str, Any]) -> Run:
    recorded = record(stack, preview=True, extra=settings)
    return Run(
        resources={
            urn: Resource(
                urn,
                one.type,
                one.name,
                _shown(one.inputs, one.unknown_inputs),
                bool(one.options.get("protect")),
            )
            for urn, one in recorded.resources.items()
        },
        outputs={
            name: SECRET if name in recorded.secret_outputs else value
            for name, value in _shown(recorded.outputs, recorded.unknown_outputs).items()
        },
        warnings=recorded.messages,
    )


def _shown(value: Any, unknown: frozenset[str], path: str = "") -> Any:
    """A recorded value as the engine tells it, whose unknowns are no None."""
    if path in unknown:
        return UNKNOWN
    if isinstance(value, dict):
        items = cast(dict[str, Any], value).items()
        return {key: _shown(item, unknown, f"{path}.{key}" if path else key) for key, item in items}
    if isinstance(value, list):
        return [_shown(item, unknown, f"{path}[{i}]") for i, item in enumerate(cast(list[Any], value))]
    return value


def _of(one: Run | None) -> Mapping[str, Resource]:
    return one.resources if one else {}


def _changes(before: Mapping[str, Resource], after: Mapping[str, Resource]) -> Iterator[Change]:
    for urn in {**after, **before}:
        old, new = before.get(urn), after.get(urn)
        if old is None or new is None:
            one = cast(Resource, old or new)
            yield Change(urn, one.type, one.name, "delete" if old else "create")
        elif edits := tuple(_differences(old.inputs, new.inputs)):
            forcing = _FORCING.get(new.type.rpartition(":")[2], ())
            forced = tuple(one.path for one in edits if one.path.partition("[")[0] in forcing)
            yield Change(urn, new.type, new.name, "replace" if forced else "update", edits, forced)


def _differences(old: Any, new: Any, path: str = "") -> Iterator[Difference]:
    if isinstance(old, dict) and isinstance(new, dict):
        before, after = cast(dict[str, Any], old), cast(dict[str, Any], new)
        for key in sorted({*before, *after}):
            yield from _differences(before.get(key), after.get(key), f"{path}.{key}" if path else key)
    elif old != new:
        yield Difference(path, "add" if old is None else "delete" if new is None else "update", old, new)
