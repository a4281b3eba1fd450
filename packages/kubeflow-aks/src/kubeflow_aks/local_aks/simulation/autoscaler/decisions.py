"""What the simulated autoscaler decides; `kubeflow_aks.local_aks.simulation.loop` carries it out."""

from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True)
class ScaleUp:
    """Ask for more VMs of a pool."""

    group: str
    pool: str
    current: int
    target: int
    maximum: int
    pods: tuple[str, ...]
    """`namespace/name` of the pods that triggered it; empty when it restores the minimum."""
    instead_of: tuple[str, ...] = ()
    """Pools that would fit these pods but are in back-off."""


@dataclass(frozen=True)
class DeleteInstance:
    """Give up a VM that Azure could not create, or that did not register in time."""

    pool: str
    instance: str
    cause: str


@dataclass(frozen=True)
class BackOff:
    """Leave a pool alone for a while after a failed scale-up."""

    pool: str
    seconds: float
    cause: str


@dataclass(frozen=True)
class ScaleDown:
    """Remove a node that is not needed."""

    pool: str
    node: str
    empty: bool
    """False: its pods are drained first, since they fit elsewhere."""


@dataclass(frozen=True)
class NotTriggered:
    """No pool can help a pending pod."""

    pod: str
    reasons: str


@dataclass(frozen=True)
class Notice:
    """A warning about the priority ConfigMap or the cluster's health, as the real autoscaler's event."""

    reason: str
    message: str


Decision: TypeAlias = ScaleUp | DeleteInstance | BackOff | ScaleDown | NotTriggered | Notice
