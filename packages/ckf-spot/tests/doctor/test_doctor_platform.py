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


def test_a_cluster_that_is_ready_is_reported(doctor: Doctor, api: Api) -> None:
    report = doctor()
    assert (report.code, report.errors) == (0, [])
    assert report.lines == [
        "✔ pool contract: general, cpuspot, cpuod, gpuspot, gpuod",
        "✔ argoRetries: a step of a pipeline whose pod vanished is tried again",
        "✔ Kubeflow Pipelines: 2.15",
        "✔ priority map: spot nodes are made before on-demand ones",
        "✔ GPUs of gpuspot: 1 on each of 1 nodes",
        "? GPUs of gpuod: not checked, because there is no node of it now; the device plugin shows when there is one",
    ]
    assert {method for method, _ in api.requests} == {"GET"}


@pytest.mark.parametrize(
    ("path", "there", "line"),
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
def test_what_is_not_ready_is_reported_with_what_to_do(
    doctor: Doctor, api: Api, path: str, there: Any, line: str
) -> None:
    del api.objects[path]
    if there is not None:
        api.objects[path] = there
    report = doctor()
    assert report[line[2:].partition(":")[0]].startswith(line)
    assert report.code == (1 if line.startswith("✘") else 0)


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
def test_what_may_not_be_read_is_not_reported_as_right(
    doctor: Doctor, api: Api, path: str, what: str
) -> None:
    api.refused[path] = 403
    report = doctor()
    assert report.code == 0
    assert report[what].startswith(f"? {what}: not checked, because ")
    assert f"403: {path}" in report[what]


def test_a_user_who_may_not_read_argos_settings_gets_what_the_program_published(
    doctor: Doctor, api: Api
) -> None:
    api.refused[ARGO] = 403
    assert doctor()["argoRetries"] == (
        f"? argoRetries: not checked, because ConfigMap kubeflow/argo-workflow-controller-configmap can't be read: "
        f"403: {ARGO}, and the pool contract does not say that it is set; ask an administrator"
    )
    api.objects[AGENT_POOLS]["data"]["argoRetries"] = "true"
    assert doctor()["argoRetries"] == (
        "✔ argoRetries: a step of a pipeline whose pod vanished is tried again, as the last `pulumi up` set it"
    )


def test_what_argo_has_counts_more_than_what_the_program_published(doctor: Doctor, api: Api) -> None:
    api.objects[AGENT_POOLS]["data"]["argoRetries"] = "true"
    api.objects[ARGO] = config_map()
    assert doctor()["argoRetries"].startswith("✘ argoRetries: a pipeline fails when the pod")


def test_without_a_contract_in_the_cluster_nothing_is_ready(doctor: Doctor, api: Api) -> None:
    del api.objects[AGENT_POOLS]
    report = doctor()
    assert report.code == 1
    assert report["pool contract"].startswith("✘ pool contract: ConfigMap kubeflow-aks/agent-pools: 404")
    assert [line[2:].split(":")[0] for line in report.lines] == [
        "pool contract",
        "argoRetries",
        "Kubeflow Pipelines",
    ]


def test_a_contract_that_is_no_longer_the_clusters_is_reported(doctor: Doctor, api: Api) -> None:  # noqa: ARG001
    pools = json.loads(CONTRACT.read_text(encoding="utf-8"))
    pools[1]["maxCount"] += 1
    Path("old.json").write_text(json.dumps(pools), encoding="utf-8")
    report = doctor("--pools", "old.json")
    assert report.code == 1
    assert any(
        line.startswith("✘ pool contract: the file is not the cluster's: cpuspot") for line in report.lines
    )
    assert doctor("--pools", str(CONTRACT)).code == 0


def test_without_a_cluster_and_without_a_file_there_is_nothing_to_look_at(
    doctor: Doctor, point_to: Callable[[str], None]
) -> None:
    point_to("http://127.0.0.1:1")
    report = doctor()
    assert (report.code, report.lines, len(report.errors)) == (2, [], 1)
    assert report.errors[0].startswith("ckf-spot: the cluster does not answer: ")


def test_a_cluster_that_does_not_answer_is_one_line_beside_the_file(
    doctor: Doctor, point_to: Callable[[str], None]
) -> None:
    point_to("http://127.0.0.1:1")
    report = doctor("--pools", str(CONTRACT))
    assert report.code == 0
    assert report["cluster"].startswith("? cluster: not checked, because the cluster does not answer: ")
    assert len(report.lines) == 2


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
    report = doctor(*options)
    assert (report.code, report.lines, len(report.errors)) == (2, [], 1)
    assert report.errors[0].startswith(f"ckf-spot: {error}")


def test_what_is_no_api_server_is_one_line(
    doctor: Doctor, serve: Callable[[Callable[[str], tuple[int, bytes]]], None]
) -> None:
    serve(lambda _: (200, b"<html>Sign in</html>"))
    report = doctor()
    assert (report.code, report.lines, len(report.errors)) == (2, [], 1)
    assert report.errors[0].endswith("a proxy's or a sign-in page's: '<html>Sign in</html>'")
