"""`ckf-spot where` on the demo stack: reports on work that ckf_spot placed, and on evicted, misplaced or stuck work."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Generator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final
from xml.etree import ElementTree

import pytest
import yaml

from ckf_spot import Pools
from ckf_spot.where.record import read
from kubeflow_aks.clients.kubernetes.objects import Kind
from kubeflow_aks.local_aks.simulation.market import ALL, MarketEvent, Reclaim, Supply
from tests.local.ckf_spot_command import Ran, ckf_spot
from tests.local.commands import PATIENCE_SECONDS
from tests.local.demo_stack import REQUEST_SECONDS, DemoStack, Object
from tests.local.kubectl import eventually

ROOT: Final = Path(__file__).parents[6]
USER: Final = "reader"
SILENT: Final = "aks-cpuspot-87654321-vmss000000"
"""A node whose kubelet reports nothing."""
_UNKNOWN: Final = {  # what the node controller writes after 50 s of silence
    "type": "Ready",
    "status": "Unknown",
    "reason": "NodeStatusUnknown",
    "message": "Kubelet stopped posting node status.",
    "lastTransitionTime": "2026-11-01T00:00:00Z",
}
SVG: Final = "{http://www.w3.org/2000/svg}"


@dataclass(frozen=True)
class Scenario:
    """What there is to tell.

    Attributes:
        before: name of the node that the evicted Job ran on first.
        after: the pod that goes on with its work.
        reports: the reports on it, by the user who ran the command.
    """

    namespace: str
    before: str
    after: Object
    record: Path
    reports: dict[str, Ran]

    def json(self, who: str) -> dict[str, Any]:
        """A report as JSON."""
        return json.loads(self.reports[who].output)

    def work(self, who: str, name: str) -> dict[str, Any]:
        """A report's entry on a piece of work."""
        [entry] = [work for work in self.json(who)["work"] if work["name"] == name]
        return entry


def where(kubeconfig: Path, *arguments: str) -> Ran:
    """A report."""
    return ckf_spot(kubeconfig, "where", *arguments)


def in_a_process(kubeconfig: Path, *arguments: str) -> Ran:
    """A report by the program as a user starts it."""
    done = subprocess.run(
        _command(*arguments),
        env=_environment(kubeconfig),
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE_SECONDS,
    )
    return Ran(done.returncode, done.stdout, done.stderr.splitlines())


def _command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "ckf_spot.cli", "where", *arguments]


def _environment(kubeconfig: Path) -> dict[str, str]:
    inherited = {
        name: value for name, value in os.environ.items() if name not in {"COLUMNS", "CKF_SPOT_POOLS"}
    }
    return {**inherited, "KUBECONFIG": str(kubeconfig), "PYTHONPATH": str(ROOT / "packages/ckf-spot/src")}


@pytest.fixture(scope="module")
def namespace(demo: DemoStack) -> Generator[str]:
    with demo.namespace(Kind("apps", "v1", "StatefulSet")) as name:
        yield name


@dataclass(frozen=True)
class Silent:
    """A Job on a node without a kubelet, whose pod was deleted; the node is deleted after the report."""

    namespace: str
    pod: str
    report: dict[str, Any]
    pods_before: list[str]


@pytest.fixture(scope="module")
def silent(demo: DemoStack) -> Generator[Silent]:
    """Ahead of the other work: Kubernetes takes a minute to remove the pods of a node that is gone."""
    metadata = {
        "name": SILENT,
        "labels": {"kubernetes.azure.com/agentpool": "cpuspot"},
        "annotations": {"local-aks/silent": "true"},
    }
    node = {"apiVersion": "v1", "kind": "Node", "metadata": metadata}
    with demo.namespace() as namespace:
        job = _job("waiting", namespace)
        job["spec"]["template"]["metadata"]["annotations"] = {"local-aks/stop-seconds": "3600"}
        spec = job["spec"]["template"]["spec"]
        spec |= {"nodeName": SILENT, "restartPolicy": "Never", "terminationGracePeriodSeconds": 1}
        ignored = {"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget", "status": "True"}]}
        job["spec"]["podFailurePolicy"] = {"rules": [ignored]}
        demo.apply(node, job)
        unknown = json.dumps({"status": {"conditions": [_UNKNOWN]}})
        demo.kubectl.run(
            "patch", "node", SILENT, "--subresource", "status", "--type", "merge", "--patch", unknown
        )
        running = eventually(lambda: _running(demo, namespace, "waiting-"))
        assert running
        name = running["metadata"]["name"]
        demo.kubectl.run("delete", "pod", name, "--wait=false", "--namespace", namespace)
        time.sleep(2)  # its grace period, and a second, for times of the API have whole ones
        ran = where(demo.kubectl.kubeconfig, "-n", namespace, "-o", "json", "--patience", "0s")
        before = _names(demo, namespace)
        demo.kubectl.run("delete", "node", SILENT)
        yield Silent(namespace, name, json.loads(ran.output), before)


def _names(demo: DemoStack, namespace: str) -> list[str]:
    return [pod["metadata"]["name"] for pod in demo.pods(namespace)]


@pytest.fixture(scope="module")
def scenario(
    demo: DemoStack,
    namespace: str,
    silent: Silent,  # noqa: ARG001 - it comes first
    tmp_path_factory: pytest.TempPathFactory,
) -> Scenario:
    """A Job whose node was evicted, a CronJob's Job, a StatefulSet on spot, and a Job that lacks spot GPUs."""
    folder = tmp_path_factory.mktemp("reports")
    administrator = demo.kubectl.kubeconfig
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("KUBECONFIG", str(administrator))
        patch.delenv("CKF_SPOT_POOLS", raising=False)
        pools = Pools.load()  # from the ConfigMap that the program wrote into the cluster
    record = folder / "record.jsonl"
    recorder = subprocess.Popen(
        _command("-n", namespace, "--record", str(record)),
        env=_environment(administrator),
        stderr=subprocess.PIPE,
    )
    try:
        with demo.playing(MarketEvent(0, Supply.SOLD_OUT, "gpuspot"), step=4) as play:
            play.until("the recorder begins", lambda: record.exists() or None)
            demo.apply(pools["cpu"].place(_job("training", namespace), prefer="spot"))
            first = play.until("the Job runs", lambda: _running(demo, namespace, "training-"))
            before = first["spec"]["nodeName"]
            time.sleep(2)  # times of the API have whole seconds
            play.market.add(MarketEvent(play.clock.now(), Reclaim.EVICT, "cpuspot", ALL))
            play.until("its node is gone", lambda: before not in demo.nodes("cpuspot"))
            after = play.until("it runs again", lambda: _running(demo, namespace, "training-"))
            stuck = pools["gpu"].place(_job("inference", namespace, gpus=1), require="spot")
            demo.apply(_database(namespace), stuck, _nightly(namespace))
            by_hand = ("create", "job", "nightly-by-hand", "--from=cronjob/nightly", "--namespace", namespace)
            demo.kubectl.run(*by_hand)
            play.until("the database runs", lambda: _running(demo, namespace, "database-"))
            play.until("the CronJob's Job runs", lambda: _running(demo, namespace, "nightly-"))
            play.until("the other Job waits", lambda: _unschedulable(demo, namespace, "inference-"))
            play.until("no node comes", lambda: _refused(demo, namespace), every=REQUEST_SECONDS)
            user = _user(demo, namespace, folder)
            gone_on = after["spec"]["nodeName"]
            play.until("it is recorded", lambda: _is_recorded(record, demo, namespace, before, gone_on))
            reports = {
                "administrator": where(administrator, "-n", namespace, "-o", "json", "--patience", "0s"),
                "user": where(user, "-n", namespace, "-o", "json"),
                "everywhere": where(administrator, "-A", "-o", "json"),
                "checked": where(administrator, "-n", namespace, "--check", "--patience", "0s"),
                "table": in_a_process(administrator, "-n", namespace),
                "picture": where(administrator, "-n", namespace, "-o", "svg"),
            }
        recorder.send_signal(signal.SIGTERM)
        _, recording = recorder.communicate(timeout=PATIENCE_SECONDS)
        assert recorder.returncode == 0, recording.decode()
    finally:
        recorder.kill()
        recorder.wait()
    reports["recording"] = Ran(0, "", recording.decode().splitlines())
    for form in ("json", "svg"):
        reports[f"record as {form}"] = where(administrator, "--from", str(record), "-o", form)
    return Scenario(namespace, before, after, record, reports)


def _is_recorded(record: Path, demo: DemoStack, namespace: str, before: str, after: str) -> bool:
    """Whether the record has every pod, the one node as gone and the other one as there."""
    history = read(record)
    pods, nodes = {pod["metadata"]["uid"] for pod in demo.pods(namespace)}, history.there("node")
    return pods <= history.there("pod") and before not in nodes and after in nodes


def _job(name: str, namespace: str, *, gpus: int = 0) -> Object:
    limits = {"nvidia.com/gpu": str(gpus)} if gpus else {}
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": name, "namespace": namespace},
        "spec": {
            "template": {
                "metadata": {"annotations": {"local-aks/run-seconds": "600"}},
                "spec": {
                    "containers": [
                        {
                            "name": "main",
                            "image": "work",
                            "resources": {"requests": {"cpu": "1"}, "limits": limits},
                        }
                    ]
                },
            }
        },
    }


def _nightly(namespace: str) -> Object:
    """A CronJob that is not due before the test is over."""
    job = _job("nightly", namespace)
    job["spec"]["template"]["spec"]["restartPolicy"] = "Never"
    return {
        "apiVersion": "batch/v1",
        "kind": "CronJob",
        "metadata": job["metadata"],
        "spec": {"schedule": "0 0 1 1 *", "jobTemplate": {"spec": job["spec"]}},
    }


def _database(namespace: str) -> Object:
    labels = {"app": "database"}
    return {
        "apiVersion": "apps/v1",
        "kind": "StatefulSet",
        "metadata": {"name": "database", "namespace": namespace},
        "spec": {
            "serviceName": "database",
            "selector": {"matchLabels": labels},
            "template": {
                "metadata": {"labels": labels},
                "spec": {
                    "nodeSelector": {"kubernetes.azure.com/scalesetpriority": "spot"},
                    "tolerations": [{"key": "kubernetes.azure.com/scalesetpriority", "operator": "Exists"}],
                    "containers": [{"name": "main", "image": "work"}],
                },
            },
        },
    }


def _running(demo: DemoStack, namespace: str, prefix: str) -> Object | None:
    return next(
        (
            pod
            for pod in demo.pods(namespace)
            if pod["metadata"]["name"].startswith(prefix)
            and pod["status"].get("phase") == "Running"
            and "deletionTimestamp" not in pod["metadata"]
        ),
        None,
    )


def _unschedulable(demo: DemoStack, namespace: str, prefix: str) -> bool:
    return any(
        condition.get("reason") == "Unschedulable"
        for pod in demo.pods(namespace)
        if pod["metadata"]["name"].startswith(prefix)
        for condition in pod["status"].get("conditions", [])
    )


def _refused(demo: DemoStack, namespace: str) -> bool:
    """Whether the autoscaler makes no node for a pod, after it tried."""
    events = demo.api.list(Kind("", "v1", "Event"), namespace)
    return any(event["reason"] == "NotTriggerScaleUp" for event in events)


def _user(demo: DemoStack, namespace: str, folder: Path) -> Path:
    """Kubeconfig of somebody with Kubernetes' own role `view` in the namespace and no right elsewhere."""
    demo.kubectl.run("create", "serviceaccount", USER, "--namespace", namespace)
    demo.kubectl.run(
        "create", "rolebinding", USER, "--clusterrole=view", f"--serviceaccount={namespace}:{USER}",
        "--namespace", namespace,
    )  # fmt: skip
    token = demo.kubectl.run("create", "token", USER, "--namespace", namespace).strip()
    config = yaml.safe_load(demo.kubectl.kubeconfig.read_text(encoding="utf-8"))
    config["users"] = [{"name": USER, "user": {"token": token}}]
    for context in config["contexts"]:
        context["context"]["user"] = USER
    path = folder / "user.kubeconfig"
    path.write_text(yaml.safe_dump(config), encoding="utf-8")
    return path


def test_the_job_shows_with_one_eviction_on_a_new_node(scenario: Scenario) -> None:
    work = scenario.work("administrator", "training")
    assert (work["kind"], work["role"], work["evictions"], work["unexplained"]) == ("Job", "batch", 1, 0)
    first, last = work["pods"]
    assert (first["node"], first["state"], first["capacity"]) == (scenario.before, "evicted", "spot")
    assert (last["name"], last["state"]) == (scenario.after["metadata"]["name"], "running")
    assert last["node"] == scenario.after["spec"]["nodeName"] != scenario.before
    assert (last["pool"], last["capacity"]) == ("cpuspot", "spot")


def test_the_table_shows_it_too(scenario: Scenario) -> None:
    [row] = [
        line for line in scenario.reports["table"].output.splitlines() if line.startswith("Job/training")
    ]
    assert row.split()[1:5] == [scenario.after["metadata"]["name"], "cpuspot", "spot", "running"]
    assert row.endswith("1 from cpuspot")


@pytest.mark.parametrize("who", ["administrator", "user", "record as json"])
def test_the_pod_of_a_cron_jobs_job_is_the_cron_jobs(scenario: Scenario, who: str) -> None:
    work = scenario.work(who, "nightly")
    assert (work["kind"], work["part"], work["role"]) == ("CronJob", "by-hand", "batch")


def test_the_stateful_set_on_spot_is_a_violation(scenario: Scenario) -> None:
    [violation] = [
        entry for entry in scenario.json("administrator")["violations"] if entry["rule"] == "stateful-on-spot"
    ]
    assert (violation["namespace"], violation["name"]) == (scenario.namespace, "database-0")
    assert violation["advice"].endswith("from StatefulSet database")


def test_work_that_requires_sold_out_spot_shows_as_stuck(scenario: Scenario) -> None:
    [violation] = [
        entry for entry in scenario.json("administrator")["violations"] if entry["rule"] == "stuck-on-spot"
    ]
    assert violation["name"].startswith("inference-")
    assert "for a node of gpuspot" in violation["message"]
    # The autoscaler waits before it tries again, or has begun to: its clock goes on while others look.
    moments = (
        "the autoscaler got no node and waits before it tries again|no node of gpuspot has come in [0-9hms ]+"
    )
    assert re.search(rf"\(({moments}): Azure has no VM", violation["message"])
    assert "prefer='spot' (gpuod is closed to it: " in violation["advice"]


def test_nothing_else_is_a_violation(scenario: Scenario) -> None:
    rules = [violation["rule"] for violation in scenario.json("administrator")["violations"]]
    assert sorted(rules) == ["stateful-on-spot", "stuck-on-spot"]
    elsewhere = [
        violation
        for violation in scenario.json("everywhere")["violations"]
        if violation["namespace"] != scenario.namespace
    ]
    assert elsewhere == []


def test_work_is_not_stuck_before_its_time(scenario: Scenario) -> None:
    assert "stuck-on-spot" not in scenario.reports["table"].output


def test_check_turns_violations_into_an_exit_code(scenario: Scenario) -> None:
    assert (scenario.reports["checked"].code, scenario.reports["table"].code) == (1, 0)


def test_a_user_of_the_namespace_sees_pools_without_reading_nodes(scenario: Scenario) -> None:
    assert scenario.reports["user"].errors == []
    work = scenario.work("user", "training")
    assert (work["pods"][-1]["pool"], work["pods"][-1]["capacity"]) == ("cpuspot", "spot")
    assert (work["evictions"], work["unexplained"]) == (
        0,
        1,
    )  # the reason of a pod's end is known from nodes or a record only
    assert "nodes may not be read" in " ".join(scenario.json("user")["notes"])


def test_the_record_knows_why_the_pod_went(scenario: Scenario) -> None:
    work = scenario.work("record as json", "training")
    assert work["evictions"] == 1
    assert (work["pods"][0]["why"], work["pods"][0]["source"]) == ("EvictionByEvictionAPI", "pod")
    assert any(line.endswith("(EvictionByEvictionAPI)") for line in scenario.reports["recording"].errors)


@pytest.mark.parametrize("who", ["picture", "record as svg"])
def test_the_picture_has_both_nodes_and_the_eviction(scenario: Scenario, who: str) -> None:
    root = ElementTree.fromstring(scenario.reports[who].output)  # noqa: S314 - our own
    titles = [element.text or "" for element in root.iter(f"{SVG}title")]
    assert [
        title
        for title in titles
        if title.startswith(f"{scenario.before}: ") and title.endswith(", taken back")
    ]
    assert [title for title in titles if title.startswith(f"{scenario.after['spec']['nodeName']}: ")]
    assert [title for title in titles if "training" in title and title.endswith(", evicted")]


def test_a_namespace_that_does_not_exist_is_one_line(demo: DemoStack) -> None:
    ran = where(demo.kubectl.kubeconfig, "-n", "nowhere")
    assert (ran.code, ran.output, len(ran.errors)) == (2, "", 1)
    recording, _, allowed = ran.errors[0].partition("; expected ")
    assert recording == "ckf-spot: --namespace: 'nowhere' does not exist"
    assert {"default", "kube-system"} <= set(allowed.split(", "))


def test_what_is_forbidden_is_one_line(scenario: Scenario) -> None:
    ran = where(scenario.record.parent / "user.kubeconfig", "-A")
    assert (ran.code, ran.output, len(ran.errors)) == (2, "", 1)
    assert ran.errors[0].startswith(
        "ckf-spot: pods of all namespaces can't be read: pods is forbidden: User "
    )


def test_a_cluster_that_does_not_answer_is_one_line(demo: DemoStack, tmp_path: Path) -> None:
    config = yaml.safe_load(demo.kubectl.kubeconfig.read_text(encoding="utf-8"))
    for cluster in config["clusters"]:
        cluster["cluster"]["server"] = "https://127.0.0.1:1"
    path = tmp_path / "kubeconfig"
    path.write_text(yaml.safe_dump(config), encoding="utf-8")
    ran = where(path)
    assert (ran.code, ran.output, len(ran.errors)) == (2, "", 1)
    assert ran.errors[0].startswith("ckf-spot: the cluster does not answer: ")


def test_a_pod_on_a_silent_node_is_stuck_and_its_job_waits_for_it(silent: Silent) -> None:
    [violation] = silent.report["violations"]
    assert (violation["rule"], violation["name"]) == ("stuck-terminating", silent.pod)
    assert f"its node {SILENT} has been silent for " in violation["message"]
    assert violation["advice"].endswith(f"kubectl delete node {SILENT}")
    assert silent.pods_before == [silent.pod], "the Job makes no other pod before that"


@pytest.mark.usefixtures("scenario")
def test_and_once_the_node_is_deleted_the_job_goes_on(demo: DemoStack, silent: Silent) -> None:
    """As advised; Kubernetes removes a pod 40 s after its node, and looks every 20 s (pkg/controller/podgc)."""
    eventually(lambda: [name for name in _names(demo, silent.namespace) if name != silent.pod])
