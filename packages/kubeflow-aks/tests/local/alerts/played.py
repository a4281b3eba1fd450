"""Alerts and queries, played in the real Prometheus over the real kube-state-metrics on states of a cluster."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from components.kubeflow.collected_metrics import POD_NAMESPACES, SETTINGS
from components.kubeflow.eviction_script import Metrics, deadline, kinds
from components.kubeflow.return_script import returned_pods
from components.kubeflow.script_metrics import exposition
from components.monitoring.alert_rules import LABELS_ALLOWED, AlertRule, WatchedPool, alert_rules
from components.monitoring.dashboard import dashboard
from kubeflow_aks.tools import Tools
from tests.stepped.memory_cluster import MemoryCluster

Object = Mapping[str, Any]
POOLS: Final[Sequence[WatchedPool]] = (
    {"name": "cpuspot", "min_count": 0, "max_count": 3, "spot": True, "price": 0.1, "on_demand_price": 0.5},
    {"name": "cpuod", "min_count": 0, "max_count": 2, "fallback": True, "price": 0.5},
    {"name": "gpuspot", "min_count": 0, "max_count": 2, "gpus": True},
)
STEP: Final = "5m"
"""Between two answers of a query."""
RULES: Final = alert_rules(POOLS, handler=True, hours=6, provision="10m", unready="20m")
PANELS: Final = json.loads(dashboard("kf", POOLS, handler=True))["panels"]
_BY_DEFAULT: Final = (
    "kube_deployment_status_replicas_available",
    "kube_job_failed",
    "kube_node_info",
    "kube_node_labels",
    "kube_node_status_allocatable",
    "kube_node_status_condition",
    "kube_pod_container_status_waiting_reason",
    "kube_pod_info",
    "kube_pod_status_phase",
)
"""Metrics that rules and queries use and that are collected by default (MicrosoftDocs/azure-monitor-docs,
articles/azure-monitor/containers/prometheus-metrics-scrape-default.md, 2025-09-10)."""


@dataclass(frozen=True)
class State:
    """A cluster at a time, in seconds; what the handler's pod answers is no part of its objects."""

    time: float
    objects: Sequence[Object]
    metrics: str = ""

    def without(self, kind: str, name: str = "") -> State:
        """Without the objects of a kind, or the one of a name."""
        return replace(
            self,
            objects=[
                entry
                for entry in self.objects
                if entry["kind"] != kind or name not in {"", entry["metadata"]["name"]}
            ],
        )

    def having(self, *objects: Object) -> State:
        """With further objects."""
        return replace(self, objects=[*self.objects, *objects])


def thing(kind: str, name: str, *, namespace: str = "", version: str = "v1", **fields: Any) -> Object:
    """An object of Kubernetes."""
    metadata = {"name": name, "uid": f"{kind}-{namespace}-{name}", **fields.pop("metadata", {})}
    if namespace:
        metadata["namespace"] = namespace
    return {"apiVersion": version, "kind": kind, "metadata": metadata, **fields}


def node(name: str, pool: str, **status: Any) -> Object:
    """A ready node of a pool."""
    ready = {"conditions": [{"type": "Ready", "status": "True"}]}
    labels = {"kubernetes.azure.com/agentpool": pool}
    return thing("Node", name, metadata={"labels": labels}, status=ready | status)


HANDLER: Final = thing(
    "Deployment",
    "eviction-handler",
    namespace="kubeflow-aks",
    version="apps/v1",
    spec={"replicas": 1},
    status={"replicas": 1, "availableReplicas": 1},
)
CHARM: Final = thing(
    "Pod", "pipelines-api-0", namespace="kubeflow", spec={"nodeName": "system"}, status={"phase": "Running"}
)
ALWAYS: Final = (node("system", "system"), HANDLER, CHARM)
QUIET: Final = exposition([*vars(Metrics()).values(), returned_pods()])


def _named(kind: str, entry: Object) -> Object:
    metadata = dict(entry["metadata"])
    metadata.setdefault("uid", metadata["name"])
    owners = [{"name": "steps", "uid": "steps", **owner} for owner in metadata.get("ownerReferences", ())]
    return {**entry, "apiVersion": "v1", "kind": kind, "metadata": {**metadata, "ownerReferences": owners}}


@dataclass
class Recording:
    """The states of a cluster in memory, at even times."""

    seconds: float
    states: list[State] = field(default_factory=list[State])
    _next: float = 0.0
    _seen: int = -1
    _objects: Sequence[Object] = ()
    _text: str = QUIET
    _metrics: Metrics = field(default_factory=Metrics)
    _noticed: dict[str, set[str]] = field(default_factory=dict[str, set[str]])

    def observe(self, now: float, cluster: MemoryCluster) -> None:
        """Takes the state until `now`."""
        if cluster.changes != self._seen:
            nodes = [_named("Node", entry) for entry in cluster.nodes()]
            self._count(nodes)
            self._objects = [*ALWAYS, *nodes, *(_named("Pod", entry) for entry in cluster.pods())]
            self._seen = cluster.changes
        while self._next < now:
            self.states.append(State(self._next, self._objects, self._text))
            self._next += self.seconds

    def _count(self, nodes: Sequence[Object]) -> None:
        """Counts new notices, as the handler does."""
        for entry in nodes:
            name = entry["metadata"]["name"]
            before = self._noticed.get(name, set())
            if deadline(entry) is None or kinds(entry) <= before:
                continue
            if not before:
                self._metrics.lead.observe(30)
            for kind in kinds(entry) - before:
                self._metrics.notices.count(kind)
            self._noticed[name] = before | kinds(entry)
            self._text = exposition([*vars(self._metrics).values(), returned_pods()])


def queries(cluster: str = "") -> dict[str, str]:
    """What the dashboard asks for over all the time, by title and letter, with Grafana's variables filled in.

    Args:
        cluster: the one that is chosen; the metrics here are of one without a name.
    """
    return {
        f"{panel['title']} {target['refId']}": target["expr"]
        .replace("$cluster", cluster)
        .replace("$__range", "1000h")
        for panel in PANELS
        for target in panel["targets"]
    }


def collected() -> str:
    """Expression of the names of the metrics that are collected."""
    settings: Mapping[str, str] = SETTINGS
    added = re.search(r'kubestate = "(.*)"', settings["cluster-metrics"])
    assert added
    assert POD_NAMESPACES in settings["cluster-metrics"]
    return "|".join((*_BY_DEFAULT, added[1], "kubeflow_aks_.+"))


@dataclass(frozen=True)
class Played:
    """What Prometheus came to.

    Attributes:
        firing: alerts that fire, by time.
        answers: what queries answer over the whole time, by name.
    """

    firing: Mapping[float, Sequence[Mapping[str, str]]]
    answers: Mapping[str, Any]

    @property
    def alerts(self) -> set[str]:
        """Names of the alerts that fired at any time."""
        return {alert["alertname"] for alerts in self.firing.values() for alert in alerts}


def play(
    tools: Tools,
    folder: Path,
    states: Sequence[State],
    *,
    rules: Sequence[AlertRule] = RULES,
    queries: Mapping[str, str] | None = None,
    keep: Callable[[], str] = collected,
) -> Played:
    """Play the states one after the other."""
    file = folder / "rules.json"
    group = [
        {"alert": rule.name, "expr": rule.expression, "annotations": {"summary": rule.summary}}
        | ({"for": rule.lasting} if rule.lasting else {})
        for rule in rules
    ]
    file.write_text(json.dumps({"groups": [{"name": "alerts", "rules": group}]}))
    lines: list[str] = []
    before: Sequence[Object] | None = None
    for state in states:
        line: dict[str, Any] = {"time": state.time}
        if state.metrics:
            line["scraped"] = [{"labels": {"job": "kubernetes-pods"}, "text": state.metrics}]
        if state.objects is not before:
            line["objects"] = before = state.objects
        lines.append(json.dumps(line))
    command = [tools["alert-rules"], "--rules", file, "--labels", LABELS_ALLOWED, "--keep", keep()]
    done = subprocess.run(
        [*command, "--queries", json.dumps(queries or {}), "--step", STEP],
        input="\n".join(lines),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    return Played(
        {answer["time"]: answer["firing"] for answer in answers if "firing" in answer},
        {answer["query"]: answer["result"] or [] for answer in answers if "query" in answer},
    )
