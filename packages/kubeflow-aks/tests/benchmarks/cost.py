"""Time of a bill by pools and kinds of work, beside that of one pool with one kind."""

from __future__ import annotations

import statistics
import time
from typing import Any

from kubeflow_aks.cost import work
from kubeflow_aks.cost.billing import bill
from kubeflow_aks.cost.prices import open_market
from kubeflow_aks.cost.stack import Resource, Stack

SIZES = ((1, 1), (10, 100), (100, 1000))
"""Spot pools and kinds of work; the last is AKS's limit of pools. What we want of it: at most a second."""
REPEATS = 3
_CLUSTER: dict[str, Any] = {"location": "westeurope", "sku": {"tier": "Standard"}}
_POOL: dict[str, Any] = {
    "vmSize": "Standard_D8ds_v5",
    "scaleSetPriority": "Spot",
    "enableAutoScaling": True,
    "minCount": 0,
    "maxCount": 10,
    "osDiskType": "Managed",
    "osDiskSizeGB": 128,
}


def main() -> None:
    """Prints the table."""
    bill(_stack(1, 1), open_market({}, offline=True, report=print))  # reads the price lists
    base: float | None = None
    print("spot pools   kinds of work   seconds   ÷ that of the first")
    for pools, kinds in SIZES:
        seconds = statistics.median(_seconds(pools, kinds) for _ in range(REPEATS))
        base = base or seconds
        print(f"{pools:10}   {kinds:13}   {seconds:7.3f}   {seconds / base:19.0f}", flush=True)


def _seconds(pools: int, kinds: int) -> float:
    stack, market = _stack(pools, kinds), open_market({}, offline=True, report=print)
    work.forget()
    start = time.perf_counter()
    bill(stack, market)
    return time.perf_counter() - start


def _stack(pools: int, kinds: int) -> Stack:
    """Every kind of work is another, with checkpoints and a deadline."""
    names = [f"spot{number}" for number in range(pools)]
    workload = {
        f"work{number}": {
            "pool": names[number % pools],
            "hoursPerMonth": 100,
            "stepHours": 1 + number / 100,
            "checkpointMinutes": 20,
            "deadlineHours": 30 + number / 100,
        }
        for number in range(kinds)
    }
    agents = [
        Resource("azure-native:containerservice:AgentPool", name, {**_POOL, "agentPoolName": name})
        for name in names
    ]
    cluster = Resource("azure-native:containerservice:ManagedCluster", "bench", _CLUSTER)
    return Stack("bench", (cluster, *agents), {"costBasis": {"workload": workload}})


if __name__ == "__main__":
    main()
