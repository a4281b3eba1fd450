"""VM sizes that a stack describes (`vmSizes`) and that its pools may use. Warnings: `size_warnings`."""

import difflib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import date, timedelta
from functools import partial

from aks_facts import VmSize, retired_series, vm_sizes
from components.arguments.mistakes import Mistake
from components.pools.pool_checks import system_size_mistakes
from program.planning.pools import Purpose, purpose
from program.planning.sizes import sizes, spelling
from program.settings import Fallback, OwnVmSize, Settings, UserPool
from program.settings.encrypted import judged

_ONE_VCPU = re.compile(r"standard_[a-z]+1(?!\d).*", re.IGNORECASE)
_NAME = re.compile(r"Standard_[A-Za-z][A-Za-z0-9_-]*")
_ALIKE = 0.85
"""Share of equal letters from which on a name is suggested for another (our choice)."""


@dataclass(frozen=True)
class SizeUse:
    """One place of a stack file that names a VM size."""

    key: str
    """Path of the setting."""
    name: str
    size: VmSize | None
    """None if unknown."""
    spot: bool = False
    system: bool = False
    hosts: bool = False
    """Whether it is of the pool that hosts Charmed Kubeflow."""


def size_uses(settings: Settings) -> Iterator[SizeUse]:
    """Every place that names a VM size: the system pool, the user pools by name, each followed by its fallback.

    A pool with a setting that could not be read is left out.
    """
    by_name = sizes(settings)
    yield from judged(
        partial(_system_size_use, settings, by_name),
        *(partial(_pool_size_uses, settings, by_name, name) for name in settings.pools),
    )


def _system_size_use(settings: Settings, by_name: Mapping[str, VmSize]) -> Iterator[SizeUse]:
    name = settings.system_pool.vm_size
    yield SizeUse("systemPool.vmSize", name, by_name.get(name), system=True)


def _pool_size_uses(settings: Settings, by_name: Mapping[str, VmSize], name: str) -> Iterator[SizeUse]:
    pool = settings.pools[name]
    for key, text in _named_sizes(f"pools.{name}", pool):
        size = by_name.get(text)
        use = purpose(settings, pool, size)
        system, hosts = use is Purpose.SYSTEM, use is Purpose.GENERAL
        yield SizeUse(key, text, size, spot=pool.spot, system=system, hosts=hosts)
    if pool.fallback:
        for key, text in _named_sizes(f"pools.{name}.fallback", pool.fallback):
            yield SizeUse(key, text, by_name.get(text))


def _named_sizes(key: str, pool: UserPool | Fallback) -> Iterator[tuple[str, str]]:
    """Path and name of each size that a pool, or a fallback, names."""
    if pool.vm_sizes:
        yield from ((f"{key}.vmSizes[{index}]", size) for index, size in enumerate(pool.vm_sizes))
    elif pool.vm_size is not None:
        yield f"{key}.vmSize", pool.vm_size


def size_problems(settings: Settings, today: date) -> Iterator[Mistake]:
    """Every broken rule of the sizes that pools use, one line for each place."""
    by_name = sizes(settings)
    for use in size_uses(settings):
        if (
            use.size is None and use.name in settings.vm_sizes
        ):  # `described_size_problems` reports what it lacks
            continue
        mistakes = [
            *retired_problems(use, settings, today),
            *unknown_problems(use, by_name),
            *spot_problems(use),
            *(replace(wrong, key=use.key) for wrong in system_size_mistakes(use.name) if use.system),
            *host_problems(use),
            *gpu_problems(use),
        ]
        yield from mistakes[:1]  # what follows concerns a size that has to change anyway


def retired_problems(use: SizeUse, settings: Settings, today: date) -> Iterator[Mistake]:
    """No size whose VMs Azure has stopped; a cluster that had it before is warned only.

    Source: retirements-and-capacity-restrictions.md, in aks_facts: vm_sizes.csv, retired_vm_sizes.csv.
    """
    series = retired_series(use.name)
    end = use.size.retirement if use.size else series.retired_on if series else None
    if end is None or end > today or (use.size and settings.made_by(end - timedelta(days=1))):
        return
    like = f" like {series.replacement}" if series else ""
    yield Mistake(
        use.key,
        use.name,
        f"a current size{like}; Azure retired {series.series if series else use.name} on {end}",
    )


def unknown_problems(use: SizeUse, by_name: Mapping[str, VmSize]) -> Iterator[Mistake]:
    """A size of aks_facts/vm_sizes.csv or of the stack's own `vmSizes`; AKS takes none below 2 vCPU.

    Source of the latter: quotas-skus-regions.md, "Restricted VM sizes".
    """
    if use.size is not None:
        return
    if same := spelling(use.name, by_name):
        yield Mistake(use.key, use.name, f"the spelling {same}")
        return
    if _ONE_VCPU.fullmatch(use.name):
        yield Mistake(use.key, use.name, "a size with at least 2 vCPU, because AKS takes no smaller one")
        return
    close = difflib.get_close_matches(use.name, by_name, n=3, cutoff=_ALIKE)
    hint = f"did you mean {' or '.join(close)}?" if close else "`./kubeflow-aks sizes` lists Azure's"
    yield Mistake(use.key, use.name, f"a size of the catalogue, or one that vmSizes describes; {hint}")


def spot_problems(use: SizeUse) -> Iterator[Mistake]:
    """Only sizes that Azure sells as spot (spot-vms.md; LowPriorityCapable in aks_facts/vm_sizes.csv)."""
    if use.spot and use.size and use.size.spot is False:
        yield Mistake(use.key, use.name, "a size that can be spot; Azure sells this one on demand only")


def host_problems(use: SizeUse) -> Iterator[Mistake]:
    """Charmed Kubeflow's images are built for amd64 only (api-server/rockcraft.yaml)."""
    if use.hosts and use.size and use.size.architecture != "x64":
        yield Mistake(
            use.key,
            use.name,
            "an x64 size, because Charmed Kubeflow's images are built for amd64 only; with a taint the pool takes "
            "batch work",
        )


def gpu_problems(use: SizeUse) -> Iterator[Mistake]:
    """GPU pools get NVIDIA's driver, device plugin and taint (docs/facts/aks.md#gpu-driver-and-device-plugin)."""
    if use.size and use.size.gpus and use.size.gpu and use.size.gpu.startswith("AMD "):
        yield Mistake(
            use.key,
            use.name,
            f"a size with NVIDIA's GPUs, because driver, device plugin and taint are for these; it has {use.size.gpu}",
        )


def described_size_problems(settings: Settings) -> Iterator[Mistake]:
    """A size that the catalogue lacks has Azure's name and the numbers that planning needs, GPUs included."""
    for name, described in settings.vm_sizes.items():
        yield from _described_gpu_problems(name, described, vm_sizes().get(name))
        if name in vm_sizes():
            continue
        if same := spelling(name, vm_sizes()):
            yield Mistake("vmSizes", name, f"the spelling {same}")
            continue
        if not _NAME.fullmatch(name):
            yield Mistake("vmSizes", name, "the name of a VM size as Azure has it, like Standard_D8s_v5")
            continue
        for key, value in (("vcpus", described.vcpus), ("memoryGib", described.memory_gib)):
            if value is None:
                yield Mistake(f"vmSizes.{name}.{key}", None, f"a number, because the catalogue lacks {name}")


def _described_gpu_problems(name: str, described: OwnVmSize, listed: VmSize | None) -> Iterator[Mistake]:
    """Other settings of GPUs need their number; without it the size would count as one without GPU."""
    gpus = described.gpus if described.gpus is not None else listed.gpus if listed else 0
    about = {"gpu": described.gpu, "gpuMemoryGib": described.gpu_memory_gib, "mig": described.mig}
    stated = [key for key, value in about.items() if value]
    if stated and not gpus:
        yield Mistake(
            f"vmSizes.{name}.gpus", described.gpus, f"the number of GPUs, because of {' and '.join(stated)}"
        )
