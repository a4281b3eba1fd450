"""The autoscaler's priority map, and the list of pools that data scientists' tools read."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Any, Final, cast

import yaml

from kubeflow_aks.policy.rule import Resource
from kubeflow_aks.policy.rules.resources import CLUSTER, WORKLOAD, config_map, pools
from kubeflow_aks.policy.table import rules

_MAP: Final = "cluster-autoscaler-priority-expander"
_CONTRACT: Final = "agent-pools"

Findings = Iterator[tuple[str, str]]


def _covers(resources: Sequence[Resource]) -> Findings:
    clusters = [it for it in resources if it.kind == CLUSTER]
    profiles: list[Mapping[str, Any]] = [it.inputs.get("autoScalerProfile") or {} for it in clusters]
    if not any(profile.get("expander") == "priority" for profile in profiles):
        return
    order = config_map(resources, _MAP)
    if order is None:
        # Without any, objects are applied by other means.
        if any(it.type.startswith("kubernetes:") for it in resources):
            yield "", f"the expander is priority, and the ConfigMap {_MAP} with the order is missing"
        return
    levels = _levels(order)
    for pool in pools(resources):
        if _level(levels, pool.name) is None:
            yield (
                order.urn,
                f"no pattern matches {_scale_set(pool.name)}, so {pool.name} would never scale up",
            )


def _spot_first(resources: Sequence[Resource]) -> Findings:
    order = config_map(resources, _MAP)
    if order is None:
        return
    levels = _levels(order)
    every = [
        (pool.name, pool.spot, pool.gpu, pool.labels.get(WORKLOAD), _level(levels, pool.name) or 0)
        for pool in pools(resources)
        if pool.batch
    ]
    for (name, spot, gpu, work, level), (other, its_spot, its_gpu, its_work, its_level) in product(
        every, every
    ):
        if its_level < level:
            continue
        if spot and not its_spot and work == its_work:
            yield (
                order.urn,
                f"{other} has level {its_level} and {name} {level}, so on-demand nodes start first",
            )
        if spot == its_spot and not gpu and its_gpu:
            yield order.urn, f"{other} has level {its_level} and {name} {level}, so CPU work starts GPU nodes"


def _contract(resources: Sequence[Resource]) -> Findings:
    contract = config_map(resources, _CONTRACT)
    if contract is None:
        return
    listed = cast(list[dict[str, Any]], json.loads(contract.inputs["data"]["pools.json"]))
    if not listed:  # a team that does not use those tools
        return
    listed_pools = {it["name"]: it for it in listed}
    actual = {pool.name: pool for pool in pools(resources) if not pool.system}
    for name in sorted(listed_pools.keys() ^ actual.keys()):
        state = "is listed but not created" if name in listed_pools else "is created but not listed"
        yield contract.urn, f"{name} {state}"
    for name in sorted(listed_pools.keys() & actual.keys()):
        pool, entry = actual[name], listed_pools[name]
        real = {
            "vmSize": pool.size,
            "priority": "Spot" if pool.spot else "Regular",
            "maxCount": pool.wire.get("maxCount"),
            "labels": dict(pool.labels),
            "taints": list(pool.taints),
        }
        for key, value in real.items():
            if entry.get(key) != value:
                yield contract.urn, f"{key} of {name} is listed as {entry.get(key)} and is {value}"


def _levels(order: Resource) -> Mapping[int, Sequence[str]]:
    return yaml.safe_load(order.inputs["data"]["priorities"])


def _level(levels: Mapping[int, Sequence[str]], pool: str) -> int | None:
    """The autoscaler's priority of a pool: the highest level with a pattern that matches anywhere in the name."""
    name = _scale_set(pool)
    return max(
        (level for level, all_ in levels.items() if any(re.search(it, name) for it in all_)), default=None
    )


def _scale_set(pool: str) -> str:
    """AKS's name for the scale set of a pool; the number is the cluster's (docs/facts/aks.md#priority-expander)."""
    return f"aks-{pool}-12345678-vmss"


RULES: Final = rules(
    {
        "expander-covers-every-pool": _covers,
        "expander-tries-spot-first": _spot_first,
        "contract-is-true": _contract,
    }
)
