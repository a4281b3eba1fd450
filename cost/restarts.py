"""How long a restart takes: what the stack says goes before what a drill measured, and that before the default."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from cost.basis import Work
from cost.figures import Restart
from cost.model.step import Step
from cost.words import minutes

_FAR: Final = 2.0
"""A restart that the stack states is told beside the measured one where one is more than so many times the other."""


def measured(work: Work, restart: Restart | None) -> Work:
    """The same work with the measured median where nobody said how long a restart takes."""
    if restart is None or not work.assumes_restart:
        return work
    told = {"restart_minutes": restart.minutes.expected, "assumed": ["restartMinutes"]}
    return work.model_copy(update=told)


def steps(work: Work, restart: Restart | None) -> tuple[Step, Step, Step]:
    """One step as it is expected, with the shortest restart that was measured, and with the longest."""
    step = work.step
    if restart is None or not work.assumes_restart:
        return step, step, step
    return (
        step,
        replace(step, restart=restart.minutes.low / 60),
        replace(step, restart=restart.minutes.high / 60),
    )


def said(stated: Work, restart: Restart | None) -> Iterator[str]:
    """What a reader should know of a restart that was measured.

    Args:
        stated: the work as the stack has it.
        restart: what was measured on its pool.
    """
    if restart is None:
        return
    found, own = restart.minutes, stated.restart_minutes
    between = "" if found.exact else f" ({minutes(found.low)} to {minutes(found.high)})"
    seen = f"{minutes(found.expected)}{between}, measured on {restart.source.day}"
    if stated.assumes_restart:
        yield f"a restart takes {seen}, instead of the {minutes(own)} that are assumed without"
    elif own > _FAR * found.expected or found.expected > _FAR * own:
        which = "longer" if own > found.expected else "shorter"
        yield f"`restartMinutes` is {own:g}, which stays, but is much {which} than boot and start took: {seen}"
