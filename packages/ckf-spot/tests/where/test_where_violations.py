"""Each violation, and what looks like one but is none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from made import CPU, FALLBACK, GPU_TAINT, POOLS, SPOT, look, node, node_name, pod

from ckf_spot.where.violations import Violation, blind_spots, violations

PATIENCE = timedelta(minutes=5)
NODES = [node("general"), node("cpuspot"), node("cpuod"), node("gpuspot")]
ON_SPOT = node_name("cpuspot")
ON_DEMAND = node_name("cpuod")
ON_GPU = node_name("gpuspot")
DATABASE: Mapping[str, Any] = {"name": "db-0", "owner": ("StatefulSet", "db")}
LASTING = [
    ("stateful-on-spot", DATABASE),
    (
        "stateful-on-spot",
        {"name": "minio-x", "owner": ("ReplicaSet", "minio"), "claim": {"claimName": "minio"}},
    ),
    ("notebook-on-spot", {"name": "nb-0", "owner": ("StatefulSet", "nb"), "labels": {"notebook-name": "nb"}}),
    ("serving-on-spot", {"name": "iris-x", "labels": {"serving.kserve.io/inferenceservice": "iris"}}),
    ("serving-on-spot", {"name": "iris-x", "labels": {"serving.knative.dev/service": "iris"}}),
    ("platform-on-spot", {"name": "api-0", "owner": ("ReplicaSet", "api"), "namespace": "kubeflow"}),
]
BUSY_GPU = pod("gpu-x", ON_GPU, gpus=1)


def affinity(*expressions: tuple[str, str, Sequence[str]]) -> dict[str, Any]:
    """Required node affinity of one term."""
    terms = [
        {"key": key, "operator": operator, "values": list(values)} for key, operator, values in expressions
    ]
    return {
        "nodeAffinity": {
            "requiredDuringSchedulingIgnoredDuringExecution": {
                "nodeSelectorTerms": [{"matchExpressions": terms}]
            }
        }
    }


def violations_of(*pods: Any, nodes: Any = NODES, busy_gpu: bool = True, **how: Any) -> tuple[Violation, ...]:
    """Violations of these pods; the GPU node has work by default."""
    return violations(look([*pods, *([BUSY_GPU] if busy_gpu else [])], nodes, **how), PATIENCE)


@pytest.mark.parametrize(("rule", "what"), LASTING)
def test_what_must_last_is_a_violation_on_spot(rule: str, what: Mapping[str, Any]) -> None:
    [violation] = violations_of(pod(node=ON_SPOT, **what))
    assert (violation.rule, violation.name) == (rule, what["name"])
    assert "runs on cpuspot, which is spot" in violation.message


@pytest.mark.parametrize(("rule", "what"), LASTING)
def test_and_is_none_on_demand(rule: str, what: Mapping[str, Any]) -> None:
    assert rule not in {violation.rule for violation in violations_of(pod(node=ON_DEMAND, **what))}


@pytest.mark.parametrize(
    "what",
    [
        {"name": "train-x"},
        {"name": "train-x", "claim": {"claimName": "checkpoints"}},
        {"name": "w-0", "owner": ("PyTorchJob", "p")},
        {"name": "web-x", "owner": ("ReplicaSet", "web")},
        {"name": "cni-x", "owner": ("DaemonSet", "cni"), "namespace": "kubeflow"},
        {"name": "addon-x", "owner": ("StatefulSet", "addon"), "namespace": "kube-system"},
        {**DATABASE, "phase": "Succeeded"},
    ],
)
def test_what_may_be_evicted_is_no_violation_on_spot(what: Mapping[str, Any]) -> None:
    assert violations_of(pod(node=ON_SPOT, **what)) == ()


def test_the_pools_of_nodes_that_can_not_be_read_are_known_by_their_names() -> None:
    [violation] = violations_of(pod(node=ON_SPOT, **DATABASE), nodes=None)
    assert violation.rule == "stateful-on-spot"


def test_what_must_last_and_may_get_a_spot_node_is_a_violation_before_it_has_one() -> None:
    [violation] = violations_of(pod(tolerations=[SPOT], unschedulable=1, **DATABASE))
    assert "may get one of cpuspot, which is spot" in violation.message
    assert (
        violation.advice == "take the toleration of kubernetes.azure.com/scalesetpriority from StatefulSet db"
    )


@pytest.mark.parametrize(
    "spec",
    [
        {},
        {"tolerations": [SPOT], "nodeSelector": {"kubeflow-aks/workload": "platform"}},
        {"tolerations": [FALLBACK]},
    ],
)
def test_what_must_last_and_is_kept_from_spot_is_none(spec: Mapping[str, Any]) -> None:
    assert [
        violation.rule
        for violation in violations_of(pod(unschedulable=1, **DATABASE, **spec))
        if "spot" in violation.rule
    ] == []


def test_a_gpu_node_with_other_work_alone_is_a_violation() -> None:
    [violation] = violations_of(pod("train-x", ON_GPU), busy_gpu=False)
    assert (violation.rule, violation.namespace, violation.name) == ("gpu-node-without-gpu-work", "", ON_GPU)
    assert "runs team-a/train-x, and nothing on it asks for a GPU" in violation.message


def test_only_some_of_many_pods_are_named() -> None:
    [violation] = violations_of(*(pod(f"train-{number}", ON_GPU) for number in range(5)), busy_gpu=False)
    assert "train-0, team-a/train-1, team-a/train-2 and 2 more, and nothing" in violation.message


@pytest.mark.parametrize(
    "pods",
    [
        [pod("train-x", ON_GPU), pod("gpu-y", ON_GPU, gpus=1)],
        [pod("nvidia-x", ON_GPU, owner=("DaemonSet", "nvidia")), pod("gpu-y", ON_GPU, gpus=1)],
        [pod("gpu-y", ON_GPU, gpus=1, phase="Succeeded", ended=10)],
    ],
)
def test_a_gpu_node_with_gpu_work_now_or_lately_is_none(pods: Any) -> None:
    assert violations_of(*pods, busy_gpu=False) == ()


@pytest.mark.parametrize("pods", [[], [pod("nvidia-x", ON_GPU, owner=("DaemonSet", "nvidia"))]])
def test_a_gpu_node_that_is_long_idle_is_a_violation(pods: Any) -> None:
    [violation] = violations_of(*pods, busy_gpu=False)
    assert "is idle for 1h" in violation.message


def test_a_gpu_node_that_is_new_is_none() -> None:
    assert violations_of(nodes=[node("gpuspot", created=5)], busy_gpu=False) == ()


def test_one_namespace_alone_does_not_condemn_a_gpu_node() -> None:
    seen = look([pod("train-x", ON_GPU)], NODES, namespace="team-a")
    assert violations(seen, PATIENCE) == ()
    assert list(blind_spots(seen)) == [
        "GPU nodes were not judged: that needs the pods of all namespaces (-A)"
    ]


@pytest.mark.parametrize(
    ("spec", "advice"),
    [
        (
            {"tolerations": [SPOT], "nodeSelector": CPU},
            "the pod does not tolerate kubeflow-aks/fallback=true:NoSchedule",
        ),
        (
            {"tolerations": [SPOT, FALLBACK], "nodeSelector": {"kubernetes.azure.com/scalesetpriority": "spot"}},
            "the pod requires kubernetes.azure.com/scalesetpriority=spot",
        ),
        (
            {"tolerations": [SPOT, FALLBACK], "affinity": affinity(("agentpool", "In", ["cpuspot"]))},
            "the pod requires agentpool=cpuspot",
        ),
    ],
)  # fmt: skip
def test_spot_work_that_no_on_demand_pool_takes_is_stuck(spec: Mapping[str, Any], advice: str) -> None:
    [violation] = violations_of(pod("train-x", unschedulable=6, **spec))
    assert violation.rule == "stuck-on-spot"
    assert violation.message == "it waits for 6m for a node of cpuspot, and nothing else takes it"
    assert violation.advice == f"place it with prefer='spot' (cpuod is closed to it: {advice})"


def test_spot_work_whose_fallback_does_not_exist_is_stuck() -> None:
    unknown_pool = affinity(("kubernetes.azure.com/agentpool", "In", ["cpuspot", "cpuod2"]))
    [violation] = violations_of(
        pod("train-x", unschedulable=6, tolerations=[SPOT, FALLBACK], affinity=unknown_pool)
    )
    assert violation.rule == "stuck-on-spot"
    assert violation.advice == "pool 'cpuod2' does not exist: name cpuod instead"


def test_each_size_of_a_fallback_is_closed_to_spot_work() -> None:
    sizes = {name: replace(POOLS["cpuod"], name=name, pool="cpuod") for name in ("od1", "od2")}
    pools = {"cpuspot": POOLS["cpuspot"], **sizes}
    [violation] = violations_of(
        pod("train-x", unschedulable=6, tolerations=[SPOT], nodeSelector=CPU), pools=pools
    )
    assert "od1 is closed to it: " in violation.advice
    assert "od2 is closed to it: " in violation.advice


def test_spot_work_whose_pool_has_no_twin_is_stuck() -> None:
    pools = {"cpuspot": replace(POOLS["cpuspot"], fallback=None)}
    [violation] = violations_of(
        pod("train-x", unschedulable=6, tolerations=[SPOT], nodeSelector=CPU), pools=pools
    )
    assert violation.advice.startswith("wait, or let an administrator give cpuspot an on-demand fallback")


@pytest.mark.parametrize(
    ("spec", "reason"),
    [
        ({"nodeSelector": {"agentpool": "tpu"}}, "pool 'tpu' does not exist"),
        ({"nodeSelector": {**CPU, "agentpool": "gpuspot"}}, "cpuspot: the pod requires agentpool=gpuspot"),
        ({"gpus": 4, "nodeSelector": CPU}, "cpuspot: the pod asks for 4 GPUs, a node has 0"),
    ],
)
def test_spot_work_that_no_pool_takes_is_stuck_at_once(spec: Mapping[str, Any], reason: str) -> None:
    [violation] = violations_of(
        pod("train-x", unschedulable=0, tolerations=[SPOT, FALLBACK, GPU_TAINT], **spec)
    )
    assert violation.rule == "stuck-without-pool"
    assert reason in violation.message


@pytest.mark.parametrize(
    "raw",
    [
        pod("train-x", unschedulable=60, tolerations=[SPOT, FALLBACK], nodeSelector=CPU),
        pod("train-x", unschedulable=4, tolerations=[SPOT], nodeSelector=CPU),
        pod("train-x", unschedulable=60, nodeSelector={"agentpool": "nowhere"}),
        pod("train-x", phase="Pending", tolerations=[SPOT], nodeSelector=CPU),
        pod("train-x", ON_SPOT, tolerations=[SPOT], nodeSelector=CPU),
        pod("train-x", unschedulable=60, tolerations=[SPOT, FALLBACK], nodeSelector={"zone": "2", **CPU}),
    ],
    ids=[
        "has a fallback",
        "not long enough",
        "no spot work",
        "not requested yet",
        "runs",
        "label of no pool",
    ],
)
def test_work_that_may_still_get_a_node_is_not_stuck(raw: Any) -> None:
    assert violations_of(raw) == ()


LEFT: Mapping[str, Any] = {"phase": "Running", "created": 300, "deletion": 120}


def test_a_pod_that_outlives_its_deletion_on_a_silent_node_is_stuck() -> None:
    [violation] = violations_of(
        pod("train-x", ON_SPOT, **LEFT), nodes=[node("cpuspot", silent=180)], busy_gpu=False
    )
    assert (violation.rule, violation.name) == ("stuck-terminating", "train-x")
    assert violation.message == (
        f"it should have ended 2h ago, its node {ON_SPOT} has been silent for 3h, and no other pod goes on with its "
        "work: a Job with a podFailurePolicy waits for that"
    )
    assert violation.advice == f"let an administrator delete the node: kubectl delete node {ON_SPOT}"


@pytest.mark.parametrize(
    ("nodes", "advice"),
    [
        (
            None,
            "if the node is silent, let an administrator delete the node: kubectl delete node aks-cpuspot-",
        ),
        ([node("cpuspot")], "see its events: a volume that can't be unmounted, or a container"),
    ],
)
def test_and_where_the_node_reports_or_can_not_be_read(nodes: Any, advice: str) -> None:
    [violation] = violations_of(
        pod("db-0", ON_SPOT, owner=("ReplicaSet", "db"), **LEFT), nodes=nodes, busy_gpu=False
    )
    assert violation.message == (
        f"it should have ended 2h ago, its node {ON_SPOT} has not ended it, and no other pod goes on with its work"
    )
    assert violation.advice.startswith(advice)


@pytest.mark.parametrize(
    "raws",
    [
        [pod("train-x", ON_SPOT, **LEFT), pod("train-y", ON_DEMAND, created=100)],
        [pod("train-x", ON_SPOT, **LEFT), pod("train-y", unschedulable=1)],
        [pod("train-x", ON_SPOT, created=300, deletion=4)],
        [pod("train-x", node_name("cpuspot", 9), **LEFT)],
        [pod("train-x", ON_SPOT, phase="Failed", created=300, deletion=120)],
        [pod("cni-x", ON_SPOT, owner=("DaemonSet", "cni"), **LEFT)],
    ],
    ids=["another runs", "another waits", "not for long", "its node is gone", "it has ended", "a daemon"],
)
def test_a_pod_that_nothing_waits_for_is_not(raws: Any) -> None:
    assert [
        violation.rule for violation in violations_of(*raws) if violation.rule == "stuck-terminating"
    ] == []


def test_without_the_contract_nothing_is_called_stuck_and_that_is_noted() -> None:
    seen = look([pod("train-x", unschedulable=60, tolerations=[SPOT], nodeSelector=CPU)], NODES, pools=None)
    assert [violation.rule for violation in violations(seen, PATIENCE)] == ["gpu-node-without-gpu-work"]
    assert list(blind_spots(seen)) == [
        "stuck work was not judged: that needs the pool contract (--pools FILE)"
    ]


def test_a_violation_is_one_line_with_name_and_advice() -> None:
    [violation] = violations_of(pod(node=ON_SPOT, **DATABASE))
    assert str(violation) == (
        "stateful-on-spot: team-a/db-0: it keeps state, and runs on cpuspot, which is spot: Azure may take the node "
        "back within 30 s; take the toleration of kubernetes.azure.com/scalesetpriority from StatefulSet db"
    )
