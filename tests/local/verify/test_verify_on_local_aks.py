"""`make verify` on the demo stack: a fresh one keeps every promise, and each that is broken by hand is told."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, Protocol

import pytest

from kube.objects import Object
from tests.local.demo_stack import DemoStack
from verify.__main__ import main

GENERAL: Final = "kubernetes.azure.com/agentpool=general"
SYSTEM: Final = "kubernetes.azure.com/mode=system"
DEFAULT: Final = "storageclass.kubernetes.io/is-default-class"
GUARD: Final = "validatingadmissionpolicybinding"
POLICY: Final = "kubeflow-aks-keep-off-spot"
_PATIENCE: Final = 30.0
MAP: Final = "cluster-autoscaler-priority-expander"
Findings = dict[str, list[tuple[str, str]]]


class Verify(Protocol):
    """Runs the command with the stack's outputs, or others."""

    def __call__(self, file: Path = ...) -> Findings:
        """State and sentence by check."""
        ...


@pytest.fixture(scope="module")
def outputs(demo: DemoStack, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What `pulumi stack output --json --show-secrets` prints."""
    file = tmp_path_factory.mktemp("verify") / "outputs.json"
    demo.aks.start_service()
    try:
        file.write_text(json.dumps(demo.aks.engine.outputs().values), encoding="utf-8")
    finally:
        demo.aks.stop_service()
    return file


@pytest.fixture
def verify(outputs: Path, capsys: pytest.CaptureFixture[str]) -> Verify:
    """State and sentence by check."""

    def run(file: Path = outputs) -> Findings:
        code = main(["demo", "--outputs", str(file), "--format", "json"])
        document: dict[str, Any] = json.loads(capsys.readouterr().out)
        assert code == (1 if document["broken"] else 0)
        found: Findings = {}
        for each in document["findings"]:
            found.setdefault(each["check"], []).append((each["state"], each["sentence"]))
        return found

    return run


def broken(findings: Findings) -> dict[str, list[str]]:
    """Sentences on promises that are broken."""
    only = {check: [said for state, said in told if state == "broken"] for check, told in findings.items()}
    return {check: told for check, told in only.items() if told}


def test_a_fresh_stack_keeps_what_can_be_seen(verify: Verify) -> None:
    findings = verify()
    assert broken(findings) == {}
    kept = {check for check, told in findings.items() if "kept" in {state for state, _ in told}}
    assert kept >= {
        "nodes-ready",
        "contract",
        "known-pools",
        "one-open-pool",
        "system-nodes",
        "priority-map",
        "pending",
        "default-storage",
        "storage",
        "guard",
        "kubeconfig",
        "juju-token",
        "version",
        "kubelets",
        "validated",
        "supported",
    }
    # No node of the local AKS has a kubelet that serves logs.
    [(state, said)] = findings["kernel-limits"]
    assert (state, "can't be seen here" in said) == ("unseen", True)
    [(state, said)] = findings["guard"]
    assert said == (
        "asked by dry runs, the API server refuses a notebook that tolerates everything and a notebook that tolerates "
        "spot, and lets in a batch pod that tolerates spot, a daemon's pod that tolerates spot and a notebook without "
        "toleration"
    )


def test_it_leaves_nothing_behind(demo: DemoStack, verify: Verify) -> None:
    before = sorted(each["metadata"]["uid"] for each in demo.api.everything() if each["kind"] != "Lease")
    verify()
    assert before == sorted(
        each["metadata"]["uid"] for each in demo.api.everything() if each["kind"] != "Lease"
    )


def test_nodes_that_were_changed_by_hand_are_told(demo: DemoStack, verify: Verify) -> None:
    demo.kubectl.run("taint", "node", "--selector", GENERAL, "mine=yes:NoSchedule")
    demo.kubectl.run("taint", "node", "--selector", SYSTEM, "CriticalAddonsOnly=true:NoSchedule-")
    try:
        told = broken(verify())
    finally:
        demo.kubectl.run("taint", "node", "--selector", GENERAL, "mine=yes:NoSchedule-")
        demo.kubectl.run("taint", "node", "--selector", SYSTEM, "CriticalAddonsOnly=true:NoSchedule")
    assert "nodes of pool general with taint mine=yes:NoSchedule" in told["contract"][0]
    assert "without taint CriticalAddonsOnly" in told["system-nodes"][0]
    assert "beside Kubeflow's home, system has no taint" in told["one-open-pool"][0]
    assert broken(verify()) == {}


def test_objects_that_were_changed_by_hand_are_told(demo: DemoStack, verify: Verify) -> None:
    binding = demo.kubectl.run("get", GUARD, POLICY, "--output", "json")
    priorities = demo.kubectl.run("get", "configmap", MAP, "--namespace", "kube-system", "--output", "json")
    demo.kubectl.run("annotate", "storageclass", "ckf-zrs", f"{DEFAULT}=true")
    demo.kubectl.run("delete", GUARD, POLICY)
    patch = json.dumps({"data": {"priorities": "10:\n  - ^aks-cpuspot-\n1:\n  - .*\n"}})
    demo.kubectl.run("patch", "configmap", MAP, "--namespace", "kube-system", "--patch", patch)
    try:
        told = _until_broken(verify, "guard")
    finally:
        demo.kubectl.run("annotate", "storageclass", "ckf-zrs", f"{DEFAULT}-")
        demo.api.create(_fresh(binding), "tests")
        old = json.dumps({"data": json.loads(priorities)["data"]})
        demo.kubectl.run("patch", "configmap", MAP, "--namespace", "kube-system", "--patch", old)
    _until_kept(verify)
    assert told["default-storage"] == [
        "storage classes ckf-zrs and default are the default at once; claims without a class get the newest of them"
    ]
    assert told["guard"][0] == "a notebook that tolerates spot is let in, so an eviction could take it"
    assert told["priority-map"] == ["the priority map does not name cpuod, gpuod and gpuspot"]


def test_a_pod_that_nobody_places_is_told_with_the_scheduler_s_reason(
    demo: DemoStack, outputs: Path, verify: Verify
) -> None:
    def at_once(values: Any) -> None:
        values["clusterBasis"]["autoscaler"]["maxNodeProvisionTime"] = "0s"

    short = _changed(outputs, "short.json", at_once)
    with demo.namespace() as namespace:
        container = {"name": "a", "image": "a", "resources": {"requests": {"cpu": "500"}}}
        pod: Object = {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {"name": "huge", "namespace": namespace},
            "spec": {"containers": [container]},
        }
        demo.apply(pod)
        demo.kubectl.run(
            "wait",
            "--for=condition=PodScheduled=false",
            "pod/huge",
            "--namespace",
            namespace,
            "--timeout=30s",
        )
        told = broken(verify(short))
    assert told["pending"][0].startswith(
        f"1 pod pending for longer than 0s ({namespace}/huge): 0/4 nodes are available"
    )


def test_a_token_that_the_api_server_does_not_take_is_told(outputs: Path, verify: Verify) -> None:
    other = _changed(outputs, "token.json", lambda values: values.update(jujuToken=f"{values['jujuToken']}x"))
    assert broken(verify(other)).keys() == {"juju-token"}


def test_a_namespace_kubeflow_made_by_hand_is_told_and_juju_s_is_not(demo: DemoStack, verify: Verify) -> None:
    demo.kubectl.run("create", "namespace", "kubeflow")
    try:
        told = verify()
        demo.kubectl.run("annotate", "namespace", "kubeflow", "model.juju.is/id=0")
        after = verify()
    finally:
        demo.kubectl.run("delete", "namespace", "kubeflow", "--wait")
    assert broken(told).keys() == {"kubeflow-namespace"}
    assert "a pod in namespace kubeflow that tolerates spot" in told["guard"][0][1]
    assert broken(after) == {}


def _changed(outputs: Path, name: str, change: Callable[[Any], object]) -> Path:
    """The outputs with something else in them."""
    values = json.loads(outputs.read_text(encoding="utf-8"))
    change(values)
    file = outputs.with_name(name)
    file.write_text(json.dumps(values), encoding="utf-8")
    return file


def _fresh(text: str) -> Object:
    """An object as it was before the API server had it."""
    obj = json.loads(text)
    kept = {key: obj["metadata"][key] for key in ("name", "labels", "annotations") if key in obj["metadata"]}
    return {"apiVersion": obj["apiVersion"], "kind": obj["kind"], "metadata": kept, "spec": obj["spec"]}


def _until_kept(verify: Verify) -> None:
    """Waits until the API server has seen a policy come back."""
    deadline = time.monotonic() + _PATIENCE
    while broken(verify()) and time.monotonic() < deadline:
        time.sleep(0.5)


def _until_broken(verify: Verify, check: str) -> dict[str, list[str]]:
    """What is broken as soon as a check tells of it: the API server takes a moment to see a policy go."""
    deadline = time.monotonic() + _PATIENCE
    while check not in (told := broken(verify())) and time.monotonic() < deadline:
        time.sleep(0.5)
    return told
