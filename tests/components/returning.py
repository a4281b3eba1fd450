"""A cluster in memory for the script that returns work to spot: what it reads, and what becomes of its requests."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from http import HTTPStatus
from typing import Any, Final

from components.kubeflow.return_script import LABEL, PLACEHOLDER
from components.kubeflow.script_client import ApiError, Object

CONTRACT: Final = [
    {"name": "cpuspot", "priority": "Spot", "fallback": "cpuod"},
    {"name": "cpuod", "priority": "Regular", "fallback": None},
    {"name": "cpuodbig", "priority": "Regular", "fallback": None, "pool": "cpuod"},
    {"name": "gpuspot", "priority": "Spot", "fallback": "gpuod"},
    {"name": "gpuod", "priority": "Regular", "fallback": None},
]
SETTINGS: Final = {
    "NAMESPACE": "ours",
    "PLACEHOLDERS": "tries",
    "IMAGE": "pause",
    "PRICES": json.dumps({"cpuspot": 0.11424, "cpuod": 0.544, "gpuspot": 0.22372, "gpuod": 0.658}),
}
_SPOT: Final = "kubernetes.azure.com/scalesetpriority"
_PREFERS: Final = {
    "nodeAffinity": {
        "preferredDuringSchedulingIgnoredDuringExecution": [
            {
                "weight": 100,
                "preference": {"matchExpressions": [{"key": _SPOT, "operator": "In", "values": ["spot"]}]},
            }
        ]
    }
}


def written(seconds: float) -> str:
    """A time as the API server writes it."""
    return datetime.fromtimestamp(int(seconds), UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def pod(
    name: str = "train-0",
    *,
    at: float = 0,
    node: str = "cpuod-0",
    way: str = "checkpointed",
    kind: str = "Job",
    owner: str = "",
    **spec: Any,
) -> Object:
    """A pod that runs on a node; an empty `kind` is one without a controller."""
    owners = [{"kind": kind, "name": owner or name.rpartition("-")[0], "controller": True}] if kind else []
    return {
        "metadata": {
            "name": name,
            "namespace": "team",
            "uid": f"uid-{name}-{at:.0f}",
            "labels": {LABEL: way},
            "creationTimestamp": written(at),
            "ownerReferences": owners,
        },
        "spec": {
            "nodeName": node,
            "affinity": _PREFERS,
            "tolerations": [{"operator": "Exists"}],
            "containers": [{"name": "main", "image": "work", "resources": {"requests": {"cpu": "4"}}}],
            **spec,
        },
        "status": {"phase": "Running"},
    }


class FakeCluster:
    """Answers as the API server would, for the few requests of the script.

    Attributes:
        now: seconds since the epoch.
        room: spot pools that have room now.
        pods: work by name; what is evicted comes again, on spot where there is room.
        placeholder: None while there is none.
        memory: the script's ConfigMap, None while there is none.
        evicted: names of the pods, and the controllers' names, in order.
        odd: entries of the list of pods that are no pods.
        refuses: status of the answer to an eviction, 0 for none.
        gone: what was evicted and comes again later; only where its controller waits before it `returns`.
    """

    def __init__(self, *pods: Object, room: set[str] | None = None, returns: bool = True) -> None:
        self.now = 0.0
        self.room = room or set()
        self.pods = {work["metadata"]["name"]: work for work in pods}
        self.placeholder: Object | None = None
        self.memory: Object | None = None
        self.evicted: list[tuple[str, str]] = []
        self.odd: list[Any] = []
        self.refuses = 0
        self.returns, self.gone = returns, list[Object]()
        self.requests: list[str] = []
        self._numbers = itertools.count(1)

    def call(self, method: str, path: str, body: Object | None = None) -> Object:
        """One request.

        Raises:
            ApiError: it is refused.
        """
        self.requests.append(f"{method} {path}")
        place = path.partition("?")[0]
        if place == "/api/v1/pods":
            running = [pod for pod in self.pods.values() if pod["status"]["phase"] == "Running"]
            return {"items": [*self.odd, *running]}
        if place == "/api/v1/namespaces/ours/configmaps/agent-pools":
            return {"data": {"pools.json": json.dumps(CONTRACT)}}
        if node := re.fullmatch(r"/api/v1/nodes/([a-z]+)-[0-9]+", place):
            return {"metadata": {"labels": {"kubernetes.azure.com/agentpool": node[1]}}}
        if place.startswith("/api/v1/namespaces/tries/configmaps"):
            return self._remember(method, body)
        if place.startswith("/api/v1/namespaces/tries/pods"):
            return self._placed(method, body)
        if pod := re.fullmatch(r"/api/v1/namespaces/team/pods/([^/]+)/eviction", place):
            return self._evict(pod[1], body or {})
        raise AssertionError(path)

    def pass_time(self, seconds: float) -> None:
        """Time passes, and the placeholder gets a node where its pool has room."""
        self.now += seconds
        spot = self.placeholder and _spot_of(self.placeholder)
        if self.placeholder and spot in self.room:
            self.placeholder["spec"]["nodeName"] = f"{spot}-0"
            self.placeholder["status"]["phase"] = "Running"

    def sell_out(self, pool: str) -> None:
        """Spot is gone, and what ran there starts again on the fallback."""
        self.room.discard(pool)
        for pod in list(self.pods.values()):
            if pod["spec"]["nodeName"].startswith(pool):
                self._again(pod)

    def _remember(self, method: str, body: Object | None) -> Object:
        if method == "GET":
            if self.memory is None:
                raise ApiError(HTTPStatus.NOT_FOUND, "no ConfigMap")
            return self.memory
        assert body is not None
        version = body["metadata"].get("resourceVersion")
        if (self.memory and self.memory["metadata"]["resourceVersion"]) != version:
            raise ApiError(HTTPStatus.CONFLICT, "the object has been modified")
        metadata = {**body["metadata"], "namespace": "tries", "resourceVersion": str(next(self._numbers))}
        self.memory = {**body, "metadata": metadata}
        return self.memory

    def _placed(self, method: str, body: Object | None) -> Object:
        if method == "POST":
            assert body is not None
            assert self.placeholder is None
            born = {
                "creationTimestamp": written(self.now),
                "namespace": "tries",
                "uid": f"try-{next(self._numbers)}",
            }
            self.placeholder = {
                **body,
                "metadata": {**body["metadata"], **born},
                "status": {"phase": "Pending"},
            }
            return self.placeholder
        if self.placeholder is None:
            raise ApiError(HTTPStatus.NOT_FOUND, f"no {PLACEHOLDER}")
        placeholder = self.placeholder
        if method == "DELETE":
            assert body is not None
            assert body["preconditions"] == {"uid": placeholder["metadata"]["uid"]}
            self.placeholder = None
        return placeholder

    def _evict(self, name: str, body: Object) -> Object:
        if self.refuses:
            raise ApiError(self.refuses, "Cannot evict pod as it would violate the pod's disruption budget.")
        pod = self.pods.get(name)
        if pod is None or body["deleteOptions"]["preconditions"]["uid"] != pod["metadata"]["uid"]:
            raise ApiError(HTTPStatus.NOT_FOUND, "no pod")
        self.evicted.append((name, pod["metadata"]["ownerReferences"][0]["name"]))
        if self.returns:
            self._again(pod)
        else:
            self.gone.append(self.pods.pop(name))
        return {}

    def come_back(self) -> None:
        """Make all pods that are gone again."""
        while self.gone:
            self._again(self.gone.pop())

    def _again(self, old: Object) -> None:
        """The controller makes the pod again, by the same name."""
        pool = old["spec"]["nodeName"].rpartition("-")[0]
        kind = pool.removesuffix("spot").removesuffix("od")
        there = f"{kind}spot" if f"{kind}spot" in self.room else f"{kind}od"
        born = {
            "uid": f"{old['metadata']['uid']}-{next(self._numbers)}",
            "creationTimestamp": written(self.now),
        }
        self.pods[old["metadata"]["name"]] = {
            **old,
            "metadata": {**old["metadata"], **born},
            "spec": {**old["spec"], "nodeName": f"{there}-0"},
        }


def toggling(minutes: int, days: int, *, step: int) -> Iterator[bool]:
    """Whether spot has room, look by look, changing every so many minutes; `step` is the seconds between two looks."""
    return (time // (60 * minutes) % 2 == 1 for time in range(0, days * 86_400, step))


def _spot_of(placeholder: Object) -> str:
    pool = json.loads(placeholder["metadata"]["annotations"]["kubeflow-aks/placeholder-for"])["pool"]
    return f"{pool.partition('od')[0]}spot"
