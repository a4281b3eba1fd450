"""What `ckf-spot doctor` says of a cluster: ready, not ready and why, or not to be known."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from ready_cluster import (
    AGENT_POOLS,
    ALWAYS,
    ARGO,
    CHARM,
    CONTRACT,
    LEVELS,
    NODES,
    PRIORITIES,
    UPSTREAM,
    Api,
    Doctor,
    config_map,
    node,
    runs,
)


def test_a_cluster_that_is_ready_is_told_so(doctor: Doctor, api: Api) -> None:
    told = doctor()
    assert (told.code, told.errors) == (0, [])
    assert told.lines == [
        "✔ pool contract: general, cpuspot, cpuod, gpuspot, gpuod",
        "✔ argoRetries: a step of a pipeline whose pod vanished is tried again",
        "✔ Kubeflow Pipelines: 2.15",
        "✔ priority map: spot nodes are made before on-demand ones",
        "✔ GPUs of gpuspot: 1 on each of 1 nodes",
        "? GPUs of gpuod: not checked, because there is no node of it now; the device plugin shows when there is one",
    ]
    assert {method for method, _ in api.asked} == {"GET"}


@pytest.mark.parametrize(
    ("path", "found", "line"),
    [
        (ARGO, None, "✘ argoRetries: there is no ConfigMap kubeflow/argo-workflow-controller-configmap"),
        (ARGO, config_map(), "✘ argoRetries: a pipeline fails when the pod of a step vanishes"),
        (ARGO, config_map(workflowDefaults="spec: {}"), "✘ argoRetries: a pipeline fails when the pod"),
        (ARGO, config_map(workflowDefaults="- a"), "✘ argoRetries: a pipeline fails when the pod"),
        (ARGO, config_map(workflowDefaults="a: [1"), "✘ argoRetries: ConfigMap kubeflow/argo-workflow"),
        (ARGO, config_map(workflowDefaults=ALWAYS.replace("Always", "OnError")),
         "✘ argoRetries: retryPolicy 'OnError' leaves out some of what an eviction does"),
        (CHARM, None, "✘ Kubeflow Pipelines: it does not run in the namespace kubeflow"),
        (CHARM, runs("charmedkubeflow/api-server:2.5.0-ab"),
         "✘ Kubeflow Pipelines: the cluster runs 2.5, and pipelines are placed for 2.15; use Pools.load("),
        (CHARM, runs("registry.example/charm/oci-image@sha256:0"),
         "? Kubeflow Pipelines: not checked, because no image names its release: "),
        (PRIORITIES, None, "✘ priority map: ConfigMap kube-system/cluster-autoscaler"),
        (PRIORITIES, config_map(priorities=LEVELS.replace("40:", "25:")),
         "✘ priority map: cpuod is scaled up before cpuspot, or with the same priority"),
        (PRIORITIES, config_map(priorities=LEVELS.replace(".*", "-general-").replace("-gpuod-", "-x-")),
         "✘ priority map: no level of it matches gpuod: the autoscaler never makes a node there"),
        (PRIORITIES, config_map(priorities="10: [(]"), "✘ priority map: ConfigMap kube-system/"),
        (PRIORITIES, config_map(priorities="spot: [a]"), "✘ priority map: ConfigMap kube-system/"),
        (PRIORITIES, config_map(priorities="10: 3"), "✘ priority map: ConfigMap kube-system/"),
        (PRIORITIES, config_map(priorities="10"), "✘ priority map: ConfigMap kube-system/"),
        (NODES, [node("gpuspot")],
         "✘ GPUs of gpuspot: aks-gpuspot-12345678-vmss000000 should have 1 nvidia.com/gpu and shows fewer; "),
        (NODES, [], "? GPUs of gpuspot: not checked, because there is no node of it now"),
    ],
)  # fmt: skip
def test_what_is_not_ready_is_told_with_what_to_do(
    doctor: Doctor, api: Api, path: str, found: Any, line: str
) -> None:
    del api.objects[path]
    if found is not None:
        api.objects[path] = found
    told = doctor()
    assert told[line[2:].partition(":")[0]].startswith(line)
    assert told.code == (1 if line.startswith("✘") else 0)


def test_upstreams_deployment_tells_the_release_too(doctor: Doctor, api: Api) -> None:
    del api.objects[CHARM]
    api.objects[UPSTREAM] = runs("ghcr.io/kubeflow/kfp-api-server:2.5.0")
    assert doctor("--backend", "2.5")["Kubeflow Pipelines"] == "✔ Kubeflow Pipelines: 2.5"


@pytest.mark.parametrize(
    ("path", "what"),
    [
        (ARGO, "argoRetries"),
        (CHARM, "Kubeflow Pipelines"),
        (PRIORITIES, "priority map"),
        (NODES, "GPUs"),
    ],
)
def test_what_may_not_be_read_is_not_told_as_right(doctor: Doctor, api: Api, path: str, what: str) -> None:
    api.refused[path] = 403
    told = doctor()
    assert told.code == 0
    assert told[what].startswith(f"? {what}: not checked, because ")
    assert f"403: {path}" in told[what]


def test_without_a_contract_in_the_cluster_nothing_is_ready(doctor: Doctor, api: Api) -> None:
    del api.objects[AGENT_POOLS]
    told = doctor()
    assert told.code == 1
    assert told["pool contract"].startswith("✘ pool contract: ConfigMap kubeflow-aks/agent-pools: 404")
    assert [line[2:].split(":")[0] for line in told.lines] == [
        "pool contract",
        "argoRetries",
        "Kubeflow Pipelines",
    ]


def test_a_contract_that_is_no_longer_the_clusters_is_told(doctor: Doctor, api: Api) -> None:  # noqa: ARG001
    pools = json.loads(CONTRACT.read_text(encoding="utf-8"))
    pools[1]["maxCount"] += 1
    Path("old.json").write_text(json.dumps(pools), encoding="utf-8")
    told = doctor("--pools", "old.json")
    assert told.code == 1
    assert any(
        line.startswith("✘ pool contract: the file is not the cluster's: cpuspot") for line in told.lines
    )
    assert doctor("--pools", str(CONTRACT)).code == 0


def test_without_a_cluster_and_without_a_file_there_is_nothing_to_look_at(
    doctor: Doctor, point_to: Callable[[str], None]
) -> None:
    point_to("http://127.0.0.1:1")
    told = doctor()
    assert (told.code, told.lines, len(told.errors)) == (2, [], 1)
    assert told.errors[0].startswith("ckf-spot: the cluster does not answer: ")


def test_a_cluster_that_does_not_answer_is_one_line_beside_the_file(
    doctor: Doctor, point_to: Callable[[str], None]
) -> None:
    point_to("http://127.0.0.1:1")
    told = doctor("--pools", str(CONTRACT))
    assert told.code == 0
    assert told["cluster"].startswith("? cluster: not checked, because the cluster does not answer: ")
    assert len(told.lines) == 2


@pytest.mark.usefixtures("api")
@pytest.mark.parametrize(
    ("options", "error"),
    [
        (["--pools", "no.json"], "no.json: can't be read: No such file or directory"),
        (["--backend", "1.8"], "backend: '1.8' is no version"),
        (["--pool", "cpu"], "--pool: 'cpu' needs a file; expected -f FILE --pool NAME"),
        (["-n", "nowhere"], "namespace: 'nowhere' does not exist"),
        (["-f", "no.yaml"], "no.yaml: can't be read: No such file or directory"),
    ],
)
def test_what_can_not_be_done_is_one_line(doctor: Doctor, options: list[str], error: str) -> None:
    told = doctor(*options)
    assert (told.code, told.lines, len(told.errors)) == (2, [], 1)
    assert told.errors[0].startswith(f"ckf-spot: {error}")
