"""Spot pools: label, taint, price, eviction policy and fallback."""

from collections.abc import Iterator, Sequence
from typing import Final

from kubeflow_aks.policy.rule import Resource
from kubeflow_aks.policy.rules.resources import PLATFORM, WORKLOAD, Pool, on_pools, pools
from kubeflow_aks.policy.table import rules

_KEY: Final = "kubernetes.azure.com/scalesetpriority"
_TAINT: Final = f"{_KEY}=spot:NoSchedule"

Findings = Iterator[tuple[str, str]]


def _marked(pool: Pool) -> Iterator[str]:
    label, tainted = pool.labels.get(_KEY), _TAINT in pool.taints
    if pool.spot and label != "spot":
        yield f"nodeLabels of {pool.name} lack {_KEY}=spot, so an update would remove it from the nodes"
    if pool.spot and not tainted:
        yield f"nodeTaints of {pool.name} lack {_TAINT}, without which AKS refuses an update"
    if not pool.spot and (label or tainted):
        yield f"{pool.name} is on demand but has {_KEY}, so spot work would run there"


def _user_mode(pool: Pool) -> Iterator[str]:
    if pool.spot and (pool.system or pool.path):
        yield f"{pool.name} is a spot pool for AKS's add-ons; a system pool is on demand"


def _deleted(pool: Pool) -> Iterator[str]:
    policy = pool.wire.get("scaleSetEvictionPolicy") or "Delete"
    if pool.spot and policy != "Delete":
        yield (
            f"scaleSetEvictionPolicy of {pool.name} is {policy}: evicted nodes still use quota and disks, "
            "and the autoscaler uses no other pool"
        )


def _priced(pool: Pool) -> Iterator[str]:
    price = pool.wire.get("spotMaxPrice")
    if pool.spot and (price is None or (price != -1 and price <= 0)):
        yield f"spotMaxPrice of {pool.name} is {price}; -1 means up to the on-demand price"
    if not pool.spot and price is not None:
        yield f"{pool.name} is on demand but has a spotMaxPrice, which only spot pools have"


def _no_platform(pool: Pool) -> Iterator[str]:
    if pool.spot and pool.platform:
        yield f"no NoSchedule or NoExecute taint keeps Charmed Kubeflow off {pool.name}"
    if pool.spot and pool.labels.get(WORKLOAD) == PLATFORM:
        yield f"{pool.name} has the label {WORKLOAD}={PLATFORM}, which marks the pool of Kubeflow"


def _fallback(resources: Sequence[Resource]) -> Findings:
    every = [pool for pool in pools(resources) if not pool.system]
    for pool in every:
        if pool.spot and not any(
            other.labels.get(WORKLOAD) == pool.labels.get(WORKLOAD)
            and (other.gpu, other.arm) == (pool.gpu, pool.arm)
            for other in every
            if not other.spot
        ):
            work = pool.labels.get(WORKLOAD)
            same = (
                f"has {WORKLOAD}={work} as {pool.name} has"
                if work
                else f"lacks {WORKLOAD} as {pool.name} does"
            )
            yield pool.urn, f"no on-demand pool of the same hardware {same}"


RULES: Final = rules(
    {
        "spot-is-marked": on_pools(_marked),
        "spot-is-no-system-pool": on_pools(_user_mode),
        "spot-nodes-are-deleted": on_pools(_deleted),
        "spot-has-a-price": on_pools(_priced),
        "spot-hosts-no-platform": on_pools(_no_platform),
        "spot-has-a-fallback": _fallback,
    }
)
