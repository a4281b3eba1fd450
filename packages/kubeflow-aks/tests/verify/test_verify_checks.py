"""Each promise, kept and broken, by what the API shows."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from kubeflow_aks.verify.checks import CHECKS, charms
from kubeflow_aks.verify.findings import RESTORE, State, run_checks
from kubeflow_aks.verify.probes import GUARD
from kubeflow_aks.verify.snapshot import ClusterSnapshot, Result
from tests.verify import clusters as c

LATER = c.NOW.timestamp()


def test_a_good_cluster_keeps_every_promise() -> None:
    findings = list(run_checks(CHECKS, c.good(), c.outputs()))
    assert [finding for finding in findings if finding.result.state is not State.PASSED] == []
    assert {entry.check for entry in findings} == {entry.id for entry in CHECKS}


def test_what_was_not_read_is_unseen_and_says_why() -> None:
    findings = list(run_checks(CHECKS, ClusterSnapshot(now=c.NOW), c.outputs()))
    assert {finding.result.state for finding in findings} == {State.UNKNOWN}
    nothing = ClusterSnapshot(now=c.NOW, nodes=Result(reason="no permission: nodes is forbidden"))
    assert c.sentences("contract", nothing, State.UNKNOWN) == [
        (
            "Nodes carry the labels and taints of the pool contract: cannot be checked here: no permission: nodes "
            "is forbidden"
        )
    ]


def test_what_others_added_to_an_object_is_taken_away_by_hand() -> None:
    """The engine's apply leaves fields of others alone (kubernetes.io, "Server-Side Apply")."""
    objects = c.stack_objects()
    [binding] = [obj for obj in objects if obj.name == f"ValidatingAdmissionPolicyBinding {GUARD}"]
    binding.live.required()["spec"]["matchResources"] = {}
    results = c.results_of("objects", replace(c.good(), objects=Result(objects)))
    [action] = [result.action for result in results if result.state is State.FAILED]
    assert action == f"take away by hand what was added; for all else, {RESTORE}"


def taints(name: str, *texts: str) -> Callable[[dict[str, c.Object]], object]:
    """A change of one node's taints."""
    return lambda nodes: nodes[name]["spec"].update(taints=[c.taint(text) for text in texts])


def label(name: str, **changed: str | None) -> Callable[[dict[str, c.Object]], object]:
    """A change of one node's labels; None takes one away."""

    def change(nodes: dict[str, c.Object]) -> None:
        labels = nodes[name]["metadata"]["labels"]
        for key, value in changed.items():
            labels[f"kubeflow-aks/{key}"] = value
        nodes[name]["metadata"]["labels"] = {key: value for key, value in labels.items() if value is not None}

    return change


def not_ready(name: str, **length: float) -> Callable[[dict[str, c.Object]], object]:
    """A node whose kubelet has fallen silent."""
    condition = {
        "type": "Ready",
        "status": "Unknown",
        "lastTransitionTime": c.ago(**length),
        "message": "Kubelet stopped posting node status.",
    }
    return lambda nodes: nodes[name]["status"].update(conditions=[condition])


def allocatable(name: str, gpus: str, **length: float) -> Callable[[dict[str, c.Object]], object]:
    """A GPU node of some age that offers GPUs."""

    def change(nodes: dict[str, c.Object]) -> None:
        nodes[name]["status"]["allocatable"] = {"nvidia.com/gpu": gpus} if gpus else {}
        nodes[name]["metadata"]["creationTimestamp"] = c.ago(**length)

    return change


def gone(name: str) -> Callable[[dict[str, c.Object]], object]:
    """One node less."""
    return lambda nodes: nodes.pop(name)


def another(of: str, pool: str = "", **more: Any) -> Callable[[dict[str, c.Object]], object]:
    """One node more, of a pool that may have another name."""

    def change(nodes: dict[str, c.Object]) -> None:
        made = c.node("more-0", of, **more)
        made["metadata"]["labels"]["kubernetes.azure.com/agentpool"] = pool or of
        nodes["more-0"] = made

    return change


def system(image: str) -> Callable[[dict[str, c.Object]], object]:
    """Another operating system of every node."""

    def change(nodes: dict[str, c.Object]) -> None:
        for node in nodes.values():
            node["status"]["nodeInfo"]["osImage"] = image

    return change


@pytest.mark.parametrize(
    ("check", "change", "expected"),
    [
        (
            "contract",
            taints("cpuspot-0"),
            "1 node of pool cpuspot without taint kubernetes.azure.com/scalesetpriority=spot:NoSchedule (cpuspot-0)",
        ),
        (
            "contract",
            taints("general-0", "mine=yes:NoExecute"),
            "1 node of pool general with taint mine=yes:NoExecute, which is not in the contract (general-0)",
        ),
        (
            "contract",
            label("cpuod-0", workload="gpu"),
            "1 node of pool cpuod with 'gpu' as label kubeflow-aks/workload instead of 'cpu' (cpuod-0)",
        ),
        (
            "contract",
            label("cpuod-0", workload=None),
            "1 node of pool cpuod without label kubeflow-aks/workload=cpu (cpuod-0)",
        ),
        (
            "contract",
            label("general-0", team="a"),
            "1 node of pool general with label kubeflow-aks/team, which is not in the contract (general-0)",
        ),
        (
            "known-pools",
            another("cpuod", "handmade"),
            "1 node of agent pool handmade, which is not in the stack (more-0)",
        ),
        (
            "one-open-pool",
            taints("cpuspot-0"),
            "no taint on cpuspot, besides Kubeflow's own pool: Kubeflow's pods may run there and be evicted",
        ),
        (
            "one-open-pool",
            another("general", "handmade"),
            "no taint on handmade, besides Kubeflow's own pool: Kubeflow's pods may run there and be evicted",
        ),
        ("system-nodes", taints("system-0"), "1 system node without taint CriticalAddonsOnly (system-0)"),
        (
            "nodes-ready",
            not_ready("general-0", minutes=11),
            "1 node not ready for longer than 10 min (general-0): Kubelet stopped posting node status.",
        ),
        ("gpus", allocatable("gpuspot-0", "1", hours=1), "1 GPU node with 1 of 2 GPUs to offer (gpuspot-0)"),
        (
            "gpus",
            allocatable("gpuspot-0", "", hours=1),
            "1 GPU node with none of 2 GPUs to offer (gpuspot-0)",
        ),
        ("gpus", another("gpuspot"), "1 GPU node without a device plugin that is ready (more-0)"),
        (
            "kubelets",
            another("cpuod", status={"nodeInfo": {"kubeletVersion": "v1.35.0"}}),
            "1 node with Kubernetes 1.35, newer than the API server's 1.34",
        ),
        (
            "kubelets",
            another("cpuod", status={"nodeInfo": {"kubeletVersion": "v1.30.9"}}),
            "1 node with Kubernetes 1.30, too old for the API server's 1.34",
        ),
    ],
)
def test_a_node_that_breaks_a_promise_is_reported(
    check: str, change: Callable[[dict[str, c.Object]], object], expected: str
) -> None:
    assert c.sentences(check, c.with_nodes(change), State.FAILED) == [expected]


@pytest.mark.parametrize(
    ("check", "change"),
    [
        ("contract", taints("general-0", "node.kubernetes.io/not-ready:NoExecute")),
        ("contract", taints("general-0", "remediator.kubernetes.azure.com/unschedulable:NoSchedule")),
        ("contract", taints("general-0", "DeletionCandidateOfClusterAutoscaler=1:PreferNoSchedule")),
        ("contract", taints("general-0", "mine:PreferNoSchedule")),
        ("one-open-pool", taints("general-0", "node.cilium.io/agent-not-ready:NoSchedule")),
        ("nodes-ready", not_ready("general-0", minutes=9)),
        ("gpus", gone("cpuspot-0")),
        ("kubelets", another("cpuod", status={"nodeInfo": {"kubeletVersion": "v1.31.0"}})),
    ],
)
def test_a_node_on_its_way_breaks_nothing(
    check: str, change: Callable[[dict[str, c.Object]], object]
) -> None:
    results = c.results_of(check, c.with_nodes(change))
    assert State.FAILED not in {result.state for result in results}
    assert State.PASSED in {result.state for result in results}


def test_pools_without_nodes_are_unseen() -> None:
    snapshot = c.with_nodes(gone("gpuspot-0"))
    assert c.sentences("contract", snapshot, State.UNKNOWN) == [
        "pool gpuspot has no node now, so its labels and taints cannot be checked"
    ]
    assert c.sentences("gpus", snapshot, State.UNKNOWN) == [
        "pool gpuspot has no node now, so its GPUs cannot be checked"
    ]


def test_a_gpu_node_that_starts_is_not_judged_yet() -> None:
    snapshot = c.with_nodes(allocatable("gpuspot-0", "", minutes=5))
    assert c.sentences("gpus", snapshot, State.UNKNOWN) == [
        "1 GPU node just starting, so its GPUs cannot be checked yet"
    ]


def test_gpus_that_pods_share_have_a_device_plugin_of_their_own() -> None:
    [gpus] = [pool for pool in c.POOLS if pool["gpus"]]
    labels = {**gpus["labels"], "kubeflow-aks/gpu-time-slices": "4"}
    of = c.outputs(poolContract=[*c.POOLS[:-1], {**gpus, "gpus": 8, "labels": labels}])
    cluster = c.with_nodes(allocatable("gpuspot-0", "8", hours=1))
    pods = [pod for pod in c.good().pods.required() if pod["metadata"]["name"] != "plugin"]
    plugin = c.daemon("plugin", "nvidia-device-plugin-4", "gpuspot-0")
    shared = replace(cluster, pods=Result([*pods, plugin]))
    assert c.sentences("gpus", shared, State.PASSED, of) == ["GPUs match the pool contract on 1 GPU node"]


def test_a_pool_that_another_replaces_is_no_second_home() -> None:
    moving = [
        c.pool("general", "general", "kubeflow-aks/replaced-by=general2:NoSchedule"),
        c.pool("general2", "general"),
    ]
    snapshot = c.with_nodes(taints("general-0", "kubeflow-aks/replaced-by=general2:NoSchedule"))
    of = c.outputs(poolContract=[*moving, *c.POOLS[1:]])
    assert c.sentences("one-open-pool", snapshot, State.FAILED, of) == []
    assert c.sentences("one-open-pool", snapshot, State.PASSED, of) == [
        "pool general2 is the only one without a taint, so Kubeflow runs there"
    ]


def group_with(name: str, **changed: Any) -> ClusterSnapshot:
    """The good cluster with what the autoscaler tells of one pool changed."""
    groups = [c.group(entry["name"]) for entry in c.POOLS if entry["name"] != name]
    return c.with_status(nodeGroups=[*groups, *([c.group(name, **changed)] if changed else [])])


def map_with(text: str) -> ClusterSnapshot:
    """The good cluster with another priority map."""
    return replace(c.good(), priority_map=Result(c.config_map(priorities=text)))


def test_every_size_of_a_fallback_is_below_its_spot_pool() -> None:
    snapshot = map_with("30:\n  - ^aks-od1-\n10:\n  - ^aks-(cpu|gpu)spot-\n5:\n  - ^aks-od2\n1:\n  - .*\n")
    fallbacks = [{**c.POOLS[2], "name": name, "pool": "cpuod"} for name in ("od1", "od2")]
    of = c.outputs(poolContract=[*(pool for pool in c.POOLS if pool["name"] != "cpuod"), *fallbacks])
    assert c.sentences("priority-map", snapshot, State.FAILED, of) == [
        "the priority map does not put the spot pool cpuspot before od1, which is its fallback"
    ]


@pytest.mark.parametrize(
    ("check", "snapshot", "expected"),
    [
        (
            "autoscaler",
            c.with_status(time="2026-11-22 11:30:00.5 +0000 UTC"),
            "the autoscaler has not written its status for 30 min, so pools neither grow nor shrink",
        ),
        (
            "autoscaler",
            c.with_status(time="soon"),
            "the autoscaler has not written its status at any known time, so pools neither grow nor shrink",
        ),
        (
            "autoscaler",
            c.with_status(autoscalerStatus="Initializing"),
            "the autoscaler is Initializing instead of Running",
        ),
        (
            "autoscaler",
            c.with_status(clusterWide={"health": {"status": "Unhealthy"}}),
            "the autoscaler reports the cluster as Unhealthy: too many nodes are not ready, so it changes no pool",
        ),
        ("autoscaler-pools", group_with("cpuspot"), "the autoscaler has no node group for pool cpuspot"),
        (
            "autoscaler-pools",
            replace(group_with("gpuspot"), nodes=Result([])),
            "the autoscaler has no node group for pool gpuspot, and the pool has no node: it may have been deleted",
        ),
        (
            "autoscaler-pools",
            group_with("cpuod", health={"status": "Healthy", "maxSize": 7}),
            "pool cpuod may grow to 7 nodes, but the contract says 3",
        ),
        (
            "autoscaler-pools",
            group_with("cpuod", health={"status": "Unhealthy", "maxSize": 3}),
            "the autoscaler reports pool cpuod as Unhealthy, so it adds no node to it",
        ),
        (
            "priority-map",
            replace(c.good(), priority_map=Result({})),
            (
                "ConfigMap kube-system/cluster-autoscaler-priority-expander does not exist, so the autoscaler chooses "
                "pools at random"
            ),
        ),
        (
            "priority-map",
            map_with("10:\n  - ^aks-cpuspot-\n5:\n  - ^aks-(cpuod|gpuspot)-\n"),
            "the priority map does not list general",
        ),
        (
            "priority-map",
            map_with("10:\n  - ^aks-cpuspot-\n  - ^aks-cpuod\n1:\n  - .*\n"),
            "the priority map does not list gpuspot",
        ),
        (
            "priority-map",
            map_with("30:\n  - ^aks-cpuod\n10:\n  - ^aks-cpuspot-\n  - ^aks-gpuspot-\n1:\n  - .*\n"),
            "the priority map does not put the spot pool cpuspot before cpuod, which is its fallback",
        ),
        (
            "priority-map",
            map_with("10:\n  - '*spot'\n"),
            (
                "the autoscaler cannot read ConfigMap kube-system/cluster-autoscaler-priority-expander: nothing to "
                "repeat at position 0"
            ),
        ),
        (
            "priority-map",
            map_with("high:\n  - .*\n"),
            (
                "the autoscaler cannot read ConfigMap kube-system/cluster-autoscaler-priority-expander: 'high' is not "
                "a level with a list of regular expressions"
            ),
        ),
    ],
)
def test_the_autoscaler_s_troubles_are_reported(check: str, snapshot: ClusterSnapshot, expected: str) -> None:
    assert expected in c.sentences(check, snapshot, State.FAILED)


def test_a_pool_that_is_sold_out_breaks_nothing() -> None:
    tired = {"status": "Backoff", "backoffInfo": {"errorMessage": "no capacity\nin the zone"}}
    assert c.sentences("autoscaler-pools", group_with("cpuspot", scaleUp=tired), State.PASSED) == [
        (
            "the autoscaler manages all 4 pools of the contract; for now it adds no node to cpuspot (no capacity "
            "in the zone)"
        )
    ]


@pytest.mark.parametrize(
    "data", ["Cluster-autoscaler status at 2020:\nHealth: Healthy", "[", "", "- 1", "!!python/x y"]
)
def test_a_status_in_another_form_is_unseen(data: str) -> None:
    snapshot = replace(c.good(), autoscaler=Result(c.config_map(status=data)))
    for check in ("autoscaler", "autoscaler-pools", "priority-map-accepted"):
        [result] = c.results_of(check, snapshot)
        assert result.state is State.UNKNOWN
        assert (
            "has an unexpected form; expected the YAML that the autoscaler writes since Kubernetes 1.30"
            in result.message
        )


def complaint(reason: str, **length: float) -> ClusterSnapshot:
    """The good cluster with an event on the priority map."""
    event = {
        "reason": reason,
        "message": "Wrong configuration for\npriority expander",
        "lastTimestamp": c.ago(**length),
    }
    return replace(c.good(), expander_events=Result([event]))


def test_a_complaint_of_the_map_counts_until_the_map_is_changed() -> None:
    shown = ["the autoscaler refuses the priority map: Wrong configuration for priority expander"]
    invalid = "PriorityConfigMapInvalid"
    assert c.sentences("priority-map-accepted", complaint(invalid, hours=4), State.FAILED) == shown
    assert c.sentences("priority-map-accepted", complaint(invalid, hours=6), State.FAILED) == []
    assert c.sentences("priority-map-accepted", complaint("Other", hours=4), State.FAILED) == []


def with_classes(*classes: c.Object) -> ClusterSnapshot:
    """The good cluster with other storage classes."""
    return replace(c.good(), storage_classes=Result(list(classes)))


@pytest.mark.parametrize(
    ("check", "snapshot", "of", "expected"),
    [
        (
            "default-storage",
            with_classes(c.storage_class("a", default="true"), c.storage_class("b", default="true")),
            c.outputs(),
            "storage classes a and b are both the default; claims without a class get the newest",
        ),
        (
            "default-storage",
            with_classes(c.storage_class("a", default="false")),
            c.outputs(),
            "no storage class is the default, so volume claims of notebooks stay pending",
        ),
        (
            "kubeflow-namespace",
            replace(c.good(), namespaces=Result([{"metadata": {"name": "kubeflow"}}])),
            c.outputs(),
            "namespace kubeflow is not Juju's, and `juju add-model kubeflow` refuses an existing namespace",
        ),
        (
            "kubeflow-home",
            c.with_pods(
                c.pod("kubeflow", "minio", "cpuspot-0"), c.pod("knative-serving", "web", "cpuspot-0")
            ),
            c.outputs(),
            "2 pods of Kubeflow's platform on pool cpuspot (knative-serving/web and kubeflow/minio)",
        ),
        (
            "kernel-limits",
            replace(
                c.good(), limits={"general-0": Result("max_user_instances 128\nmax_user_watches 700000")}
            ),
            c.outputs(),
            "node general-0: fs.inotify.max_user_instances is 128, too low for Kubeflow's controllers",
        ),
        (
            "argo-retries",
            replace(c.good(), argo=Result(c.config_map(other="x"))),
            c.outputs(kubeflow={"argoRetries": False}),
            (
                "the setting kubeflow.argoRetries is off: a pipeline step with retries fails with `pod deleted` when "
                "its node is evicted, and the run with it"
            ),
        ),
        (
            "argo-retries",
            replace(c.good(), argo=Result(c.config_map(other="x"))),
            c.outputs(),
            (
                "the ConfigMap kubeflow/argo-workflow-controller-configmap has no retryPolicy in workflowDefaults, so "
                "steps with retries fail when their pod is evicted"
            ),
        ),
        (
            "juju-token",
            replace(c.good(), juju=Result({})),
            c.outputs(),
            "the API server rejects Juju's token: its secret or its service account was deleted",
        ),
        (
            "version",
            replace(c.good(), version=Result({"gitVersion": "v1.33.9"})),
            c.outputs(),
            "the API server runs Kubernetes 1.33, but the stack says 1.34",
        ),
        (
            "validated",
            replace(c.good(), version=Result({"gitVersion": "v1.35.1"})),
            c.outputs(),
            "Charmed Kubeflow 1.11-ubuntu2 is validated on Kubernetes 1.32, 1.33, 1.34, but the cluster runs 1.35",
        ),
        (
            "supported",
            replace(c.good(), version=Result({"gitVersion": "v1.32.1"})),
            c.outputs(kubernetes={"supportPlan": "KubernetesOfficial"}),
            "AKS has not supported Kubernetes 1.32 under the plan KubernetesOfficial since 2026-03-31",
        ),
        (
            "node-systems",
            replace(c.good(), now=datetime(2027, 7, 1, tzinfo=UTC)),
            c.outputs(),
            "AKS has not supported Ubuntu 22.04, the system of 5 nodes, since 2027-06-30",
        ),
    ],
)
def test_what_else_has_failed_is_reported(
    check: str, snapshot: ClusterSnapshot, of: Any, expected: str
) -> None:
    assert c.sentences(check, snapshot, State.FAILED, of) == [expected]


def _charms(release: str = "1.11-ubuntu2", **changed: Any) -> list[str]:
    """What is said of the charms where these applications are others; None takes one away."""
    applications = c.JUJU_STATUS["applications"] | {
        key.replace("_", "-"): value for key, value in changed.items()
    }
    there = {name: about for name, about in applications.items() if about is not None}
    snapshot = replace(c.good(), charms=Result(there))
    return c.sentences("charms", snapshot, State.PASSED, c.outputs(kubeflow={"release": release}))


def test_charms_are_compared_with_the_release() -> None:
    assert _charms() == [
        "of 39 applications of Charmed Kubeflow 1.11-ubuntu2: 39 with the release's revision or a newer one"
    ]
    older = {"charm-name": "kfp-api", "charm-channel": "2.16/stable", "charm-rev": 2700}
    other = {"charm-name": "minio", "charm-channel": "1.10/edge", "charm-rev": 700}
    newer = {"charm-name": "kfp-ui", "charm-channel": "2.16/stable", "charm-rev": 9999}
    team = {"charm-name": "grafana-k8s", "charm-channel": "1/stable", "charm-rev": 1}
    assert _charms(kfp_api=older, mlflow_minio=other, kfp_ui=newer, ours=team, hostile=7) == [
        (
            "of 42 applications of Charmed Kubeflow 1.11-ubuntu2: 38 with the release's revision or a newer one; "
            "2 on another channel or an older revision; 2 not in the catalogue, so not compared (hostile and ours)"
        ),
        "kfp-api has 2.16/stable, revision 2700; Charmed Kubeflow 1.11-ubuntu2 has 2.16/stable, revision 2759",
        "mlflow-minio has 1.10/edge, revision 700; Charmed Kubeflow 1.11-ubuntu2 has 1.10/stable, revision 686",
    ]
    first, *_ = _charms("1.11")
    assert "with the release's channel, for which Canonical published no revision" in first


def test_charms_that_nobody_named_are_unknown(tmp_path: Path) -> None:
    file = tmp_path / "status.json"
    assert charms.read("dev", None).reason.endswith("as --juju-status")
    for text in ("", "{}", '{"applications": []}', "\udcff"):
        file.write_text(text, encoding="utf-8", errors="surrogateescape")
        assert charms.read("dev", file).reason.startswith(
            f"{file} has no applications; expected the output of `juju "
        )
    file.write_text(json.dumps(c.JUJU_STATUS))
    assert len(charms.read("dev", file).required()) == 39
    for release in ("1.10", "9.9"):
        [unknown] = c.sentences("charms", c.good(), State.UNKNOWN, c.outputs(kubeflow={"release": release}))
        assert f"the catalogue has no charms of Charmed Kubeflow {release}" in unknown


@pytest.mark.parametrize(
    ("check", "snapshot", "of", "state", "expected"),
    [
        (
            "validated",
            replace(c.good(), version=Result({"gitVersion": "v1.35.1"})),
            c.outputs(kubernetes={"acceptUnvalidated": True}),
            State.PASSED,
            (
                "Charmed Kubeflow 1.11-ubuntu2 is validated on Kubernetes 1.32, 1.33, 1.34, but the cluster runs 1.35, "
                "which kubernetes.acceptUnvalidated takes"
            ),
        ),
        (
            "kubeflow-namespace",
            replace(c.good(), namespaces=Result([])),
            c.outputs(),
            State.PASSED,
            "namespace kubeflow does not exist yet, so Juju can create its model",
        ),
        (
            "kubeflow-home",
            c.with_pods(c.daemon("csi", "csi", "cpuspot-0"), c.pod("team", "train", "cpuspot-0")),
            c.outputs(),
            State.PASSED,
            "Kubeflow's platform runs on its own pool: 1 pod",
        ),
        (
            "kubeflow-home",
            replace(c.good(), pods=Result([])),
            c.outputs(),
            State.UNKNOWN,
            "Kubeflow is not deployed yet, so where it runs cannot be checked",
        ),
        (
            "kernel-limits",
            replace(
                c.good(), limits={"general-0": Result(reason='Get "https://general-0:10250/x": no such host')}
            ),
            c.outputs(),
            State.UNKNOWN,
            "kernel limits (inotify) of 1 node cannot be checked here (general-0): no such host",
        ),
        (
            "kernel-limits",
            replace(c.good(), limits={"general-0": Result("")}),
            c.outputs(),
            State.UNKNOWN,
            (
                "kernel limits (inotify) of 1 node cannot be checked here (general-0): the log of DaemonSet "
                "inotify-limits does not have them"
            ),
        ),
        (
            "kernel-limits",
            c.good(),
            c.outputs(kubeflow={"inotify": {"enabled": False}}),
            State.UNKNOWN,
            "the stack does not raise kernel limits (kubeflow.inotify.enabled: false)",
        ),
        (
            "argo-retries",
            replace(c.good(), argo=Result({})),
            c.outputs(kubeflow={"argoRetries": False}),
            State.UNKNOWN,
            (
                "Argo is not deployed yet; until kubeflow.argoRetries is switched on after the hand-off, an eviction "
                "ends pipeline steps despite their retries"
            ),
        ),
        (
            "return-to-spot",
            c.good(),
            c.outputs(kubeflow={"returnToSpot": False}),
            State.PASSED,
            "the stack returns no work to spot (kubeflow.returnToSpot: false)",
        ),
        (
            "return-to-spot",
            c.good(),
            c.outputs(poolContract=[pool for pool in c.POOLS if not pool.get("fallback")]),
            State.PASSED,
            "the stack has no fallback, so nothing returns from one",
        ),
        (
            "pending",
            c.with_pods(
                c.pod("kubeflow-aks-return-to-spot", "placeholder"),
                c.pod("kubeflow-aks-headroom", "headroom-cpuspot"),
            ),
            c.outputs(),
            State.PASSED,
            "no pod is pending for longer than 10m, the time limit for a new node",
        ),
        (
            "guard",
            c.good(),
            c.outputs(kubeflow={"guards": False}),
            State.UNKNOWN,
            "the stack has no guard (kubeflow.guards: false)",
        ),
        (
            "registry",
            c.good(),
            c.outputs(registryId=None),
            State.UNKNOWN,
            "the stack has no registry of its own",
        ),
        ("gpus", c.good(), c.outputs(poolContract=c.POOLS[:3]), State.PASSED, "the stack has no GPU pool"),
        (
            "supported",
            c.good(),
            c.outputs(kubernetes={"supportPlan": "KubernetesOfficial"}),
            State.PASSED,
            "AKS supports Kubernetes 1.34 under the plan KubernetesOfficial until 2026-11-30 (8 days left)",
        ),
        (
            "node-systems",
            c.with_nodes(system("Ubuntu 24.04.3 LTS")),
            c.outputs(),
            State.PASSED,
            "AKS has announced no end of Ubuntu 24.04, the system of 5 nodes",
        ),
        (
            "node-systems",
            c.with_nodes(system("Microsoft Azure Linux 3.0")),
            c.outputs(),
            State.UNKNOWN,
            "the catalogue has no end of 'Microsoft Azure Linux 3.0', the system of 5 nodes",
        ),
    ],
)
def test_what_is_right_or_unseen_says_so(
    check: str, snapshot: ClusterSnapshot, of: Any, state: State, expected: str
) -> None:
    assert c.sentences(check, snapshot, state, of) == [expected]
    assert c.sentences(check, snapshot, State.FAILED, of) == []


def test_a_pending_pod_is_reported_with_the_reasons_of_both() -> None:
    unplaced = {
        "phase": "Pending",
        "conditions": [
            {
                "type": "PodScheduled",
                "status": "False",
                "message": "0/5 nodes are available:\nInsufficient cpu.",
            }
        ],
    }
    waiting = c.pod("team", "train", status=unplaced)
    event = {
        "involvedObject": {"uid": "train"},
        "message": "pod didn't trigger scale-up: 1 max node group size reached",
    }
    snapshot = replace(c.with_pods(waiting), untriggered=Result([event]))
    assert c.sentences("pending", snapshot, State.FAILED) == [
        (
            "1 pod pending for longer than 10m (team/train): 0/5 nodes are available: Insufficient cpu.; autoscaler: "
            "pod didn't trigger scale-up: 1 max node group size reached"
        )
    ]
    # The autoscaler's events are a help: without the right to read them the scheduler's reason stands alone.
    snapshot = replace(snapshot, untriggered=Result(reason="forbidden"))
    assert len(c.sentences("pending", snapshot, State.FAILED)) == 1


@pytest.mark.parametrize(
    "change",
    [
        {"metadata": {"namespace": "team", "name": "new", "creationTimestamp": c.ago(minutes=9)}},
        {"spec": {"priority": -11}},
        {
            "status": {
                "phase": "Pending",
                "conditions": [{"type": "PodScheduled", "reason": "SchedulingGated"}],
            }
        },
        {"metadata": {"creationTimestamp": c.ago(hours=9), "deletionTimestamp": c.ago(hours=1)}},
    ],
)
def test_a_pod_that_nobody_brings_a_node_yet_breaks_nothing(change: c.Object) -> None:
    assert c.sentences("pending", c.with_pods(c.pod("team", "waits", **change)), State.FAILED) == []


def test_an_image_that_cannot_be_pulled_is_reported_for_the_stack_s_registry_alone() -> None:
    waiting = {"reason": "ImagePullBackOff", "message": "401 Unauthorized"}
    ours, theirs = c.pod("team", "ours", "cpuod-0"), c.pod("team", "theirs", "cpuod-0")
    ours["status"]["initContainerStatuses"] = [c.container("images.azurecr.io/a:1", waiting)]
    theirs["status"]["containerStatuses"] = [c.container("imagesother.azurecr.io/a:1", waiting)]
    assert c.sentences("registry", c.with_pods(ours, theirs), State.FAILED) == [
        "1 container cannot pull from registry images (team/ours): 401 Unauthorized"
    ]


def test_the_guard_is_judged_by_the_answers_to_dry_runs() -> None:
    notebook, batch = "a notebook that tolerates spot", "a batch pod that tolerates spot"
    guard: dict[str, Result[str]] = {**c.good().guard, notebook: Result(""), batch: Result(c.REFUSAL)}
    assert c.sentences("guard", replace(c.good(), guard=guard), State.FAILED) == [
        f"{notebook} is admitted, so an eviction could hit it",
        f"{batch} is refused: {c.REFUSAL}",
    ]
    guard = {
        notebook: Result("ValidatingAdmissionPolicy 'other' denied"),
        batch: Result(reason="webhook\nno dry run"),
    }
    assert c.sentences("guard", replace(c.good(), guard=guard), State.UNKNOWN) == [
        (
            f"whether {notebook} is refused cannot be checked here, because something else refuses it: "
            "ValidatingAdmissionPolicy 'other' denied"
        ),
        f"whether {batch} is admitted cannot be checked here: webhook no dry run",
    ]


def jwt(**claims: object) -> str:
    """A token with claims; nobody has signed it."""
    body = base64.urlsafe_b64encode(json.dumps(claims).encode()).decode().rstrip("=")
    return f"e30.{body}.x"


@pytest.mark.parametrize(
    ("token", "shown"),
    [
        (jwt(sub="juju"), "; it does not expire"),
        (jwt(exp=LATER + 86_400 * 30), "; it expires on 2026-12-22"),
        (jwt(exp=LATER + 86_400), "; it expires at 2026-11-23 12:00 UTC"),
        (jwt(exp="never"), "; it does not expire"),
        (jwt(exp=1e300), "; it does not expire"),
        ("a.!.c", "; it does not expire"),
        ("", ""),
    ],
)
def test_a_token_s_end_is_reported(token: str, shown: str) -> None:
    config = json.dumps(
        {
            "current-context": "a",
            "contexts": [{"name": "a", "context": {"cluster": "a", "user": "a"}}],
            "users": [{"name": "a", "user": {"token": token}}],
        }
    )
    messages = c.sentences("kubeconfig", c.good(), State.PASSED, c.outputs(kubeconfig=config))
    assert messages == [f"the API server accepts the kubeconfig's credentials{shown}"]


def test_many_mistakes_of_one_kind_are_counted() -> None:
    nodes = [c.node(f"n{number}", "cpuod") for number in range(30)]
    for number, entry in enumerate(nodes):
        entry["spec"]["taints"] = [c.taint(f"mine{number}=x:NoSchedule")]
    messages = c.sentences("contract", replace(c.good(), nodes=Result(nodes)), State.FAILED)
    assert messages[0] == (
        "30 nodes of pool cpuod without taint kubeflow-aks/fallback=true:NoSchedule (n0, n1, n10 and 27 more)"
    )
    assert len(messages) == 10
