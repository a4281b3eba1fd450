"""What the first `up` changes of an imported resource: azure-native's reading and comparison, and the engine's rules.

`tests/local/engine/test_adopted.py` compares it with a preview of the engine itself, cluster by cluster.
"""

import copy
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, cast

from kubeflow_aks.json_values import entries, is_mapping
from kubeflow_aks.local_aks.azure import check, diff, sdk_schema
from kubeflow_aks.local_aks.azure.rules.immutable import alters
from kubeflow_aks.local_aks.azure.types import TYPES
from kubeflow_aks.local_aks.protocol.wire import UNKNOWN
from kubeflow_aks.recorder.run import Resource
from kubeflow_aks.text.columns import cut_apart

_POOLS: Final = "agentPoolProfiles"
_SYSTEM_POOL: Final = f"{_POOLS}[0]"
_STEP: Final = re.compile(r"[^.\[\]]+")
_LONGEST: Final = 60


@dataclass(frozen=True, kw_only=True)
class Change:
    """One property that the first `up` would change.

    Attributes:
        path: as azure-native spells it, but for the cluster's own pool, which is named.
        before: what is there; None for nothing.
        after: what the program states, `UNKNOWN` for what only an `up` knows; None where it states nothing.
        replaces: whether the resource would be made anew, or Azure would refuse.
    """

    path: str
    before: Any
    after: Any
    replaces: bool

    def __str__(self) -> str:
        before, after = cut_apart(_shown(self.before), _shown(self.after), _LONGEST)
        return f"{self.path}: {before} → {after}"


def imported(resource: Resource, existing: Mapping[str, Any]) -> dict[str, Any]:
    """The inputs that `pulumi import` puts into the state; of the cluster's pools only the one that it describes.

    Azure lists a cluster's pools in an order of its own, and pools beside that one are no part of what is sent.
    """
    inputs = sdk_schema.project(resource.type, existing)
    for pool in entries(resource.inputs.get(_POOLS)):
        inputs[_POOLS] = [it for it in entries(inputs.get(_POOLS)) if it.get("name") == pool["name"]]
    return _without_place(resource, inputs)


def sent(resource: Resource, old: Mapping[str, Any], certain: Mapping[str, Any]) -> dict[str, Any]:
    """The inputs that the engine gives to azure-native: the program's, with what it ignores as it was.

    Args:
        resource: as the program registers it in a preview.
        old: inputs in the state.
        certain: by path, values that a preview knows once all is imported.
    """
    inputs = copy.deepcopy(resource.inputs)  # unknown ones are None there
    for path in resource.unknown_inputs:
        _put(inputs, _steps(path), certain.get(path, UNKNOWN))
    for path in resource.options.get("ignoreChanges", ()):
        _reset(old, inputs, _steps(path))
    return check.without_nulls(_without_place(resource, inputs))


def changes(resource: Resource, existing: Mapping[str, Any], certain: Mapping[str, Any]) -> list[Change]:
    """What the first `up` changes, in the order of paths; arguments as those of `imported` and `sent`."""
    old = imported(resource, existing)
    new = sent(resource, old, certain)
    listed: dict[tuple[str, bool], None] = {}
    for path, change in diff.detailed(old, new, old, TYPES[resource.type].replacing).items():
        replaces = change.replaces or _replaced(resource, path)
        plain = re.sub(r"(\[\d+\])+$", "", path)  # a list of texts is one property
        whole = any(is_mapping(it) for it in entries(_at(old, plain)) + entries(_at(new, plain)))
        listed[path if whole else plain, replaces] = None
    return sorted(
        (
            Change(
                path=place.replace(_SYSTEM_POOL, f"{_POOLS}[{_at(new, f'{_SYSTEM_POOL}.name')}]"),
                before=before,
                after=after,
                replaces=replaces or _refused(place, before, after),
            )
            for path, replaces in listed
            for place, before, after in _leaves(path, _at(old, path), _at(new, path))
        ),
        key=lambda change: change.path,
    )


def _without_place(resource: Resource, inputs: dict[str, Any]) -> dict[str, Any]:
    """The inputs without those that make up the id, by which the resource is imported."""
    return {key: value for key, value in inputs.items() if key not in TYPES[resource.type].path_inputs}


def _replaced(resource: Resource, path: str) -> bool:
    """Whether the program has the engine replace a resource for a change there."""
    steps = _steps(path)
    roots = (_steps(root) for root in resource.options.get("replaceOnChanges", ()))
    return any(steps[: len(root)] == root for root in roots)


def _refused(path: str, before: Any, after: Any) -> bool:
    """Whether AKS would refuse a change of the cluster's own pool."""
    return path.startswith(f"{_SYSTEM_POOL}.") and alters(_steps(path)[2], before, after)


def _leaves(path: str, before: Any, after: Any) -> Iterator[tuple[str, Any, Any]]:
    """What comes or goes as a whole, property by property."""
    whole = after if before is None else before if after is None else None
    if is_mapping(whole) and whole:
        for name, value in whole.items():
            was, now = (None, value) if before is None else (value, None)
            yield from _leaves(f"{path}.{name}", was, now)
    else:
        yield path, before, after


def _steps(path: str) -> list[str]:
    return _STEP.findall(path)


def _at(value: Any, path: str) -> Any:
    for step in _steps(path):
        if is_mapping(value):
            value = value.get(step)
        else:
            value = dict(enumerate(entries(value))).get(int(step)) if step.isdecimal() else None
    return value


def _put(container: Any, steps: list[str], value: Any) -> None:
    *parents, last = (int(step) if step.isdecimal() else step for step in steps)
    for step in parents:
        container = container[step]
    container[last] = value


def _reset(old: Any, new: Any, steps: list[str]) -> None:
    """Gives a property its old value, as the engine does (`PropertyPath.Reset`, pulumi 3.272, property_path.go)."""
    *parents, last = steps
    for step in parents:
        old, new = _at(old, step), _at(new, step)
    if is_mapping(old) and last in old:
        new[last] = copy.deepcopy(old[last])
    elif is_mapping(new):
        cast(dict[str, Any], new).pop(last, None)


def _shown(value: Any) -> str:
    if value is None:
        return "–"
    return value if isinstance(value, str) and value else json.dumps(value, ensure_ascii=False, default=repr)
