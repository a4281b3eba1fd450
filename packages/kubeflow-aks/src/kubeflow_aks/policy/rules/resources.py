"""Agent pools and Kubernetes objects among resources."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from kubeflow_aks.policy.rule import Resource
from kubeflow_aks.policy.table import PerResource

CLUSTER: Final = "azure-native:containerservice:ManagedCluster"
POOL: Final = "azure-native:containerservice:AgentPool"
CONFIG_MAP: Final = "kubernetes:core/v1:ConfigMap"
WORKLOAD: Final = "kubeflow-aks/workload"
"""Key of the label that work selects nodes by (docs/decisions/0003-labels-and-taints.md)."""
PLATFORM: Final = "platform"
"""Its value on the pool of Charmed Kubeflow."""

_SIZE: Final = re.compile(r"Standard_(?P<family>[A-Z]+)\d+(-\d+)?(?P<features>[a-z]*)(_(?P<rest>.*))?")
"""The parts of a VM size's name (`vm-naming-conventions.md`)."""


@dataclass(frozen=True)
class Pool:
    """One agent pool: a resource of its own, or a profile of the cluster. A missing value is AKS's default.

    Attributes:
        urn: the resource that defines it.
        wire: its properties, the same in both forms.
        ignored: the resource's properties that the engine ignores, such as `count` or `agentPoolProfiles[0].count`.
        path: where its properties are in the resource; empty for a resource of its own.
    """

    urn: str
    wire: Mapping[str, Any]
    ignored: frozenset[str] = frozenset()
    path: str = ""

    @property
    def name(self) -> str:
        """Name of the pool; if the provider chooses it, the resource's name."""
        return self.wire.get("name" if self.path else "agentPoolName") or self.urn.rpartition("::")[2]

    @property
    def system(self) -> bool:
        """Whether it is for AKS's own add-ons."""
        return self.wire.get("mode", "User") == "System"

    @property
    def spot(self) -> bool:
        """Whether its nodes are spot VMs."""
        return self.wire.get("scaleSetPriority", "Regular") == "Spot"

    @property
    def labels(self) -> Mapping[str, str]:
        """Labels of its nodes."""
        return self.wire.get("nodeLabels") or {}

    @property
    def taints(self) -> Sequence[str]:
        """Taints of its nodes, as `key=value:Effect`."""
        return self.wire.get("nodeTaints") or ()

    @property
    def closed(self) -> bool:
        """Whether a pod without tolerations cannot run there; a soft taint does not prevent it."""
        return any(taint.endswith((":NoSchedule", ":NoExecute")) for taint in self.taints)

    @property
    def size(self) -> str:
        """Its VM size; empty if AKS chooses it."""
        return self.wire.get("vmSize") or ""

    @property
    def gpu(self) -> bool:
        """Whether its nodes have GPUs: family N, of which NP has FPGAs (`vm-naming-conventions.md`)."""
        size = _SIZE.fullmatch(self.size)
        return bool(size and size["family"].startswith("N") and not size["family"].startswith("NP"))

    @property
    def arm(self) -> bool:
        """Whether its nodes' processor is ARM: feature p, or NVIDIA's Grace beside a GB200 or GB300."""
        size = _SIZE.fullmatch(self.size)
        return bool(size and ("p" in size["features"] or "GB" in (size["rest"] or "")))

    @property
    def batch(self) -> bool:
        """Whether it is for work that can wait, not for AKS or Charmed Kubeflow."""
        return not self.system and self.labels.get(WORKLOAD) != PLATFORM

    @property
    def platform(self) -> bool:
        """Whether pods without tolerations, such as Charmed Kubeflow's, are scheduled here."""
        return not self.system and not self.closed


def tags(resource: Resource) -> Mapping[str, Any]:
    """Azure tags of a resource."""
    return resource.inputs.get("tags") or {}


def pools(resources: Sequence[Resource]) -> Iterator[Pool]:
    """Every agent pool; one that is both a resource and a cluster's profile is returned twice."""
    for it in resources:
        if it.kind == POOL:
            yield Pool(it.urn, it.inputs, it.ignore_changes)
        elif it.kind == CLUSTER:
            for number, profile in enumerate(it.inputs.get("agentPoolProfiles") or ()):
                yield Pool(it.urn, profile, it.ignore_changes, f"agentPoolProfiles[{number}].")


def on_pools(look: Callable[[Pool], Iterable[str]]) -> PerResource:
    """A check of each agent pool that a resource defines."""

    def messages(resource: Resource) -> Iterator[str]:
        return (message for pool in pools([resource]) for message in look(pool))

    return PerResource(messages)


def name_of(resource: Resource) -> str:
    """Name of a Kubernetes object; empty if the provider chooses it."""
    metadata: Mapping[str, Any] = resource.inputs.get("metadata") or {}
    return metadata.get("name") or ""


def config_map(resources: Sequence[Resource], name: str) -> Resource | None:
    """The ConfigMap of a name in any namespace."""
    return next((it for it in resources if it.type == CONFIG_MAP and name_of(it) == name), None)
