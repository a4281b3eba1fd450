"""Rules of node labels and taints: Kubernetes' form, nothing reserved but the exact spot pair."""

from typing import Any

import pytest

from planning.label_rules import label_problems, taint_problems
from tests.planning.given import GENERAL, SPOT, candidate, refused

SPOT_LABEL = "kubernetes.azure.com/scalesetpriority"


def with_label(key: str, value: str, pool: Any = SPOT) -> list[str]:
    return refused(label_problems(candidate("work", pool, labels={key: value})))


def with_taint(taint: str, pool: Any = SPOT) -> list[str]:
    return refused(taint_problems(candidate("work", pool, taints=[taint])))


@pytest.mark.parametrize("key", ["team", "example.com/team", "a" * 63, "Team_1.x-y", "mykubernetes.io/x"])
def test_a_label_of_ones_own_is_taken(key: str) -> None:
    assert with_label(key, "vision") == []


@pytest.mark.parametrize(
    "key",
    [
        "kubernetes.azure.com/mode",
        "kubernetes.io/os",
        "node-role.kubernetes.io/agent",
        "topology.disk.k8s.io/zone",
        "nvidia.com/gpu.product",
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


@pytest.mark.parametrize("key", ["", "-team", "team ", "a" * 64, "/team", "a/b/c", "Example.com/team"])
def test_a_label_key_has_the_form_kubernetes_demands(key: str) -> None:
    assert with_label(key, "vision") == [f"pools.work.labels.{key}"]


@pytest.mark.parametrize("value", ["-x", "x y", "a" * 64, "x\n"])
def test_a_label_value_has_the_form_kubernetes_demands(value: str) -> None:
    assert with_label("team", value) == ["pools.work.labels.team"]


def test_a_label_value_may_be_empty() -> None:
    assert with_label("team", "") == []


@pytest.mark.parametrize("taint", ["team=vision:NoSchedule", "example.com/team=:NoExecute"])
def test_a_taint_of_ones_own_is_taken(taint: str) -> None:
    assert with_taint(taint) == []


@pytest.mark.parametrize(
    "taint", ["", "team", "team=vision", "team:NoSchedule", "team=vision:noschedule", "a b=c:NoSchedule"]
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


def test_a_soft_taint_alone_does_not_keep_kubeflow_off_a_regular_pool() -> None:
    soft = "team=vision:PreferNoSchedule"
    assert with_taint(soft, GENERAL) == ["pools.work.taints[0]"]
    assert with_taint(soft, SPOT) == []


def test_each_taint_is_judged_at_its_place() -> None:
    pool = candidate("work", SPOT, taints=["team=vision:NoSchedule", "bad"])
    assert refused(taint_problems(pool)) == ["pools.work.taints[1]"]
