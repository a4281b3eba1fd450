"""The VM sizes of one stack: the catalogue's, with those that the stack adds or corrects (`vmSizes`)."""

import re
from collections import ChainMap
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import cache
from typing import Any, cast

import aks_facts
from aks_facts import VmSize
from program.settings import OwnVmSize, Settings


def sizes(settings: Settings) -> Mapping[str, VmSize]:
    """Every VM size that the stack can use, by name."""
    listed = aks_facts.vm_sizes()
    if not settings.vm_sizes:
        return listed
    described = {
        name: size
        for name, description in settings.vm_sizes.items()
        if (size := _size(name, description, listed.get(name)))
    }
    return ChainMap(described, cast(dict[str, VmSize], listed))  # never written to


def spelling(name: str, names: Iterable[str]) -> str | None:
    """The known name that differs from another one in case, underscores or a missing `Standard` only."""
    letters = _letters(name)
    return next((other for other in names if _letters(other) == letters), None)


@cache
def _letters(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower()).removeprefix("standard")


def _size(name: str, description: OwnVmSize, listed: VmSize | None) -> VmSize | None:
    """A size as a stack describes it, None where the description is not enough."""
    numbers: dict[str, Any] = {key: value for key, value in description if value is not None}
    if memory := description.memory_gib:
        numbers["memory_gib"] = int(memory) if memory.is_integer() else memory
    if listed:
        return replace(listed, **numbers)
    if description.vcpus is None or description.memory_gib is None:
        return None
    return VmSize(name=name, **numbers)
