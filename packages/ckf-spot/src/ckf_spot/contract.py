"""Reads the pool contract: the Pulumi program's output `poolContract`, and `pools.json` in the cluster's ConfigMap."""

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
from ckf_spot.fields import Object, is_count, is_texts
from ckf_spot.quantities import quantity

OUTPUT: Final = "poolContract"
"""Name of the stack's output."""
KEY: Final = "pools.json"
"""Key of the ConfigMap."""
PIPELINES: Final = "pipelines"
"""Key of the backend of Kubeflow Pipelines: of the ConfigMap, and of `clusterBasis.kubeflow` in a stack's outputs."""
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


def backend(text: str, origin: str) -> str | None:
    """The backend of Kubeflow Pipelines that a contract names, such as `2.16`; None where it names none.

    Args:
        text: as for `parse`; a list of pools names none.
        origin: where it comes from, for messages.

    Raises:
        PlacementError: it is neither JSON nor YAML, or the backend is no text.
    """
    value = yaml_text.parse(text, origin)
    for keys in (("clusterBasis", "kubeflow", PIPELINES), ("data", PIPELINES)):
        release = value
        for key in keys:
            release = release.get(key) if isinstance(release, Mapping) else None
        if release is not None and not _text(release):
            raise refusal(f"{origin}: {'.'.join(keys)}", release, "expected a release, such as 2.16")
        if release is not None:
            return release
    return None


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
    on_demand = (entry for entry in pools if _text(entry.get("name")) and entry.get("priority") != "Spot")
    fallbacks = list(dict.fromkeys(str(entry.get("pool") or entry["name"]) for entry in on_demand))
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
        for key, (fits, allowed) in _LATER_FIELDS.items():
            if entry.get(key) is not None and not fits(entry[key]):
                yield Mistake(f"{where}.{key}", entry[key], f"expected {allowed}, or null")
        if _text(name) and names[name] > 1:
            yield Mistake(
                f"pools[{number}].name", name, "expected another name for each pool", "is given twice"
            )
        if _text(fallback) and fallback not in fallbacks:
            yield not_one_of(f"{where}.fallback", fallback, fallbacks)
        if is_texts(labels):
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
        region=entry.get("region") or "",
        zones=None if entry.get("zones") is None else tuple(entry["zones"]),
        architecture=entry.get("architecture") or "",
        gpu_model=entry.get("gpuModel") or "",
        allocatable=MappingProxyType(dict(entry.get("allocatable") or {})),
    )


def _text(value: Any) -> TypeGuard[str]:
    return isinstance(value, str) and value != "" and value.isprintable()


def _texts(value: Any) -> bool:
    return isinstance(value, list) and all(map(_text, value))


def _quantities(value: Any) -> bool:
    try:
        return is_texts(value) and all(quantity(text) >= 0 for text in value.values())
    except ValueError:
        return False


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
    "gpus": (is_count, "a whole number from 0"),
    "maxCount": (is_count, "a whole number from 0"),
    "labels": (is_texts, "a map of texts"),
    "taints": (_taints, "a list of key=value:Effect"),
    "fallback": (lambda value: value is None or _text(value), "a pool's name, or null"),
}
_LATER_FIELDS: Final[Mapping[str, tuple[Callable[[Any], bool], str]]] = {
    "region": (_text, "a region"),
    "zones": (_texts, "a list of zones"),
    "architecture": (_text, "an architecture"),
    "gpuModel": (_text, "a GPU's model"),
    "allocatable": (_quantities, "a map of quantities"),
}
"""What contracts of older programs lack, and those of a program that does not say."""
