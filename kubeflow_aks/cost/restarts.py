"""How long a restart takes: by the stack's setting, else as a drill measured, else by default."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from kubeflow_aks.cost.basis import Work
from kubeflow_aks.cost.figures import Restart
from kubeflow_aks.cost.formatting import minutes
from kubeflow_aks.cost.model.step import Step

_FAR: Final = 2.0
"""A note compares the configured restart with the measured one where they differ by more than this factor."""


def measured(work: Work, restart: Restart | None) -> Work:
    """The same work with the measured median where `restartMinutes` is left at its default."""
    if restart is None or not work.assumes_restart:
        return work
    update = {"restart_minutes": restart.minutes.expected, "assumed": ["restartMinutes"]}
    return work.model_copy(update=update)


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


def notes(stated: Work, restart: Restart | None) -> Iterator[str]:
    """Notes on a measured restart.

    Args:
        stated: the work as the stack has it.
        restart: what was measured on its pool.
    """
    if restart is None:
        return
    found, own = restart.minutes, stated.restart_minutes
    between = "" if found.exact else f" ({minutes(found.low)} to {minutes(found.high)})"
    measurement = f"{minutes(found.expected)}{between}, measured on {restart.source.day}"
    if stated.assumes_restart:
        yield f"a restart takes {measurement}, instead of the assumed {minutes(own)}"
    elif own > _FAR * found.expected or found.expected > _FAR * own:
        which = "longer" if own > found.expected else "shorter"
        yield (
            f"`restartMinutes` is {own:g}, which is used, but is much {which} than the measured boot and start: "
            f"{measurement}"
        )
