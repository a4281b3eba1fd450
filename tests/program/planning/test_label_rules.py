"""Rules of node labels and taints: Kubernetes' form, nothing reserved but the exact spot pair."""

from typing import Any

import pytest

from components.pools.labels_and_taints import repeated_taint_mistakes
from program.planning.pools import user_pools
from program.planning.rules.labels import (
    label_problems,
    soft_taint_problems,
    taint_problems,
    workload_label_problems,
)
from tests.program.planning.small_stack import GENERAL, GPU_SPOT, SPOT, candidate, refused, settings

SPOT_LABEL = "kubernetes.azure.com/scalesetpriority"


def with_label(key: str, value: str, pool: Any = SPOT) -> list[str]:
    return refused(label_problems(candidate("work", pool, labels={key: value})))


def with_taint(taint: str, pool: Any = SPOT) -> list[str]:
    return refused(taint_problems(candidate("work", pool, taints=[taint])))


LONGEST = ".".join(["a" * 63] * 3 + ["a" * 61])
"""A domain of 253 characters, each part as long as DNS allows."""


@pytest.mark.parametrize(
    "key",
    [
        "team",
        "example.com/team",
        "a" * 63,
        "Team_1.x-y",
        "mykubernetes.io/x",
        f"{LONGEST}/x",
        "node.kubernetes.io/exclude-from-external-load-balancers",
        "cost.node.kubernetes.io/centre",
        "kubelet.kubernetes.io/x",
        "nvidia.com/device-plugin.config",
        "CriticalAddonsOnly",
    ],
)
def test_a_label_of_ones_own_is_taken(key: str) -> None:
    assert with_label(key, "vision") == []


@pytest.mark.parametrize(
    "key",
    [
        "kubernetes.azure.com/mode",
        "kubernetes.io/os",
        "node-role.kubernetes.io/agent",
        "node-restriction.kubernetes.io/team",
        "topology.kubernetes.io/zone",
        "node.kubernetes.io/instance-type",
        "topology.disk.k8s.io/zone",
        "team.kubeflow-aks/x",
        "kubeflow-aks/workload",
        "agentpool",
        "accelerator",
        "storageprofile",
        "storagetier",
    ],
)
def test_a_reserved_label_is_refused(key: str) -> None:
    assert with_label(key, "x") == [f"pools.work.labels.{key}"]


def test_a_spot_pool_may_repeat_the_spot_label() -> None:
    assert with_label(SPOT_LABEL, "spot") == []


def test_the_spot_label_has_no_other_value() -> None:
    assert with_label(SPOT_LABEL, "regular") == [f"pools.work.labels.{SPOT_LABEL}"]


def test_a_regular_pool_has_no_spot_label() -> None:
    assert with_label(SPOT_LABEL, "spot", GENERAL) == [f"pools.work.labels.{SPOT_LABEL}"]


@pytest.mark.parametrize(
    "key",
    [
        *("", "-team", "team ", "a" * 64, "/team", "a/b/c", "Example.com/team"),
        *("a..b/x", "a.-b/x", "a-.b/x", ".a/x", "a./x", "a_b/x"),
        *(f"{'a' * 64}/x", f"{'a' * 64}.com/x", f"a{LONGEST}/x", f"{LONGEST}.a/x"),
    ],
)
def test_a_label_key_has_the_form_kubernetes_demands(key: str) -> None:
    assert with_label(key, "vision") == [f"pools.work.labels.{key}"]


@pytest.mark.parametrize("value", ["-x", "x y", "a" * 64, "x\n"])
def test_a_label_value_has_the_form_kubernetes_demands(value: str) -> None:
    assert with_label("team", value) == ["pools.work.labels.team"]


def test_a_label_value_may_be_empty() -> None:
    assert with_label("team", "") == []


@pytest.mark.parametrize(
    "taint", ["team=vision:NoSchedule", "example.com/team=:NoExecute", "spot:NoSchedule"]
)
def test_a_taint_of_ones_own_is_taken(taint: str) -> None:
    assert with_taint(taint) == []


@pytest.mark.parametrize(
    "taint",
    [
        *(
            "",
            "team",
            "team=vision",
            ":NoSchedule",
            "team=a=b:NoSchedule",
            "team=vision:noschedule",
            "a b=c:NoSchedule",
        ),
        *("team=-x:NoSchedule", f"team={'a' * 64}:NoSchedule", f"{'a' * 64}.com/x=y:NoSchedule"),
    ],
)
def test_a_taint_is_key_value_and_effect(taint: str) -> None:
    assert with_taint(taint) == ["pools.work.taints[0]"]


@pytest.mark.parametrize(
    "taint",
    [
        "kubernetes.azure.com/mode=system:NoSchedule",
        "node.kubernetes.io/unreachable=x:NoExecute",
        "nvidia.com/gpu=present:NoSchedule",
        "kubeflow-aks/fallback=true:NoSchedule",
        "CriticalAddonsOnly=true:NoSchedule",
    ],
)
def test_a_reserved_taint_is_refused(taint: str) -> None:
    assert with_taint(taint) == ["pools.work.taints[0]"]


def test_a_spot_pool_may_repeat_the_spot_taint() -> None:
    assert with_taint(f"{SPOT_LABEL}=spot:NoSchedule") == []


@pytest.mark.parametrize("rest", ["spot:NoExecute", "regular:NoSchedule"])
def test_the_spot_taint_has_no_other_value_or_effect(rest: str) -> None:
    assert with_taint(f"{SPOT_LABEL}={rest}") == ["pools.work.taints[0]"]


def test_a_regular_pool_has_no_spot_taint() -> None:
    assert with_taint(f"{SPOT_LABEL}=spot:NoSchedule", GENERAL) == ["pools.work.taints[0]"]


@pytest.mark.parametrize("pool", [SPOT, {**GPU_SPOT, "priority": "Regular"}])
def test_a_pool_may_repeat_the_taint_of_its_own_kind_which_is_sent_once(pool: dict[str, Any]) -> None:
    automatic = f"{SPOT_LABEL}=spot:NoSchedule" if pool is SPOT else "nvidia.com/gpu=present:NoSchedule"
    assert with_taint(automatic, pool) == []
    [planned] = user_pools(settings(pools={"work": {**pool, "taints": [automatic]}}))
    assert planned.taints.count(automatic) == 1


def test_the_taint_of_a_gpu_pool_has_no_other_value() -> None:
    assert with_taint("nvidia.com/gpu=true:NoSchedule", GPU_SPOT) == ["pools.work.taints[0]"]


def test_a_taint_is_not_judged_by_a_kind_that_nobody_knows() -> None:
    unknown = {**GPU_SPOT, "vmSize": "Standard_X1"}
    assert with_taint("nvidia.com/gpu=present:NoSchedule", unknown) == []
    assert soft({**unknown, "priority": "Regular"}, SOFT) == []


@pytest.mark.parametrize(
    ("second", "keys"),
    [
        ("team=speech:NoSchedule", ["taints[1]"]),
        ("team=:NoSchedule", ["taints[1]"]),
        ("team=vision:NoSchedule", []),
        ("team=speech:NoExecute", []),
        ("Team=speech:NoSchedule", []),
        ("bad", []),
    ],
)
def test_a_pair_of_key_and_effect_has_one_value(second: str, keys: list[str]) -> None:
    assert refused(repeated_taint_mistakes(["team=vision:NoSchedule", second])) == keys


SOFT = "team=vision:PreferNoSchedule"


def soft(pool: Any, *taints: str) -> list[str]:
    return refused(soft_taint_problems(candidate("work", pool, taints=list(taints))))


def test_soft_taints_alone_do_not_keep_kubeflow_off_a_regular_pool() -> None:
    assert soft(GENERAL, SOFT) == ["pools.work.taints"]
    assert soft(GENERAL, SOFT, "site=a:PreferNoSchedule") == ["pools.work.taints"]


def test_a_soft_taint_may_stand_beside_what_does() -> None:
    assert soft(GENERAL) == []
    assert soft(GENERAL, SOFT, "site=a:NoExecute") == []
    assert soft(SPOT, SOFT) == []
    assert soft({**GENERAL, "replaces": "general"}, SOFT) == []
    assert soft({**GPU_SPOT, "priority": "Regular"}, SOFT) == []


def test_each_taint_is_judged_at_its_place() -> None:
    pool = candidate("work", SPOT, taints=["team=vision:NoSchedule", "bad"])
    assert refused(taint_problems(pool)) == ["pools.work.taints[1]"]


def test_a_taint_without_a_value_is_the_same_pair_of_key_and_effect() -> None:
    assert refused(repeated_taint_mistakes(["team:NoSchedule", "team=vision:NoSchedule"])) == ["taints[1]"]


def test_the_workload_of_an_arm_pool_without_a_taint_is_not_judged() -> None:
    arm = candidate("work", GENERAL, vmSize="Standard_D8ps_v5", workload="training")
    assert refused(workload_label_problems(arm)) == []


def test_the_workload_of_a_pool_of_an_unknown_size_is_not_judged() -> None:
    unknown = {**GPU_SPOT, "priority": "Regular", "vmSize": "Standard_X1", "workload": "training"}
    assert refused(workload_label_problems(candidate("work", unknown))) == []
    assert refused(workload_label_problems(candidate("home", GENERAL, workload="training"))) == [
        "pools.home.workload"
    ]
