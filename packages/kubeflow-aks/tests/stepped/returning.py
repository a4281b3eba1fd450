"""Steps whose pods the program that returns work to spot moves: the program itself, on the control plane in memory."""

import contextlib
import io
import json
import math
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from http import HTTPStatus
from typing import Any, Final, cast

from components.kubeflow.eviction_script import Api, ApiError
from components.kubeflow.return_script import LABEL, Returns
from tests.stepped.work import Jobs

LOOK_SECONDS: Final = 20.0
"""As the program pauses between two looks."""
IDLE_SECONDS: Final = 600.0
"""Between two looks where the last one did nothing and nothing has changed: of work that is left alone for a day."""
_POOL: Final = "kubernetes.azure.com/agentpool"
_SPOT: Final = "kubernetes.azure.com/scalesetpriority"
_TRIES: Final = "tries"


def returning(pod: Mapping[str, Any]) -> dict[str, Any]:
    """A pod spec that prefers spot, without which the program moves none."""
    expression = {"key": _SPOT, "operator": "In", "values": ["spot"]}
    term = {"weight": 100, "preference": {"matchExpressions": [expression]}}
    return {**pod, "affinity": {"nodeAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": [term]}}}


class ReturningJobs(Jobs):
    """The job controller, and the program beside it, which looks whenever a labelled pod runs on the fallback."""

    def __init__(self, clock: Any, spot: str, fallback: str) -> None:
        """`spot` and `fallback` are the names of the pools."""
        super().__init__(clock)
        self._pools = [{"name": spot, "fallback": fallback}, {"name": fallback, "fallback": None}]
        self._fallback = fallback
        self._memory: dict[str, Any] | None = None
        self._looked, self._seen = -math.inf, -1
        settings = {"NAMESPACE": "ours", "PLACEHOLDERS": _TRIES, "IMAGE": "pause", "PRICES": "{}"}
        self._program = Returns(cast("Api", self), settings)

    def create_pod(self, name: str, spec: Mapping[str, Any], **metadata: Any) -> str:
        """Create a pod as the API server does, with what the program reads of it."""
        written = datetime.fromtimestamp(self._clock.now(), UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        metadata.setdefault("ownerReferences", [{"kind": "Job", "name": name, "controller": True}])
        return super().create_pod(name, spec, creationTimestamp=written, **metadata)

    def advance(self, now: float) -> None:
        """Let the program look, too."""
        super().advance(now)
        if now >= self._next_look():
            with contextlib.redirect_stdout(io.StringIO()):
                self._program.look(now)
            self._looked, self._seen = now, self.changes

    def next_at(self) -> float:
        """When something is due next, a look included."""
        return min(super().next_at(), self._next_look())

    def _next_look(self) -> float:
        if self.pod("placeholder", _TRIES):
            return self._looked + LOOK_SECONDS
        if not any(map(self._is_away, self.pod_objects.values())):
            return math.inf
        pause = IDLE_SECONDS if self._seen == self.changes else LOOK_SECONDS
        return max(self._looked + pause, self._rests_until)

    @property
    def _rests_until(self) -> float:
        """After a try that failed the program would look in vain."""
        rests: dict[str, dict[str, float]] = (
            json.loads(self._memory["data"]["memory"])["rests"] if self._memory else {}
        )
        return max((rest["until"] for rest in rests.values()), default=0.0)

    def _is_away(self, pod: Mapping[str, Any]) -> bool:
        node = self.node_objects.get(pod["spec"].get("nodeName", ""))
        return LABEL in pod["metadata"].get("labels", {}) and bool(
            node and node["metadata"]["labels"][_POOL] == self._fallback
        )

    def call(self, method: str, path: str, body: Mapping[str, Any] | None = None) -> Any:
        """Answer one request of the program.

        Raises:
            ApiError: there is no such object.
        """
        place = path.partition("?")[0]
        if place == "/api/v1/pods":
            running = [pod for pod in self.pods() if pod["status"]["phase"] == "Running"]
            return {"items": [pod for pod in running if LABEL in pod["metadata"].get("labels", {})]}
        if place.endswith("/configmaps/agent-pools"):
            return {"data": {"pools.json": json.dumps(self._pools)}}
        if place.startswith("/api/v1/nodes/"):
            return _there(self.node_objects.get(place.rpartition("/")[2]))
        if evicted := re.fullmatch(r"/api/v1/namespaces/([^/]+)/pods/([^/]+)/eviction", place):
            assert body is not None
            self.evict(evicted[1], evicted[2], body["deleteOptions"]["preconditions"]["uid"])
            return {}
        if "/configmaps" in place:
            if body is not None:
                self._memory = {
                    **body,
                    "metadata": {**body["metadata"], "namespace": _TRIES, "resourceVersion": "1"},
                }
            return _there(self._memory)
        if method == "POST":
            assert body is not None
            self.create_pod(
                body["metadata"]["name"],
                body["spec"],
                namespace=_TRIES,
                ownerReferences=[],
                annotations=body["metadata"]["annotations"],
            )
        elif method == "DELETE":
            self.delete_pod("placeholder", _TRIES)
            return {}
        return _there(self.pod("placeholder", _TRIES))


def _there(obj: Any) -> Any:
    if obj is None:
        raise ApiError(HTTPStatus.NOT_FOUND, "not found")
    return obj
