"""Whatever the cluster's pools are: a placed task runs on the nodes that were requested, and on no other."""

from __future__ import annotations

from typing import Any

import pytest
from compiling import compiled
from hypothesis import given, settings
from hypothesis import strategies as st
from scheduling import admits, wished

from ckf_spot import PlacementError, Pools
from ckf_spot.agent_pool import SPOT_LABEL, WORKLOAD_LABEL, AgentPool, Taint

WORKLOADS = ("cpu", "gpu", "big")
SPOT_TAINT = Taint(SPOT_LABEL, "spot", "NoSchedule")


@st.composite
def agent_pools(draw: st.DrawFn) -> tuple[AgentPool, ...]:
    """One to six pools of some workloads, with their taints, and twins where there are some."""
    pools: list[AgentPool] = []
    for number in range(draw(st.integers(1, 6))):
        spot = draw(st.booleans())
        workload = draw(st.sampled_from(WORKLOADS))
        labels = {WORKLOAD_LABEL: workload} | ({SPOT_LABEL: "spot"} if spot else {})
        taints = draw(
            st.lists(
                st.builds(
                    Taint,
                    st.sampled_from(["team", "sku"]),
                    st.sampled_from(["a", "b"]),
                    st.sampled_from(["NoSchedule", "NoExecute"]),
                ),
                max_size=2,
            )
        )
        pools.append(
            AgentPool(
                name=f"pool{number}",
                role="cpu",
                spot=spot,
                vm_size="Standard_D8ds_v5",
                gpus=1 if workload == "gpu" else 0,
                max_count=3,
                labels=labels,
                taints=(*taints, SPOT_TAINT) if spot else tuple(taints),
                fallback=None,
            )
        )
    return tuple(pools)


REQUESTS: list[dict[str, Any]] = [{}, {"prefer": "spot"}, {"require": "spot"}, {"require": "on-demand"}]


@settings(max_examples=60)
@given(agent_pools(), st.sampled_from(REQUESTS), st.data())
def test_one_required_term_admits_exactly_the_pools_that_were_requested(
    members: tuple[AgentPool, ...], request: dict[str, Any], data: st.DataObject
) -> None:
    name = data.draw(st.sampled_from(list(Pools(members))))
    group = Pools(members)[name]
    require = request.get("require")
    requested = [pool for pool in group.pools if require is None or pool.spot == (require == "spot")]
    if not any(pool.spot == (require != "on-demand") for pool in requested):
        with pytest.raises(PlacementError, match=f"{name!r} has no "):
            group.placement(**request)
        return

    placement = compiled(lambda task: group.place(task, **request)).placement()

    assert sum("weight" not in term for term in placement["nodeAffinity"]) == 1
    assert [pool for pool in members if admits(placement, pool)] == [
        pool for pool in members if pool in requested
    ]
    if require is None:
        assert all(wished(placement, pool) == pool.spot for pool in requested)


@settings(max_examples=60)
@given(agent_pools(), st.sampled_from(REQUESTS), st.data())
def test_node_selectors_admit_no_pool_that_was_not_requested(
    members: tuple[AgentPool, ...], request: dict[str, Any], data: st.DataObject
) -> None:
    group = Pools(members, backend="2.5")[data.draw(st.sampled_from(list(Pools(members))))]
    placements: list[dict[str, Any]] = []

    def build(task: Any) -> None:
        group.place(task, by="node-selector", **request)

    try:
        placements.append(compiled(build).placement())
    except PlacementError:
        return
    requested = group.placement(**request).pools
    admitted = [pool for pool in members if admits(placements[0], pool)]
    assert admitted
    assert all(pool in requested for pool in admitted)
