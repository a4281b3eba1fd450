"""The stack's pools: its output `poolContract`, joined with what the simulated Azure has."""

from collections.abc import Iterable, Mapping
from typing import Any

from kubeflow_aks.local_aks.simulation.vms.agent_pools import AgentPool
from kubeflow_aks.scenario.contract_pools import SYSTEM, WORKLOAD_LABEL, ContractPool, spot_pools_of_fallbacks


def deployed_pools(
    contract: Iterable[Mapping[str, Any]], azure: Iterable[Mapping[str, Any]]
) -> tuple[ContractPool, ...]:
    """The pools of the output `poolContract` and of `AzureState.agent_pools()`, so ordered, the system pool first."""
    by_name = {entry["name"]: entry for entry in contract}
    spot_of = spot_pools_of_fallbacks(by_name.values())
    pools = [AgentPool.from_wire(wire) for wire in azure]
    order = list(by_name)
    pools.sort(key=lambda pool: order.index(pool.name) if pool.name in by_name else -1)
    return tuple(
        ContractPool(
            name=pool.name,
            role=by_name[pool.name]["role"] if pool.name in by_name else SYSTEM,
            spot=pool.spot,
            vm_size=pool.vm_size,
            min_count=pool.min_count,
            max_count=pool.max_count,
            workload=pool.labels.get(WORKLOAD_LABEL, ""),
            fallback_for=spot_of.get(pool.name, ()),
            taints=pool.taints,
        )
        for pool in pools
    )
