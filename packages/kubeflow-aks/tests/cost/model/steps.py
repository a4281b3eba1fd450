"""Steps of the tests, and one played by chance."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cache

import numpy as np
import numpy.typing as npt

from kubeflow_aks.cost.model.step import Checkpoints, Step

Floats = npt.NDArray[np.float64]

PLAIN = Step(hours=8, restart=0.1, wait=0.0, checkpoints=None, retries=5, deadline=None)
"""A step that starts over after an eviction."""
AT_NOTICE = Checkpoints(every=0.0, writing=0.0)
"""Work is saved within Azure's notice of an eviction, so nothing is lost: the limit of ever more checkpoints."""


def step(hours: float, every: float | None = None, writing: float = 0.0, **changes: float | None) -> Step:
    """A step with or without checkpoints; the rest is `PLAIN`'s."""
    saves = None if every is None else Checkpoints(every, writing)
    return replace(PLAIN, hours=hours, checkpoints=saves, **changes)  # pyright: ignore[reportArgumentType]


@dataclass(frozen=True)
class Played:
    """What many steps took, each number one step's; `given_up_after` is billed until the retries were used up."""

    billed: Floats
    evictions: Floats
    lost: Floats
    wall: Floats
    given_up_after: Floats


@cache
def play(one: Step, rate: float, number: int = 40_000, seed: int = 16) -> Played:
    """Play a step so often, minute by minute of its progress and knowing nothing of the model's formulas.

    Each start runs until its eviction. It restarts first, unless it is the step's first one, and then works from what
    was saved; a checkpoint is kept once it is written.
    """
    chance = np.random.default_rng(seed)
    every, writing = (
        (math.inf, 0.0) if one.checkpoints is None else (one.checkpoints.every, one.checkpoints.writing)
    )
    checkpoints = 0 if math.isinf(every) or not every else math.ceil(one.hours / every) - 1
    saved, billed, evictions, lost = (np.zeros(number) for _ in range(4))
    given_up_after = np.full(number, np.nan)
    going = np.arange(number)
    while going.size:
        ends = chance.exponential(-1 / math.log(1 - rate), going.size)
        restart = np.where(evictions[going] > 0, one.restart, 0.0)
        left = (
            one.hours - saved[going] * every + (checkpoints - saved[going]) * writing
            if checkpoints
            else one.hours - saved[going]
        )
        done = ends >= restart + left
        billed[going] += np.where(done, restart + left, ends)
        hit = going[~done]
        worked = np.maximum(ends - restart, 0.0)[~done]
        if every == 0:
            saved[hit] += worked
        elif checkpoints:
            kept = np.floor(worked / (every + writing))
            lost[hit] += worked - kept * (every + writing)
            saved[hit] += kept
        else:
            lost[hit] += worked
        evictions[hit] += 1
        over = hit[evictions[hit] == one.retries + 1]
        given_up_after[over] = billed[over]
        going = hit
    given_up_after = np.where(np.isnan(given_up_after), billed, given_up_after)
    return Played(billed, evictions, lost, billed + evictions * one.wait, given_up_after)
