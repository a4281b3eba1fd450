"""How to place the tasks of a pipeline, checked before any task is read."""

from dataclasses import dataclass
from functools import partial
from typing import Final, TypedDict, get_args

from ckf_spot import durations, time_limits
from ckf_spot.errors import Mistakes, PlacementError, not_one_of, refusal
from ckf_spot.fields import Json
from ckf_spot.placement import Capacity, Placement, Preference
from ckf_spot.pool_group import PoolGroup, Selection

RETRIES: Final = 5
BACKOFF: Final = "5m"
GIVE_UP: Final = "7d"
_FACTOR: Final = 1.0
"""Factor of the backoff: each wait is as long as the first. The compiler's default is 2.0. Argo cannot read a fraction
such as 1.5, and the task fails without a retry (docs/facts/placement.md#traps-of-kfp)."""


class PlacingOptions(TypedDict, total=False):
    """Arguments that every way to place tasks takes; what each means, and what is wrong with it, `read` says."""

    prefer: Preference | None
    require: Capacity | None
    retries: int
    backoff: str
    give_up: str
    by: Selection


@dataclass(frozen=True)
class Request:
    """How to place tasks.

    Attributes:
        group: the pools, and the backend that runs the pipeline.
        placement: where the tasks may run.
        by: what selects their nodes.
        retries: attempts after the first one.
        retry: these retries as the compiler writes them, `retryPolicy`; None without retries.
        gpus: amount of `nvidia.com/gpu` for each task; None: what it asks for itself.
    """

    group: PoolGroup
    placement: Placement
    by: Selection
    retries: int
    retry: Json | None
    gpus: int | None


def read(
    mistakes: Mistakes,
    group: PoolGroup,
    *,
    prefer: Preference | None = None,
    require: Capacity | None = None,
    retries: int = RETRIES,
    backoff: str = BACKOFF,
    give_up: str = GIVE_UP,
    gpus: int | None = None,
    by: Selection = "node-affinity",
) -> Request:
    """The request; what is wrong with it is added to the mistakes.

    Args:
        mistakes: raises them all at once, with those of the tasks.
        group: pools, and the backend that runs the pipeline.
        prefer: `spot`: spot nodes if there are any, their on-demand fallbacks instead. The default.
        require: `spot`: nothing but spot, however long that takes; `on-demand`: nothing but on-demand.
        retries: attempts after the first one; 0 leaves the task's own `set_retry` as it is.
        backoff: wait before each of them, as in `5m`; long enough for a node to come up.
        give_up: time from the first attempt's start after which Argo retries no more and kills an attempt that still
            runs: all attempts and waits must fit in.
        gpus: amount of `nvidia.com/gpu`. Left out: what the task asks for itself, or else 1 on nodes that have GPUs.
        by: `node-selector` for backends before 2.14, which ignore node affinity; the preference is lost there.
    """
    mistakes.catch(lambda: _check_selection(group, by))
    # After a mistake the tasks are still held against something: all pools of the group.
    placement = mistakes.catch(lambda: group.placement(prefer=prefer, require=require)) or Placement(
        group.pools, (group.selector,), ()
    )
    if by == "node-selector":
        mistakes.catch(lambda: placement.node_selector)
    wait = mistakes.catch(lambda: durations.seconds("backoff", backoff))
    end = mistakes.catch(lambda: durations.seconds("give_up", give_up))
    limit = mistakes.catch(lambda: _whole("retries", retries)) or 0
    retry = None
    if limit and wait is not None and end is not None:
        mistakes.add(time_limits.window_problems("give_up", end, limit=limit, wait=wait))
        retry = {
            "maxRetryCount": limit,
            "backoffDuration": f"{wait}s",
            "backoffFactor": _FACTOR,
            "backoffMaxDuration": f"{end}s",
        }
    count = None if gpus is None else mistakes.catch(partial(_whole, "gpus", gpus))
    return Request(group, placement, by, limit, retry, count)


def _check_selection(group: PoolGroup, by: Selection) -> None:
    if by not in get_args(Selection):
        raise PlacementError(not_one_of("by", by, get_args(Selection)))
    if by == "node-affinity" and not group.backend.node_affinity:
        raise refusal(
            "backend",
            str(group.backend),
            "expected by='node-selector', or a newer backend",
            "ignores node affinity, which 2.14 was the first to read",
        )


def _whole(name: str, value: int) -> int:
    if type(value) is not int or value < 0:
        raise refusal(name, value, "expected a whole number from 0")
    return value
