"""The page "Move Kubeflow's pool or the system pool", played from its first command to its last on a local AKS."""

from __future__ import annotations

import json
import re
import subprocess
import threading
import time
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import pytest
import yaml

from kubeflow_aks.clients.kubernetes.api import ApiServer
from kubeflow_aks.local_aks.azure.state import AzureState
from kubeflow_aks.local_aks.engine import Engine
from kubeflow_aks.local_aks.lifecycle import programs, teardown
from kubeflow_aks.local_aks.lifecycle.instance import LocalAks
from kubeflow_aks.local_aks.run.directory import RunDirectory
from kubeflow_aks.project import PROJECT_ROOT
from kubeflow_aks.tools import Tools
from tests.local.kubectl import Kubectl, Object, eventually

PAGE: Final = PROJECT_ROOT / "docs" / "how-to" / "move-a-pool.md"
PLATFORM: Final = "kubeflow"
_SPEED: Final = 120.0
_FENCE: Final = re.compile(r"^ *```(sh|yaml)\n(.*?)^ *```$", re.MULTILINE | re.DOTALL)
_CHARMS: Final = {"minio": 1, "dex-auth": 1, "knative": 2}
"""Pods like the platform's and how many of each: one a charm, and two where a budget keeps one."""
_OLD: Final = {"general", "system"}


@dataclass
class Player:
    """Carries out the page's blocks: a stack file's keys, and commands as somebody types them into the shell.

    Attributes:
        ups: pools that each `up` made, changed or deleted.
    """

    aks: LocalAks
    config: dict[str, Any] = field(default_factory=dict[str, Any])
    ups: list[dict[str, str]] = field(default_factory=list[dict[str, str]])

    def play(self, language: str, text: str) -> None:
        """One block."""
        if language == "yaml":
            keys: dict[str, Any] = yaml.safe_load(text)["config"]
            self.config |= {key.removeprefix("kubeflow-aks:"): value for key, value in keys.items()}
            return
        for line in filter(None, map(str.strip, text.splitlines())):
            self.run(line)

    def run(self, line: str) -> None:
        """One command; the engine stands in for the CLI, with the keys that the file has now."""
        match line.split():
            case ["pulumi", "up", "--stack", self.aks.stack]:
                changed = self.engine().up().changed()
                pools = [step for step in changed if step.type.endswith(":AgentPool")]
                self.ups.append({step.name.rpartition("-")[2]: step.op for step in pools})
            case ["pulumi", "preview", "--stack", self.aks.stack]:
                assert self.engine().preview().changed() == ()
            case [("kubectl" | "az"), *_]:
                environment = programs.with_az(
                    self.aks.run, self.aks.run.environment(self.aks.tools.environment())
                )
                done = subprocess.run(
                    ["/bin/sh", "-ec", line], env=environment, capture_output=True, text=True, check=False
                )
                assert done.returncode == 0, f"{line}\n{done.stdout}{done.stderr}"
            case _:
                pytest.fail(f"nobody plays {line!r}")

    def engine(self) -> Engine:
        """The engine with the stack file's keys."""
        engine = self.aks.engine
        return Engine(
            engine.run, engine.tools, engine.providers, engine.project_root, engine.stack, self.config
        )


@pytest.fixture(scope="module")
def aks(tools: Tools, tmp_path_factory: pytest.TempPathFactory) -> Generator[LocalAks]:
    run = RunDirectory.at(tmp_path_factory.mktemp("moves") / "local")
    aks = LocalAks(run, tools, "demo", speed=_SPEED, report=lambda _line: None)
    try:
        aks.start()
        yield aks
    finally:
        teardown.remove(run)


def _blocks() -> list[tuple[str, str]]:
    return [(match[1], match[2]) for match in _FENCE.finditer(PAGE.read_text(encoding="utf-8"))]


def _pod(labels: dict[str, str], **spec: Any) -> Object:
    return {
        "metadata": {"labels": labels},
        "spec": {"containers": [{"name": "main", "image": "simulated"}], **spec},
    }


def _charm(name: str, replicas: int) -> Iterator[Object]:
    """A StatefulSet as Juju makes it, with a volume of the program's class, and a budget where there are two pods."""
    labels, metadata = {"app": name}, {"name": name, "namespace": PLATFORM}
    claim = {
        "metadata": {"name": "data"},
        "spec": {
            "accessModes": ["ReadWriteOnce"],
            "storageClassName": "ckf-zrs",
            "resources": {"requests": {"storage": "1Gi"}},
        },
    }
    pod = _pod(labels)
    pod["spec"]["containers"][0]["volumeMounts"] = [{"name": "data", "mountPath": "/data"}]
    yield {
        "apiVersion": "apps/v1",
        "kind": "StatefulSet",
        "metadata": metadata,
        "spec": {
            "replicas": replicas,
            "serviceName": name,
            "selector": {"matchLabels": labels},
            "template": pod,
            "volumeClaimTemplates": [claim],
        },
    }
    yield from (_volume(f"data-{name}-{number}") for number in range(replicas))
    if replicas > 1:
        yield _budget(name, PLATFORM, labels)


def _volume(claim: str) -> Object:
    """What Azure's driver makes of a claim, which does not run here: a zone-redundant disk, free in its region."""
    term = {"key": "topology.kubernetes.io/region", "operator": "In", "values": ["westeurope"]}
    return {
        "apiVersion": "v1",
        "kind": "PersistentVolume",
        "metadata": {"name": claim},
        "spec": {
            "capacity": {"storage": "1Gi"},
            "accessModes": ["ReadWriteOnce"],
            "storageClassName": "ckf-zrs",
            "claimRef": {"name": claim, "namespace": PLATFORM},
            "csi": {"driver": "disk.csi.azure.com", "volumeHandle": claim},
            "nodeAffinity": {"required": {"nodeSelectorTerms": [{"matchExpressions": [term]}]}},
        },
    }


def _dns() -> Iterator[Object]:
    """The cluster's DNS as AKS runs it: two pods on system pools, of which a budget keeps one (resize-node-pool.md)."""
    labels = {"k8s-app": "kube-dns"}
    mode = {"key": "kubernetes.azure.com/mode", "operator": "In", "values": ["system"]}
    spread = {
        "podAffinityTerm": {"labelSelector": {"matchLabels": labels}, "topologyKey": "kubernetes.io/hostname"}
    }
    spec = {
        "tolerations": [{"key": "CriticalAddonsOnly", "operator": "Exists"}],
        "affinity": {
            "nodeAffinity": {
                "preferredDuringSchedulingIgnoredDuringExecution": [
                    {"weight": 100, "preference": {"matchExpressions": [mode]}}
                ]
            },
            "podAntiAffinity": {
                "preferredDuringSchedulingIgnoredDuringExecution": [{"weight": 100, **spread}]
            },
        },
    }
    yield {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "coredns", "namespace": "kube-system"},
        "spec": {"replicas": 2, "selector": {"matchLabels": labels}, "template": _pod(labels, **spec)},
    }
    yield _budget("coredns-pdb", "kube-system", labels)


def _budget(name: str, namespace: str, labels: dict[str, str]) -> Object:
    return {
        "apiVersion": "policy/v1",
        "kind": "PodDisruptionBudget",
        "metadata": {"name": name, "namespace": namespace},
        "spec": {"minAvailable": 1, "selector": {"matchLabels": labels}},
    }


@contextmanager
def _watched(kubectl: Kubectl) -> Generator[list[str]]:
    """Budgets that had fewer ready pods than they keep, while the block runs."""
    broken: list[str] = []
    stop = threading.Event()

    def look() -> None:
        while not stop.is_set():
            for budget in kubectl.read("/apis/policy/v1/poddisruptionbudgets")["items"]:
                status = budget["status"]
                if status["currentHealthy"] < status["desiredHealthy"]:
                    broken.append(f"{time.monotonic():.1f} {budget['metadata']['name']}: {status}")
            time.sleep(0.2)

    thread = threading.Thread(target=look)
    thread.start()
    try:
        yield broken
    finally:
        stop.set()
        thread.join()


def _volumes(kubectl: Kubectl) -> set[str | None]:
    """The volume of each claim of the platform, None while it has none."""
    claims = kubectl.read(f"/api/v1/namespaces/{PLATFORM}/persistentvolumeclaims")["items"]
    return {claim["spec"].get("volumeName") for claim in claims}


def _nodes(kubectl: Kubectl) -> dict[str, str]:
    """The pool of each node."""
    return {
        node["metadata"]["name"]: node["metadata"]["labels"]["kubernetes.azure.com/agentpool"]
        for node in kubectl.read("/api/v1/nodes")["items"]
    }


def _where(kubectl: Kubectl) -> dict[str, str]:
    """The pool that each pod runs on, by name; pods of daemons left out."""
    pools = _nodes(kubectl)
    return {
        pod["metadata"]["name"]: pools.get(pod["spec"].get("nodeName", ""), "")
        for pod in kubectl.read("/api/v1/pods")["items"]
        if pod["status"]["phase"] == "Running"
        and pod["metadata"]["ownerReferences"][0]["kind"] in {"StatefulSet", "ReplicaSet"}
    }


def _fill_the_new_home(api: ApiServer, kubectl: Kubectl) -> None:
    """More work than the new home has room for, of a size that fits the old nodes: only the new home grows."""
    labels = {"app": "wave"}
    pod = _pod(labels, terminationGracePeriodSeconds=0)
    pod["spec"]["containers"][0]["resources"] = {"requests": {"cpu": "6"}}
    wave = {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "wave", "namespace": PLATFORM},
        "spec": {"replicas": 5, "selector": {"matchLabels": labels}, "template": pod},
    }
    api.apply(wave, "tests", force=True)
    eventually(lambda: sum(name.startswith("wave") for name in _where(kubectl)) == 5)
    assert {pool for name, pool in _where(kubectl).items() if name.startswith("wave")} == {"general2"}
    assert list(_nodes(kubectl).values()).count("general") == 2
    kubectl.run("delete", "deployment", "wave", "--namespace", PLATFORM, "--cascade=foreground")


def test_both_moves_as_on_the_page(aks: LocalAks) -> None:
    player, (before, *moves) = Player(aks), _blocks()
    player.play(*before)
    player.run("pulumi up --stack demo")
    kubectl = Kubectl(aks.tools, Path(aks.run.kubeconfig))
    namespace = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": PLATFORM}}
    platform = [obj for name, replicas in _CHARMS.items() for obj in _charm(name, replicas)]
    api = ApiServer.of(aks.run.kubeconfig)
    for obj in (namespace, *platform, *_dns()):
        api.apply(obj, "tests", force=True)
    pods = sum(_CHARMS.values()) + 3  # the cluster's DNS, and the eviction handler beside the platform
    eventually(lambda: len(_where(kubectl)) == pods and set(_where(kubectl).values()) == _OLD)
    eventually(lambda: None not in _volumes(kubectl))
    bound = _volumes(kubectl)

    drained: list[set[str]] = []
    with _watched(kubectl) as broken:
        player.play(*moves.pop(0))
        player.play(*moves.pop(0))
        player.play(*moves.pop(0))
        _fill_the_new_home(api, kubectl)
        for language, text in moves:
            player.play(language, text)
            if "kubectl drain" in text:
                drained.append(set(_where(kubectl).values()))
        eventually(
            lambda: len(_where(kubectl)) == pods and set(_where(kubectl).values()) == {"general2", "system2"}
        )
        eventually(lambda: not _OLD & set(_nodes(kubectl).values()))
    assert player.engine().up().changed() == (), "a second up changes nothing"
    assert broken == []
    assert drained == [{"general2", "system"}, {"general2", "system2"}]
    assert {
        name: pool for name, pool in _where(kubectl).items() if name.startswith("coredns")
    } == dict.fromkeys((name for name in _where(kubectl) if name.startswith("coredns")), "system2")
    claims = kubectl.get("pvc", "--namespace", PLATFORM)["items"]
    assert {(claim["spec"]["volumeName"], claim["status"]["phase"]) for claim in claims} == {
        (name, "Bound") for name in bound
    }
    assert player.ups == [
        {"general": "create", "cpuspot": "create"},
        {"general2": "create", "general": "update"},
        {"general": "delete"},
        {"system2": "create"},
        {"system2": "delete"},
    ]
    assert {pool["name"] for pool in AzureState(aks.run.azure).agent_pools()} == {
        "system2",
        "general2",
        "cpuspot",
    }
    state = json.dumps(player.engine().export())
    assert "agentPools/general2" in state
    for gone in ('agentPools/general"', 'agentPools/system"', 'agentPools/system2"'):
        assert gone not in state
