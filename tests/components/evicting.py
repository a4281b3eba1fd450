"""An API server in memory with one node, for what the eviction handler requests of it."""

from __future__ import annotations

import time
from collections.abc import Callable
from email.utils import formatdate
from typing import Any

from components.kubeflow.eviction_script import Handler

Failure = Callable[[str, str], Exception | None]


class Server:
    """Answers the handler's few requests.

    Attributes:
        pods: names of the node's pods.
        fails: returns what is raised instead of an answer to a method and a path.
        node: the node.
        evicted, deleted: names of pods, in order.
        graces: grace periods of pods that name one; seconds.
        granted: grace periods that pods were given; seconds.
        metadata: what pods have beside name, namespace and uid.
        saves: names of pods that were to save themselves, with the value of the annotation.
        odd: entries of the list of pods that are no pods.
        requests: methods and paths, in order.
    """

    def __init__(self, *pods: str, fails: Failure = lambda method, path: None) -> None:  # noqa: ARG005
        self.pods = pods
        self.fails = fails
        self.node: dict[str, Any] = {
            "metadata": {"name": "spot-0", "resourceVersion": "1", "annotations": {}},
            "spec": {},
            "status": {"conditions": []},
        }
        self.evicted: list[str] = []
        self.deleted: list[str] = []
        self.graces: dict[str, int] = {}
        self.granted: dict[str, int] = {}
        self.metadata: dict[str, Any] = {}
        self.saves: list[tuple[str, str]] = []
        self.odd: list[Any] = []
        self.requests: list[str] = []
        self._applied: dict[str, set[str]] = {"annotations": set(), "spec": set()}

    def call(self, method: str, path: str, body: Any = None, kind: str = "") -> Any:  # noqa: ARG002
        """One request."""
        self.requests.append(f"{method} {path}")
        if error := self.fails(method, path):
            raise error
        if path.endswith("/status"):
            self.saves.append((path.split("/")[-2], body["metadata"]["annotations"]["kubeflow-aks/save-now"]))
            self.metadata = {"annotations": body["metadata"]["annotations"]}
            return {}
        if method == "PATCH":
            assert "resourceVersion" not in body["metadata"]
            self._apply(
                "annotations", self.node["metadata"]["annotations"], body["metadata"].get("annotations", {})
            )
            self._apply("spec", self.node["spec"], body.get("spec", {}))
            return self.node
        if method == "POST":
            self.evicted.append(body["metadata"]["name"])
            self.granted[self.evicted[-1]] = body["deleteOptions"]["gracePeriodSeconds"]
            return {}
        if method == "DELETE":
            self.deleted.append(path.rpartition("/")[2])
            self.granted[self.deleted[-1]] = body["gracePeriodSeconds"]
            return {}
        return {"items": [*self.odd, *map(self._pod, self.pods)]}

    def notice(self, status: str = "True", *, date: str = "") -> None:
        """Writes the condition, or that it is over."""
        date = date or formatdate(time.time() + 30, usegmt=True)
        condition = {"type": "VMEventScheduled", "status": status, "message": f"Preempt Scheduled: {date}."}
        self.node["status"]["conditions"] = [condition]

    def advise(self, message: str = "SpotRebalanceRecommendation Advisory: . EventId: 1") -> None:
        """Writes the condition of an advisory, in AKS's words."""
        condition = {"type": "PreemptionScheduled", "status": "True", "message": message}
        self.node["status"]["conditions"] = [condition]

    def look(self) -> bool:
        """The handler's look at the node."""
        return Handler(self).look(self.node)  # pyright: ignore[reportArgumentType] - it has the calls that are made

    def _pod(self, name: str) -> dict[str, Any]:
        spec = {"terminationGracePeriodSeconds": self.graces[name]} if name in self.graces else {}
        metadata = {"name": name, "namespace": "team", "uid": name, **self.metadata}
        return {"metadata": metadata, "spec": spec, "status": {}}

    def _apply(self, part: str, target: dict[str, Any], fields: dict[str, Any]) -> None:
        """Server-side apply: what was applied before and is not any more goes, unless others have set it as well."""
        before = self._applied[part]
        for key in before - fields.keys():
            del target[key]
        self._applied[part] = {key for key in fields if key in before or key not in target}
        target |= fields
