"""Spot for a profile's namespace: the PodDefault, and tolerations that every pod gets."""

import json

import pytest

from ckf_spot import PlacementError, Pools
from ckf_spot.generated import namespace

SPOT = {"key": "kubernetes.azure.com/scalesetpriority", "operator": "Exists", "effect": "NoSchedule"}
JOB = {
    "apiVersion": "batch/v1",
    "kind": "Job",
    "spec": {"template": {"spec": {"containers": [{"name": "main"}]}}},
}


def test_the_pod_default_tolerates_spot_and_nothing_else(pools: Pools) -> None:
    assert namespace.pod_default(pools, "team-a")["spec"]["tolerations"] == [SPOT]


def test_a_pod_asks_for_it_by_label(pools: Pools) -> None:
    spec = namespace.pod_default(pools, "team-a")["spec"]
    assert spec["selector"] == {"matchLabels": {"allow-spot": "true"}}


def test_the_pod_default_has_only_what_its_crd_knows(pools: Pools) -> None:
    spec = namespace.pod_default(pools, "team-a")["spec"]
    fields = {"annotations", "args", "automountServiceAccountToken", "command", "desc", "env", "envFrom"}
    fields |= {"imagePullSecrets", "initContainers", "labels", "selector", "serviceAccountName", "sidecars"}
    assert spec.keys() <= fields | {"tolerations", "volumeMounts", "volumes"}  # kubeflow 1.10, PodDefaultSpec


def test_placed_work_has_the_same_toleration_so_the_webhook_finds_no_conflict(pools: Pools) -> None:
    placed = pools["cpu"].place(JOB)["spec"]["template"]["spec"]["tolerations"]
    ours = {
        toleration["key"]: toleration
        for toleration in namespace.pod_default(pools, "team-a")["spec"]["tolerations"]
    }
    assert [toleration for toleration in placed if toleration["key"] in ours] == list(ours.values())


def test_the_annotation_is_a_list_of_tolerations_as_json(pools: Pools) -> None:
    annotations = namespace.default_tolerations(pools, "batch")["metadata"]["annotations"]
    assert json.loads(annotations["scheduler.alpha.kubernetes.io/defaultTolerations"]) == [SPOT]


def test_a_cluster_without_spot_is_refused(pools: Pools) -> None:
    without = Pools(tuple(pool for pool in pools.all if not pool.spot))
    with pytest.raises(
        PlacementError, match="there is no spot pool to allow; the pools are: general, cpuod, gpuod"
    ):
        namespace.pod_default(without, "team-a")
