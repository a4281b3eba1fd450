"""The control plane's life, and how nodes and pods live on it."""

from __future__ import annotations

import os
import socket
import time
import uuid
from collections.abc import Generator
from datetime import datetime
from functools import partial
from pathlib import Path

import pytest

from kubeflow_aks.local_aks.control_plane import kwokctl
from kubeflow_aks.local_aks.control_plane.kwokctl import COMPONENTS, ControlPlane, ControlPlaneError
from kubeflow_aks.local_aks.run.directory import MARKER, RunDirectory
from kubeflow_aks.local_aks.run.processes import command_line
from kubeflow_aks.tools import Tools
from tests.local.kubectl import Kubectl, Object, eventually
from tests.local.ports import listening, readable

DISRUPTED = {"type": "DisruptionTarget", "status": "True"}


@pytest.fixture
def lines() -> list[str]:
    return []


@pytest.fixture
def plane(tools: Tools, tmp_path: Path, lines: list[str]) -> Generator[ControlPlane]:
    """One of this test alone, not started yet, in a folder deeper than the 107 bytes that a Unix socket may have."""
    plane = ControlPlane(RunDirectory.at(tmp_path / ("deep" * 30) / "run"), tools, report=lines.append)
    yield plane
    plane.stop()


@pytest.fixture
def node(kubectl: Kubectl) -> Generator[str]:
    """A node of this test alone: whatever goes there must ask for it by name."""
    name = f"node-{uuid.uuid4().hex[:8]}"
    capacity = {"cpu": "8", "memory": "32Gi", "pods": "110"}
    kubectl.apply(
        {
            "apiVersion": "v1",
            "kind": "Node",
            "metadata": {"name": name, "labels": {"kubernetes.io/hostname": name}},
            "spec": {"taints": [{"key": "test", "value": name, "effect": "NoSchedule"}]},
            "status": {"capacity": capacity, "allocatable": capacity},
        }
    )
    yield name
    kubectl.run("delete", "node", name)


def _pids(plane: ControlPlane) -> dict[str, int]:
    return {file.stem: int(file.read_text()) for file in plane.run.kwok.glob("clusters/*/pids/*.pid")}


def _ended(plane: ControlPlane, name: str) -> bool:
    return kwokctl.component(plane.run, name).running() is None


def _job(node: str, *, seconds: int | None) -> Object:
    annotations = {} if seconds is None else {"local-aks/run-seconds": str(seconds)}
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": "work"},
        "spec": {
            "backoffLimit": 0,
            "podFailurePolicy": {"rules": [{"action": "Ignore", "onPodConditions": [DISRUPTED]}]},
            "template": {
                "metadata": {"annotations": annotations},
                "spec": {
                    "restartPolicy": "Never",
                    "nodeSelector": {"kubernetes.io/hostname": node},
                    "tolerations": [{"operator": "Exists"}],
                    "containers": [{"name": "main", "image": "work"}],
                },
            },
        },
    }


def _running(kubectl: Kubectl) -> list[str]:
    return [pod["metadata"]["name"] for pod in kubectl.pods() if pod["status"]["phase"] == "Running"]


def _evict(kubectl: Kubectl, pod: str) -> None:
    path = f"/api/v1/namespaces/{kubectl.namespace}/pods/{pod}/eviction"
    metadata = f'{{"name": "{pod}", "namespace": "{kubectl.namespace}"}}'
    body = f'{{"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {metadata}}}'
    kubectl.run("create", "--raw", path, "-f", "-", stdin=body)


@pytest.fixture
def taken(monkeypatch: pytest.MonkeyPatch) -> Generator[list[int]]:
    """Ports that were free when they were chosen, one for each start, and are taken when the API server begins."""
    ports: list[int] = []
    choose = kwokctl.free_port
    monkeypatch.setattr(kwokctl, "free_port", lambda: ports.pop(0) if ports else choose())
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        ports.append(other.getsockname()[1])
        yield ports


def test_a_control_plane_that_was_left_before_it_had_a_kubeconfig_is_cleared_away_and_a_running_one_used_as_it_is(
    plane: ControlPlane, lines: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Stopping leaves no process and no file."""
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    plane.run.kwok.mkdir()
    (plane.run.kwok / "kwokctl.yaml").touch()
    assert plane.start()
    before = _pids(plane)
    assert set(before) == set(COMPONENTS)
    assert not plane.start()
    assert _pids(plane) == before
    assert lines == ["an earlier control plane was left half-started: clearing it away"]
    plane.stop()
    assert all(command_line(pid) == "" for pid in before.values())
    assert [file.name for file in plane.run.root.iterdir()] == [MARKER]
    assert list(home.iterdir()) == []


def test_what_ended_of_a_control_plane_is_started_again_and_what_was_in_it_is_kept(
    plane: ControlPlane, lines: list[str], taken: list[int]
) -> None:
    assert plane.start()
    assert taken == [], "a port that another program took meanwhile gives way to another one"
    before = _pids(plane)
    kubectl = Kubectl(plane.tools, plane.run.kubeconfig, "default")
    kubectl.run("create", "configmap", "kept")
    for name in ("etcd", "kube-scheduler"):
        os.kill(before[name], 9)
        eventually(
            partial(_ended, plane, name)
        )  # on a busy machine a process outlives the signal by a moment
    assert plane.start()
    assert lines == ["etcd, kube-scheduler of this local AKS ended: starting again"]
    kubectl.run("get", "configmap", "kept")
    after = _pids(plane)
    assert {name for name in COMPONENTS if after[name] != before[name]} == {"etcd", "kube-scheduler"}
    plane.stop()
    assert all(command_line(pid) == "" for pid in (*before.values(), *after.values()))


def test_a_controller_manager_that_gave_up_waiting_for_the_api_server_is_started_again(
    tools: Tools, tmp_path: Path
) -> None:
    """As it does on a machine where the API server takes longer than 10 s; on a node kubelet starts it again."""
    once, given_up = tmp_path / "kube-controller-manager", tmp_path / "given-up"
    once.write_text(
        f'#!/bin/sh\ncase "$*" in *--kubeconfig*) [ -e {given_up} ] || {{ touch {given_up};'
        ' echo \'"Error building controller context" err="failed to wait for apiserver being healthy: timed out"\' >&2;'
        f' exit 1; }};; esac\nexec {tools["kube-controller-manager"]} "$@"\n'
    )
    once.chmod(0o755)
    busy = Tools({**tools.paths, "kube-controller-manager": once})
    plane = ControlPlane(RunDirectory.at(tmp_path / "run"), busy)
    try:
        assert plane.start()
        assert given_up.exists()
    finally:
        plane.stop()


def test_ports_that_are_taken_each_time_are_reported_and_nothing_is_left(
    plane: ControlPlane, taken: list[int]
) -> None:
    taken *= 3
    with pytest.raises(
        ControlPlaneError, match="a port that kube-apiserver needs was taken while it started:\n"
    ):
        plane.start()
    assert [file.name for file in plane.run.root.iterdir()] == [MARKER]


def test_a_component_that_dies_at_once_is_named_with_its_last_words(tools: Tools, tmp_path: Path) -> None:
    broken = tmp_path / "etcd"
    broken.write_text(
        '#!/bin/sh\n[ "$1" = version ] && echo v3.6.16 && exit\necho out of order >&2\nexit 1\n'
    )
    broken.chmod(0o755)
    plane = ControlPlane(RunDirectory.at(tmp_path / "run"), Tools({**tools.paths, "etcd": broken}))
    with pytest.raises(ControlPlaneError, match=r"etcd stopped as soon as it was started:\n +out of order"):
        plane.start()
    assert [file.name for file in plane.run.root.iterdir()] == [MARKER]


def test_a_panic_is_reported_with_its_reason(tools: Tools, tmp_path: Path) -> None:
    broken = tmp_path / "etcd"
    trace = "".join(f"echo goroutine {number} >&2\n" for number in range(20))
    broken.write_text(
        '#!/bin/sh\n[ "$1" = version ] && echo v3.6.16 && exit\n'
        f"echo 'panic: write wal: no space left on device' >&2\n{trace}exit 2\n"
    )
    broken.chmod(0o755)
    plane = ControlPlane(RunDirectory.at(tmp_path / "run"), Tools({**tools.paths, "etcd": broken}))
    with pytest.raises(ControlPlaneError, match=r"started:\n +panic: write wal: no space left on device\n"):
        plane.start()


def test_only_the_api_server_has_a_port_and_it_shows_nothing_without_a_credential(
    control_plane: ControlPlane,
) -> None:
    ports = listening(_pids(control_plane).values())
    assert [line for port in ports for line in readable(port)] == []
    assert [(port.process, port.address) for port in ports] == [("kube-apiserver", "127.0.0.1")]


def test_kubernetes_own_defaults_hold_where_kwokctl_has_others(control_plane: ControlPlane) -> None:
    pids = _pids(control_plane)
    assert "--node-monitor-grace-period=50s" in command_line(pids["kube-controller-manager"])
    assert "--node-lease-duration-seconds=40" in command_line(pids["kwok-controller"])


def test_the_kubeconfig_is_complete_in_itself_and_private(kubeconfig: Path) -> None:
    assert "client-key-data" in kubeconfig.read_text()
    assert kubeconfig.stat().st_mode & 0o077 == 0


def test_a_new_node_becomes_ready_and_renews_its_lease(kubectl: Kubectl, node: str) -> None:
    kubectl.run("wait", "node", node, "--for=condition=Ready", "--timeout=240s")
    eventually(lambda: kubectl.run("get", "lease", node, "-n", "kube-node-lease", "--ignore-not-found"))
    eventually(lambda: [taint["key"] for taint in kubectl.get("node", node)["spec"]["taints"]] == ["test"])


def test_a_pod_runs_as_long_as_its_annotation(kubectl: Kubectl, node: str) -> None:
    kubectl.apply(_job(node, seconds=2))
    eventually(lambda: _running(kubectl))
    kubectl.run("wait", "job/work", "--for=condition=Complete", "--timeout=240s")
    [pod] = kubectl.items("pods")
    ended = pod["status"]["containerStatuses"][0]["state"]["terminated"]
    started, finished = map(datetime.fromisoformat, (ended["startedAt"], ended["finishedAt"]))
    assert (finished - started).total_seconds() >= 2
    assert (ended["exitCode"], ended["reason"]) == (0, "Completed")


def test_a_job_that_does_not_say_how_long_it_works_goes_on(kubectl: Kubectl, node: str) -> None:
    kubectl.apply(_job(node, seconds=None))
    eventually(lambda: _running(kubectl))
    time.sleep(1.5)
    assert len(_running(kubectl)) == 1


def test_a_pod_whose_start_is_played_again_has_one_address_and_another_one(
    kubectl: Kubectl, node: str
) -> None:
    kubectl.apply(_job(node, seconds=None))
    [pod] = eventually(lambda: _running(kubectl))
    [before] = kubectl.get("pod", pod)["status"]["podIPs"]
    starting = '{"status": {"phase": "Pending", "conditions": [{"type": "Ready", "status": "False"}]}}'
    kubectl.run("patch", "pod", pod, "--subresource=status", "-p", starting)
    eventually(lambda: _running(kubectl))
    [after] = kubectl.get("pod", pod)["status"]["podIPs"]
    assert after != before


def test_an_evicted_training_starts_again_and_does_not_count_as_failed(kubectl: Kubectl, node: str) -> None:
    kubectl.apply(_job(node, seconds=600))
    [first] = eventually(lambda: _running(kubectl))
    _evict(kubectl, first)
    [second] = eventually(lambda: [pod for pod in _running(kubectl) if pod != first])
    assert second != first
    assert "failed" not in kubectl.get("job", "work")["status"]


def test_a_deleted_pod_reports_how_it_ended_before_it_goes(kubectl: Kubectl, node: str) -> None:
    job = _job(node, seconds=None)
    pod = {"apiVersion": "v1", "kind": "Pod", **job["spec"]["template"]}
    pod["metadata"] = {"name": "work", "finalizers": ["test/hold"]}
    kubectl.apply(pod)
    eventually(lambda: _running(kubectl))
    kubectl.run("delete", "pod", "work", "--wait=false")
    status = eventually(
        lambda: (observed := kubectl.get("pod", "work")["status"])["phase"] == "Failed" and observed
    )
    assert status["containerStatuses"][0]["state"]["terminated"]["exitCode"] == 143
    kubectl.run(
        "patch", "pod", "work", "--type=json", "-p", '[{"op": "remove", "path": "/metadata/finalizers"}]'
    )
    eventually(lambda: not kubectl.pods())
