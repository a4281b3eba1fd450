"""`./kubeflow-aks verify` on the demo stack: a fresh one passes every check, and each broken one is reported."""

from __future__ import annotations

import base64
import json
import re
import subprocess
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final, Protocol

import pytest
import yaml

from kubeflow_aks.cli.process import main as command_line
from kubeflow_aks.clients.kubernetes.objects import Object
from kubeflow_aks.verify.findings import RESTORE
from tests.local.demo_stack import DemoStack
from tests.local.engine.deployment import Cluster
from tests.local.kubectl import eventually
from tests.local.verify import by_hand
from tests.local.verify.breakages import BREAKAGES, OURS, Breakage, fresh


def main(arguments: Sequence[str]) -> int:
    """Runs the command."""
    return command_line(["verify", *arguments])


def files_of(outputs: Path) -> list[str]:
    """The options for a file of outputs, with the state in the same folder."""
    return ["--outputs", str(outputs), "--state", str(outputs.with_name("state.json"))]


GENERAL: Final = "kubernetes.azure.com/agentpool=general"
SYSTEM: Final = "kubernetes.azure.com/mode=system"
DEFAULT: Final = "storageclass.kubernetes.io/is-default-class"
GUARD: Final = "validatingadmissionpolicybinding"
POLICY: Final = "kubeflow-aks-keep-off-spot"
_LIMIT_SECONDS: Final = 240.0
MAP: Final = "cluster-autoscaler-priority-expander"
Findings = dict[str, list[tuple[str, str]]]


class Verify(Protocol):
    """Runs the command with the stack's outputs, or others."""

    def __call__(self, file: Path = ...) -> Findings:
        """State and sentence by check."""
        ...


@pytest.fixture(scope="module")
def outputs(demo: DemoStack, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What `pulumi stack output --json --show-secrets` prints, and beside it what `pulumi stack export` does."""
    file = tmp_path_factory.mktemp("verify") / "outputs.json"
    file.write_text(json.dumps(demo.engine.outputs().values), encoding="utf-8")
    file.with_name("state.json").write_text(
        json.dumps({"deployment": demo.engine.export()}), encoding="utf-8"
    )
    return file


@pytest.fixture
def verify(outputs: Path, capsys: pytest.CaptureFixture[str]) -> Verify:
    """State and sentence by check."""

    def run(file: Path = outputs) -> Findings:
        code = main(["demo", *files_of(file), "--format", "json"])
        document: dict[str, Any] = json.loads(capsys.readouterr().out)
        assert code == (1 if document["brokenNow"] else 4 if document["willBreak"] else 0)
        results: Findings = {}
        for finding in document["findings"]:
            results.setdefault(finding["check"], []).append((finding["state"], finding["message"]))
        return results

    return run


Actions = Callable[[Path], dict[str, str]]


@pytest.fixture
def actions(capsys: pytest.CaptureFixture[str]) -> Actions:
    """Runs the command with a file of outputs: what to do about each check that fails."""

    def run(file: Path) -> dict[str, str]:
        main(["demo", *files_of(file), "--format", "json"])
        findings: list[dict[str, str]] = json.loads(capsys.readouterr().out)["findings"]
        return {finding["check"]: finding["action"] for finding in findings if finding["state"] == "failed"}

    return run


def failed(findings: Findings) -> dict[str, list[str]]:
    """Sentences on promises that are broken."""
    only = {
        check: [message for state, message in results if state == "failed"]
        for check, results in findings.items()
    }
    return {check: results for check, results in only.items() if results}


def test_a_fresh_stack_passes_what_can_be_checked(verify: Verify) -> None:
    findings = _until(verify, lambda findings: not failed(findings))
    assert failed(findings) == {}
    kept = {check for check, results in findings.items() if "passed" in {state for state, _ in results}}
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
        "objects",
        "rights",
        "daemon-sets",
        "priority-classes",
        "guard",
        "kubeconfig",
        "juju-token",
        "version",
        "kubelets",
        "validated",
        "supported",
    }
    # No node of the local AKS has a kubelet that serves logs.
    [(state, message)] = findings["kernel-limits"]
    assert (state, "cannot be checked here" in message) == ("unknown", True)
    [(state, message)] = findings["guard"]
    assert message == (
        "in dry runs, the API server refuses a notebook that tolerates everything and a notebook that tolerates "
        "spot, and admits a batch pod that tolerates spot, a daemon's pod that tolerates spot and a notebook without "
        "toleration"
    )


def test_it_leaves_nothing_behind(demo: DemoStack, verify: Verify) -> None:
    cluster = Cluster(demo.kubectl.kubeconfig)
    before = cluster.objects().keys()
    verify()
    assert cluster.objects().keys() == before


def test_nodes_that_were_changed_by_hand_are_reported(demo: DemoStack, verify: Verify) -> None:
    demo.kubectl.run("taint", "node", "--selector", GENERAL, "mine=yes:NoSchedule")
    demo.kubectl.run("taint", "node", "--selector", SYSTEM, "CriticalAddonsOnly=true:NoSchedule-")
    try:
        results = failed(verify())
    finally:
        demo.kubectl.run("taint", "node", "--selector", GENERAL, "mine=yes:NoSchedule-")
        demo.kubectl.run("taint", "node", "--selector", SYSTEM, "CriticalAddonsOnly=true:NoSchedule")
    assert "nodes of pool general with taint mine=yes:NoSchedule" in results["contract"][0]
    assert "without taint CriticalAddonsOnly" in results["system-nodes"][0]
    assert "no taint on system, besides Kubeflow's own pool" in results["one-open-pool"][0]
    assert failed(_until(verify, lambda findings: not failed(findings))) == {}


def test_objects_that_were_changed_by_hand_are_reported(demo: DemoStack, verify: Verify) -> None:
    binding = demo.kubectl.run("get", GUARD, POLICY, "--output", "json")
    priorities = demo.kubectl.run("get", "configmap", MAP, "--namespace", "kube-system", "--output", "json")
    demo.kubectl.run("annotate", "storageclass", "ckf-zrs", f"{DEFAULT}=true")
    demo.kubectl.run("delete", GUARD, POLICY)
    patch = json.dumps({"data": {"priorities": "10:\n  - ^aks-cpuspot-\n1:\n  - .*\n"}})
    demo.kubectl.run("patch", "configmap", MAP, "--namespace", "kube-system", "--patch", patch)
    try:
        results = failed(_until(verify, lambda findings: "guard" in failed(findings)))
    finally:
        demo.kubectl.run("annotate", "storageclass", "ckf-zrs", f"{DEFAULT}-")
        demo.api.create(fresh(binding), "tests")
        old = json.dumps({"data": json.loads(priorities)["data"]})
        demo.kubectl.run("patch", "configmap", MAP, "--namespace", "kube-system", "--patch", old)
    assert failed(_until(verify, lambda findings: not failed(findings))) == {}
    assert results["default-storage"] == [
        "storage classes ckf-zrs and default are both the default; claims without a class get the newest"
    ]
    assert results["guard"][0] == "a notebook that tolerates spot is admitted, so an eviction could hit it"
    assert results["priority-map"] == ["the priority map does not list cpuod, gpuod and gpuspot"]


def test_a_pod_that_nobody_places_is_reported_with_the_scheduler_s_reason(
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
            "--timeout=240s",
        )
        results = failed(verify(short))
    assert results["pending"][0].startswith(
        f"1 pod pending for longer than 0s ({namespace}/huge): 0/4 nodes are available"
    )


def test_a_token_that_the_api_server_does_not_take_is_reported(outputs: Path, verify: Verify) -> None:
    other = _changed(outputs, "token.json", lambda values: values.update(jujuToken=f"{values['jujuToken']}x"))
    assert failed(verify(other)).keys() == {"juju-token"}


def test_a_namespace_kubeflow_made_by_hand_is_reported_and_juju_s_is_not(
    demo: DemoStack, verify: Verify
) -> None:
    demo.kubectl.run("create", "namespace", "kubeflow")
    try:
        results = _until(verify, lambda findings: failed(findings).keys() == {"kubeflow-namespace"})
        demo.kubectl.run("annotate", "namespace", "kubeflow", "model.juju.is/id=0")
        after = _until(verify, lambda findings: not failed(findings))
    finally:
        demo.kubectl.run("delete", "namespace", "kubeflow", "--wait")
    assert failed(results).keys() == {"kubeflow-namespace"}
    assert "a pod in namespace kubeflow that tolerates spot" in results["guard"][0][1]
    assert failed(after) == {}


@pytest.mark.parametrize("breakage", BREAKAGES, ids=lambda breakage: breakage.name)
def test_a_breakage_is_reported(breakage: Breakage, demo: DemoStack, verify: Verify) -> None:
    with breakage.broken(demo):
        findings = _until(verify, lambda findings: failed(findings).keys() == breakage.checks)
    assert failed(findings).keys() == breakage.checks
    assert any(breakage.message in text for results in findings.values() for _, text in results)
    assert failed(_until(verify, lambda findings: not failed(findings))) == {}


SERVING: Final[Object] = {
    "apiVersion": "apiextensions.k8s.io/v1",
    "kind": "CustomResourceDefinition",
    "metadata": {"name": "inferenceservices.serving.kserve.io"},
    "spec": {
        "group": "serving.kserve.io",
        "scope": "Namespaced",
        "names": {"kind": "InferenceService", "plural": "inferenceservices", "singular": "inferenceservice"},
        "versions": [
            {
                "name": "v1beta1",
                "served": True,
                "storage": True,
                "schema": {
                    "openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
                },
            }
        ],
    },
}
"""As much of KServe's as an API server needs to know of it."""
SPOT: Final[Object] = {
    "containers": [{"name": "a", "image": "a"}],
    "tolerations": [{"key": "kubernetes.azure.com/scalesetpriority", "value": "spot"}],
}
CLAIM: Final[Object] = {"volumes": [{"name": "a", "persistentVolumeClaim": {"claimName": "a"}}]}


def _owned(kind: str, spec: Object, **metadata: object) -> Object:
    owner = {"apiVersion": "apps/v1", "kind": kind, "name": "a", "uid": "0"}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"ownerReferences": [owner], **metadata},
        "spec": spec,
    }


def _of(kind: str, spec: Object) -> Object:
    template = {"metadata": {"labels": {"app": "a"}}, "spec": spec}
    selector = {"matchLabels": {"app": "a"}}
    more = {"serviceName": "a"} if kind == "StatefulSet" else {}
    return {
        "apiVersion": "apps/v1",
        "kind": kind,
        "spec": {"selector": selector, "template": template, **more},
    }


def _served(**parts: Object) -> Object:
    return {"apiVersion": "serving.kserve.io/v1beta1", "kind": "InferenceService", "spec": parts}


KEPT: Final[list[tuple[str, Object, bool]]] = [
    ("a StatefulSet", _of("StatefulSet", SPOT), True),
    ("a StatefulSet without toleration", _of("StatefulSet", {"containers": SPOT["containers"]}), False),
    ("a Deployment with a claim", _of("Deployment", {**SPOT, **CLAIM}), True),
    ("a Deployment without", _of("Deployment", SPOT), False),
    ("a predictor", _served(predictor=SPOT), True),
    ("a transformer", _served(predictor={}, transformer=SPOT), True),
    ("a predictor without toleration", _served(predictor={"model": {}}), False),
    ("a StatefulSet's pod", _owned("StatefulSet", SPOT), True),
    ("a Deployment's pod with a claim", _owned("ReplicaSet", {**SPOT, **CLAIM}), True),
    ("a Job's pod with a claim", _owned("Job", {**SPOT, **CLAIM}), False),
    ("a server's pod", _owned("ReplicaSet", SPOT, labels={"serving.kserve.io/inferenceservice": "a"}), True),
]


def test_a_namespace_may_keep_stateful_work_and_model_servers_off_spot(demo: DemoStack) -> None:
    """The API server itself refuses or warns by the namespace's label, and leaves other namespaces alone."""
    demo.apply(SERVING)
    demo.kubectl.run("wait", "--for=condition=Established", "crd/inferenceservices.serving.kserve.io")
    labels = {"": None, "warn": "Warning", "deny": "Error", "Deni": "Error"}
    answers: dict[str, list[str | None]] = {"warn": [], "deny": []}
    try:
        with demo.namespace() as namespace:
            for label, kept in labels.items():
                if label:
                    assign = f"kubeflow-aks/keep-off-spot={label}"
                    demo.kubectl.run("label", "namespace", namespace, assign, "--overwrite")
                eventually(partial(_answers, demo, namespace, KEPT[0][1], kept))
                if label in answers:
                    answers[label] = [_answer(demo, namespace, body) for _, body, _ in KEPT]
            demo.kubectl.run("label", "namespace", namespace, "kubeflow-aks/keep-off-spot-")
    finally:
        demo.kubectl.run("delete", "crd", "inferenceservices.serving.kserve.io")
    assert answers == {
        label: [labels[label] if stateful else None for _, _, stateful in KEPT] for label in answers
    }


def _answers(demo: DemoStack, namespace: str, body: Object, expected: str | None) -> bool:
    return _answer(demo, namespace, body) == expected


def _answer(demo: DemoStack, namespace: str, body: Object) -> str | None:
    """`Warning` or `Error` of the guard, None where the API server takes an object without a word of it."""
    kubectl = demo.kubectl
    named = {**body, "metadata": {**body.get("metadata", {}), "name": "a"}}
    result = subprocess.run(
        [
            kubectl.tools["kubectl"],
            *(
                "--kubeconfig",
                kubectl.kubeconfig,
                "--cache-dir",
                kubectl.kubeconfig.with_name("kubectl-cache"),
            ),
            *("--namespace", namespace, "create", "--dry-run=server", "-f", "-"),
        ],
        input=json.dumps(named),
        capture_output=True,
        text=True,
        check=False,
    )
    lines = [line for line in result.stderr.splitlines() if "kubeflow-aks-keep-profiles-off-spot" in line]
    assert lines or not result.returncode, result.stderr
    assert all("must not tolerate kubernetes.azure.com/scalesetpriority" in line for line in lines)
    return re.split(r"\W", lines[0])[0] if lines else None


def test_an_account_without_rights_ends_with_3(
    demo: DemoStack, outputs: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    demo.kubectl.run("create", "serviceaccount", "nobody", *OURS)
    token = demo.kubectl.run("create", "token", "nobody", *OURS).strip()

    def signed_in(values: Any) -> None:
        config = yaml.safe_load(values["kubeconfig"])
        config["users"] = [{"name": user["name"], "user": {"token": token}} for user in config["users"]]
        values["kubeconfig"] = json.dumps(config)

    try:
        code = main(["demo", "--outputs", str(_changed(outputs, "nobody.json", signed_in))])
    finally:
        demo.kubectl.run("delete", "serviceaccount", "nobody", *OURS)
    captured = capsys.readouterr()
    assert code == 3
    assert "✘" not in captured.out
    assert captured.err.startswith(
        "error: demo: none of the cluster's objects can be read: no permission: nodes is"
    )


def test_another_certificate_authority_ends_with_3(outputs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    key = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", "/dev/null")
    command = ["openssl", "req", "-x509", "-subj", "/CN=other", *key]
    other = subprocess.run(command, capture_output=True, check=True).stdout

    def another(values: Any) -> None:
        config = yaml.safe_load(values["kubeconfig"])
        for cluster in config["clusters"]:
            cluster["cluster"]["certificate-authority-data"] = base64.b64encode(other).decode()
        values["kubeconfig"] = json.dumps(config)

    assert main(["demo", "--outputs", str(_changed(outputs, "other.json", another))]) == 3
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith(
        "error: demo: the API server's certificate is not signed by the certificate authority"
    )
    assert "run `pulumi up --refresh`, then `./kubeflow-aks handoff demo`" in captured.err


def test_what_verify_says_to_do_restores_every_object_and_pool(
    demo: DemoStack, actions: Actions, outputs: Path, tmp_path: Path
) -> None:
    """`RESTORE`, which renews the kubeconfig, too; after an update: tests/local/engine/test_hand_edits.py."""
    intended, kubeconfig, now = by_hand.pools(demo.azure), demo.aks.run.kubeconfig, tmp_path / "outputs.json"
    renewed = f"{kubeconfig.read_text()}# renewed\n"
    demo.aks.start_service()
    engine = demo.aks.engine
    try:
        by_hand.objects_are_changed(demo)
        remedies = eventually(
            lambda: remedies if (remedies := actions(outputs)).keys() == by_hand.FAILED else {}
        )
        assert {check for check, action in remedies.items() if RESTORE not in action} == set()
        assert f"delete them and {RESTORE}" in remedies["priority-classes"]
        demo.kubectl.run("delete", "priorityclass", by_hand.BATCH)
        by_hand.pools_are_changed(demo.azure)
        assert by_hand.pools(demo.azure) != intended
        kubeconfig.write_text(renewed)
        engine.refresh()
        engine.up()  # as with --skip-preview
    finally:
        demo.aks.stop_service()
    values = engine.outputs().values
    assert values["kubeconfig"] == renewed
    assert by_hand.pools(demo.azure) == intended
    now.write_text(json.dumps(values), encoding="utf-8")
    now.with_name("state.json").write_text(json.dumps({"deployment": engine.export()}), encoding="utf-8")
    assert eventually(lambda: not actions(now))


def test_the_default_storage_class_is_restored_as_verify_says(
    demo: DemoStack, actions: Actions, outputs: Path
) -> None:
    demo.kubectl.run("annotate", "storageclass", "default", f"{DEFAULT}-")
    remedies = eventually(lambda: actions(outputs))
    assert remedies.keys() == {"default-storage"}
    [command] = re.findall("`kubectl (.*?)`", remedies["default-storage"])
    demo.kubectl.run(*command.split())
    assert eventually(lambda: not actions(outputs))


def _changed(outputs: Path, name: str, change: Callable[[Any], object]) -> Path:
    """The outputs with something else in them."""
    values = json.loads(outputs.read_text(encoding="utf-8"))
    change(values)
    file = outputs.with_name(name)
    file.write_text(json.dumps(values), encoding="utf-8")
    return file


def _until(verify: Verify, expected: Callable[[Findings], bool]) -> Findings:
    """The findings as soon as they are as expected, or the last ones: the API server takes a moment to see a change."""
    deadline = time.monotonic() + _LIMIT_SECONDS
    while not expected(findings := verify()) and time.monotonic() < deadline:
        time.sleep(0.2)
    return findings
