"""Matches the GPUs that a pod asks for with those of the nodes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from ckf_spot.agent_pool import GPU
from ckf_spot.errors import ABSENT, Mistake
from ckf_spot.fields import is_maps, of
from ckf_spot.placement import Placement

_MAKERS: Final = (
    "aliyun",
    "amazonaws",
    "amd",
    "google",
    "habana",
    "huawei",
    "intel",
    "nvidia",
    "qualcomm",
    "xilinx",
)
"""Who makes accelerators; their device plugins announce them as `nvidia.com/gpu` or `gpu.intel.com/i915`."""
Limits = Mapping[str, Mapping[str, Any]]
"""The resource limits of each container by its name."""


def of_template(template: Mapping[str, Any], containers: str = "containers") -> Limits:
    """The limits in a well-formed pod's template; init containers' GPUs are free again when the others start."""
    found = of(template, "spec").get(containers)
    return {
        str(each.get("name")): of(each, "resources", "limits") for each in (found if is_maps(found) else ())
    }


def requested(limits: Limits) -> int:
    """GPUs that the containers ask for together."""
    return sum(_count(each.get(GPU, 0)) or 0 for each in limits.values())


def misfit(limits: Limits, placement: Placement) -> str:
    """Why a pod belongs on other pools than these, with GPUs or without; empty where it does not."""
    silent = all(GPU not in each for each in limits.values())
    return misfit_of(requested(limits), placement.gpus, silent=silent)


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


def template_problems(template: Mapping[str, Any], placement: Placement, where: str) -> Iterator[Mistake]:
    """Why the GPUs of a well-formed pod's template don't fit; `where` is its path."""
    yield from problems(of_template(template), placement, f"{where}.spec.containers")
    for name, limits in of_template(template, "initContainers").items():  # one after another
        yield from _excess({name: limits}, placement, f"{where}.spec.initContainers")
        yield from _others({name: limits}, placement, f"{where}.spec.initContainers")


def problems(limits: Limits, placement: Placement, where: str) -> Iterator[Mistake]:
    """Why the GPUs don't fit: none on GPU nodes, or more than every node has.

    Args:
        limits: what the pod asks for.
        placement: where it may run.
        where: path of the containers, for messages.
    """
    offered, names = _offered(placement), _pools(placement)
    wrong = {name: each[GPU] for name, each in limits.items() if GPU in each and _count(each[GPU]) is None}
    needed = requested(limits)
    for name, limit in wrong.items():
        yield Mistake(where, ABSENT, "expected a whole number", f"{name!r} asks for {GPU}: {limit!r}")
    if offered and not needed and not wrong:
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
    needed, offered = requested(limits), _offered(placement)
    if needed > offered:
        who = _names({name: each for name, each in limits.items() if _count(each.get(GPU, 0))})
        yield Mistake(
            where,
            ABSENT,
            f"expected {_range(offered) if offered else 'a GPU pool'}",
            f"{who} asks for {GPU}: {needed}, and a node of {_pools(placement)} has {offered}",
        )
    elif shared := [pool.name for pool in placement.pools if pool.shares_gpus]:
        for name, each in limits.items():
            if (_count(each.get(GPU, 0)) or 0) > 1:
                yield Mistake(
                    where,
                    ABSENT,
                    "expected 1",
                    f"{name!r} asks for {GPU}: {each[GPU]}, and pods share the GPUs of {', '.join(shared)} in turn: "
                    "two shares may be of one GPU, so a container gets one",
                )


def _others(limits: Limits, placement: Placement, where: str) -> Iterator[Mistake]:
    """Accelerators that no pool has, such as another maker's, or a slice by its own name."""
    for name, each in limits.items():
        for resource in each:
            maker = resource.partition("/")[0].split(".") if "/" in resource else []
            if resource != GPU and any(part in _MAKERS for part in maker):
                problem = f"{name!r} asks for {resource}, which no node of {_pools(placement)} has"
                yield Mistake(where, ABSENT, f"expected {GPU}", problem)


def _offered(placement: Placement) -> int:
    return min(pool.gpus for pool in placement.pools)


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
