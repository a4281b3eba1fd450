"""Pools of every kind: who may run there, where Charmed Kubeflow is at home, and who counts their nodes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from policy.rule import Resource, Rule
from policy.rules.seen import Pool, pools

_SYSTEM: Final = "CriticalAddonsOnly=true:NoSchedule"
_GPU: Final = "nvidia.com/gpu="
_ARM: Final = "kubeflow-aks/arch=arm64:NoSchedule"
_DECISION: Final = "docs/decisions/0003-labels-and-taints.md"

Told = Iterator[tuple[str, str]]


def _system_closed(resources: Sequence[Resource]) -> Told:
    for pool in pools(resources):
        if pool.system and _SYSTEM not in pool.taints:
            yield pool.urn, f"nodeTaints of the system pool {pool.name} lack {_SYSTEM}"


def _gpu_closed(resources: Sequence[Resource]) -> Told:
    for pool in pools(resources):
        if pool.gpu and not any(it.startswith(_GPU) and it.endswith(":NoSchedule") for it in pool.taints):
            size = pool.wire["vmSize"]
            yield pool.urn, f"{pool.name} has GPUs ({size}), and nodeTaints lack {_GPU}present:NoSchedule"


def _arm_closed(resources: Sequence[Resource]) -> Told:
    for pool in pools(resources):
        if pool.arm and not pool.system and _ARM not in pool.taints:
            yield pool.urn, f"{pool.name} has ARM nodes ({pool.wire['vmSize']}), and nodeTaints lack {_ARM}"


def _one_home(resources: Sequence[Resource]) -> Told:
    every = list(pools(resources))
    found = homes(every)
    if not any(not pool.system for pool in every):
        return
    if len(found) != 1 or found[0].gpu:
        names = ", ".join(sorted(pool.name for pool in found)) or "none"
        yield (
            "",
            f"pools that let in what tolerates nothing: {names}; expected one, on demand and without GPU",
        )


def _home_stays(resources: Sequence[Resource]) -> Told:
    for pool in homes(list(pools(resources))):
        fewest = pool.wire.get("minCount") if pool.wire.get("enableAutoScaling") else pool.wire.get("count")
        if not fewest:
            yield pool.urn, f"{pool.name} may have no node at all, and Charmed Kubeflow no place to be"
        if pool.wire.get("osDiskType") == "Ephemeral":
            yield pool.urn, f"osDiskType of {pool.name} is Ephemeral, and its disks go with its nodes"


def _from_zero(resources: Sequence[Resource]) -> Told:
    for pool in pools(resources):
        fewest = pool.wire.get("minCount") or 0
        if pool.batch and fewest > 0:
            yield pool.urn, f"minCount of {pool.name} is {fewest}: so many nodes are paid for without work"


def _count_left_alone(resources: Sequence[Resource]) -> Told:
    for pool in pools(resources):
        if pool.wire.get("enableAutoScaling") and f"{pool.path}count" not in pool.ignored:
            yield (
                pool.urn,
                f"ignore_changes lacks count, so each `up` would set back how many nodes {pool.name} has",
            )


def homes(every: Sequence[Pool]) -> list[Pool]:
    """The on-demand pools where pods that tolerate nothing run."""
    return [pool for pool in every if pool.platform and not pool.spot]


RULES: Final = (
    Rule(
        "system-pool-is-closed",
        "Only AKS's add-ons run on a system pool.",
        "docs/facts/aks.md#system-pool",
        mandatory=True,
        every=_system_closed,
    ),
    Rule(
        "gpu-pool-is-closed",
        "Only work that asks for a GPU runs on a GPU node.",
        _DECISION,
        mandatory=True,
        every=_gpu_closed,
    ),
    Rule(
        "arm-pool-is-closed",
        "Only work that says so runs on an ARM node, because most images are for x64.",
        _DECISION,
        mandatory=True,
        every=_arm_closed,
    ),
    Rule(
        "platform-has-one-home",
        "Exactly one on-demand pool takes pods that tolerate nothing, as Charmed Kubeflow's do.",
        _DECISION,
        severity="high",
        mandatory=True,
        every=_one_home,
    ),
    Rule(
        "platform-home-stays",
        "The home of Charmed Kubeflow always has a node, and the disks outlive it.",
        "docs/facts/charmed-kubeflow.md#size-of-the-cluster",
        severity="high",
        mandatory=True,
        every=_home_stays,
    ),
    Rule(
        "batch-scales-from-zero",
        "A pool for batch work has no nodes while there is no work.",
        "docs/facts/aks.md#shortage-and-fallback",
        severity="low",
        every=_from_zero,
    ),
    Rule(
        "autoscaler-owns-the-count",
        "The program never sets back the number of nodes that the autoscaler chose.",
        "components/agent_pools.py",
        mandatory=True,
        every=_count_left_alone,
    ),
)
