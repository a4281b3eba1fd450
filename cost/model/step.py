"""One step of work, as the model sees it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Checkpoints:
    """How a step saves its work.

    Attributes:
        every: useful hours between two.
        writing: hours that writing one takes, during which no work is done.
    """

    every: float
    writing: float


@dataclass(frozen=True)
class Step:
    """One step, all in hours.

    Attributes:
        hours: useful hours, which is what it takes where nothing is evicted and nothing saved.
        restart: billed hours that each further start takes: boot, image, data, restoring a checkpoint.
        wait: hours until the next start that nobody bills: the retry's back-off.
        checkpoints: None where an evicted step starts over.
        retries: starts after the first.
        deadline: hours from the first start to the end that somebody waits for; None for no hurry.
    """

    hours: float
    restart: float
    wait: float
    checkpoints: Checkpoints | None
    retries: int
    deadline: float | None
