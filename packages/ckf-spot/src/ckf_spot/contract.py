"""Reads the pool contract: the Pulumi program's output `poolContract`, and `pools.json` in the cluster's ConfigMap."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Any, Final, TypeGuard

from ckf_spot import yaml_text
from ckf_spot.agent_pool import SPOT_LABEL, WORKLOAD_LABEL, AgentPool, Taint
from ckf_spot.errors import (
    ABSENT,
    ContractError,
    Mistake,
    PlacementError,
    missing,
    not_one_of,
    refusal,
    refuse,
)
from ckf_spot.fields import Object

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
        entries = _entries(yaml_text.parse(text, origin), origin)
        refuse(mistake.under(origin) for mistake in _problems(entries))
    except PlacementError as error:
        raise ContractError(*error.mistakes) from None
    return tuple(map(_pool, entries))


def _entries(value: Any, origin: str) -> list[Any]:
    """The list of pools in any of the three forms."""
    while isinstance(value, Mapping) and OUTPUT in value:
        value = value[OUTPUT]
    data = value.get("data") if isinstance(value, Mapping) else None
    if isinstance(data, Mapping) and KEY in data:
        origin = f"{origin}: data.{KEY}"
        if not isinstance(data[KEY], str):
            raise refusal(origin, data[KEY], "expected the list of pools as a text")
        value = yaml_text.parse(data[KEY], origin)
    if isinstance(value, list):
        return value
    raise refusal(
        origin,
        ABSENT,
        f"expected the stack output {OUTPUT!r}, all outputs as JSON, or the ConfigMap with the key {KEY!r}",
        "a list of pools is missing",
    )


def _problems(entries: list[Any]) -> Iterator[Mistake]:
    if not entries:
        yield Mistake("", ABSENT, "", "there is no pool in it")
    pools = [entry for entry in entries if isinstance(entry, Mapping)]
    names = Counter(entry["name"] for entry in pools if _text(entry.get("name")))
    fallbacks = [
        entry["name"] for entry in pools if _text(entry.get("name")) and entry.get("priority") != "Spot"
    ]
    for number, entry in enumerate(entries):
        if not isinstance(entry, Mapping):
            expected = "expected a name, a role, labels and taints"
            yield Mistake(f"pools[{number}]", entry, expected, "is no pool")
            continue
        name, fallback, labels = (entry.get(key) for key in ("name", "fallback", "labels"))
        where = f"pools[{name if _text(name) else number}]"
        for key, (fits, allowed) in _FIELDS.items():
            if key not in entry:
                yield missing(f"{where}.{key}", f"expected {allowed}")
            elif not fits(entry[key]):
                yield Mistake(f"{where}.{key}", entry[key], f"expected {allowed}")
        if _text(name) and names[name] > 1:
            yield Mistake(
                f"pools[{number}].name", name, "expected another name for each pool", "is given twice"
            )
        if _text(fallback) and fallback not in fallbacks:
            yield not_one_of(f"{where}.fallback", fallback, fallbacks)
        if _texts(labels):
            yield from _label_problems(f"{where}.labels", labels, entry.get("priority"))


def _label_problems(where: str, labels: Mapping[str, str], priority: Any) -> Iterator[Mistake]:
    if not labels.get(WORKLOAD_LABEL):
        yield missing(f"{where}.{WORKLOAD_LABEL}", "expected the workload's name")
    spot = labels.get(SPOT_LABEL)
    if priority in _PRIORITIES and (priority == "Spot") != (spot == "spot"):
        expected = "expected 'spot' on spot pools, left out on others"
        yield Mistake(f"{where}.{SPOT_LABEL}", spot, expected, f"contradicts priority {priority!r}")


def _pool(entry: Object) -> AgentPool:
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
        pool=entry.get("pool") or entry["name"],
    )


def _text(value: Any) -> TypeGuard[str]:
    return isinstance(value, str) and value != "" and value.isprintable()


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
