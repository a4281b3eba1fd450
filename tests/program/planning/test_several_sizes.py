"""Pools of several VM sizes: their agent pools, the names of these, and what the sizes share."""

from typing import Any

import pytest

from components.pools.pool_checks import name_mistakes
from program.planning.names import agent_pool_name
from program.planning.pools import AgentPool
from program.planning.quota import vcpu_quota
from program.planning.rules import fallbacks
from program.planning.rules import several_sizes as rules
from program.planning.rules import sizes as size_rules
from program.planning.rules import stack as stack_rules
from tests.program.planning.small_stack import GENERAL, GPU_SPOT, SPOT, planned, refused, settings

D8DS, D8ADS, D8AS = "Standard_D8ds_v5", "Standard_D8ads_v5", "Standard_D8as_v5"
FALLBACK = {"maxCount": 5, "vmSize": D8DS}


def spot(*sizes: str, **fields: Any) -> dict[str, Any]:
    """A spot pool of these sizes."""
    rest = {key: value for key, value in SPOT.items() if key != "vmSize"}
    return {**rest, "vmSizes": list(sizes), "fallback": FALLBACK, **fields}


def agent_pools(pool: dict[str, Any], **keys: Any) -> list[AgentPool]:
    """The agent pools of the pool `cpuspot`, its fallback last."""
    pools = planned(pools={"general": GENERAL, "cpuspot": pool}, **keys).pools
    return [agent_pool for agent_pool in pools if "cpuspot" in (agent_pool.pool, agent_pool.fallback_of)]


def made(pool: dict[str, Any]) -> dict[str, AgentPool]:
    """The agent pools by name."""
    return {one.name: one for one in agent_pools(pool)}


def test_each_size_is_an_agent_pool_and_all_share_one_fallback() -> None:
    *sized, fallback = agent_pools(spot(D8DS, D8ADS, D8AS))
    assert [pool.vm_size for pool in sized] == [D8DS, D8ADS, D8AS]
    assert [pool.name for pool in sized] == [agent_pool_name("cpuspot", size) for size in (D8DS, D8ADS, D8AS)]
    assert (fallback.name, fallback.fallback_of) == ("cpuod", "cpuspot")
    shared = ("priority", "labels", "taints", "min_count", "max_count", "pool")
    for key in shared:
        assert len({str(getattr(pool, key)) for pool in sized}) == 1


def test_the_order_of_the_sizes_is_that_of_the_setting() -> None:
    assert [pool.vm_size for pool in agent_pools(spot(D8AS, D8DS))[:-1]] == [D8AS, D8DS]


@pytest.mark.parametrize(
    "after",
    [[D8DS, D8ADS, D8AS], [D8AS, D8ADS, D8DS], [D8ADS, D8DS, D8AS, "Standard_D8s_v5"], [D8AS, D8DS], [D8ADS]],
)
def test_a_size_that_comes_or_goes_changes_no_other(after: list[str]) -> None:
    before, now = made(spot(D8DS, D8ADS, D8AS)), made(spot(*after))
    assert {name: pool for name, pool in now.items() if name in before} == {
        name: pool for name, pool in before.items() if name == "cpuod" or pool.vm_size in after
    }
    assert {pool.vm_size for name, pool in now.items() if name not in before} == {*after} - {
        D8DS,
        D8ADS,
        D8AS,
    }


@pytest.mark.parametrize("sizes", [[D8DS, D8ADS], [D8ADS, D8DS]])
def test_more_sizes_beside_one_leave_its_agent_pool_as_it_is(sizes: list[str]) -> None:
    before = made({**SPOT, "vmSize": D8DS, "fallback": FALLBACK})
    now = made(spot(*sizes, vmSize=D8DS))
    assert {name: pool for name, pool in now.items() if name in before} == before
    assert [pool.vm_size for name, pool in now.items() if name not in before] == [D8ADS]


def test_the_size_of_the_pool_leaves_and_the_others_stay() -> None:
    before, now = made(spot(D8DS, D8ADS, D8AS, vmSize=D8DS)), made(spot(D8ADS, D8AS))
    assert before.keys() - now.keys() == {"cpuspot"}
    assert {name: before[name] for name in now} == now


@pytest.mark.parametrize("pool", ["a", "cpuspot", "abcdefghijkl"])
def test_a_name_is_one_that_aks_takes(pool: str) -> None:
    names = {agent_pool_name(pool, size) for size in (D8DS, D8ADS, D8AS)}
    assert len(names) == 3
    assert not [mistake for name in names for mistake in name_mistakes(name)]


def test_pools_whose_names_begin_alike_have_other_agent_pools() -> None:
    assert agent_pool_name("trainingbig", D8DS) != agent_pool_name("trainingsmall", D8DS)


def test_another_pool_with_the_name_of_a_size_is_refused() -> None:
    taken = agent_pool_name("cpuspot", D8ADS)
    pools = {"general": GENERAL, "cpuspot": spot(D8DS, D8ADS), taken: SPOT}
    [mistake] = stack_rules.unique_name_problems(settings(pools=pools))
    assert str(mistake) == (
        f"pools.{taken}: '{taken}' is not allowed; expected another name, because {D8ADS} of cpuspot has this one"
    )


def test_the_os_disk_is_decided_for_each_size() -> None:
    *sized, _ = agent_pools(spot(D8DS, D8AS))
    assert [pool.os_disk.type for pool in sized] == ["Ephemeral", "Managed"]


def test_every_size_counts_for_the_spot_quota_and_none_for_that_of_its_family() -> None:
    one, two = (vcpu_quota(agent_pools(spot(*sizes))) for sizes in ([D8DS], [D8DS, D8ADS]))
    assert one["lowPriorityCores"] == 80
    assert two == one | {"lowPriorityCores": 160}


def test_nodes_of_every_size_count() -> None:
    pool = spot(D8DS, D8ADS, maxCount=1000, fallback={"maxCount": 1000, "vmSize": D8DS})
    more = {f"other{n}": spot(D8DS, maxCount=1000) for n in range(2)}
    pools = {"general": GENERAL, "cpuspot": pool, **more}
    assert refused(stack_rules.limit_problems(settings(pools=pools))) == ["pools"]


def test_slices_need_every_size_to_have_them() -> None:
    pool = {
        **GPU_SPOT,
        "vmSizes": ["Standard_NC24ads_A100_v4", "Standard_NC8as_T4_v3"],
        "gpuInstanceProfile": "MIG1g",
    }
    assert refused(rules.size_setting_problems(settings(pools={"gpuspot": pool}))) == [
        "pools.gpuspot.vmSize",
        "pools.gpuspot.vmSizes[1]",
    ]


def test_smaller_sizes_are_warned_of() -> None:
    stack = settings(pools={"cpuspot": spot(D8DS, "Standard_D4ds_v5")})
    assert [text.partition(";")[0] for text in rules.size_difference_warnings(stack)] == [
        "pools.cpuspot.vmSizes: Standard_D4ds_v5 has 4 vCPU, others up to 8",
        "pools.cpuspot.vmSizes: Standard_D4ds_v5 has 16 GiB, others up to 32",
    ]
    assert not list(rules.size_difference_warnings(settings(pools={"cpuspot": spot(D8DS, D8ADS)})))


def test_a_warning_about_the_pool_is_there_once() -> None:
    pool = spot(D8DS, D8ADS, fallback=None)
    warnings = planned(pools={"general": GENERAL, "cpuspot": pool}).warnings
    assert [text for text in warnings if "has no fallback" in text] == [
        "pools.cpuspot has no fallback: its work waits whenever spot is sold out"
    ]


def test_work_and_prices_name_the_pool() -> None:
    work = {"training": {"pool": "cpuspot", "hoursPerMonth": 100, "stepHours": 2}}
    assert agent_pools(spot(D8DS, D8ADS), workload=work, cost={"pools": {"cpuspot": {"soldOutShare": 0.1}}})


def test_a_fallback_of_several_sizes_is_an_agent_pool_for_each() -> None:
    sizes = [D8DS, D8ADS]
    one, *both = agent_pools({**SPOT, "vmSize": D8DS, "fallback": {"maxCount": 5, "vmSizes": sizes}})
    assert [(pool.name, pool.vm_size) for pool in both] == [
        ("cpuod", D8DS),
        (agent_pool_name("cpuod", D8ADS), D8ADS),
    ]
    assert {(pool.pool, pool.fallback_of, pool.max_count, str(pool.labels)) for pool in both} == {
        ("cpuod", "cpuspot", 5, str({"kubeflow-aks/workload": one.labels["kubeflow-aks/workload"]}))
    }
    assert both[0] == made({**SPOT, "vmSize": D8DS, "fallback": {"maxCount": 5}})["cpuod"]


@pytest.mark.parametrize(
    ("fallback", "key"),
    [
        ({"vmSizes": [D8DS, D8DS]}, "vmSizes"),
        ({"vmSizes": [D8DS, D8ADS], "vmSize": D8AS}, "vmSize"),
        ({"vmSizes": [D8DS, "Standard_NC4as_T4_v3"]}, "vmSizes[1]"),
    ],
)
def test_impossible_sizes_of_a_fallback_are_refused(fallback: dict[str, Any], key: str) -> None:
    pool = {**SPOT, "vmSize": D8DS, "fallback": {"maxCount": 5, **fallback}}
    assert refused(rules.size_setting_problems(settings(pools={"cpuspot": pool}))) == [
        f"pools.cpuspot.fallback.{key}"
    ]


def test_every_size_of_a_fallback_is_looked_at() -> None:
    sizes = [D8DS, "Standard_D4ds_v5", "Standard_Nothing"]
    pool = {**SPOT, "vmSize": D8DS, "fallback": {"maxCount": 600, "vmSizes": sizes}}
    stack = settings(pools={"general": GENERAL, "cpuspot": pool, "other": pool, "more": pool})
    assert [use.key for use in size_rules.size_uses(stack) if use.size is None] == [
        f"pools.{name}.fallback.vmSizes[2]" for name in ("cpuspot", "other", "more")
    ]
    assert [text.partition(" is ")[0] for text in fallbacks.fallback_warnings(stack)] == [
        f"pools.{name}.fallback.vmSizes[1]" for name in ("cpuspot", "other", "more")
    ]
    assert refused(stack_rules.limit_problems(stack)) == ["pools"]
