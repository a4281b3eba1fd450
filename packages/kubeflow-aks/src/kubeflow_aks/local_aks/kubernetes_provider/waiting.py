"""Waiting for an object to become ready, or to be gone."""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from kubeflow_aks.clients.kubernetes.errors import ApiError, KubeError, NoSuchKindError
from kubeflow_aks.clients.kubernetes.objects import (
    SKIP_AWAIT,
    TIMEOUT_SECONDS,
    Kind,
    Object,
    annotation,
    name_of,
)
from kubeflow_aks.local_aks.kubernetes_provider.cluster import Cluster, existing
from kubeflow_aks.local_aks.kubernetes_provider.errors import NotReadyError
from kubeflow_aks.local_aks.kubernetes_provider.readiness import READY, RULES, Readiness

_GONE_SECONDS: Final = 300.0
_GONE_SECONDS_WORKLOAD: Final = 600.0
_WORKLOADS: Final = frozenset({"DaemonSet", "Deployment", "ReplicationController", "StatefulSet"})
_SKIPS_WHEN_GONE: Final = _WORKLOADS | {"Job", "Namespace", "Pod"}
"""Kinds for which `pulumi.com/skipAwait` also covers deletion (overrides.go, `allowsSkipAwaitWithDelete`)."""


@dataclass(frozen=True)
class Waiter:
    """Polls the API server until a condition holds, the time is up, or the engine cancels.

    Attributes:
        cancelled: set when the engine cancels the operation.
        poll_seconds: pause between two looks.
        misordering_seconds: pauses before a create is tried again whose namespace or kind is not there yet.
        settle_seconds: how long a Service or an Ingress must be ready before it counts.
    """

    cancelled: threading.Event = field(default_factory=threading.Event)
    poll_seconds: float = 0.2
    misordering_seconds: tuple[float, ...] = (1, 2, 4, 8, 16)
    settle_seconds: float = 10

    def ready(
        self, api: Cluster, live: Object, inputs: Object, timeout: float, *, updated: bool = False
    ) -> Object:
        """Wait until an object is ready.

        Args:
            api: where it is.
            live: the object after the write.
            inputs: the program's inputs; their annotations set whether and how long to wait.
            timeout: `customTimeouts` in seconds, 0 for none.
            updated: the object was there before.

        Returns:
            The object as it is then.

        Raises:
            NotReadyError: it did not become ready; it holds the object as it is.
        """
        rule = RULES.get(Kind.of(live))
        if rule is None or annotation(inputs, SKIP_AWAIT) == "true":
            return api.get(live)
        if updated and rule.stays_ready and not rule.stays_ready(live, api).reasons:
            return api.get(live)
        deadline = time.monotonic() + (timeout_of(inputs, timeout) or rule.seconds)
        ready_since: float | None = None
        while True:
            live = api.get(live)
            readiness = rule.check(live, api)
            if not readiness.reasons:
                ready_since = ready_since or time.monotonic()
                settled = not rule.settles or time.monotonic() - ready_since >= self.settle_seconds
                if settled or self._pause(deadline):
                    return live
                continue
            ready_since = None
            if readiness.final:
                message = f"Resource '{name_of(live)}' was created but failed to initialize"
                raise NotReadyError(message, live, readiness.reasons)
            if self._pause(deadline):
                raise NotReadyError(
                    self._gave_up(live, "timed out waiting to be Ready"), live, readiness.reasons
                )

    def gone(self, api: Cluster, obj: Object, inputs: Object, timeout: float) -> None:
        """Wait until a deleted object is gone.

        Raises:
            NotReadyError: it is still there when the time is up.
        """
        kind = obj["kind"]
        if annotation(inputs, SKIP_AWAIT) == "true" and kind in _SKIPS_WHEN_GONE:
            return
        seconds = _GONE_SECONDS_WORKLOAD if kind in _WORKLOADS else _GONE_SECONDS
        deadline = time.monotonic() + (timeout_of(inputs, timeout) or seconds)
        while (live := existing(api, obj)) is not None:
            if self._pause(deadline):
                raise NotReadyError("timed out waiting for the condition", live)

    def orderly(self, write: Callable[[], Object]) -> Object:
        """Write; again a few times while the namespace or the kind is not there yet, as another step may make it."""
        for seconds in self.misordering_seconds:
            try:
                return write()
            except KubeError as error:
                if not _may_come(error) or self.cancelled.wait(seconds):
                    raise
        return write()

    def _pause(self, deadline: float) -> bool:
        """Pause; whether to give up."""
        left = deadline - time.monotonic()
        return left <= 0 or self.cancelled.wait(min(self.poll_seconds, left))

    def _gave_up(self, live: Object, why: str) -> str:
        name = name_of(live)
        return (
            f"Resource operation was cancelled for '{name}'" if self.cancelled.is_set() else f"'{name}' {why}"
        )


def readiness_on_read(api: Cluster, live: Object, inputs: Object) -> Readiness:
    """An object's readiness as a refresh reports it."""
    rule = RULES.get(Kind.of(live))
    if rule is None or not rule.on_read or annotation(inputs, SKIP_AWAIT) == "true":
        return READY
    return rule.check(live, api)


def timeout_of(inputs: Object, timeout: float) -> float:
    """Seconds to wait: `customTimeouts`, else the annotation, else 0."""
    text = annotation(inputs, TIMEOUT_SECONDS)
    return timeout or (float(text) if text.isdigit() else 0.0)


def _may_come(error: KubeError) -> bool:
    return isinstance(error, NoSuchKindError) or (isinstance(error, ApiError) and error.not_found)
