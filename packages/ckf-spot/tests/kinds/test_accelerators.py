"""Accelerators that are not requested as `nvidia.com/gpu`: none lands in silence where it waits for ever."""

import pytest
from samples import Json, container, job, place, pod_of

from ckf_spot import EvictionWarning, PlacementError, Pools
from ckf_spot.kinds import placing
from ckf_spot.kinds.kind import PlacingRequest

CLAIMS: Json = {"resourceClaims": [{"name": "device", "resourceClaimTemplateName": "t"}]}


def asking(resource: str, amount: object = 1) -> Json:
    return {**container(), "resources": {"limits": {resource: amount}}}


def with_fraction(**pod: object) -> Json:
    document = job(**pod)
    document["spec"]["template"]["metadata"] = {"annotations": {"gpu-fraction": "0.5"}}
    return document


@pytest.mark.parametrize("resource", ["aws.amazon.com/neuron", "aws.amazon.com/neuroncore", "google.com/tpu"])
def test_an_accelerator_of_a_maker_is_refused(pools: Pools, resource: str) -> None:
    with pytest.raises(
        PlacementError, match=f"'main' asks for {resource}, which no node of cpuspot, cpuod has"
    ):
        place(job(asking(resource)), pools["cpu"])


@pytest.mark.parametrize(
    "resource",
    [
        *("rdma/ib", "rdma/hca_shared_devices_a", "example.com/fpga", "smarter-devices/fuse"),
        *("ephemeral-storage", "hugepages-2Mi", "storage.kubernetes.io/x"),
    ],
)
def test_a_resource_that_is_not_known_gets_a_line(pools: Pools, resource: str) -> None:
    with pytest.warns(
        EvictionWarning,
        match=f"limits.{resource} is not judged: whether a node has as much of it is not known",
    ):
        assert pod_of(place(job(asking(resource)), pools["cpu"]))["affinity"]


@pytest.mark.filterwarnings("error::ckf_spot.errors.EvictionWarning")
def test_what_is_compared_with_the_nodes_gets_none(pools: Pools) -> None:
    place(job(asking("memory", "1Gi")), pools["cpu"])


@pytest.mark.parametrize("workload", ["cpu", "gpu"])
def test_a_claim_of_devices_may_be_for_a_gpu_and_is_reported(pools: Pools, workload: str) -> None:
    with pytest.warns(
        EvictionWarning,
        match=r"spec\.template\.spec\.resourceClaims is not judged: no node has a device for it",
    ):
        assert pod_of(place(job(**CLAIMS), pools[workload]))["affinity"]


@pytest.mark.filterwarnings("error::ckf_spot.errors.EvictionWarning")
def test_a_part_of_a_gpu_goes_to_a_gpu_pool(pools: Pools) -> None:
    assert pod_of(place(with_fraction(), pools["gpu"]))["affinity"]


def test_a_part_of_a_gpu_is_not_on_other_pools(pools: Pools) -> None:
    message = (
        r"^spec\.template\.metadata\.annotations: gpu-fraction: 0\.5 asks for a part of a GPU, and no node of"
    )
    with pytest.raises(PlacementError, match=message):
        place(with_fraction(), pools["cpu"])


@pytest.mark.parametrize("workload", ["cpu", "gpu"])
def test_gpus_that_are_known_at_run_time_only_are_left_alone(pools: Pools, workload: str) -> None:
    later = {"name": "later", "container": asking("nvidia.com/gpu", "{{inputs.parameters.gpus}}")}
    now = {"name": "now", "container": asking("nvidia.com/gpu") if workload == "gpu" else container()}
    document = {
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "Workflow",
        "metadata": {"name": "w"},
        "spec": {"entrypoint": "now", "templates": [now, later]},
    }
    made = placing.place(document, pools[workload], PlacingRequest())
    assert [doubt for doubt in made.doubts if doubt.startswith("later")] == [
        "later asks for nvidia.com/gpu: {{inputs.parameters.gpus}}, which is known at run time only: left as it is"
    ]
    templates = made.document["spec"]["templates"]
    assert templates[1] == later
    assert templates[0]["affinity"]


def test_where_that_is_all_it_is_refused(pools: Pools) -> None:
    document = job(asking("nvidia.com/gpu", "${trialParameters.gpus}"))
    with pytest.raises(
        PlacementError, match=r"^nothing fits 'gpu': the Job asks .* known at run time only: left"
    ):
        place(document, pools["gpu"])
