"""The agent pools of both sides, read from resources and from the output `poolContract`."""

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, cast

from kubeflow_aks.json_values import at, entries, is_mapping, text, texts, whole
from kubeflow_aks.pull_request.observed import Run
from kubeflow_aks.pull_request.report.impacts.impact import quoted
from kubeflow_aks.pull_request.report.impacts.sides import AGENT_POOL, CLUSTER, Sides
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
        cluster: name of its cluster in Azure; empty or `UNKNOWN` if it is not known.
        inline: whether the cluster defines it, so that Azure can change few of its properties.
        role: `system`, or as in the contract: `general`, `cpu` or `gpu`; empty if unknown.
        fallback: name of its on-demand fallback; empty for none, None if unknown.
        pool: name that it shares with those of other VM sizes for the same work, or its own.
    """

    urn: str
    cluster: str
    name: str
    inline: bool
    inputs: Any
    role: str
    fallback: str | None
    pool: str

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


@dataclass(frozen=True)
class Pair:
    """One pool before and after; None on the side that lacks it, but never on both."""

    before: Pool | None
    after: Pool | None

    @property
    def either(self) -> Pool:
        """The pool after, or before if it is removed."""
        return cast(Pool, self.after or self.before)

    @property
    def remade(self) -> bool:
        """Whether another resource stands for the pool, so that Pulumi may make it again and delete it."""
        if self.before is None or self.after is None or self.before.inline or self.after.inline:
            return False
        return self.before.urn != self.after.urn


def pairs(sides: Sides) -> list[Pair]:
    """Each pool of both sides, removed ones last.

    Pools of one resource belong together, then those of one name: another URN may stand for the same pool.
    """
    left, after = pools(sides.before), pools(sides.after)
    former: dict[int, Pool] = {}
    for key in _KEYS:
        by_key = {key(old): old for old in left}
        for number, pool in enumerate(after):
            if number not in former and key(pool) in by_key:
                former[number] = by_key.pop(key(pool))
                left.remove(former[number])
    return [Pair(former.get(number), pool) for number, pool in enumerate(after)] + [
        Pair(old, None) for old in left
    ]


_KEYS: Sequence[Callable[[Pool], Hashable]] = (
    lambda pool: (pool.urn, pool.name),
    lambda pool: (pool.urn, pool.name if pool.inline else ""),
    lambda pool: (pool.cluster, pool.name),
    lambda pool: pool.name,
)


def pools(run: Run) -> list[Pool]:
    """The pools of one side, the clusters' own first."""
    contract = {
        text(at(entry, "name")): entry
        for entry in entries(run.outputs.get("poolContract"))
        if is_mapping(entry)
    }
    return list(_pools(run, contract))


def _pools(run: Run, contract: dict[str, Any]) -> Iterator[Pool]:
    for urn, resource in run.resources.items():
        if resource.type == CLUSTER:
            for profile in filter(is_mapping, entries(at(resource.inputs, "agentPoolProfiles"))):
                yield Pool(
                    urn=urn,
                    cluster=text(at(resource.inputs, "resourceName")),
                    name=text(at(profile, "name")),
                    inline=True,
                    inputs=profile,
                    role="system",
                    fallback=None,
                    pool=text(at(profile, "name")),
                )
    for urn, resource in run.resources.items():
        if resource.type == AGENT_POOL:
            name = text(resource.inputs.get("agentPoolName")) or resource.name
            entry = contract.get(name)
            role = "system" if resource.inputs.get("mode") == "System" else text(at(entry, "role"))
            yield Pool(
                urn=urn,
                cluster=text(at(resource.inputs, "resourceName")),
                name=name,
                inline=False,
                inputs=resource.inputs,
                role=role,
                fallback=None if entry is None else text(at(entry, "fallback")),
                pool=text(at(entry, "pool")) or name,
            )
