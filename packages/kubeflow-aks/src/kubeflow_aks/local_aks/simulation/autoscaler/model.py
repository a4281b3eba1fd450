"""What the simulated autoscaler sees: a snapshot of pods, nodes and node groups, without any I/O."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from kubeflow_aks.local_aks.simulation.autoscaler.profile import Profile

Resources: TypeAlias = Mapping[str, int]
"""Amounts by resource name in thousandths of the unit: of a core, a byte, a GPU, a pod."""


@dataclass(frozen=True)
class Requirement:
    """One `matchExpressions` or `matchFields` entry of a node selector term."""

    key: str
    operator: str
    """One of In, NotIn, Exists, DoesNotExist, Gt and Lt."""
    values: tuple[str, ...] = ()


@dataclass(frozen=True)
class Term:
    """One node selector term: its requirements are AND-ed, terms are OR-ed."""

    labels: tuple[Requirement, ...] = ()
    fields: tuple[Requirement, ...] = ()


@dataclass(frozen=True)
class Taint:
    """A node's taint."""

    key: str
    effect: str
    value: str = ""


@dataclass(frozen=True)
class Toleration:
    """A pod's toleration; an empty key or effect stands for every key or effect."""

    key: str = ""
    operator: str = "Equal"
    value: str = ""
    effect: str = ""


@dataclass(frozen=True)
class Scheduling:
    """All that decides which nodes a pod fits: hashable, and equal for the pods of one Job."""

    node_selector: tuple[tuple[str, str], ...] = ()
    required_terms: tuple[Term, ...] | None = None
    """OR-ed terms of the required node affinity, or None for none. Preferred affinity is left out on purpose:
    scale-up ignores it (recording S15)."""
    tolerations: tuple[Toleration, ...] = ()
    requests: tuple[tuple[str, int], ...] = ()
    """Thousandths by resource, `pods` included."""


class Controller(StrEnum):
    """Who re-creates a pod, as far as draining cares."""

    NONE = "none"
    DAEMON_SET = "DaemonSet"
    REPLICATED = "replicated"
    """Job, ReplicaSet, StatefulSet or ReplicationController."""
    CUSTOM = "custom"
    """Any other controller, e.g. a Workflow or a PyTorchJob."""
    MIRROR = "mirror"
    """A static pod of the kubelet."""


@dataclass(frozen=True, kw_only=True)
class Pod:
    """One pod that has not finished."""

    namespace: str
    name: str
    uid: str
    first_observed: float
    """Simulated seconds at which the simulation first saw the pod."""
    node: str | None
    """Name of the node it is bound to."""
    unschedulable: bool
    """The real scheduler set `PodScheduled=False`, reason `Unschedulable`."""
    nominated: bool
    """The scheduler preempts lower priorities for it, so it needs no new node."""
    terminating: bool
    running: bool
    priority: int
    scheduling: Scheduling
    controller: Controller
    labels: Mapping[str, str]
    safe_to_evict: bool | None
    """Annotation `cluster-autoscaler.kubernetes.io/safe-to-evict`; None where unset."""
    local_storage: bool
    """It mounts an emptyDir or a hostPath."""

    @property
    def key(self) -> str:
        """`namespace/name`."""
        return f"{self.namespace}/{self.name}"


@dataclass(frozen=True, kw_only=True)
class Node:
    """One registered node, or a group's template."""

    name: str
    labels: Mapping[str, str]
    taints: tuple[Taint, ...]
    allocatable: Resources
    ready: bool = True
    unschedulable: bool = False
    scale_down_disabled: bool = False
    kubelet: str = ""
    """Version of its kubelet, `v1.34.4`."""


@dataclass(frozen=True)
class Instance:
    """One VM of a scale set, registered as a node of the same name or not yet."""

    name: str
    error: str | None = None
    """Why Azure could not create it, e.g. `AllocationFailed`."""


@dataclass(frozen=True, kw_only=True)
class NodeGroup:
    """One autoscaled agent pool."""

    id: str
    """Name of the scale set."""
    pool: str
    min_size: int
    max_size: int
    template: Node
    instances: tuple[Instance, ...]

    @property
    def target(self) -> int:
        """The number of VMs requested from Azure."""
        return len(self.instances)


@dataclass(frozen=True)
class DisruptionBudget:
    """A PodDisruptionBudget's selector and what it allows now."""

    namespace: str
    match_labels: tuple[tuple[str, str], ...]
    expressions: tuple[Requirement, ...]
    allowed: int


@dataclass(frozen=True, kw_only=True)
class Snapshot:
    """Everything one loop of the autoscaler decides on."""

    now: float
    """Simulated seconds."""
    profile: Profile
    groups: tuple[NodeGroup, ...]
    nodes: tuple[Node, ...]
    pods: tuple[Pod, ...]
    daemon_sets: tuple[Scheduling, ...] = ()
    budgets: tuple[DisruptionBudget, ...] = ()
    priorities: str | None = None
    """Text of key `priorities` of ConfigMap `kube-system/cluster-autoscaler-priority-expander`; None without it."""
