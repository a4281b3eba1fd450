"""Matches the GPUs that a pod asks for with those of the nodes."""

from collections.abc import Iterator, Mapping
from typing import Final

from ckf_spot.agent_pool import GPU
from ckf_spot.errors import ABSENT, Mistake
from ckf_spot.fields import Object, map_at, maps_at
from ckf_spot.placement import Placement

_MAKERS: Final = (
    "aliyun", "amazon", "amazonaws", "amd", "google", "habana", "huawei", "intel", "nvidia", "qualcomm", "xilinx",
)  # fmt: skip
"""Who makes accelerators; their device plugins announce them as `nvidia.com/gpu` or `gpu.intel.com/i915`."""
_SHARES: Final = ("gpu-fraction", "gpu-memory")
"""Annotations by which the KAI scheduler and Run:ai give a pod a part of a GPU (`docs/gpu-sharing/README.md`)."""
_LATER: Final = ("{{", "${trialParameters.")
"""Marks of a value that is put in when the work runs: by Argo and Kubeflow Pipelines, and by Katib."""
Limits = Mapping[str, Object]
"""The resource limits of each container by its name."""


def limits_of(template: Object, containers: str = "containers") -> Limits:
    """The limits in a well-formed pod's template; init containers' GPUs are free again when the others start."""
    return {
        str(container.get("name")): map_at(container, "resources", "limits")
        for container in maps_at(template, "spec", containers)
    }


def requested(limits: Limits) -> int:
    """GPUs that the containers ask for together."""
    return sum(_count(limit.get(GPU, 0)) or 0 for limit in limits.values())


def needs(template: Object) -> bool:
    """Whether a well-formed pod's template asks for GPUs, or for a part of one."""
    return bool(requested(limits_of(template)) or _share(template))


def misfit(template: Object, placement: Placement) -> str:
    """Why a pod belongs on other pools than these, with GPUs or without; empty where it does not."""
    limits = limits_of(template)
    if (share := _share(template)) and not placement.gpus:
        return f"asks for {share}, a part of a GPU, and these pools have none"
    silent = all(GPU not in limit for limit in limits.values()) and not share and not _claims(template)
    return misfit_of(requested(limits), placement.gpus, silent=silent)


def undecided(template: Object) -> str:
    """Why it is not known before the work runs how many GPUs a pod asks for; empty where it is."""
    values = [str(limit[GPU]) for limit in limits_of(template).values() if GPU in limit]
    later = next(filter(at_run_time, values), None)
    return f"asks for {GPU}: {later}, which is known at run time only" if later else ""


def at_run_time(value: str | None) -> bool:
    """Whether a value is put in when the work runs."""
    return value is not None and any(mark in value for mark in _LATER)


def misfit_of(needed: int, offered: int, *, silent: bool) -> str:
    """Why work belongs on other pools; empty where it does not.

    Args:
        needed: GPUs that it asks for.
        offered: GPUs that every node of these pools has.
        silent: whether it says nothing of GPUs.
    """
    if needed and not offered:
        return f"asks for {GPU}: {needed}, and these pools have none"
    return f"asks for no {GPU}, and these are GPU pools" if offered and silent else ""


def template_problems(template: Object, placement: Placement, where: str) -> Iterator[Mistake]:
    """Why the GPUs of a well-formed pod's template don't fit; `where` is its path."""
    limits, share = limits_of(template), _share(template)
    if share and not placement.gpus:
        problem = f"{share} asks for a part of a GPU, and no node of {_pools(placement)} has one"
        yield Mistake(f"{where}.metadata.annotations", ABSENT, "expected a GPU pool", problem)
    yield from problems(
        limits, placement, f"{where}.spec.containers", elsewhere=bool(share) or _claims(template)
    )
    for name, limits in limits_of(template, "initContainers").items():  # one after another
        yield from _excess({name: limits}, placement, f"{where}.spec.initContainers")
        yield from _others({name: limits}, placement, f"{where}.spec.initContainers")


def problems(
    limits: Limits, placement: Placement, where: str, *, elsewhere: bool = False
) -> Iterator[Mistake]:
    """Why the GPUs don't fit: none on GPU nodes, or more than every node has.

    Args:
        limits: what the pod asks for.
        placement: where it may run.
        where: path of the containers, for messages.
        elsewhere: whether the pod asks for GPUs in another way too.
    """
    offered, names = placement.gpus, _pools(placement)
    wrong = {
        name: limit[GPU] for name, limit in limits.items() if GPU in limit and _count(limit[GPU]) is None
    }
    needed = requested(limits)
    for name, limit in wrong.items():
        yield Mistake(where, ABSENT, "expected a whole number", f"{name!r} asks for {GPU}: {limit!r}")
    if offered and not needed and not wrong and not elsewhere:
        yield Mistake(
            where,
            ABSENT,
            f"expected a limit of {_range(offered)} {GPU}, or another pool",
            f"{_names(limits)} asks for no {GPU}, and {names} are GPU pools: a GPU node without GPU work",
        )
    yield from _excess(limits, placement, where)
    yield from _others(limits, placement, where)


def _excess(limits: Limits, placement: Placement, where: str) -> Iterator[Mistake]:
    """More GPUs than a node has, or more than one where they are shared."""
    needed, offered = requested(limits), placement.gpus
    if needed > offered:
        who = _names({name: limit for name, limit in limits.items() if _count(limit.get(GPU, 0))})
        yield Mistake(
            where,
            ABSENT,
            f"expected {_range(offered) if offered else 'a GPU pool'}",
            f"{who} asks for {GPU}: {needed}, and a node of {_pools(placement)} has {offered}",
        )
    elif shared := [pool.name for pool in placement.pools if pool.shares_gpus]:
        for name, limit in limits.items():
            if (_count(limit.get(GPU, 0)) or 0) > 1:
                yield Mistake(
                    where,
                    ABSENT,
                    "expected 1",
                    f"{name!r} asks for {GPU}: {limit[GPU]}, and pods share the GPUs of {', '.join(shared)} in turn: "
                    "two shares may be of one GPU, so a container gets one",
                )


def _others(limits: Limits, placement: Placement, where: str) -> Iterator[Mistake]:
    """Accelerators that no pool has, such as another maker's or a slice by its own name."""
    for name, limit in limits.items():
        for resource in filter(is_of_a_maker, limit):
            problem = f"{name!r} asks for {resource}, which no node of {_pools(placement)} has"
            yield Mistake(where, ABSENT, f"expected {GPU}", problem)


def is_of_a_maker(resource: str) -> bool:
    """Whether a device is an accelerator that no node of a pool has under this name."""
    return resource != GPU and any(part in _MAKERS for part in resource.partition("/")[0].split("."))


def _share(template: Object) -> str:
    """The part of a GPU that a pod asks for, as in `gpu-fraction: 0.5`; empty where it does not."""
    noted = map_at(template, "metadata", "annotations")
    return next((f"{key}: {noted[key]}" for key in _SHARES if noted.get(key)), "")


def _claims(template: Object) -> bool:
    """Whether a pod claims devices, which may be GPUs (Kubernetes, "Dynamic Resource Allocation")."""
    return bool(maps_at(template, "spec", "resourceClaims"))


def _pools(placement: Placement) -> str:
    return ", ".join(pool.name for pool in placement.pools)


def _names(limits: Limits) -> str:
    return ", ".join(map(repr, limits))


def _range(most: int) -> str:
    return "1" if most == 1 else f"1 to {most}"


def _count(quantity: object) -> int | None:
    """A quantity of GPUs, or None where it is none; the Trainer's SDK makes 1.0 of 1."""
    text = str(quantity).removesuffix(".0")
    return int(text) if text.isdecimal() else None
