"""One drill at a time: its namespace says whose it is and until when, and goes away with it."""

from __future__ import annotations

import time
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from drill.errors import DrillError
from drill.stage import MANAGED_BY, NAMESPACE, namespace
from kube.api import ApiServer
from kube.errors import ApiError, KubeError
from kube.objects import Kind, Object, annotation, at

HOLDER: Final = "kubeflow-aks/drill-holder"
UNTIL: Final = "kubeflow-aks/drill-until"
REMOVE: Final = f"kubectl delete namespace {NAMESPACE}"
_JOB: Final = Kind("batch", "v1", "Job")
_POD: Final = Kind("", "v1", "Pod")
_GONE_SECONDS: Final = 180.0
_POLL_SECONDS: Final = 1.0


@dataclass(frozen=True)
class Claim:
    """The namespace of one drill."""

    api: ApiServer

    def take(self, holder: str, until: datetime) -> None:
        """Makes the namespace, which only one drill can.

        Args:
            holder: whoever drills, for others to read.
            until: when the drill is over at the latest.

        Raises:
            DrillError: another drill has it, or an earlier one left it.
            KubeError: the API server refuses.
        """
        made = namespace({HOLDER: holder, UNTIL: until.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")})
        try:
            self.api.create(made, MANAGED_BY)
        except ApiError as error:
            if not error.already_exists:
                raise
            raise DrillError(self._taken()) from None

    def release(self) -> bool:
        """Deletes the work and then the namespace, and waits until it is gone.

        Pods are given no time to end: they have nothing to save, and where their node is being taken nobody would tell
        that they ended. An empty namespace goes at once, one with pods when its controller looks again.

        Returns:
            Whether it is gone by now.

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
        """Deletes Jobs, then their pods; returns how many were still there."""
        work = [
            {"apiVersion": kind.api_version, "kind": kind.kind, "metadata": at(found, "metadata")}
            for kind in (_JOB, _POD)
            for found in self.api.list(kind, NAMESPACE)
        ]
        for obj in work:
            self._delete(obj)
        return len(work)

    def _delete(self, obj: Object) -> None:
        try:
            self.api.delete(obj, "Background", grace_seconds=0)
        except ApiError as error:
            if not (error.not_found or error.conflict):  # gone, or going
                raise

    def _there(self) -> Object | None:
        try:
            return self.api.get(namespace({}))
        except ApiError as error:
            if error.not_found:
                return None
            raise

    def _taken(self) -> str:
        """Why the namespace can't be had, with what to do."""
        try:
            found = self._there() or {}
        except KubeError as error:
            return f"namespace {NAMESPACE} is there and can't be read ({error}); is another drill running?"
        if at(found, "metadata", "labels", "app.kubernetes.io/managed-by") != MANAGED_BY:
            return f"namespace {NAMESPACE} is not a drill's; a drill needs that name for itself"
        if at(found, "metadata", "deletionTimestamp"):
            return "an earlier drill is still being cleaned up; try again in a minute"
        holder, until = annotation(found, HOLDER) or "somebody", annotation(found, UNTIL)
        if _over(until):
            return (
                f"a drill of {holder}, which should have ended at {until}, left its work; remove it: {REMOVE}"
            )
        return f"a drill of {holder} runs until {until} at the latest; one at a time, wait for it"


def _over(until: str) -> bool:
    """Whether a moment has passed; one that can't be read has."""
    try:
        return datetime.fromisoformat(until) < datetime.now(UTC)
    except (ValueError, TypeError):
        return True
