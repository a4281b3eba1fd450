"""How long a restart takes: by the stack's setting, else as a drill measured, else by default; what a notice saves."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from kubeflow_aks.cost.basis import Work
from kubeflow_aks.cost.figures import Restart
from kubeflow_aks.cost.formatting import minutes
from kubeflow_aks.cost.model.step import Step
from kubeflow_aks.cost.terms import Terms

_MARGIN: Final = 5.0
"""Seconds of a notice that the work does not get: the handler's, and the kubelet's report. Our choice; less was
measured (docs/reference/work-lost-to-evictions.md)."""
_FAR: Final = 2.0
"""A note compares the configured restart with the measured one where they differ by more than this factor."""


def measured(work: Work, restart: Restart | None) -> Work:
    """The same work with the measured median where `restartMinutes` is left at its default."""
    if restart is None or not work.assumes_restart:
        return work
    update = {"restart_minutes": restart.minutes.expected, "assumed": ["restartMinutes"]}
    return work.model_copy(update=update)


def held(step: Step, tail: float) -> Step:
    """The same step of a gang whose other nodes wait for the next start, until the autoscaler removes them."""
    return replace(step, held=min(step.wait, tail)) if step.together > 1 else step


def steps(work: Work, terms: Terms) -> tuple[Step, Step, Step]:
    """One step as it is expected, with the least that was measured to cost, and with the most."""
    step, restart = held(work.step, terms.tail), terms.restart
    if restart is None:
        return step, step, step
    expected, most = saved(work, restart)
    low, high = step.restart, step.restart
    if work.assumes_restart:
        low, high = restart.minutes.low / 60, restart.minutes.high / 60
    return (
        replace(step, saved=expected),
        replace(step, restart=low, saved=most),
        replace(step, restart=high),
    )


def saved(work: Work, restart: Restart) -> tuple[float, float]:
    """Share of evictions within whose notice the work is saved: expected, and as the drill alone has it.

    Work that keeps checkpoints writes one when it gets SIGTERM. It does that in time if the drill's pods were all
    evicted before their node was gone, and the notice was as long as the writing takes. Expected is as if one more
    eviction had saved nothing: our choice, for a drill has few.
    """
    kept = (
        work.checkpoint_minutes is not None and work.step.together == 1
    )  # of a gang only one node is notified
    if not (kept and restart.notices and restart.drained):
        return 0.0, 0.0
    least = work.checkpoint_write_minutes * 60 + _MARGIN
    long_enough = sum(seconds >= least for seconds in restart.notices) / len(restart.notices)
    in_time = sum(restart.drained) * long_enough
    return in_time / (len(restart.drained) + 1), in_time / len(restart.drained)


def notes(stated: Work, restart: Restart | None) -> Iterator[str]:
    """Notes on a restart that was measured on the pool of some work, which is as the stack states it."""
    if restart is None:
        return
    expected, _ = saved(stated, restart)
    if expected:
        yield (
            f"at {expected:.0%} of evictions the work counts as saved within Azure's notice, by a drill on "
            f"{restart.source.day}: it has to write a checkpoint at SIGTERM; the high end of the range counts none"
        )
    time, stated_time = restart.minutes, stated.restart_minutes
    between = "" if time.exact else f" ({minutes(time.low)} to {minutes(time.high)})"
    measurement = f"{minutes(time.expected)}{between}, measured on {restart.source.day}"
    if stated.assumes_restart:
        yield f"a restart takes {measurement}, instead of the assumed {minutes(stated_time)}"
    elif stated_time > _FAR * time.expected or time.expected > _FAR * stated_time:
        which = "longer" if stated_time > time.expected else "shorter"
        yield (
            f"`restartMinutes` is {stated_time:g}, which is used, but is much {which} than the measured boot "
            f"and start: {measurement}"
        )
