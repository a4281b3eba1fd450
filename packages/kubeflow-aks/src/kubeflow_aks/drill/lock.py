"""One drill at a time: its namespace is the lock, with the holder and the end as annotations."""

import time
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from kubeflow_aks.clients.kubernetes.api import ApiServer
from kubeflow_aks.clients.kubernetes.errors import ApiError, KubeError
from kubeflow_aks.clients.kubernetes.objects import Kind, Object, annotation, at
from kubeflow_aks.drill.errors import DrillError
from kubeflow_aks.drill.stage import MANAGED_BY, NAMESPACE, namespace

HOLDER: Final = "kubeflow-aks/drill-holder"
UNTIL: Final = "kubeflow-aks/drill-until"
REMOVE: Final = f"kubectl delete namespace {NAMESPACE}"
_JOB: Final = Kind("batch", "v1", "Job")
_POD: Final = Kind("", "v1", "Pod")
_GONE_SECONDS: Final = 180.0
_POLL_SECONDS: Final = 1.0


@dataclass(frozen=True)
class DrillLock:
    """The namespace of a drill; only one drill at a time can create it."""

    api: ApiServer

    def acquire(self, holder: str, until: datetime) -> None:
        """Create the namespace; messages to others name the holder and when the drill ends at the latest.

        Raises:
            DrillError: another drill holds it, or an earlier one left it behind.
            KubeError: the API server refuses.
        """
        made = namespace({HOLDER: holder, UNTIL: until.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")})
        try:
            self.api.create(made, MANAGED_BY)
        except ApiError as error:
            if not error.already_exists:
                raise
            raise DrillError(self._holder()) from None

    def release(self) -> bool:
        """Delete the work and then the namespace, and wait until it is deleted.

        Pods get no grace period: they have nothing to save, and the kubelet of an evicted node would not report their
        end. An empty namespace is deleted at once, one with pods when its controller runs again.

        Returns:
            Whether it is deleted.

        Raises:
            KubeError: the API server does not answer, or refuses.
        """
        deadline = time.monotonic() + _GONE_SECONDS
        while self._delete_work() and time.monotonic() < deadline:
            time.sleep(_POLL_SECONDS)
        self._delete(namespace({}))
        while self._there() is not None:
            if time.monotonic() > deadline:
                return False
            time.sleep(_POLL_SECONDS)
        return True

    def _delete_work(self) -> int:
        """Deletes Jobs, then their pods; returns how many there were."""
        work = [
            {"apiVersion": kind.api_version, "kind": kind.kind, "metadata": at(item, "metadata")}
            for kind in (_JOB, _POD)
            for item in self.api.list(kind, NAMESPACE)
        ]
        for obj in work:
            self._delete(obj)
        return len(work)

    def _delete(self, obj: Object) -> None:
        try:
            self.api.delete(obj, "Background", grace_seconds=0)
        except ApiError as error:
            if not (error.not_found or error.conflict):  # deleted, or being deleted
                raise

    def _there(self) -> Object | None:
        try:
            return self.api.get(namespace({}))
        except ApiError as error:
            if error.not_found:
                return None
            raise

    def _holder(self) -> str:
        """Who holds the lock, with what to do."""
        try:
            lock = self._there() or {}
        except KubeError as error:
            return f"namespace {NAMESPACE} exists and cannot be read ({error}); is another drill running?"
        if at(lock, "metadata", "labels", "app.kubernetes.io/managed-by") != MANAGED_BY:
            return f"namespace {NAMESPACE} exists and is not a drill's; a drill needs that name"
        if at(lock, "metadata", "deletionTimestamp"):
            return "an earlier drill is still being cleaned up; try again in a minute"
        holder, until = annotation(lock, HOLDER) or "an unknown user", annotation(lock, UNTIL)
        if _over(until):
            return f"a drill of {holder}, which should have ended at {until}, left its work behind; remove it: {REMOVE}"
        return (
            f"a drill of {holder} runs until {until} at the latest; only one drill can run at a time; if it was "
            f"killed, remove what it left: {REMOVE}"
        )


def _over(until: str) -> bool:
    """Whether a time has passed; an unreadable time has."""
    try:
        return datetime.fromisoformat(until) < datetime.now(UTC)
    except (ValueError, TypeError):
        return True
