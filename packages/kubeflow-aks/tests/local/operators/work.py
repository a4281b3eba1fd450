"""Work of one operator on the demo stack, and what becomes of its pods."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any, Final

from tests.local.demo_stack import DemoStack, Object

_ENDS: Final = "local-aks/run-seconds"


@dataclass(frozen=True)
class Work:
    """One piece of work, in a namespace of its own.

    Attributes:
        placed: as it was applied.
        labels: of its pods that may run on spot.
        count: how many of those run side by side.
    """

    demo: DemoStack
    placed: Object
    labels: tuple[str, str]
    count: int

    @property
    def namespace(self) -> str:
        """Its namespace."""
        return self.placed["metadata"]["namespace"]

    def live(self) -> Object:
        """The object itself, now."""
        return self.demo.api.get(self.placed)

    def status(self, key: str) -> Any:
        """A value of its status; None where it has none."""
        return self.live().get("status", {}).get(key)

    def conditions(self) -> set[str]:
        """Types of its conditions that hold."""
        return {
            condition["type"]
            for condition in self.status("conditions") or ()
            if condition["status"] == "True"
        }

    def movable(self) -> list[Object]:
        """Its pods that may run on spot and are not done or on their way out."""
        key, value = self.labels
        return [
            pod
            for pod in self.demo.pods(self.namespace)
            if pod["metadata"].get("labels", {}).get(key, "").startswith(value)
            and pod["status"].get("phase") in {"Pending", "Running"}
            and "deletionTimestamp" not in pod["metadata"]
        ]

    def running(self) -> list[Object]:
        """Those of them that run."""
        return [pod for pod in self.movable() if pod["status"]["phase"] == "Running"]

    def pools(self, without: Collection[str] = ()) -> set[str]:
        """Where those run, once all do, on nodes that are seen and none of these; empty before."""
        running = self.running()
        nodes = {pod["spec"]["nodeName"] for pod in running}
        if len(running) < self.count or nodes & set(without):
            return set()
        pools = {self.demo.pool_of(pod) for pod in running}
        return set() if "" in pools else pools

    def end(self, pods: list[Object]) -> None:
        """Has pods end well that were not ended before."""
        for pod in pods:
            metadata = pod["metadata"]
            if _ENDS not in metadata.get("annotations", {}):
                options = ("--namespace", self.namespace, f"{_ENDS}=0")
                self.demo.kubectl.run("annotate", "pod", metadata["name"], *options)

    def others(self) -> set[str]:
        """Pools of its pods that run and are not to move."""
        moving = {pod["metadata"]["uid"] for pod in self.movable()}
        return {
            self.demo.pool_of(pod)
            for pod in self.demo.pods(self.namespace)
            if pod["metadata"]["uid"] not in moving and pod["status"].get("phase") == "Running"
        }
