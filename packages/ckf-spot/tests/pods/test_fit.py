"""Whether a pod can ever start on a pool's nodes; the real scheduler agrees in kubeflow-aks' tests (demo/placement)."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from ckf_spot import Pools
from ckf_spot.agent_pool import AgentPool
from ckf_spot.pods import fit
from ckf_spot.pods.fit import NotJudged, Obstacle

POOLS = {pool.name: pool for pool in Pools.sample().all}
SPOT = POOLS["cpuspot"]
GPU = POOLS["gpuspot"]
ARM = dataclasses.replace(SPOT, architecture="arm64", zones=("1", "3"))
OLD = dataclasses.replace(
    SPOT, region="", zones=None, architecture="", gpu_model="", allocatable=dict[str, str]()
)
TOLERANT = [{"operator": "Exists"}]
HOST = "kubernetes.io/hostname"
PRIORITY = "kubernetes.azure.com/scalesetpriority"


def judged(pool: AgentPool, labels: dict[str, str] | None = None, **spec: Any) -> tuple[list[str], list[str]]:
    """What keeps a pod off a pool, and what of it is not judged, as lines."""
    results = fit.judged({"tolerations": TOLERANT, **spec}, pool, labels)
    never = [one.text for one in results if isinstance(one, Obstacle)]
    return never, [str(one.mistake("", [pool])) for one in results if isinstance(one, NotJudged)]


def expressions(*terms: dict[str, Any]) -> dict[str, Any]:
    """A required node affinity of one term for each."""
    return {
        "nodeAffinity": {
            "requiredDuringSchedulingIgnoredDuringExecution": {
                "nodeSelectorTerms": [{"matchExpressions": [term]} for term in terms]
            }
        }
    }


def neighbours(kind: str, selected: dict[str, str] | None, key: str = HOST) -> dict[str, Any]:
    """A required affinity among pods."""
    term: dict[str, Any] = {"topologyKey": key}
    if selected is not None:
        term["labelSelector"] = {"matchLabels": selected}
    return {kind: {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}


def container(**resources: dict[str, Any]) -> dict[str, Any]:
    return {"name": "main", "resources": resources}


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("kubernetes.io/arch", "arm64"),
        ("beta.kubernetes.io/arch", "arm64"),
        ("kubernetes.io/os", "windows"),
        ("topology.kubernetes.io/region", "us-east-1"),
        ("failure-domain.beta.kubernetes.io/region", "us-central1"),
        ("topology.kubernetes.io/zone", "us-east-1a"),
        ("topology.kubernetes.io/zone", "westeurope-1"),
        ("node.kubernetes.io/instance-type", "p3.2xlarge"),
        ("beta.kubernetes.io/instance-type", "p3.2xlarge"),
        ("kubernetes.azure.com/mode", "system"),
        ("kubernetes.azure.com/accelerator", "nvidia"),
        ("nvidia.com/gpu.present", "true"),
        (HOST, "minikube"),
        ("kubeflow-aks/workload", "gpu"),
    ],
)
def test_a_label_has_the_value_that_the_contract_tells(key: str, value: str) -> None:
    assert judged(SPOT, nodeSelector={key: value}) == ([f"requires {key}={value}"], [])
    assert judged(SPOT, affinity=expressions({"key": key, "operator": "NotIn", "values": [value]})) == (
        [],
        [],
    )


@pytest.mark.parametrize(
    ("pool", "key", "value"),
    [
        (SPOT, "kubernetes.io/arch", "amd64"),
        (SPOT, "beta.kubernetes.io/instance-type", "Standard_D8ds_v5"),
        (SPOT, "topology.kubernetes.io/region", "westeurope"),
        (SPOT, "topology.kubernetes.io/zone", "0"),
        (ARM, "topology.kubernetes.io/zone", "westeurope-3"),
        (SPOT, HOST, "aks-cpuspot-12345678-vmss00000a"),
        (GPU, "accelerator", "nvidia"),
    ],
)
def test_the_nodes_own_values_are_no_obstacle(pool: AgentPool, key: str, value: str) -> None:
    assert judged(pool, nodeSelector={key: value}) == ([], [])


PRODUCT = "nvidia.com/gpu.product"


@pytest.mark.parametrize("value", ["NVIDIA-H100-80GB-HBM3", "Tesla-T40", "Tesla-P4", "NVIDIA-A100-SXM4-80GB"])
def test_another_gpu_than_the_pools_is_an_obstacle(value: str) -> None:
    assert judged(GPU, nodeSelector={PRODUCT: value}) == ([f"requires {PRODUCT}={value}"], [])


@pytest.mark.parametrize("value", ["Tesla-T4", "NVIDIA-T4-SHARED", "tesla-t4"])
def test_the_pools_gpu_is_not_judged_since_no_node_may_ever_come(value: str) -> None:
    assert judged(GPU, nodeSelector={PRODUCT: value}) == (
        [],
        [
            (
                f"nodeSelector: {PRODUCT}: '{value}' is not what the autoscaler expects of gpuspot without nodes; "
                "see that they have it; otherwise the pod waits for ever"
            )
        ],
    )


@pytest.mark.parametrize(
    ("pool", "key", "value"),
    [
        (SPOT, "gpu.nvidia.com/class", "RTX_A5000"),
        (GPU, "nvidia.com/gpu.family", "turing"),
        (SPOT, "kubernetes.azure.com/os-sku", "AzureLinux"),
        (SPOT, "feature.node.kubernetes.io/cpu-cpuid.AVX512F", "true"),
        (SPOT, "cloud.google.com/gke-spot", "true"),
        (OLD, "kubernetes.io/arch", "arm64"),
        (OLD, "topology.kubernetes.io/region", "us-east-1"),
        (OLD, "topology.kubernetes.io/zone", "us-east-1a"),
        (dataclasses.replace(GPU, gpu_model=""), PRODUCT, "Tesla-T4"),
    ],
)
def test_what_the_contract_does_not_tell_is_not_judged(pool: AgentPool, key: str, value: str) -> None:
    line = f"nodeSelector: {key}: '{value}' is not known of the nodes of {pool.name}; see that they have it; "
    assert judged(pool, nodeSelector={key: value}) == ([], [f"{line}otherwise the pod waits for ever"])


def test_an_arm_pool_without_nodes_gets_none_for_the_label_of_its_processors() -> None:
    """docs/facts/aks.md#scale-from-zero."""
    [line] = judged(ARM, nodeSelector={"kubernetes.io/arch": "arm64"})[1]
    assert "is not what the autoscaler expects of cpuspot without nodes" in line


def test_of_several_terms_the_best_counts() -> None:
    disk, gpu = {"key": "disk", "operator": "Exists"}, {"key": "nvidia.com/gpu.present", "operator": "Exists"}
    cpu = {"key": "kubeflow-aks/workload", "operator": "In", "values": ["cpu"]}
    assert judged(SPOT, affinity=expressions(disk, cpu)) == ([], [])
    assert judged(SPOT, affinity=expressions(gpu, disk))[0] == []
    assert len(judged(SPOT, affinity=expressions(gpu, disk))[1]) == 1
    assert judged(SPOT, affinity=expressions(gpu, {**gpu, "key": PRIORITY, "operator": "DoesNotExist"})) == (
        [f"requires label nvidia.com/gpu.present or no label {PRIORITY}"],
        [],
    )


def test_a_node_by_its_name_is_on_its_own_pool() -> None:
    field = {"key": "metadata.name", "operator": "In", "values": ["aks-cpuspot-12345678-vmss000001"]}
    required = {"nodeSelectorTerms": [{"matchFields": [field]}]}
    affinity = {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": required}}
    assert judged(SPOT, affinity=affinity) == ([], [])
    assert judged(GPU, affinity=affinity)[0] == [f"requires {HOST}=aks-cpuspot-12345678-vmss000001"]


@pytest.mark.parametrize(
    ("pool", "key", "never"),
    [
        ("cpuspot", PRIORITY, []),
        ("cpuod", PRIORITY, [f"requires label {PRIORITY}"]),
        ("cpuod", HOST, []),
        ("cpuod", "topology.kubernetes.io/zone", []),
    ],
)
def test_pods_that_spread_by_a_label_need_it(pool: str, key: str, never: list[str]) -> None:
    spread = {"topologyKey": key, "maxSkew": 1, "whenUnsatisfiable": "DoNotSchedule"}
    assert judged(POOLS[pool], topologySpreadConstraints=[spread]) == (never, [])
    soft = {**spread, "whenUnsatisfiable": "ScheduleAnyway"}
    assert judged(POOLS[pool], topologySpreadConstraints=[soft]) == ([], [])


def test_a_label_to_spread_by_that_only_users_could_have_set_is_not_judged() -> None:
    spread = {"topologyKey": "deploy", "maxSkew": 1, "whenUnsatisfiable": "DoNotSchedule"}
    assert judged(SPOT, topologySpreadConstraints=[spread])[1] == [
        (
            "topologySpreadConstraints[0].topologyKey: 'deploy' is not known of the nodes of cpuspot; "
            "see that they have it; otherwise the pod waits for ever"
        )
    ]


MINE = {"app": "train"}


@pytest.mark.parametrize(
    ("affinity", "doubts"),
    [
        (neighbours("podAffinity", MINE), 0),
        (neighbours("podAffinity", {"app": "cache"}), 1),
        (neighbours("podAffinity", {"batch.kubernetes.io/job-name": "train"}), 1),
        (neighbours("podAffinity", None), 1),
        (neighbours("podAntiAffinity", MINE), 0),
        (neighbours("podAntiAffinity", {"app": "cache"}), 0),
        (neighbours("podAntiAffinity", {"app": "cache"}, "topology.kubernetes.io/region"), 1),
    ],
)
def test_pods_beside_which_it_must_run_or_must_not_are_known_if_they_are_its_own(
    affinity: dict[str, Any], doubts: int
) -> None:
    assert [len(lines) for lines in judged(SPOT, MINE, affinity=affinity)] == [0, doubts]


def test_a_node_without_the_label_takes_no_pod_that_must_run_beside_others() -> None:
    affinity = neighbours("podAffinity", MINE, PRIORITY)
    assert judged(POOLS["cpuod"], MINE, affinity=affinity)[0] == [f"requires label {PRIORITY}"]


@pytest.mark.parametrize(
    ("spec", "never"),
    [
        ({"containers": [container(requests={"cpu": "10"})]}, "asks for cpu: 10, a node has 7820m"),
        ({"containers": [container(requests={"cpu": 8})]}, "asks for cpu: 8, a node has 7820m"),
        ({"containers": [container(limits={"cpu": "8"})]}, "asks for cpu: 8, a node has 7820m"),
        ({"containers": [container(requests={"cpu": "7.82"})]}, ""),
        ({"containers": [container(requests={"cpu": "4"}, limits={"cpu": "10"})]}, ""),
        ({"containers": [container(requests={"cpu": "4"})] * 2}, "asks for cpu: 8, a node has 7820m"),
        ({"containers": [container(requests={"memory": "30Gi"})]}, "asks for memory: 30.0Gi, a node has 30418Mi"),
        ({"containers": [container(requests={"memory": "29Gi"})]}, ""),
        (
            {
                "containers": [container(requests={"cpu": "4"})],
                "initContainers": [container(requests={"cpu": "7"})],
            },
            "",
        ),
        (
            {
                "containers": [container(requests={"cpu": "4"})],
                "initContainers": [{**container(requests={"cpu": "4"}), "restartPolicy": "Always"}],
            },
            "asks for cpu: 8, a node has 7820m",
        ),
        (
            {
                "containers": [container()],
                "initContainers": [
                    {**container(requests={"cpu": "4"}), "restartPolicy": "Always"},
                    container(requests={"cpu": "5"}),
                ],
            },
            "asks for cpu: 9, a node has 7820m",
        ),
        ({"containers": [container()], "resources": {"requests": {"cpu": "9"}}}, "asks for cpu: 9, a node has 7820m"),
        ({"containers": [container(requests={"cpu": "7"})], "overhead": {"cpu": "1"}},
         "asks for cpu: 8, a node has 7820m"),
    ],
)  # fmt: skip
def test_no_pod_is_larger_than_a_node(spec: dict[str, Any], never: str) -> None:
    assert judged(SPOT, **spec) == ([never] if never else [], [])


def test_an_amount_is_not_judged_where_the_contract_or_the_file_leaves_it_open() -> None:
    asking = [container(requests={"cpu": "2"})]
    assert judged(OLD, containers=asking)[1] == [
        (
            "containers: how much cpu a node of cpuspot has is not in the pool contract; "
            "an administrator updates the stack with a newer program"
        )
    ]
    assert judged(OLD, containers=[container()]) == ([], [])
    later = [container(requests={"cpu": "${trialParameters.cpu}"})]
    assert judged(SPOT, containers=later)[1] == [
        (
            "containers: how much cpu it asks for is not known: '${trialParameters.cpu}' is no quantity; "
            "see that they have as much"
        )
    ]


@pytest.mark.parametrize(
    ("resource", "never", "doubts"),
    [
        ("nvidia.com/gpu", ["asks for 1 GPU, a node has 0"], 0),
        ("amd.com/gpu", ["asks for amd.com/gpu, which no node has"], 0),
        ("rdma/ib", [], 0),
        ("hugepages-2Mi", [], 0),
    ],
)
def test_devices_are_those_of_the_nodes(resource: str, never: list[str], doubts: int) -> None:
    lines = judged(SPOT, containers=[container(limits={resource: 1})])
    assert (lines[0], len(lines[1])) == (never, doubts)


@pytest.mark.parametrize(
    ("spec", "line"),
    [
        ({"schedulerName": "default-scheduler"}, ""),
        ({"schedulerName": "volcano"},
         ("schedulerName: 'volcano' is a scheduler that is not known here; "
         "see that it runs in the cluster; otherwise the pod waits for ever")),
        ({"priorityClassName": "kubeflow-aks-batch"}, ""),
        ({"priorityClassName": "high"},
         ("priorityClassName: 'high' is no PriorityClass of the program; "
         "see that the cluster has it; otherwise the pods are refused")),
        ({"runtimeClassName": "nvidia"},
         ("runtimeClassName: 'nvidia' is a RuntimeClass that is not known here; "
         "see that the cluster has it; otherwise the pods are refused")),
        ({"schedulingGates": [{"name": "g"}]},
         "schedulingGates: the pod waits until somebody takes its gates away; see that somebody does"),
    ],
)  # fmt: skip
def test_what_others_decide_is_not_judged(spec: dict[str, Any], line: str) -> None:
    assert judged(SPOT, **spec) == ([], [line] if line else [])


def test_a_pod_for_another_system_is_refused_by_the_kubelet() -> None:
    assert judged(SPOT, os={"name": "windows"}) == (["is for windows"], [])
    assert judged(SPOT, os={"name": "linux"}) == ([], [])


def spread(key: str, skew: int = 1, **more: Any) -> dict[str, Any]:
    """Pods that spread over the values of a label."""
    constraint = {"topologyKey": key, "maxSkew": skew, "whenUnsatisfiable": "DoNotSchedule", **more}
    return {"topologySpreadConstraints": [constraint]}


ZONE = "topology.kubernetes.io/zone"
PORTS = [{"name": "main", "ports": [{"containerPort": 80, "hostPort": 80}]}]
APART = "affinity.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution[0]"


@pytest.mark.parametrize(
    ("spec", "most"),
    [
        ({}, {}),
        ({"affinity": neighbours("podAntiAffinity", MINE)}, {APART: 15}),
        ({"affinity": neighbours("podAntiAffinity", {"job-name": "train"})}, {APART: 15}),
        ({"affinity": neighbours("podAntiAffinity", {"app": "other"})}, {}),
        ({"affinity": neighbours("podAntiAffinity", MINE, ZONE)}, {APART: 2}),
        ({"affinity": neighbours("podAntiAffinity", MINE, "agentpool")}, {APART: 2}),
        ({"affinity": neighbours("podAntiAffinity", MINE, "rack")}, {}),
        ({"containers": PORTS}, {"containers[0].ports": 15}),
        ({"containers": [{"ports": [{"containerPort": 80}]}]}, {}),
        (
            {"containers": [{"ports": [{"containerPort": 80}]}], "hostNetwork": True},
            {"containers[0].ports": 15},
        ),
        (spread(ZONE), {}),
        (spread(ZONE, minDomains=2), {}),
        (spread(ZONE, 3, minDomains=3), {"topologySpreadConstraints[0]": 6}),
        (spread(HOST, nodeAffinityPolicy="Ignore"), {"topologySpreadConstraints[0]": 15}),
        (spread(HOST, nodeAffinityPolicy="Ignore", whenUnsatisfiable="ScheduleAnyway"), {}),
    ],
)
def test_some_copies_wait_where_each_needs_a_place_of_its_own(
    spec: dict[str, Any], most: dict[str, int]
) -> None:
    pools = [dataclasses.replace(POOLS[name], zones=("1", "2")) for name in ("cpuspot", "cpuod")]
    assert dict(fit.crowding(spec, MINE, pools, 20)) == most
    assert dict(fit.crowding(spec, MINE, pools, 1)) == {}


@pytest.mark.parametrize("value", ["{{workflow.parameters.region}}", "${trialParameters.region}"])
@pytest.mark.parametrize("operator", ["In", "NotIn"])
def test_a_value_that_is_filled_in_later_contradicts_nothing_and_is_not_judged(
    value: str, operator: str
) -> None:
    key = "topology.kubernetes.io/region"
    wish = {"key": key, "operator": operator, "values": [value]}
    never, [line] = judged(SPOT, affinity=expressions(wish))
    assert not never
    assert "is known at run time only, and so can't be held against cpuspot" in line
    met = {"key": key, "operator": "In", "values": [value, SPOT.region]}
    assert judged(SPOT, affinity=expressions(met)) == ([], [])
