"""How long Azure takes, on a clock that can run faster than the wall's."""

import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, wait
from typing import Any, Final

from kubeflow_aks.local_aks.azure.state import AGENT_POOL, MANAGED_CLUSTER
from kubeflow_aks.local_aks.azure.types import RESOURCE_GROUP

CREATING: Final = "Creating"
UPDATING: Final = "Updating"
DELETING: Final = "Deleting"
STARTING: Final = "Starting"
STOPPING: Final = "Stopping"

_SECONDS: Final = {
    (MANAGED_CLUSTER, CREATING): 240.0,
    (MANAGED_CLUSTER, UPDATING): 120.0,
    (MANAGED_CLUSTER, DELETING): 240.0,
    (MANAGED_CLUSTER, STARTING): 240.0,
    (MANAGED_CLUSTER, STOPPING): 300.0,
    (AGENT_POOL, CREATING): 120.0,
    (AGENT_POOL, UPDATING): 60.0,
    (AGENT_POOL, DELETING): 90.0,
    (RESOURCE_GROUP, DELETING): 30.0,
}
"""Usual length of an operation in seconds, from our own experience of AKS; nobody promises these."""
_OTHERS: Final = 5.0
_CANCELLED: Final = "the operation was cancelled; Azure carries on with it"
_POLL_SECONDS: Final = 0.1


class OperationCancelledError(Exception):
    """The engine cancelled while an operation was waited for; Azure goes on with it."""


class Timing:
    """Waiting for Azure; what waits raises `OperationCancelledError` if `cancel` is called meanwhile.

    Args:
        speed: simulated seconds in one second of the wall clock; `math.inf` for no waiting at all.
        now: the wall clock, in seconds since the epoch.
    """

    def __init__(self, speed: float, now: Callable[[], float] = time.time) -> None:
        self._speed = speed
        self._now = now
        self._cancelled = threading.Event()

    def now(self) -> float:
        """The wall clock, in seconds since the epoch."""
        return self._now()

    def ends_at(self, token: str, operation: str) -> float:
        """Wall-clock time (seconds since the epoch) at which an operation that starts now ends."""
        return self._now() + _SECONDS.get((token, operation), _OTHERS) / self._speed

    def over(self, ends_at: float) -> bool:
        """Whether an operation has ended."""
        return self._now() >= ends_at

    def wait_until(self, ends_at: float) -> None:
        """Wait for the end of an operation."""
        if self._cancelled.wait(max(0.0, ends_at - self._now())):
            raise OperationCancelledError(_CANCELLED)

    def wait_for(self, end: Future[Any]) -> None:
        """Wait for the end of something that takes the wall clock's time."""
        cancelled = self._cancelled
        while not wait([end], _POLL_SECONDS).done:
            if cancelled.is_set():
                raise OperationCancelledError(_CANCELLED)

    def pause(self, seconds: float) -> None:
        """Wait for simulated seconds."""
        self.wait_until(self._now() + seconds / self._speed)

    def cancel(self) -> None:
        """End every wait that is under way; later ones are not affected."""
        cancelled, self._cancelled = self._cancelled, threading.Event()
        cancelled.set()
