"""Which answers of ARM azure-native sends again, and when (`initPipelineOpts` in `client_azcore.go`).

A 409 `OperationNotAllowed` of AKS is not among them: it fails the resource. That is what the real provider does.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeVar

from kubeflow_aks.local_aks.azure.arm import ArmError

_DELAYS: Final = (20.0, 60.0, 120.0)
"""Seconds before each further attempt; azcore's jitter is left out."""
_STATUSES: Final = frozenset({408, 429, 500, 502, 503, 504})
_CONFLICT: Final = (409, "AnotherOperationInProgress")

T = TypeVar("T")


def send(request: Callable[[], T], pause: Callable[[float], None]) -> T:
    """Send a request until ARM accepts it.

    Args:
        request: sends it once.
        pause: waits for simulated seconds.

    Raises:
        ArmError: ARM's last answer.
    """
    for delay in _DELAYS:
        try:
            return request()
        except ArmError as error:
            pause(_before_retry(error, delay))
    return request()


def _before_retry(error: ArmError, delay: float) -> float:
    """Seconds to wait, the Retry-After header first; an answer that is not worth waiting for is raised again."""
    retryable = error.status in _STATUSES or (error.status, error.code) == _CONFLICT
    wait = delay if error.retry_after is None else error.retry_after
    if not retryable or wait > _DELAYS[-1]:
        raise error
    return wait
