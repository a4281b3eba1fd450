"""A placement on a pod, next to what the user has put there."""

import copy
from dataclasses import replace
from typing import Any

import pytest
from samples import (
    GPU,
    OFF_SPOT,
    ON_SPOT,
    POOL,
    PREFERRED,
    REQUIRED,
    SPOT,
    WORKLOAD,
    Json,
    container,
    expressions,
    job,
    place,
    pod_of,
)

from ckf_spot import EvictionWarning, PlacementError, Pools
from ckf_spot.agent_pool import AgentPool
from ckf_spot.placement import Capacity

OURS: Json = {"key": SPOT, "operator": "Exists", "effect": "NoSchedule"}
THEIRS: Json = {"key": "team", "operator": "Equal", "value": "a", "effect": "NoSchedule"}


def affinity(*terms: list[Json]) -> Json:
    return {
        "nodeAffinity": {
            REQUIRED: {"nodeSelectorTerms": [{"matchExpressions": expressions} for expressions in terms]}
        }
    }


def test_the_input_stays_as_it_is(pools: Pools) -> None:
    given_job = job(tolerations=[THEIRS], affinity=affinity([ON_SPOT]))
    before = copy.deepcopy(given_job)
    place(given_job, pools["cpu"], require="spot")
    assert given_job == before


def test_the_users_tolerations_stay(pools: Pools) -> None:
    assert THEIRS in pod_of(place(job(tolerations=[THEIRS]), pools["cpu"]))["tolerations"]


@pytest.mark.parametrize(
    "same",
    [
        OURS,
        {"key": SPOT, "operator": "Equal", "value": "spot", "effect": "NoSchedule"},
        {"key": SPOT, "value": "spot", "effect": "NoSchedule"},
    ],
)
def test_a_toleration_that_the_placement_covers_is_not_there_twice(pools: Pools, same: Json) -> None:
    placed = pod_of(place(job(tolerations=[same]), pools["cpu"]))["tolerations"]
    assert [toleration for toleration in placed if toleration["key"] == SPOT] == [OURS]


@pytest.mark.parametrize("wide", [{"operator": "Exists"}, {"key": SPOT, "operator": "Exists"}])
def test_a_toleration_that_covers_the_placement_is_enough(pools: Pools, wide: Json) -> None:
    placed = pod_of(place(job(tolerations=[wide]), pools["cpu"]))["tolerations"]
    assert wide in placed
    assert OURS not in placed


def test_the_placement_goes_into_each_of_the_users_terms(pools: Pools) -> None:
    zones: list[Json] = [
        {"key": "topology.kubernetes.io/zone", "operator": "In", "values": [zone]} for zone in "12"
    ]
    placed = pod_of(place(job(affinity=affinity(*([zone] for zone in zones))), pools["cpu"]))
    workload = {"key": WORKLOAD, "operator": "In", "values": ["cpu"]}
    assert expressions(placed) == [[zones[0], workload], [zones[1], workload]]


def test_the_users_other_affinities_and_wishes_stay(pools: Pools) -> None:
    request = {"weight": 1, "preference": {"matchExpressions": [{"key": "disk", "operator": "Exists"}]}}
    apart = {"podAntiAffinity": {REQUIRED: [{"topologyKey": "kubernetes.io/hostname"}]}}
    written = apart | {"nodeAffinity": {PREFERRED: [request]}}
    placed = pod_of(place(job(affinity=written), pools["cpu"]))["affinity"]
    assert placed["podAntiAffinity"] == apart["podAntiAffinity"]
    assert [term["weight"] for term in placed["nodeAffinity"][PREFERRED]] == [1, 100]


@pytest.mark.parametrize(
    ("selector", "message"),
    [
        ({POOL: "general"}, "'general' contradicts the pools cpuspot, cpuod; expected cpuspot, cpuod"),
        ({WORKLOAD: "gpu"}, "'gpu' contradicts the pools cpuspot, cpuod; expected cpu"),
        ({"agentpool": "gpuspot"}, "agentpool: 'gpuspot' contradicts"),
        (
            {"node.kubernetes.io/instance-type": "Standard_B2s"},
            "'Standard_B2s' contradicts the pools cpuspot, cpuod; expected Standard_D8ds_v5",
        ),
    ],
)
def test_a_node_selector_that_leaves_no_pool_is_refused(pools: Pools, selector: Json, message: str) -> None:
    with pytest.raises(PlacementError, match=r"^spec.template.spec.nodeSelector: ") as error:
        place(job(nodeSelector=selector), pools["cpu"])
    assert message in str(error.value)


def test_a_node_selector_for_spot_contradicts_on_demand(pools: Pools) -> None:
    with pytest.raises(PlacementError, match=r"'spot' contradicts the pools cpuod; expected to leave it out"):
        place(job(nodeSelector={SPOT: "spot"}), pools["cpu"], require="on-demand")


@pytest.mark.parametrize(
    "expression",
    [
        {"key": POOL, "operator": "In", "values": ["general"]},
        {"key": POOL, "operator": "NotIn", "values": ["cpuspot", "cpuod"]},
        {"key": WORKLOAD, "operator": "DoesNotExist"},
        {"key": "agentpool", "operator": "In", "values": ["gpuod"]},
    ],
)
def test_an_affinity_that_leaves_no_pool_is_refused(pools: Pools, expression: Json) -> None:
    with pytest.raises(PlacementError, match=r"contradicts the pools cpuspot, cpuod; expected "):
        place(job(affinity=affinity([expression])), pools["cpu"])


@pytest.mark.parametrize(
    ("selection", "never"),
    [
        ({"nodeSelector": {POOL: "cpuspot"}}, "allows only cpuspot, and so never cpuod, the on-demand nodes"),
        ({"nodeSelector": {"agentpool": "cpuod"}}, "allows only cpuod, and so never cpuspot, the spot nodes"),
        ({"nodeSelector": {SPOT: "spot"}}, "never cpuod"),
        ({"affinity": affinity([ON_SPOT])}, "never cpuod"),
        ({"affinity": affinity([OFF_SPOT])}, "never cpuspot"),
        ({"affinity": affinity([{"key": POOL, "operator": "NotIn", "values": ["cpuod"]}])}, "never cpuod"),
    ],
)
def test_a_selection_that_leaves_the_twin_or_spot_out_is_refused_where_both_are_requested(
    pools: Pools, selection: Json, never: str
) -> None:
    with pytest.raises(
        PlacementError, match=r"^spec\.template\.spec: .*leave it out, or ask for require="
    ) as error:
        place(job(**selection), pools["cpu"])
    assert never in str(error.value)
    request = "on-demand" if "so never cpuspot" in str(error.value) else "spot"
    assert place(job(**selection), pools["cpu"], require=request)


def test_labels_that_no_pool_has_together_are_refused(pools: Pools) -> None:
    selector = {POOL: "cpuod", SPOT: "spot"}
    with pytest.raises(
        PlacementError, match=r"nodeSelector: .* together contradict the pools cpuspot, cpuod; leave out"
    ):
        place(job(nodeSelector=selector), pools["cpu"])


def test_a_selector_and_an_affinity_that_no_pool_fits_together_are_refused(pools: Pools) -> None:
    with pytest.raises(
        PlacementError,
        match=r"^spec.template.spec: nodeSelector: .* and affinity.nodeAffinity together contradict",
    ):
        place(job(nodeSelector={POOL: "cpuod"}, affinity=affinity([ON_SPOT])), pools["cpu"])


def test_one_of_several_terms_may_leave_no_pool(pools: Pools) -> None:
    other: list[Json] = [{"key": POOL, "operator": "In", "values": ["general"]}]
    placed = place(job(affinity=affinity(other, [ON_SPOT])), pools["cpu"], require="spot")
    assert len(expressions(pod_of(placed))) == 2


def test_a_node_by_name_is_refused(pools: Pools) -> None:
    with pytest.raises(PlacementError, match=r"nodeName: 'n1' bypasses the scheduler"):
        place(job(nodeName="n1"), pools["cpu"])


@pytest.mark.parametrize(("seconds", "expected"), [(None, 25), (0, 0), (10, 10), (30, 25), (600, 25)])
def test_the_grace_period_ends_before_azure_takes_the_node(
    pools: Pools, seconds: int | None, expected: int
) -> None:
    spec = {} if seconds is None else {"terminationGracePeriodSeconds": seconds}
    assert pod_of(place(job(**spec), pools["cpu"]))["terminationGracePeriodSeconds"] == expected


def test_the_grace_period_on_demand_is_the_users(pools: Pools) -> None:
    placed = pod_of(place(job(terminationGracePeriodSeconds=600), pools["cpu"], require="on-demand"))
    assert placed["terminationGracePeriodSeconds"] == 600


def test_gpu_nodes_without_gpu_work_are_refused(pools: Pools) -> None:
    with pytest.raises(PlacementError, match=r"'main', 'log' asks for no nvidia.com/gpu") as error:
        place(job(container(), container("log")), pools["gpu"])
    assert str(error.value).endswith("expected a limit of 1 nvidia.com/gpu, or another pool")


def test_one_container_with_a_gpu_is_enough(pools: Pools) -> None:
    placed = place(job(container(gpus=1), container("log")), pools["gpu"])
    assert GPU in [toleration["key"] for toleration in pod_of(placed)["tolerations"]]


def test_more_gpus_than_a_node_has_are_refused(pools: Pools) -> None:
    with pytest.raises(
        PlacementError, match=r"'main' asks for nvidia.com/gpu: 4, and a node of gpuspot, gpuod has 1"
    ):
        place(job(container(gpus=4)), pools["gpu"])


def test_of_gpus_that_pods_share_a_container_gets_one(pools: Pools) -> None:
    def shared(pool: AgentPool) -> AgentPool:
        return replace(pool, gpus=4, labels={**pool.labels, "kubeflow-aks/gpu-time-slices": "4"})

    group = pools["gpu"]
    several = replace(group, pools=tuple(map(shared, group.pools)))
    with pytest.raises(
        PlacementError,
        match=r"'main' asks for nvidia\.com/gpu: 2, and pods share the GPUs of gpuspot, gpuod in turn.*expected 1",
    ):
        place(job(container(gpus=2)), several)
    assert place(job(container(gpus=1), container("more", gpus=1)), several)


@pytest.mark.parametrize("amount", ["some", "1.5", -1])
def test_a_part_of_a_gpu_is_refused(pools: Pools, amount: Any) -> None:
    with pytest.raises(
        PlacementError, match=r"containers: 'main' asks for nvidia.com/gpu: .*; expected a whole number"
    ):
        place(job(container(gpus=amount)), pools["gpu"])


def test_gpu_work_on_nodes_without_gpu_is_refused(pools: Pools) -> None:
    with pytest.raises(PlacementError, match=r"a node of cpuspot, cpuod has 0; expected a GPU pool"):
        place(job(container(gpus=1)), pools["cpu"])


@pytest.mark.parametrize("workload", ["cpu", "gpu"])
@pytest.mark.parametrize("require", [None, "spot", "on-demand"])
def test_placing_twice_is_placing_once(pools: Pools, workload: str, require: Capacity | None) -> None:
    given_job = job(container(gpus=1 if workload == "gpu" else None), tolerations=[THEIRS])
    once = place(given_job, pools[workload], require=require)
    assert place(once, pools[workload], require=require) == once


@pytest.mark.parametrize(
    "resource",
    [
        "amd.com/gpu",
        "gpu.intel.com/i915",
        "habana.ai/gaudi",
        "nvidia.com/mig-1g.5gb",
        "nvidia.com/gpu.shared",
    ],
)
@pytest.mark.parametrize("kind", ["containers", "initContainers"])
def test_an_accelerator_that_no_pool_has_is_refused(pools: Pools, resource: str, kind: str) -> None:
    asking = {**container("slow"), "resources": {"limits": {resource: 1}}}
    document = (
        job(container(gpus=1), initContainers=[asking])
        if kind == "initContainers"
        else job(container(gpus=1), asking)
    )
    with pytest.raises(PlacementError) as error:
        place(document, pools["gpu"])
    assert str(error.value) == (
        f"spec.template.spec.{kind}: 'slow' asks for {resource}, which no node of gpuspot, gpuod has; "
        "expected nvidia.com/gpu"
    )


def test_an_init_container_may_not_ask_for_more_gpus_than_a_node_has(pools: Pools) -> None:
    document = job(container(gpus=1), initContainers=[container("fetch", gpus=2)])
    with pytest.raises(
        PlacementError, match=r"initContainers: 'fetch' asks for nvidia\.com/gpu: 2, and a node of"
    ):
        place(document, pools["gpu"])


WAITS = "otherwise the pod waits for ever"
ELSEWHERE = "cloud.google.com/gke-accelerator"


@pytest.mark.parametrize(
    ("pod", "path"),
    [
        ({"nodeSelector": {ELSEWHERE: "nvidia-l4"}}, f"nodeSelector: {ELSEWHERE}: 'nvidia-l4'"),
        (
            {"affinity": affinity([{"key": "disk", "operator": "In", "values": ["fast"]}])},
            "affinity.nodeAffinity: disk: ['fast']",
        ),
    ],
)
def test_a_label_that_nobody_knows_of_the_nodes_gets_a_line(pools: Pools, pod: Json, path: str) -> None:
    with pytest.warns(EvictionWarning) as warned:
        placed = place(job(**pod), pools["cpu"])
    assert [str(warning.message) for warning in warned] == [
        f"Job/j: spec.template.spec.{path} is not known of the nodes of cpuspot, cpuod; see that they have it; {WAITS}"
    ]
    with pytest.warns(EvictionWarning):
        assert place(placed, pools["cpu"]) == placed


@pytest.mark.filterwarnings("error::ckf_spot.errors.EvictionWarning")
@pytest.mark.parametrize(
    "pod",
    [
        {"nodeSelector": {"kubernetes.io/os": "linux", "kubernetes.azure.com/mode": "user", WORKLOAD: "cpu"}},
        {"affinity": affinity([{"key": "disk", "operator": "DoesNotExist"}])},
        {"affinity": affinity([{"key": "disk", "operator": "Exists"}], [{"key": WORKLOAD, "operator": "Exists"}])},
    ],
)  # fmt: skip
def test_labels_of_every_node_and_selections_that_fit_get_none(pools: Pools, pod: Json) -> None:
    assert place(job(**pod), pools["cpu"])


def spread(key: str) -> Json:
    constraint = {"topologyKey": key, "maxSkew": 1, "whenUnsatisfiable": "DoNotSchedule", "labelSelector": {}}
    return {"topologySpreadConstraints": [constraint]}


def beside(kind: str, key: str = "kubernetes.io/hostname", **labels: str) -> Json:
    """A required affinity among pods."""
    return {"affinity": {kind: {REQUIRED: [{"topologyKey": key, "labelSelector": {"matchLabels": labels}}]}}}


AT_ALL = "topologySpreadConstraints[0].topologyKey"


@pytest.mark.parametrize(
    ("pod", "line"),
    [
        ({"nodeSelector": {"kubernetes.io/arch": "arm64"}},
         "nodeSelector: kubernetes.io/arch: 'arm64' contradicts the pools cpuspot, cpuod; expected amd64"),
        ({"nodeSelector": {"topology.kubernetes.io/region": "us-east-1"}},
         ("nodeSelector: topology.kubernetes.io/region: 'us-east-1' contradicts the pools cpuspot, cpuod; "
         "expected westeurope")),
        ({"nodeSelector": {"topology.kubernetes.io/zone": "westeurope-1"}},
         ("nodeSelector: topology.kubernetes.io/zone: 'westeurope-1' contradicts the pools cpuspot, cpuod; "
         "expected to leave it out")),
        ({"nodeSelector": {"beta.kubernetes.io/instance-type": "p3.2xlarge"}},
         ("nodeSelector: beta.kubernetes.io/instance-type: 'p3.2xlarge' contradicts the pools cpuspot, cpuod; "
         "expected Standard_D8ds_v5")),
        ({"affinity": affinity([{"key": "nvidia.com/gpu.product", "operator": "Exists"}])},
         ("affinity.nodeAffinity: nvidia.com/gpu.product Exists contradicts the pools cpuspot, cpuod; "
         "expected to leave it out")),
        ({"os": {"name": "windows"}}, "os.name: 'windows' contradicts the pools cpuspot, cpuod; expected linux"),
        (spread("nvidia.com/gpu.product"),
         f"{AT_ALL}: 'nvidia.com/gpu.product' contradicts the pools cpuspot, cpuod; expected to leave it out"),
        ({"containers": [{**container(), "resources": {"requests": {"cpu": "10"}}}]},
         "containers: cpu: 10 contradicts the pools cpuspot, cpuod; expected at most 7820m"),
    ],
)  # fmt: skip
def test_what_no_node_of_the_pools_can_give_is_refused(pools: Pools, pod: Json, line: str) -> None:
    with pytest.raises(PlacementError) as error:
        place(job(*pod.pop("containers", ()), **pod), pools["cpu"])
    assert str(error.value) == f"spec.template.spec.{line}"


def test_a_spread_over_spot_nodes_alone_leaves_the_fallback_out(pools: Pools) -> None:
    """With the fallback's nodes lacking the label, the pods would wait while spot is sold out."""
    with pytest.raises(PlacementError) as error:
        place(job(**spread(SPOT)), pools["cpu"])
    assert str(error.value) == (
        f"spec.template.spec: its own {AT_ALL} allows only cpuspot, and so never cpuod, the on-demand nodes that "
        "prefer='spot' asks for too; leave it out, or ask for require='spot'"
    )
    assert place(job(**spread(SPOT)), pools["cpu"], require="spot")


@pytest.mark.parametrize(
    ("pod", "line"),
    [
        (spread("deploy"), f"{AT_ALL}: 'deploy' is not known of the nodes of cpuspot, cpuod; see that"),
        (beside("podAffinity", app="cache"), "affinity.podAffinity: 0: needs pods beside it that are not known here"),
        ({"schedulerName": "volcano"}, "schedulerName: 'volcano' is a scheduler that is not known here; see that"),
        ({"priorityClassName": "high"}, "priorityClassName: 'high' is no PriorityClass of the program; see that"),
        ({"runtimeClassName": "kata"}, "runtimeClassName: 'kata' is a RuntimeClass that is not known here; see that"),
        ({"nodeSelector": {"gpu.nvidia.com/class": "RTX_A5000"}},
         "nodeSelector: gpu.nvidia.com/class: 'RTX_A5000' is not known of the nodes of cpuspot, cpuod; see that"),
    ],
)  # fmt: skip
def test_what_is_not_judged_gets_a_line(pools: Pools, pod: Json, line: str) -> None:
    with pytest.warns(EvictionWarning) as warned:
        place(job(**pod), pools["cpu"])
    [text] = [str(warning.message) for warning in warned]
    assert text.startswith(f"Job/j: spec.template.spec.{line}")


@pytest.mark.filterwarnings("error::ckf_spot.errors.EvictionWarning")
@pytest.mark.parametrize(
    "pod",
    [
        {"priorityClassName": "kubeflow-aks-batch", "schedulerName": "default-scheduler"},
        {"nodeSelector": {"kubernetes.io/arch": "amd64", "topology.kubernetes.io/region": "westeurope"}},
        spread("kubernetes.io/hostname"),
        beside("podAntiAffinity", app="cache"),
    ],
)
def test_what_the_pools_give_gets_none(pools: Pools, pod: Json) -> None:
    assert place(job(**pod), pools["cpu"])


@pytest.mark.parametrize(("parallelism", "lines"), [(15, 0), (16, 1)])
def test_more_copies_than_nodes_where_each_needs_one_get_a_line(
    pools: Pools, parallelism: int, lines: int, recwarn: pytest.WarningsRecorder
) -> None:
    document = job(**beside("podAntiAffinity", app="train"))
    document["spec"] |= {"parallelism": parallelism, "completions": 100}
    document["spec"]["template"]["metadata"] = {"labels": {"app": "train"}}
    assert place(document, pools["cpu"])
    texts = [text for warning in recwarn if "at a time" in (text := str(warning.message))]
    where = f"Job/j: spec.template.spec.affinity.podAntiAffinity.{REQUIRED}[0]"
    problem = "lets 15 of 16 pods run at a time on cpuspot, cpuod; work that needs all of them waits for ever"
    assert texts == [f"{where}: {problem}"] * lines
