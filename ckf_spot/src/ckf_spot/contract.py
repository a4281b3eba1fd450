"""Reads the pool contract: the Pulumi program's output `poolContract`, and `pools.json` in the cluster's ConfigMap."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Any, Final, TypeGuard

import yaml

from ckf_spot.agent_pool import SPOT_LABEL, WORKLOAD_LABEL, AgentPool, Taint
from ckf_spot.errors import ContractError

OUTPUT: Final = "poolContract"
"""Name of the stack's output."""
KEY: Final = "pools.json"
"""Key of the ConfigMap."""
_ROLES: Final = ("general", "cpu", "gpu")
_PRIORITIES: Final = ("Regular", "Spot")


def parse(text: str, origin: str) -> tuple[AgentPool, ...]:
    """The pools of a contract.

    Args:
        text: JSON or YAML: the list itself, all outputs of the stack (`pulumi stack output --json`), or the ConfigMap.
        origin: where it comes from, for messages.

    Raises:
        ContractError: with every mistake, one a line.
    """
    try:
        found = yaml.safe_load(text)
        entries = _entries(found)
    except yaml.YAMLError as error:
        where = getattr(error, "problem_mark", None)
        place = f", line {where.line + 1}" if where else ""
        raise ContractError(
            f"{origin}{place}: neither JSON nor YAML: {getattr(error, 'problem', error)}"
        ) from None
    if entries is None:
        raise ContractError(
            f"{origin}: a list of pools is missing; expected the stack output {OUTPUT!r}, "
            f"all outputs as JSON, or the ConfigMap with the key {KEY!r}"
        )
    problems = [f"{origin}: {problem}" for problem in _problems(entries)]
    if problems:
        raise ContractError(*problems)
    return tuple(map(_pool, entries))


def _entries(found: Any) -> list[Any] | None:
    """The list of pools in any of the three forms."""
    if isinstance(found, Mapping):
        if OUTPUT in found:
            return _entries(found[OUTPUT])
        data = found.get("data")
        return _entries(yaml.safe_load(data[KEY])) if isinstance(data, Mapping) and KEY in data else None
    return found if isinstance(found, list) else None


def _problems(entries: list[Any]) -> Iterator[str]:
    if not entries:
        yield "there is no pool in it"
    names = [entry.get("name") for entry in entries if isinstance(entry, Mapping)]
    for number, entry in enumerate(entries):
        if not isinstance(entry, Mapping):
            yield f"pools[{number}]: {entry!r} is no pool; a pool has a name, a role, labels and taints"
            continue
        name = f"pools[{entry.get('name', number)}]"
        for key, (fits, allowed) in _FIELDS.items():
            if key not in entry:
                yield f"{name}.{key} is missing; expected {allowed}"
            elif not fits(entry[key]):
                yield f"{name}.{key}: {entry[key]!r} is not allowed; expected {allowed}"
        fallback, labels = entry.get("fallback"), entry.get("labels")
        if isinstance(fallback, str) and fallback not in names:
            yield f"{name}.fallback: {fallback!r} is none of the pools; expected {', '.join(map(str, names))}"
        if _texts(labels):
            if WORKLOAD_LABEL not in labels:
                yield f"{name}.labels: {WORKLOAD_LABEL!r} is missing"
            if (entry.get("priority") == "Spot") != (labels.get(SPOT_LABEL) == "spot"):
                yield (
                    f"{name}.labels: {SPOT_LABEL}: {labels.get(SPOT_LABEL)!r} contradicts priority "
                    f"{entry.get('priority')!r}; expected 'spot' on spot pools, left out on others"
                )


def _pool(entry: Mapping[str, Any]) -> AgentPool:
    return AgentPool(
        name=entry["name"],
        role=entry["role"],
        spot=entry["priority"] == "Spot",
        vm_size=entry["vmSize"],
        gpus=entry["gpus"],
        max_count=entry["maxCount"],
        labels=MappingProxyType(dict(entry["labels"])),
        taints=tuple(map(Taint.parse, entry["taints"])),
        fallback=entry["fallback"],
    )


def _text(value: Any) -> bool:
    return isinstance(value, str) and value != ""


def _texts(value: Any) -> TypeGuard[Mapping[str, str]]:
    return isinstance(value, Mapping) and all(
        isinstance(text, str) for pair in value.items() for text in pair
    )


def _count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _taints(value: Any) -> bool:
    try:
        return isinstance(value, list) and all(Taint.parse(text) for text in value)
    except (AttributeError, TypeError, ValueError):
        return False


_FIELDS: Final[Mapping[str, tuple[Callable[[Any], bool], str]]] = {
    "name": (_text, "a name"),
    "role": (lambda value: value in _ROLES, ", ".join(_ROLES)),
    "priority": (lambda value: value in _PRIORITIES, ", ".join(_PRIORITIES)),
    "vmSize": (_text, "a VM size"),
    "gpus": (_count, "a whole number from 0"),
    "maxCount": (_count, "a whole number from 0"),
    "labels": (_texts, "a map of texts"),
    "taints": (_taints, "a list of key=value:Effect"),
    "fallback": (lambda value: value is None or _text(value), "a pool's name, or null"),
}
