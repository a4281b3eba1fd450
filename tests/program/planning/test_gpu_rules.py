"""Rules of GPU pools, and the warnings about them."""

from typing import Any

import pytest

from program.planning.pools import agent_pools
from program.planning.rules import gpus as rules
from program.planning.rules.pools import candidates
from tests.program.planning.small_stack import GENERAL, GPU_SPOT, SPOT, planned, refused, settings

SLICED = {**GPU_SPOT, "vmSize": "Standard_NC48ads_A100_v4", "gpuInstanceProfile": "MIG1g"}


def test_without_a_driver_from_aks_there_is_no_device_plugin_of_ours() -> None:
    assert refused(rules.driver_problems(settings(gpu={"driver": "None"}))) == ["gpu.plugin"]
    assert refused(rules.driver_problems(settings(gpu={"driver": "None", "plugin": "none"}))) == []


def warned(pool: dict[str, Any], **keys: Any) -> list[str]:
    stack = settings(pools={"general": GENERAL, "work": pool}, **keys)
    return list(rules.gpu_warnings(stack, agent_pools(stack)))


def test_an_ordinary_gpu_pool_needs_no_warning() -> None:
    assert warned({**GPU_SPOT, "fallback": {"maxCount": 1}}) == []


def test_a_driver_without_a_device_plugin_is_warned_of_where_there_are_gpus() -> None:
    [warning] = warned({**GPU_SPOT}, gpu={"plugin": "none"})
    assert warning == (
        "gpu.plugin is none: AKS installs the driver but nothing makes GPUs visible, so work for them waits until you "
        "run a device plugin, or a GPU Operator without driver; devicePlugin leaves that to this program"
    )
    assert warned({**SPOT}, gpu={"plugin": "none"}) == []
    assert warned({**GPU_SPOT}, gpu={"driver": "None", "plugin": "none"}) == []


def test_gpus_that_always_run_are_warned_of() -> None:
    [warning] = warned({**GPU_SPOT, "minCount": 2})
    assert warning == (
        "pools.work.minCount is 2: that many Standard_NC4as_T4_v3 are paid for around the clock, used or not; "
        "with 0 they start when work requests a GPU"
    )
    assert planned(pools={"general": GENERAL, "work": {**GPU_SPOT, "minCount": 2}}).pools


def test_work_that_may_start_a_gpu_or_none_is_warned_of() -> None:
    pools = {
        "general": GENERAL,
        "cpus": {**SPOT, "workload": "batch"},
        "gpus": {**GPU_SPOT, "workload": "batch"},
    }
    stack = settings(pools=pools)
    [warning] = rules.gpu_warnings(stack, agent_pools(stack))
    assert warning == (
        "pools.gpus.workload is batch like that of pools.cpus, which has no GPU: work that requests none may start "
        "nodes with one, which cost more; give one of them another workload"
    )
    other = settings(pools={**pools, "gpus": GPU_SPOT})
    assert list(rules.gpu_warnings(other, agent_pools(other))) == []


def test_slices_from_no_nodes_are_warned_of_with_what_a_pod_may_ask_for() -> None:
    [warning] = warned({**SLICED, "fallback": {"maxCount": 1}})
    assert warning == (
        "pools.work.gpuInstanceProfile is MIG1g: a tag gives the autoscaler the 14 slices of a node, but it is "
        "untested whether AKS's reads it; if not, a pod that requests more than 2 nvidia.com/gpu waits while the pool "
        "has no node, so let a pod request at most 2, or set minCount 1"
    )


def test_slices_of_a_node_that_always_runs_cost_but_start() -> None:
    [warning] = warned({**SLICED, "minCount": 1})
    assert warning.startswith("pools.work.minCount is 1: ")


@pytest.mark.parametrize("profile", ["MIG4g", "MIG7g"])
def test_one_slice_a_gpu_counts_as_the_gpu(profile: str) -> None:
    assert warned({**SLICED, "gpuInstanceProfile": profile}) == []


def test_slices_without_a_driver_of_aks_are_warned_of() -> None:
    [warning] = warned({**SLICED, "gpuInstanceProfile": "MIG7g"}, gpu={"driver": "None", "plugin": "none"})
    assert warning == (
        "pools.work.gpuInstanceProfile is MIG7g with gpu.driver None: AKS cuts GPUs only where it installs the driver; "
        "set driver Install, or let the GPU Operator cut them"
    )


A100 = {**GPU_SPOT, "vmSize": "Standard_NC24ads_A100_v4", "fallback": {"maxCount": 1}}


def mixed(**pools: Any) -> list[str]:
    stack = settings(pools={"general": GENERAL, **pools})
    return list(rules.mixed_warnings(pool for pool in agent_pools(stack) if pool.hardware.name == "gpu"))


def test_different_gpus_under_one_workload_are_warned_of() -> None:
    [warning] = mixed(t4=GPU_SPOT, a100=A100)
    assert warning == (
        "pools.t4.workload is gpu like that of pools.a100: work for it lands on NVIDIA T4 with 16 GB or NVIDIA A100 "
        "with 80 GB, whichever starts; give one another workload unless any will do"
    )


def test_slices_and_whole_gpus_under_one_workload_are_warned_of() -> None:
    [warning] = mixed(whole=A100, cut={**A100, "gpuInstanceProfile": "MIG1g"})
    assert "NVIDIA A100 with 80 GB or NVIDIA A100 with 80 GB cut by MIG1g" in warning


def test_the_same_gpus_under_one_workload_or_others_under_their_own_need_no_warning() -> None:
    assert mixed(one=GPU_SPOT, two={**GPU_SPOT, "vmSize": "Standard_NC64as_T4_v3"}) == []
    assert mixed(t4=GPU_SPOT, a100={**A100, "workload": "large"}) == []
    assert mixed(t4={**GPU_SPOT, "fallback": {"maxCount": 1, "vmSize": "Standard_NC24ads_A100_v4"}}) == []


@pytest.mark.parametrize("channel", ["None", "Unmanaged", "NodeImage", "SecurityPatch"])
@pytest.mark.parametrize(
    ("size", "new_drivers"),
    [
        ("Standard_NV36ads_A10_v5", True),
        ("Standard_NV36adms_A10_v5", True),
        ("Standard_NC8ads_A10_v4", True),
        ("Standard_NC4as_T4_v3", False),
        ("Standard_NC24ads_A100_v4", False),
    ],
)
def test_an_image_that_nobody_renews_is_warned_of_on_hosts_with_new_drivers(
    size: str, channel: str, new_drivers: bool
) -> None:
    messages = warned({**GPU_SPOT, "vmSize": size}, kubernetes={"nodeOsUpgradeChannel": channel})
    assert any("202606.08.1" in warning for warning in messages) is (
        new_drivers and channel in ("None", "Unmanaged")
    )


SHARED = {**GPU_SPOT, "gpuTimeSlices": 4}


def test_time_slices_from_no_nodes_are_warned_of() -> None:
    [warning] = warned({**SHARED, "fallback": {"maxCount": 1}})
    assert warning == (
        "pools.work.gpuTimeSlices is 4: a tag gives the autoscaler the 4 slices of a node, but it is untested whether "
        "AKS's reads it; if not, each pod starts a node while the pool has none, unless minCount is 1"
    )
    [warning] = warned({**SHARED, "vmSize": "Standard_NC64as_T4_v3"})
    assert "the 16 slices of a node" in warning
    assert "every 4 pods start a node" in warning
    [warning] = warned({**SHARED, "minCount": 1})
    assert warning.startswith("pools.work.minCount is 1: ")


def test_time_slices_need_this_programs_device_plugin() -> None:
    pools = {"work": SHARED}
    [pool] = candidates(settings(pools=pools, gpu={"plugin": "none"}))
    assert refused(rules.time_slice_problems(pool)) == ["pools.work.gpuTimeSlices"]
    assert refused(rules.time_slice_problems(*candidates(settings(pools=pools)))) == []


def test_shared_and_whole_gpus_under_one_workload_are_warned_of() -> None:
    [warning] = mixed(whole=GPU_SPOT, shared=SHARED)
    assert "NVIDIA T4 with 16 GB or NVIDIA T4 with 16 GB shared by 4 pods" in warning


def test_a_pool_with_time_slices_has_a_tag_for_the_autoscaler_and_its_fallback_as_well() -> None:
    pool = {
        **SHARED,
        "vmSize": "Standard_NC64as_T4_v3",
        "fallback": {"maxCount": 1, "vmSize": "Standard_NC4as_T4_v3"},
    }
    stack = settings(pools={"general": GENERAL, "gpuspot": pool})
    tags = {agent_pool.name: list(agent_pool.tags.values()) for agent_pool in agent_pools(stack)}
    assert tags == {"system": [], "general": [], "gpuspot": ["16"], "gpuod": ["4"]}
