"""Rules of the VM sizes that a stack describes itself (`vmSizes`)."""

import re
from collections.abc import Iterator

import catalogue
from catalogue import VmSize
from planning.sizes import spelling
from settings import OwnVmSize, Problem, Settings

_NAME = re.compile(r"Standard_[A-Za-z][A-Za-z0-9_-]*")


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
