"""What spot cannot give while it is sold out: on the fallback, at its price."""

import math
from dataclasses import dataclass
from typing import Final

from kubeflow_aks.cost.model.rates import evictions_an_hour
from kubeflow_aks.cost.model.step import Step, blocks

_ALMOST_SURE: Final = 1 - 1e-15
_ROUNDS: Final = 4
"""Rounds until the chance to have moved and the chance to move agree to a thousandth."""
_NEVER: Final = 1e-15
"""A mean number of events below it is none; so small figures have no digits."""


@dataclass(frozen=True)
class Either:
    """What a step takes that runs on spot, or on the fallback from a start at which spot is sold out.

    Attributes:
        spot: billed hours on spot, on each of its nodes.
        fallback: on the fallback.
        moves: chance that it ends there.
    """

    spot: float
    fallback: float
    moves: float


def either(step: Step, rate: float, sold_out: float, outage: float = 0.0, *, taken: bool = False) -> Either:
    """A step whose first start finds spot sold out with chance `sold_out`; what starts then ends on the fallback.

    Nothing moves it back: it stays on the fallback, where nothing is evicted, to its end. So of long steps more hours
    run there than the share. A block of x hours is hit with chance h = 1 - e^-λx; after that each start moves with
    chance s, or gets through with chance e^-λ(R + x), so a hit block moves with chance f = s / (1 - (1 - s) q),
    q = 1 - e^-λ(R + x). The chance to be still on spot falls by h f with each block, and what spot doesn't do the
    fallback does. Our own derivation, played by tests/cost/model/test_sold_out.py.

    Spot was there when the step started, so after t hours it is sold out with chance s (1 - e^-t/τ), where τ is
    `outage` times 1 - s, for times without memory; averaged over the moments of evictions that is the s of a retry.

    Args:
        step: one step.
        rate: chance of an eviction within the next hour.
        sold_out: share of the time in which there is no spot VM.
        outage: mean hours of a time without spot; 0 where each start is independent of those before.
        taken: whether Azure takes the running VMs at the start of such a time, too, which is one more eviction for each
            time. Then spot is there after all other evictions, but for the wait.

    Raises:
        ValueError: `sold_out` is no share, or `outage` is 0 where VMs are taken.
    """
    _require_share(sold_out)
    cut = blocks(step)
    productive = step.hours + cut.writing
    if taken and not outage > 0:
        message = f"soldOutHours: {outage} is not allowed; expected a number above 0"
        raise ValueError(message)
    alone = evictions_an_hour(rate)
    hazard, again = _retries(step, step.together * alone, sold_out, outage, taken=taken)
    if sold_out == 1 or not productive < math.inf:
        return Either(0.0 if sold_out == 1 else math.inf, sold_out * productive, sold_out)
    if hazard == math.inf:
        return Either(math.inf, 0.0, 0.0)
    many = _Block(hazard, step.restart, cut.length, again)
    if cut.saved == math.inf:  # blocks without a length
        leaves = hazard * many.moves
        stays = math.exp(-leaves * step.hours)
        done = _until(leaves, step.hours)
        hours = done * many.hours
    else:
        last = _Block(hazard, step.restart, cut.last, again)
        leaves = min(many.hit * many.moves, _ALMOST_SURE)
        begun = _until(-math.log1p(-leaves), cut.saved) * (-math.log1p(-leaves) / leaves if leaves else 1.0)
        stays = (1 - leaves) ** cut.saved
        hours = begun * many.hours + stays * last.hours
        stays *= 1 - last.hit * last.moves
        done = begun * (1 - leaves) * cut.length + stays * cut.last
    on_spot = 1 - sold_out
    moved = on_spot * (1 - stays)
    held = alone * (step.together - 1) * step.held
    return Either(
        on_spot * hours * (1 + held),
        productive - on_spot * done + step.restart * moved,
        sold_out + moved,
    )


def _retries(
    step: Step, hazard: float, sold_out: float, outage: float, *, taken: bool
) -> tuple[float, float]:
    """Evictions a running hour, and the chance that the start after one finds spot sold out."""
    settles = outage * (1 - sold_out)
    if not (settles and sold_out > 0 and hazard < math.inf):
        return hazard, sold_out
    still = math.exp(-step.wait / settles)
    if taken:
        begins = sold_out / settles
        every = hazard + begins
        out = begins * (sold_out + (1 - sold_out) * still) + hazard * sold_out * (1 - still)
        return (every, out / every) if every else (hazard, sold_out)  # so small a share is none
    return hazard, sold_out * (1 - still * _stays_known(step, hazard, settles, sold_out))


def _stays_known(step: Step, hazard: float, settles: float, sold_out: float) -> float:
    """Mean e^-t/τ over the evictions of a step, t hours after it found spot there.

    Without checkpoints each try begins anew, so t is the time of its first eviction. With checkpoints the evictions are
    spread over the work, u hours from its beginning, and t is the time since the one before, u for the first; those
    late in the work count less, because some steps have moved by then.
    """
    longest, fades = step.hours + step.restart, hazard + 1 / settles
    if step.checkpoints is None or step.checkpoints.every >= step.hours:
        return _until(fades, longest) / _until(hazard, longest)
    before, remembered = hazard / fades, 0.0
    for _ in range(_ROUNDS):
        leaves = hazard * sold_out * (1 - remembered)
        remembered = before + (1 - before) * _until(fades + leaves, longest) / _until(leaves, longest)
    return remembered


class _Block:
    """A block that must run in one go.

    Attributes:
        hit: chance that its first try is evicted.
        moves: chance that a block that was hit moves to the fallback before it is done.
        hours: billed hours on spot; of one without a length for each hour of the work.
    """

    def __init__(self, hazard: float, restart: float, length: float, sold_out: float) -> None:
        self.hit = -math.expm1(-hazard * length)
        evicted = -math.expm1(-hazard * (restart + length))
        ends = sold_out + (1 - sold_out) * math.exp(-hazard * (restart + length))
        self.moves = sold_out / ends if ends else 0.0
        again = (1 - sold_out) * evicted / ends if ends else math.inf
        if length:
            self.hours = _until(hazard, length) * (1 + again)
        else:
            self.hours = 1 + again


def _until(hazard: float, hours: float) -> float:
    """Hours until something happens that comes `hazard` times an hour, or until they are over: (1 - e^-λx) / λ."""
    mean = hazard * hours
    return hours if mean < _NEVER else -math.expm1(-mean) / hazard


def _require_share(sold_out: float) -> None:
    if not 0 <= sold_out <= 1:
        message = f"soldOutShare: {sold_out} is not allowed; expected a share from 0 to 1"
        raise ValueError(message)
