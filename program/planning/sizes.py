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
    known = aks_facts.vm_sizes()
    if not settings.vm_sizes:
        return known
    described = {
        name: size for name, own in settings.vm_sizes.items() if (size := _size(name, own, known.get(name)))
    }
    return ChainMap(described, cast(dict[str, VmSize], known))  # never written to


def spelling(name: str, known: Iterable[str]) -> str | None:
    """The known name that differs from another one in case, underscores or a missing `Standard` only."""
    letters = _letters(name)
    return next((other for other in known if _letters(other) == letters), None)


@cache
def _letters(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower()).removeprefix("standard")


def _size(name: str, own: OwnVmSize, known: VmSize | None) -> VmSize | None:
    """A size as a stack describes it, None where the description is not enough."""
    numbers: dict[str, Any] = {key: value for key, value in own if value is not None}
    if memory := own.memory_gib:
        numbers["memory_gib"] = int(memory) if memory.is_integer() else memory
    if known:
        return replace(known, **numbers)
    if own.vcpus is None or own.memory_gib is None:
        return None
    return VmSize(name=name, **numbers)
