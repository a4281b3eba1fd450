"""The VM sizes of one stack: the catalogue's, with those that the stack adds or corrects (`vmSizes`)."""

from collections import ChainMap
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import catalogue
from catalogue import VmSize
from settings import OwnVmSize, Problem, Settings


def sizes(settings: Settings) -> Mapping[str, VmSize]:
    """Every VM size that the stack can use, by name."""
    known = catalogue.vm_sizes()
    if not settings.vm_sizes:
        return known
    own = {
        name: size for name, said in settings.vm_sizes.items() if (size := _size(name, said, known.get(name)))
    }
    return ChainMap(own, dict(known))


def own_size_problems(settings: Settings) -> Iterator[Problem]:
    """A size that the catalogue lacks comes with the numbers that planning can't do without."""
    for name, said in settings.vm_sizes.items():
        if name in catalogue.vm_sizes():
            continue
        for key, value in (("vcpus", said.vcpus), ("memoryGib", said.memory_gib)):
            if value is None:
                yield Problem(f"vmSizes.{name}.{key}", None, f"a number, because the catalogue lacks {name}")


def _size(name: str, said: OwnVmSize, known: VmSize | None) -> VmSize | None:
    """A size as a stack describes it, None where the description is not enough."""
    numbers: dict[str, Any] = {key: value for key, value in said if value is not None}
    if memory := said.memory_gib:
        numbers["memory_gib"] = int(memory) if memory.is_integer() else memory
    if known:
        return replace(known, **numbers)
    if said.vcpus is None or said.memory_gib is None:
        return None
    return VmSize(name=name, **numbers)
