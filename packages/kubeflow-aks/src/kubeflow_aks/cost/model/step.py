"""One step of work, as the model has it, and its blocks: what must run in one go, or an eviction loses all of it."""

import math
from dataclasses import dataclass

_ALMOST_WHOLE = 1e-9
"""A step of 20 h with a checkpoint each 0.1 h has 200 blocks, though 20 / 0.1 is no whole number for a computer."""
_ALL_THE_TIME = 1e6
"""Number of checkpoints that take no time from which on what is lost between two of them counts as nothing."""


def _require(**amounts: float) -> None:
    for name, amount in amounts.items():
        if not (math.isfinite(amount) and amount >= 0):
            message = f"{name}: {amount} is not allowed; expected a number from 0"
            raise ValueError(message)


@dataclass(frozen=True)
class Checkpoints:
    """How a step saves its work: useful hours between two, and hours without work that writing one takes."""

    every: float
    writing: float

    def __post_init__(self) -> None:
        _require(every=self.every, writing=self.writing)


@dataclass(frozen=True)
class Step:
    """One step, all in hours.

    Attributes:
        hours: useful hours, which is what it takes where nothing is evicted and nothing saved.
        restart: billed hours that each further start takes: boot, image, data, restoring a checkpoint.
        wait: unbilled hours until the next start: the retry's back-off.
        checkpoints: None where an evicted step starts over.
        retries: starts after the first.
        deadline: hours from the first start within which the step must end; None for no deadline.
        saved: chance that an eviction's notice is long enough, and acted upon, so that the work is saved within it.
        nodes: how many it takes at the same time, each for all its hours.
        elastic: whether the others go on when one is lost, so that only the lost one's part is repeated. Otherwise it
            is a gang: the loss of one stops all, and all start again.
        held: billed hours of each of a gang's other nodes until the next start: the wait, as long as the autoscaler
            leaves them alone.

    Raises:
        ValueError: an amount is negative, or no number; `saved` is no chance.
    """

    hours: float
    restart: float
    wait: float
    checkpoints: Checkpoints | None
    retries: int
    deadline: float | None
    saved: float = 0.0
    nodes: int = 1
    elastic: bool = False
    held: float = 0.0

    def __post_init__(self) -> None:
        _require(hours=self.hours, restart=self.restart, wait=self.wait, retries=self.retries, held=self.held)
        if self.hours == 0:
            message = "hours: 0 is not allowed; expected a number above 0"
            raise ValueError(message)
        if self.deadline is not None:
            _require(deadline=self.deadline)
        if not 0 <= self.saved <= 1:
            message = f"saved: {self.saved} is not allowed; expected a chance from 0 to 1"
            raise ValueError(message)
        if self.nodes < 1:
            message = f"nodes: {self.nodes} is not allowed; expected a number from 1"
            raise ValueError(message)

    @property
    def together(self) -> int:
        """Nodes that an eviction of one of them stops."""
        return 1 if self.elastic else self.nodes


@dataclass(frozen=True)
class Blocks:
    """A step as blocks that end with a checkpoint, and a last one that ends with the step, so it needs none.

    Attributes:
        saved: how many end with a checkpoint; `math.inf` where work is saved all the time.
        length: hours of each of those, the checkpoint's own included.
        last: hours of the last.
        writing: hours in all that checkpoints take.
    """

    saved: float
    length: float
    last: float
    writing: float


def blocks(step: Step) -> Blocks:
    """Cut a step into its blocks; one that is shorter than its interval writes no checkpoint."""
    saves = step.checkpoints
    if saves is None or saves.every >= step.hours:
        return Blocks(0.0, 0.0, step.hours, 0.0)
    number = step.hours / saves.every if saves.every else math.inf
    if number > _ALL_THE_TIME and not saves.writing:
        return Blocks(math.inf, 0.0, 0.0, 0.0)
    if number == math.inf:
        return Blocks(math.inf, 0.0, 0.0, math.inf)
    saved = float(max(0, math.ceil(number * (1 - _ALMOST_WHOLE)) - 1))
    if not saved:
        return Blocks(0.0, 0.0, step.hours, 0.0)
    return Blocks(saved, saves.every + saves.writing, step.hours - saved * saves.every, saved * saves.writing)
