"""The agent pools of one side, read from resources and from the output `poolContract`."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from kubeflow_aks.json_values import at, entries, is_mapping, text, texts, whole
from kubeflow_aks.pull_request.observed import Run
from kubeflow_aks.pull_request.report.impacts.impact import quoted
from kubeflow_aks.pull_request.report.impacts.sides import AGENT_POOL, CLUSTER
from kubeflow_aks.text.numbers import counted

WORKLOAD_LABEL = "kubeflow-aks/workload"
TOLERATED = ("kubernetes.azure.com/scalesetpriority", "kubeflow-aks/fallback", "nvidia.com/gpu")
"""Keys of the program's own taints, which work for spot pools and their fallbacks tolerates."""
REPLACED_KEY = "kubeflow-aks/replaced-by"


@dataclass(frozen=True)
class Pool:
    """One pool.

    Attributes:
        urn: of its own resource, or of the cluster that defines it.
        own: whether the cluster defines it, so that Azure can change few of its properties.
        role: `system`, or as in the contract: `general`, `cpu` or `gpu`; empty if unknown.
        fallback: name of its on-demand fallback; empty for none, None if unknown.
    """

    urn: str
    name: str
    own: bool
    inputs: Any
    role: str
    fallback: str | None

    @property
    def spot(self) -> bool:
        """Whether its nodes are spot machines."""
        return at(self.inputs, "scaleSetPriority") == "Spot"

    @property
    def most(self) -> int | None:
        """Most nodes."""
        return whole(at(self.inputs, "maxCount"))

    @property
    def least(self) -> int | None:
        """Fewest nodes."""
        return whole(at(self.inputs, "minCount"))

    @property
    def workload(self) -> str:
        """Value of the workload label, by which work selects it."""
        return text(at(self.inputs, "nodeLabels", WORKLOAD_LABEL))

    @property
    def taints(self) -> list[str]:
        """Its taints as `key=value:Effect`."""
        return texts(at(self.inputs, "nodeTaints"))

    @property
    def kind(self) -> str:
        """`spot` or `on demand`."""
        return "spot" if self.spot else "on demand"

    @property
    def described(self) -> str:
        """VM size, kind and number of nodes, for a sentence."""
        return (
            f"{quoted(at(self.inputs, 'vmSize'))}, {self.kind}, {self.least} to {counted(self.most, 'node')}"
        )


def pools(run: Run) -> dict[str, Pool]:
    """The pools of one side by name, the cluster's own first."""
    contract = {
        text(at(entry, "name")): entry
        for entry in entries(run.outputs.get("poolContract"))
        if is_mapping(entry)
    }
    return {pool.name: pool for pool in _pools(run, contract)}


def _pools(run: Run, contract: dict[str, Any]) -> Iterator[Pool]:
    for urn, resource in run.resources.items():
        if resource.type == CLUSTER:
            for profile in entries(at(resource.inputs, "agentPoolProfiles")):
                yield Pool(
                    urn=urn,
                    name=text(at(profile, "name")),
                    own=True,
                    inputs=profile,
                    role="system",
                    fallback=None,
                )
    for urn, resource in run.resources.items():
        if resource.type == AGENT_POOL:
            name = text(resource.inputs.get("agentPoolName")) or resource.name
            entry = contract.get(name)
            role = "system" if resource.inputs.get("mode") == "System" else text(at(entry, "role"))
            yield Pool(
                urn=urn,
                name=name,
                own=False,
                inputs=resource.inputs,
                role=role,
                fallback=None if entry is None else text(at(entry, "fallback")),
            )
