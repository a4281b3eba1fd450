"""Nodes look as AKS makes them."""

from typing import Any

import pytest

from kubeflow_aks.local_aks.simulation.vms.agent_pools import AgentPool
from kubeflow_aks.local_aks.simulation.vms.capacity import allocatable_cpu, allocatable_memory
from kubeflow_aks.local_aks.simulation.vms.nodes import (
    UnknownVmSizeError,
    instance_index,
    node,
    node_name,
    scale_set_name,
    taint,
    template_node,
)
from tests.local_aks.simulation.simulated import pool


def a_pool(name: str = "cpu", **values: Any) -> AgentPool:
    return AgentPool.from_wire(pool(name, **values))


def labels(of: dict[str, Any]) -> dict[str, str]:
    return of["metadata"]["labels"]


def test_names_are_the_scale_sets_and_a_base_36_number() -> None:
    made = a_pool("gpuspot")
    scale_set = scale_set_name(made)
    assert scale_set.startswith("aks-gpuspot-")
    assert scale_set.removeprefix("aks-gpuspot-").removesuffix("-vmss").isdigit()
    assert [node_name(made, index).removeprefix(scale_set) for index in (0, 9, 10, 36, 36**2 + 35)] == [
        "000000",
        "000009",
        "00000a",
        "000010",
        "00010z",
    ]


def test_a_name_gives_its_instance_number_for_its_own_pool_only() -> None:
    made = a_pool("cpu")
    assert [instance_index(made, node_name(made, index)) for index in (0, 35, 1295)] == [0, 35, 1295]
    assert instance_index(made, node_name(a_pool("cpuod"), 0)) is None
    assert instance_index(made, "something-else") is None


def test_pools_of_other_clusters_have_other_scale_sets() -> None:
    assert scale_set_name(a_pool("cpu")) != scale_set_name(a_pool("cpu", clusterId="/other"))


def test_a_regular_pool_has_no_spot_label_or_taint() -> None:
    made = node(a_pool(), 0)
    assert "kubernetes.azure.com/scalesetpriority" not in labels(made)
    assert labels(made)["kubernetes.azure.com/priority"] == "regular"
    assert made["spec"]["taints"] == []


def test_a_spot_pool_has_label_and_taint_once_sent_or_not() -> None:
    pair: dict[str, Any] = {
        "nodeLabels": {"kubernetes.azure.com/scalesetpriority": "spot"},
        "nodeTaints": ["kubernetes.azure.com/scalesetpriority=spot:NoSchedule"],
    }
    neither: dict[str, Any] = {}
    for sent in (neither, pair):
        made = node(a_pool(scaleSetPriority="Spot", **sent), 0)
        assert labels(made)["kubernetes.azure.com/scalesetpriority"] == "spot"
        assert labels(made)["kubernetes.azure.com/priority"] == "spot"
        assert made["spec"]["taints"] == [
            {"key": "kubernetes.azure.com/scalesetpriority", "value": "spot", "effect": "NoSchedule"}
        ]


def test_a_gpu_size_brings_accelerator_labels_and_the_resource() -> None:
    made = node(a_pool(vmSize="Standard_NC4as_T4_v3"), 0)
    assert labels(made)["kubernetes.azure.com/accelerator"] == labels(made)["accelerator"] == "nvidia"
    assert made["status"]["capacity"]["nvidia.com/gpu"] == "1"
    assert made["status"]["allocatable"]["nvidia.com/gpu"] == "1"
    assert "nvidia.com/gpu" not in node(a_pool(), 0)["status"]["capacity"]


SLICED = {"vmSize": "Standard_NC48ads_A100_v4", "gpuInstanceProfile": "MIG1g"}


def gpus(of: dict[str, Any]) -> str:
    return of["status"]["allocatable"]["nvidia.com/gpu"]


def test_a_node_announces_the_slices_of_its_gpus() -> None:
    assert gpus(node(a_pool(**SLICED), 0)) == "14"


def test_without_nodes_the_autoscaler_expects_whole_gpus_unless_a_tag_corrects_it() -> None:
    tag = {"k8s.io_cluster-autoscaler_node-template_resources_nvidia.com_gpu": "14"}
    assert gpus(template_node(a_pool(**SLICED))) == "2"
    assert gpus(template_node(a_pool(**SLICED, tags=tag))) == "14"


SHARED: dict[str, Any] = {
    "vmSize": "Standard_NC64as_T4_v3",
    "nodeLabels": {"kubeflow-aks/gpu-time-slices": "3"},
}


def test_a_node_announces_the_time_slices_of_its_gpus_and_the_autoscaler_expects_them_by_a_tag() -> None:
    tag = {"k8s.io_cluster-autoscaler_node-template_resources_nvidia.com_gpu": "12"}
    assert gpus(node(a_pool(**SHARED), 0)) == "12"
    assert gpus(template_node(a_pool(**SHARED))) == "4"
    assert gpus(template_node(a_pool(**SHARED, tags=tag))) == "12"


def test_nodes_do_not_outlive_another_way_to_cut_their_gpus() -> None:
    assert a_pool(**SLICED).machine != a_pool(**{**SLICED, "gpuInstanceProfile": "MIG2g"}).machine


def test_labels_say_which_pool_and_machine_it_is() -> None:
    made = labels(node(a_pool(mode="System", nodeLabels={"tier": "batch"}), 3))
    expected = {
        "agentpool": "cpu",
        "kubernetes.azure.com/agentpool": "cpu",
        "kubernetes.azure.com/mode": "system",
        "kubernetes.azure.com/cluster": "MC_rg_aks_westeurope",
        "kubernetes.azure.com/sku-cpu": "8",
        "kubernetes.azure.com/sku-memory": "32768",
        "kubernetes.azure.com/storageprofile": "managed",
        "node.kubernetes.io/instance-type": "Standard_D8s_v5",
        "topology.kubernetes.io/region": "westeurope",
        "topology.kubernetes.io/zone": "0",
        "tier": "batch",
    }
    assert expected.items() <= made.items()
    assert made["kubernetes.io/hostname"].endswith("000003")


def test_instances_are_dealt_to_the_zones() -> None:
    zoned = a_pool(availabilityZones=["1", "2", "3"])
    zones = [labels(node(zoned, index))["topology.kubernetes.io/zone"] for index in range(4)]
    assert zones == ["westeurope-1", "westeurope-2", "westeurope-3", "westeurope-1"]


def test_the_template_is_a_node_without_a_name_of_its_own() -> None:
    template, real = template_node(a_pool()), node(a_pool(), 0)
    assert labels(template) == {
        key: value for key, value in labels(real).items() if key != "kubernetes.io/hostname"
    }
    assert template["status"] == real["status"]
    assert template["spec"]["taints"] == real["spec"]["taints"]


@pytest.mark.parametrize(
    ("cores", "reserved"),
    [(1, 60), (2, 100), (4, 140), (6, 160), (8, 180), (16, 260), (32, 420), (64, 740), (96, 1060)],
)
def test_reserved_cpu_is_akss_table(cores: int, reserved: int) -> None:
    assert allocatable_cpu(cores) == cores * 1000 - reserved


@pytest.mark.parametrize(
    ("gib", "pods", "left"),
    [(8, 30, 8192 - 650 - 100), (4, 70, 4096 - 1024 - 100), (32, 250, 32768 - 5050 - 100)],
)
def test_reserved_memory_is_the_lesser_of_akss_two_rules(gib: int, pods: int, left: int) -> None:
    assert allocatable_memory(gib, pods) == left


@pytest.mark.parametrize(
    ("values", "gib"),
    [
        ({"osDiskSizeGB": 64}, 64),
        ({"osDiskSizeGB": None}, 256),
        ({"osDiskSizeGB": None, "vmSize": "Standard_D4s_v5"}, 128),
        ({"osDiskSizeGB": None, "vmSize": "Standard_D16s_v5"}, 512),
        ({"osDiskSizeGB": None, "vmSize": "Standard_NC4as_T4_v3", "osDiskType": "Ephemeral"}, 144),
    ],
)
def test_the_os_disk_is_the_pools_or_akss_default(values: dict[str, Any], gib: int) -> None:
    assert node(a_pool(**values), 0)["status"]["capacity"]["ephemeral-storage"] == f"{gib}Gi"


def test_pods_per_node_are_the_pools_or_cni_overlays_default() -> None:
    assert node(a_pool(maxPods=30), 0)["status"]["allocatable"]["pods"] == "30"
    assert node(a_pool(maxPods=None), 0)["status"]["allocatable"]["pods"] == "250"


def test_an_unknown_size_is_named_with_its_pool() -> None:
    with pytest.raises(UnknownVmSizeError, match="pool cpu: VM size 'Standard_X1'"):
        template_node(a_pool(vmSize="Standard_X1"))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a=b:NoSchedule", {"key": "a", "value": "b", "effect": "NoSchedule"}),
        ("a:NoExecute", {"key": "a", "effect": "NoExecute"}),
        ("x/y=:NoSchedule", {"key": "x/y", "effect": "NoSchedule"}),
    ],
)
def test_taints_are_read_as_aks_writes_them(text: str, expected: dict[str, str]) -> None:
    assert taint(text) == expected


def test_the_autoscaler_takes_every_machine_of_an_empty_pool_for_x64() -> None:
    arm = a_pool(vmSize="Standard_D8pds_v6")
    labels = [
        template["metadata"]["labels"]["kubernetes.io/arch"]
        for template in (template_node(arm), node(arm, 0))
    ]
    assert labels == ["amd64", "arm64"]
