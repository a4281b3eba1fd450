"""What was seen of a cluster, as plain data: all that table, JSON, violations and timeline are made from."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from typing import Any, Final, Literal

from ckf_spot.agent_pool import AgentPool
from ckf_spot.fields import Object
from ckf_spot.where.lost_steps import LostStep
from ckf_spot.where.work import Maker, Role, Work

Source = Literal["pod", "event", "workflow"]
"""Source of an observation: the pod itself, events about it (kept for an hour), or its Argo workflow."""

_NODE_NAME: Final = re.compile(r"aks-([a-z0-9]+)-\d+-vm.*")
"""`aks-<pool>-<8 digits>-vmss<instance>` (availability-zones.md), with `vms` for pools without a scale set."""


@dataclass(frozen=True)
class ScaleUp:
    """What the autoscaler did last about a pod without a node.

    Attributes:
        reason: of its event: `TriggeredScaleUp`, `NotTriggerScaleUp` or `FailedScaleUp`.
        message: of the event.
        time: when it happened last.
    """

    reason: str
    message: str
    time: datetime


@dataclass(frozen=True, kw_only=True)
class Pod:
    """One pod; work that was evicted has had several.

    Attributes:
        node: name of its node, empty before it has one.
        phase: Pending, Running, Succeeded, Failed, or Unknown if no source has it.
        scheduled: when it got its node.
        started: when its first container did.
        ended: when its last container did, or when it was gone.
        disruption: reason of its condition DisruptionTarget or what an event says; empty: it was not disrupted.
        deletion: when it is or was to be gone, its grace period included; None: it is not on its way out.
        gone: whether the object is there no more.
        waiting_since: since when the scheduler has no node for it, None if it has one or has not looked yet.
        scheduler: why, in the scheduler's words.
        gates: names of the scheduling gates that keep it from the scheduler, such as a queue's.
        scale_up: what the autoscaler did last about it; None: nothing is known.
        maker: what makes it again; None where only its traces are known.
        step_id: of the step of an Argo workflow that it is, empty for any other pod.
        gpus: amount of GPUs, or of slices of them, that it asks for.
        spec: what of its spec decides about its node.
    """

    uid: str
    name: str
    work: Work
    role: Role
    node: str
    phase: str
    created: datetime
    scheduled: datetime | None = None
    started: datetime | None = None
    ended: datetime | None = None
    disruption: str = ""
    deletion: datetime | None = None
    gone: bool = False
    waiting_since: datetime | None = None
    scheduler: str = ""
    gates: tuple[str, ...] = ()
    scale_up: ScaleUp | None = None
    maker: Maker | None = None
    step_id: str = ""
    gpus: int = 0
    spec: Object = field(default_factory=dict[str, Any])
    source: Source = "pod"

    @property
    def namespace(self) -> str:
        """Its namespace."""
        return self.work.namespace

    @property
    def finished(self) -> bool:
        """Whether its containers ended, by themselves or not."""
        return self.phase in {"Succeeded", "Failed"}

    @property
    def active(self) -> bool:
        """Whether it waits, runs or is about to."""
        return not (self.gone or self.finished)


@dataclass(frozen=True, kw_only=True)
class Node:
    """One node.

    Attributes:
        gpus: amount of GPUs, or of slices of them.
        notice: since when Azure announces its eviction, None if it does not.
        silent: since when its kubelet has not reported, None if it does.
        gone: when it went, None while it is there.
    """

    name: str
    pool: str
    spot: bool
    gpus: int
    created: datetime
    notice: datetime | None = None
    silent: datetime | None = None
    gone: datetime | None = None


@dataclass(frozen=True)
class Place:
    """What a pod ran on.

    Attributes:
        pool: empty if the node's name does not contain it.
        spot: None if unknown.
    """

    pool: str
    spot: bool | None

    @property
    def capacity(self) -> str | None:
        """`spot` or `on-demand`; None if unknown."""
        return None if self.spot is None else "spot" if self.spot else "on-demand"


@dataclass(frozen=True)
class Gap:
    """A time in which nothing was recorded."""

    start: datetime
    end: datetime


@dataclass(frozen=True, kw_only=True)
class Look:
    """A cluster at one moment, or what a record contains of it up to that moment.

    Attributes:
        time: the moment.
        since: when the record began; None for a look without one.
        namespace: the only one that was looked at; None: all of them.
        nodes: those that are there or were; None where they may not be read.
        pools: of the contract, by name; None where it can't be read.
        gaps: of the record.
        lost_steps: steps of Argo workflows that lost their pod and have not gone on since.
        notes: what could not be seen, a sentence each.
    """

    time: datetime
    namespace: str | None
    pods: tuple[Pod, ...]
    nodes: tuple[Node, ...] | None
    pools: Mapping[str, AgentPool] | None = None
    since: datetime | None = None
    gaps: tuple[Gap, ...] = ()
    lost_steps: tuple[LostStep, ...] = ()
    notes: tuple[str, ...] = ()

    @cached_property
    def nodes_by_name(self) -> Mapping[str, Node]:
        """The nodes by name; empty where they may not be read."""
        return {node.name: node for node in self.nodes or ()}

    def place(self, node: str) -> Place:
        """Pool and capacity of a node: from the node itself, or by its name from the contract."""
        listed = self.nodes_by_name.get(node)
        if listed:
            return Place(listed.pool, listed.spot)
        match = _NODE_NAME.fullmatch(node)
        pool = match[1] if match else ""
        contract = (self.pools or {}).get(pool)
        return Place(pool, contract.spot if contract else self._of_a_sibling(pool))

    def lost(self, node: str) -> bool:
        """Whether a node is known to be gone."""
        if self.nodes is None or not node:
            return False
        listed = self.nodes_by_name.get(node)
        return listed is None or listed.gone is not None

    def _of_a_sibling(self, pool: str) -> bool | None:
        return next((node.spot for node in self.nodes or () if node.pool == pool), None)
