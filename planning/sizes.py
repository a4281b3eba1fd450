"""The VM sizes of one stack: the catalogue's, with those that the stack adds or corrects (`vmSizes`)."""

import re
from collections import ChainMap
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cache
from typing import Any, cast

import catalogue
from catalogue import VmSize
from settings import OwnVmSize, Problem, Settings

_NAME = re.compile(r"Standard_[A-Za-z][A-Za-z0-9_-]*")


def sizes(settings: Settings) -> Mapping[str, VmSize]:
    """Every VM size that the stack can use, by name."""
    known = catalogue.vm_sizes()
    if not settings.vm_sizes:
        return known
    own = {
        name: size for name, said in settings.vm_sizes.items() if (size := _size(name, said, known.get(name)))
    }
    return ChainMap(own, cast(dict[str, VmSize], known))  # never written to


def own_size_problems(settings: Settings) -> Iterator[Problem]:
    """A size that the catalogue lacks has Azure's name and the numbers that planning can't do without, GPUs too."""
    for name, said in settings.vm_sizes.items():
        yield from _gpu_problems(name, said, catalogue.vm_sizes().get(name))
        if name in catalogue.vm_sizes():
            continue
        if same := spelling(name, catalogue.vm_sizes()):
            yield Problem("vmSizes", name, f"the spelling {same}")
            continue
        if not _NAME.fullmatch(name):
            yield Problem("vmSizes", name, "the name of a VM size as Azure has it, like Standard_D8s_v5")
            continue
        for key, value in (("vcpus", said.vcpus), ("memoryGib", said.memory_gib)):
            if value is None:
                yield Problem(f"vmSizes.{name}.{key}", None, f"a number, because the catalogue lacks {name}")


def _gpu_problems(name: str, said: OwnVmSize, known: VmSize | None) -> Iterator[Problem]:
    """Without their number, what is said of GPUs would make a pool without any."""
    gpus = said.gpus if said.gpus is not None else known.gpus if known else 0
    about = {"gpu": said.gpu, "gpuMemoryGib": said.gpu_memory_gib, "mig": said.mig}
    given = [key for key, value in about.items() if value]
    if given and not gpus:
        yield Problem(
            f"vmSizes.{name}.gpus", said.gpus, f"the number of GPUs, because of {' and '.join(given)}"
        )


def spelling(name: str, known: Iterable[str]) -> str | None:
    """The known name that differs from another one in case, underscores or a missing `Standard` only."""
    letters = _letters(name)
    return next((other for other in known if _letters(other) == letters), None)


@cache
def _letters(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower()).removeprefix("standard")


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
