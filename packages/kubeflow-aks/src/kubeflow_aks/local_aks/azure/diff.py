"""Differences as azure-native computes them: inputs against inputs, and live state against inputs on refresh.

A port in behaviour of `diff.go` of pulumi-azure-native: lists are compared by index, additions and removals inside
a property that forces replacement are updates, and a property added with the value it already has is no replacement.
"""

from collections.abc import Iterator
from typing import Any

from kubeflow_aks.local_aks.azure import arm
from kubeflow_aks.local_aks.azure.arm import Json
from kubeflow_aks.local_aks.protocol.diff import Change, PropertyChange


def detailed(old: Json, new: Json, outputs: Json, replacing: frozenset[str]) -> dict[str, PropertyChange]:
    """Every changed property of two sets of inputs, by path (`agentPoolProfiles[0].count`).

    Args:
        old: inputs of the last operation.
        new: inputs now; unknown values count as changed.
        outputs: outputs of the last operation.
        replacing: paths whose change replaces the resource, `[]` for any element of a list.
    """
    changes: dict[str, PropertyChange] = {}
    for path, change in _objects(old, new, replacing, "", ""):
        top = path.split(".")[0].split("[")[0]
        if path == top and change.change is Change.UPDATE and _same(top, old[top], new[top]):
            continue
        restated = change.change is Change.ADD and path in outputs and outputs[path] == new.get(path)
        changes[path] = PropertyChange(Change.ADD, replaces=False) if restated else change
    if "sku" in old and "sku" in new and _same_sku(old["sku"], new["sku"]):
        changes = {path: change for path, change in changes.items() if not path.startswith("sku.")}
    return changes


def refreshed(inputs: Json, old: Json, new: Json) -> Json:
    """Inputs with every difference between two projections of live state applied to them (`applyDiff`)."""
    kept = {name: value for name, value in inputs.items() if name not in old or name in new}
    for name, value in new.items():
        if name not in old:
            kept[name] = value
        elif old[name] != value:
            kept[name] = _merged(inputs[name], old[name], value) if name in inputs else value
    return kept


def _merged(base: Any, old: Any, new: Any) -> Any:
    match base, old, new:
        case dict(), dict(), dict():
            return refreshed(base, old, new)  # pyright: ignore[reportUnknownArgumentType]
        case list(), list(), list():
            return [  # pyright: ignore[reportUnknownVariableType]
                _merged(base[i], old[i], item) if i < len(base) and i < len(old) else item  # pyright: ignore[reportUnknownArgumentType]
                for i, item in enumerate(new)  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]
            ]
        case _:
            return new


def _objects(
    old: Json, new: Json, replacing: frozenset[str], path: str, rule: str
) -> Iterator[tuple[str, PropertyChange]]:
    """Changes inside an object; `path` and `rule` are its own path, the latter with `[]` for list elements."""
    prefix, rule_prefix = (f"{path}.", f"{rule}.") if path else ("", "")
    for name in [*old, *(name for name in new if name not in old)]:
        if name.startswith("__"):
            continue
        here, here_rule = prefix + name, rule_prefix + name
        if name not in new:
            yield here, PropertyChange(Change.DELETE, here_rule in replacing)
        elif name not in old:
            yield here, PropertyChange(Change.ADD, here_rule in replacing)
        else:
            yield from _values(old[name], new[name], replacing, here, here_rule)


def _values(
    old: Any, new: Any, replacing: frozenset[str], path: str, rule: str
) -> Iterator[tuple[str, PropertyChange]]:
    match old, new:
        case dict(), dict():
            for inner, change in _objects(old, new, replacing, path, rule):  # pyright: ignore[reportUnknownArgumentType]
                forced = change.change is Change.UPDATE and rule in replacing
                yield inner, PropertyChange(change.change, change.replaces or forced)
        case list(), list():
            for index, (was, now) in enumerate(zip(old, new, strict=False)):  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]
                yield from _values(was, now, replacing, f"{path}[{index}]", f"{rule}[]")
            common = min(len(old), len(new))  # pyright: ignore[reportUnknownArgumentType]
            for index in range(common, len(new)):  # pyright: ignore[reportUnknownArgumentType]
                yield f"{path}[{index}]", PropertyChange(Change.ADD, replaces=False)
            for index in range(common, len(old)):  # pyright: ignore[reportUnknownArgumentType]
                yield f"{path}[{index}]", PropertyChange(Change.DELETE, replaces=False)
        case _:
            if old != new:
                yield path, PropertyChange(Change.UPDATE, rule in replacing)


def _same(name: str, old: object, new: object) -> bool:
    """Whether two different spellings mean the same to ARM."""
    if not (isinstance(old, str) and isinstance(new, str)):
        return False
    if name == "location":
        return arm.normal_location(old) == arm.normal_location(new)
    return name == "resourceGroupName" and old.casefold() == new.casefold()


def _same_sku(old: Json, new: Json) -> bool:
    """Whether two SKUs of a cluster differ in their former names only (pulumi/pulumi-azure-native#2600)."""
    renamed = {"Basic": "Base", "Paid": "Standard"}
    if not (set(old) == set(new) == {"name", "tier"}):
        return False
    return all(renamed.get(old[k], old[k]) == renamed.get(new[k], new[k]) for k in old)
