"""Rules of the VM sizes that a stack describes itself (`vmSizes`)."""

import re
from collections.abc import Iterator

import aks_facts
from aks_facts import VmSize
from components.arguments.mistakes import Mistake
from program.planning.sizes import spelling
from program.settings import OwnVmSize, Settings

_NAME = re.compile(r"Standard_[A-Za-z][A-Za-z0-9_-]*")


def described_size_problems(settings: Settings) -> Iterator[Mistake]:
    """A size that the catalogue lacks has Azure's name and the numbers that planning needs, GPUs included."""
    for name, described in settings.vm_sizes.items():
        yield from _gpu_problems(name, described, aks_facts.vm_sizes().get(name))
        if name in aks_facts.vm_sizes():
            continue
        if same := spelling(name, aks_facts.vm_sizes()):
            yield Mistake("vmSizes", name, f"the spelling {same}")
            continue
        if not _NAME.fullmatch(name):
            yield Mistake("vmSizes", name, "the name of a VM size as Azure has it, like Standard_D8s_v5")
            continue
        for key, value in (("vcpus", described.vcpus), ("memoryGib", described.memory_gib)):
            if value is None:
                yield Mistake(f"vmSizes.{name}.{key}", None, f"a number, because the catalogue lacks {name}")


def _gpu_problems(name: str, described: OwnVmSize, listed: VmSize | None) -> Iterator[Mistake]:
    """Other settings of GPUs need their number; without it the size would count as one without GPU."""
    gpus = described.gpus if described.gpus is not None else listed.gpus if listed else 0
    about = {"gpu": described.gpu, "gpuMemoryGib": described.gpu_memory_gib, "mig": described.mig}
    stated = [key for key, value in about.items() if value]
    if stated and not gpus:
        yield Mistake(
            f"vmSizes.{name}.gpus", described.gpus, f"the number of GPUs, because of {' and '.join(stated)}"
        )
