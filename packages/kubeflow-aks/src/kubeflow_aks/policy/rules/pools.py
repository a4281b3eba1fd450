"""Pools of every kind: taints, the pool of Charmed Kubeflow, and the number of nodes."""

from collections.abc import Iterator, Sequence
from typing import Final

from kubeflow_aks.policy.rule import Resource
from kubeflow_aks.policy.rules.resources import Pool, on_pools, pools
from kubeflow_aks.policy.table import PerResource, rules

_SYSTEM: Final = "CriticalAddonsOnly=true:NoSchedule"
_GPU: Final = "nvidia.com/gpu="
_ARM: Final = "kubeflow-aks/arch=arm64:NoSchedule"

Findings = Iterator[tuple[str, str]]


def _system_closed(pool: Pool) -> Iterator[str]:
    if pool.system and _SYSTEM not in pool.taints:
        yield f"nodeTaints of the system pool {pool.name} lack {_SYSTEM}"


def _gpu_closed(pool: Pool) -> Iterator[str]:
    if pool.gpu and not any(it.startswith(_GPU) and it.endswith(":NoSchedule") for it in pool.taints):
        size = pool.size
        yield f"{pool.name} has GPUs ({size}), and nodeTaints lack {_GPU}present:NoSchedule"


def _arm_closed(pool: Pool) -> Iterator[str]:
    if pool.arm and not pool.system and _ARM not in pool.taints:
        yield f"{pool.name} has ARM nodes ({pool.size}), and nodeTaints lack {_ARM}"


def _one_home(resources: Sequence[Resource]) -> Findings:
    every = list(pools(resources))
    home_pools = homes(every)
    if not any(not pool.system for pool in every):
        return
    if len(home_pools) != 1 or home_pools[0].gpu:
        names = ", ".join(sorted(pool.name for pool in home_pools)) or "none"
        yield ("", f"pools without a taint: {names}; expected exactly one, on demand and without GPU")


def _home_stays(resource: Resource) -> Iterator[str]:
    for pool in homes(list(pools([resource]))):
        fewest = pool.wire.get("minCount") if pool.wire.get("enableAutoScaling") else pool.wire.get("count")
        if not fewest:
            yield f"{pool.name} can have zero nodes, and Charmed Kubeflow runs there"
        if pool.wire.get("osDiskType") == "Ephemeral":
            yield f"osDiskType of {pool.name} is Ephemeral, so its disks are lost with its nodes"


def _from_zero(pool: Pool) -> Iterator[str]:
    fewest = pool.wire.get("minCount") or 0
    if pool.batch and fewest > 0:
        yield f"minCount of {pool.name} is {fewest}: these nodes cost money without work"


def _count_left_alone(pool: Pool) -> Iterator[str]:
    if pool.wire.get("enableAutoScaling") and f"{pool.path}count" not in pool.ignored:
        yield f"ignore_changes lacks count, so each `up` would reset the number of nodes of {pool.name}"


def homes(every: Sequence[Pool]) -> list[Pool]:
    """The on-demand pools where pods that tolerate nothing run."""
    return [pool for pool in every if pool.platform and not pool.spot]


RULES: Final = rules(
    {
        "system-pool-is-closed": on_pools(_system_closed),
        "gpu-pool-is-closed": on_pools(_gpu_closed),
        "arm-pool-is-closed": on_pools(_arm_closed),
        "platform-has-one-home": _one_home,
        "platform-home-stays": PerResource(_home_stays),
        "batch-scales-from-zero": on_pools(_from_zero),
        "autoscaler-owns-the-count": on_pools(_count_left_alone),
    }
)
