"""The spot rules hold of every pool that any stack registers, as AKS will see it."""

from typing import Any

from kubeflow_aks.recorder.run import Record
from tests.program.whole.records import POOL


def pools(record: Record) -> list[dict[str, Any]]:
    """The bodies of all user pools."""
    return [pool.inputs for pool in record.of(POOL)]


def spot_pools(record: Record) -> list[dict[str, Any]]:
    """The bodies of the spot pools."""
    return [pool for pool in pools(record) if pool.get("scaleSetPriority") == "Spot"]


def test_every_stack_has_spot_pools_of_both_kinds(up: Record) -> None:
    assert {"gpuProfile" in pool for pool in spot_pools(up)} == {True, False}


def test_a_spot_pool_is_deleted_on_eviction(up: Record) -> None:
    assert {(pool["scaleSetEvictionPolicy"], pool["scaleDownMode"]) for pool in spot_pools(up)} == {
        ("Delete", "Delete")
    }


def test_every_pool_but_kubeflows_home_is_tainted(up: Record) -> None:
    assert [pool["agentPoolName"] for pool in pools(up) if not pool["nodeTaints"]] == ["general"]


def test_a_gpu_pool_starts_from_nothing_behind_nvidias_taint(up: Record) -> None:
    for pool in (pool for pool in pools(up) if "gpuProfile" in pool):
        assert pool["minCount"] == 0
        assert "nvidia.com/gpu=present:NoSchedule" in pool["nodeTaints"]


def test_the_daemon_of_kubeflows_home_fits_no_other_pool(up: Record) -> None:
    """Else a rollout would wait for pods on spot nodes that go."""
    [daemon] = [
        resource for resource in up.of("kubernetes:apps/v1:DaemonSet") if resource.name.endswith("-inotify")
    ]
    node_selector = dict(daemon.inputs["spec"]["template"]["spec"]["nodeSelector"])
    del node_selector["kubernetes.io/os"]
    assert node_selector
    fitting = [pool for pool in pools(up) if node_selector.items() <= pool["nodeLabels"].items()]
    assert [pool["agentPoolName"] for pool in fitting] == ["general"]
    assert "tolerations" not in daemon.inputs["spec"]["template"]["spec"]
