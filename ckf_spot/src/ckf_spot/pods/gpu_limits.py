"""Matches the GPUs that a pod asks for with those of the nodes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ckf_spot.agent_pool import GPU
from ckf_spot.errors import ABSENT, Mistake
from ckf_spot.fields import of
from ckf_spot.placement import Placement

Limits = Mapping[str, Mapping[str, Any]]
"""The resource limits of each container by its name."""


def of_template(template: Mapping[str, Any]) -> Limits:
    """The limits in a well-formed pod's template; init containers' GPUs are free again when the others start."""
    containers = of(template, "spec").get("containers") or ()
    return {container["name"]: of(container, "resources", "limits") for container in containers}


def asked(limits: Limits) -> int:
    """GPUs that the containers ask for together."""
    return sum(_count(each.get(GPU, 0)) or 0 for each in limits.values())


def misfit(limits: Limits, placement: Placement) -> str:
    """Why a pod belongs on other pools than these, with GPUs or without; empty where it does not."""
    wanted = asked(limits)
    if wanted and not placement.gpus:
        return f"asks for {GPU}: {wanted}, and these pools have none"
    if placement.gpus and all(GPU not in each for each in limits.values()):
        return f"asks for no {GPU}, and these are GPU pools"
    return ""


def problems(limits: Limits, placement: Placement, where: str) -> Iterator[Mistake]:
    """Why the GPUs don't fit: none on GPU nodes, or more than every node has.

    Args:
        limits: what the pod asks for.
        placement: where it may run.
        where: path of the containers, for messages.
    """
    offered = min(pool.gpus for pool in placement.pools)
    names = ", ".join(pool.name for pool in placement.pools)
    wrong = {name: each[GPU] for name, each in limits.items() if GPU in each and _count(each[GPU]) is None}
    wanted = asked(limits)
    for name, limit in wrong.items():
        yield Mistake(where, ABSENT, "expected a whole number", f"{name!r} asks for {GPU}: {limit!r}")
    if offered and not wanted and not wrong:
        yield Mistake(
            where,
            ABSENT,
            f"expected a limit of {_range(offered)} {GPU}, or another pool",
            f"{_names(limits)} asks for no {GPU}, and {names} are GPU pools: a GPU node without GPU work",
        )
    if wanted > offered:
        who = _names({name: each for name, each in limits.items() if _count(each.get(GPU, 0))})
        yield Mistake(
            where,
            ABSENT,
            f"expected {_range(offered) if offered else 'a GPU pool'}",
            f"{who} asks for {GPU}: {wanted}, and a node of {names} has {offered}",
        )


def _names(limits: Limits) -> str:
    return ", ".join(map(repr, limits))


def _range(most: int) -> str:
    return "1" if most == 1 else f"1 to {most}"


def _count(quantity: object) -> int | None:
    """A quantity of GPUs, or None where it is none; the Trainer's SDK makes 1.0 of 1."""
    text = str(quantity).removesuffix(".0")
    return int(text) if text.isdecimal() else None
