"""Trying rows of the truth table on the demo stack."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Final

from kubeflow_aks.clients.kubernetes.errors import ApiError
from kubeflow_aks.events import Kind
from tests.local.demo.placement.table import Phase, Row
from tests.local.demo_stack import DemoStack, Object, Play

_PATIENCE_SECONDS: Final = 240.0
"""Wall time for all rows of a phase together."""


@dataclass(frozen=True)
class Outcome:
    """What became of a row: one of these is not empty, or none where a DaemonSet has no pod or nothing was settled."""

    pools: frozenset[str] = frozenset()
    pending: str = ""
    refused: str = ""


@dataclass(frozen=True)
class Trials:
    """All phases tried.

    Attributes:
        outcome_of: the outcome of each row, by its name.
        with_nodes: the pools that had nodes before each phase, by what the phase presumes.
    """

    outcome_of: dict[str, Outcome] = field(default_factory=dict[str, Outcome])
    with_nodes: dict[str, frozenset[str]] = field(default_factory=dict[str, frozenset[str]])


class Trial:
    """The rows of one phase, created at once and polled until nothing will change any more."""

    def __init__(self, demo: DemoStack, play: Play, phase: Phase) -> None:
        self._demo = demo
        self._play = play
        self._phase = phase
        self._refused: dict[str, str] = {}

    def with_nodes(self) -> frozenset[str]:
        """The pools that have nodes now."""
        return frozenset(pool for pool in self._demo.pools() if self._demo.nodes(pool))

    def outcomes(self) -> dict[str, Outcome]:
        """What became of each row, by its name."""
        deadline = time.monotonic() + _PATIENCE_SECONDS
        rows = self._phase.rows
        for row in rows:
            self._apply(row, row.manifest())
        outcomes = {row.name: self._settled(row, deadline) for row in rows}
        for row in rows:
            if row.update is not None:
                self._apply(row, row.updated())
                outcomes[row.name] = self._settled(row, deadline)
        return outcomes

    def _apply(self, row: Row, manifest: Object) -> None:
        try:
            self._demo.apply(manifest)
        except ApiError as error:
            self._refused[row.name] = error.message

    def _settled(self, row: Row, deadline: float) -> Outcome:
        return self._play.wait(lambda: self._outcome(row), deadline=deadline) or Outcome()

    def _outcome(self, row: Row) -> Outcome | None:
        """What became of a row; None while the control plane is still at it."""
        if row.name in self._refused:
            return Outcome(refused=self._refused[row.name])
        if row.kind == "DaemonSet":
            return self._daemon(row)
        pod = self._demo.pod(row.namespace, row.object_name)
        if pod is None:
            return None
        if pool := self._demo.pool_of(pod):
            return Outcome(pools=frozenset({pool}))
        no_pool_helps = self._play.journal(Kind.NOT_TRIGGERED, pod=f"{row.namespace}/{row.object_name}")
        return Outcome(pending=_why_unschedulable(pod)) if no_pool_helps else None

    def _daemon(self, row: Row) -> Outcome | None:
        daemon = self._demo.api.get(row.manifest())
        status = daemon["status"]
        pools = [
            self._demo.pool_of(pod)
            for pod in self._demo.pods(row.namespace)
            if pod["metadata"].get("labels", {}).get("row") == row.object_name
        ]
        complete = all(pools) and len(pools) == status["desiredNumberScheduled"]
        observed = status.get("observedGeneration") == daemon["metadata"]["generation"]
        return Outcome(pools=frozenset(pools)) if complete and observed else None


def _why_unschedulable(pod: Object) -> str:
    return next(
        entry.get("message", "") for entry in pod["status"]["conditions"] if entry["type"] == "PodScheduled"
    )
