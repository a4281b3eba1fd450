"""What Kubeflow needs before it is deployed, and where it runs afterwards."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

import yaml

from kubeflow_aks.clients.kubernetes.objects import Object, annotation, fields, name_of
from kubeflow_aks.deployed.outputs import Outputs
from kubeflow_aks.text.numbers import counted
from kubeflow_aks.text.sentences import listed, one_line
from kubeflow_aks.verify.findings import RESTORE, CheckResult, failed, group_by_first, passed, unknown
from kubeflow_aks.verify.snapshot import (
    ClusterSnapshot,
    Result,
    is_platform,
    labels,
    owned_by,
    pool_of,
    qualified_name,
    text,
)

_MODEL: Final = "kubeflow"
_JUJUS: Final = "model.juju.is/id"
"""What Juju marks its namespaces with, as annotation or label (juju/juju, caas/kubernetes/provider/namespaces.go)."""
_ARGO: Final = "kubeflow/argo-workflow-controller-configmap"
_ALWAYS: Final = "Always"
"""The only policy that covers pods that vanished (docs/decisions/0008-argo-retries.md)."""
_URL: Final = re.compile(r'Get "[^"]*": ')
"""The API server's request to a kubelet; the reason follows."""
_COUNTED: Final = {"instances": "maxUserInstances", "watches": "maxUserWatches"}
_KEYS: Final = {f"max_user_{what}": setting for what, setting in _COUNTED.items()}


def namespace(snapshot: ClusterSnapshot, _: Outputs) -> Iterator[CheckResult]:
    """The namespace of Juju's model is Juju's or does not exist: Juju adopts none that others made."""
    found = _model(snapshot)
    if found is None:
        yield passed("namespace kubeflow does not exist yet, so Juju can create its model")
    elif annotation(found, _JUJUS) or labels(found).get(_JUJUS):
        yield passed("namespace kubeflow is Juju's model")
    else:
        yield failed(
            "namespace kubeflow is not Juju's, and `juju add-model kubeflow` refuses an existing namespace",
            "if nothing in it is needed: `kubectl delete namespace kubeflow`",
        )


def on_own_pool(snapshot: ClusterSnapshot, outputs: Outputs) -> Iterator[CheckResult]:
    """Pods of Kubeflow's platform, except DaemonSets, run on nodes of its own pool."""
    pools = {str(pool["name"]): pool.get("role") for pool in outputs.pools()}
    nodes = {name_of(node): pool_of(node) for node in snapshot.nodes.required()}
    placed = [
        (nodes.get(text(pod, "spec", "nodeName"), ""), qualified_name(pod))
        for pod in snapshot.pods.required()
        if is_platform(text(pod, "metadata", "namespace"))
        and not owned_by(pod, "DaemonSet")
        and text(pod, "spec", "nodeName") in nodes
    ]
    away = group_by_first((pool, pod) for pool, pod in placed if pools.get(pool) != "general")
    for pool, pods in away.items():
        yield failed(
            f"{counted(len(pods), 'pod')} of Kubeflow's platform on pool {pool or 'unknown'} ({listed(pods)})",
            "check their tolerations, then delete them: their controllers create them again",
        )
    if not placed:
        yield unknown("Kubeflow is not deployed yet, so where it runs cannot be checked")
    elif not away:
        yield passed(f"Kubeflow's platform runs on its own pool: {counted(len(placed), 'pod')}")


def limits(snapshot: ClusterSnapshot, outputs: Outputs) -> Iterator[CheckResult]:
    """Kernel limits of the nodes that Kubeflow runs on, from the log of the container that raises them."""
    expected = fields(outputs.basis("kubeflow", "inotify"))
    if not expected.get("enabled"):
        yield unknown("the stack does not raise kernel limits (kubeflow.inotify.enabled: false)")
        return
    platform_pools = {str(pool["name"]) for pool in outputs.pools() if pool.get("role") == "general"}
    nodes = [name_of(node) for node in snapshot.nodes.required() if pool_of(node) in platform_pools]
    found = [_limits(node, snapshot, expected) for node in nodes]
    yield from (each for each in found if isinstance(each, CheckResult))
    texts = ((each, node) for each, node in zip(found, nodes, strict=True) if isinstance(each, str))
    for reason, found_on in group_by_first(texts).items():
        of = counted(len(found_on), "node")
        if reason:
            yield unknown(
                f"kernel limits (inotify) of {of} cannot be checked here ({listed(found_on)}): {reason}"
            )
        else:
            least = [f"{expected.get(setting)} {what}" for what, setting in _COUNTED.items()]
            yield passed(f"kernel limits (inotify) are at least {listed(least)} on {of}")
    if not nodes:
        yield unknown("Kubeflow's own pool has no node, so kernel limits cannot be checked")


def retries(snapshot: ClusterSnapshot, outputs: Outputs) -> Iterator[CheckResult]:
    """Argo retries steps whose pod was deleted, if Kubeflow is deployed and the setting is on."""
    expected, there = bool(outputs.basis("kubeflow", "argoRetries")), bool(snapshot.argo.required())
    policy = _retry_policy(text(snapshot.argo.required(), "data", "workflowDefaults"))
    if there and expected and policy == _ALWAYS:
        yield passed("Argo retries steps whose pod was evicted")
    elif there and expected:
        has = (
            f"workflowDefaults with retryPolicy {policy}" if policy else "no retryPolicy in workflowDefaults"
        )
        yield failed(
            f"the ConfigMap {_ARGO} has {has}, so steps with retries fail when their pod is evicted",
            RESTORE,
        )
    elif there and policy == _ALWAYS:
        yield passed(
            "Argo retries steps whose pod was evicted, by workflowDefaults that are not this stack's"
        )
    elif there:
        yield failed(
            "the setting kubeflow.argoRetries is off: a pipeline step with retries fails with `pod deleted` when its "
            "node is evicted, and the run with it",
            "Charmed Kubeflow is deployed, so write `kubeflow: {argoRetries: true}` into the stack file and run "
            "`pulumi up` (docs/how-to/make-retries-retry.md)",
        )
    else:
        yield unknown(
            "Argo is not deployed yet; until kubeflow.argoRetries is switched on after the hand-off, an eviction ends "
            "pipeline steps despite their retries"
        )


def _retry_policy(defaults: str) -> str:
    """The retry policy that workflows have by default; empty if they have none, or Argo cannot read it."""
    try:
        found: Any = yaml.load(defaults, Loader=yaml.BaseLoader)  # noqa: S506 - safe, texts only
    except (yaml.YAMLError, ValueError, RecursionError):
        return ""
    return one_line(text(found, "spec", "templateDefaults", "retryStrategy", "retryPolicy"))


def _model(snapshot: ClusterSnapshot) -> Object | None:
    return next((each for each in snapshot.namespaces.required() if name_of(each) == _MODEL), None)


def _limits(node: str, snapshot: ClusterSnapshot, expected: Object) -> CheckResult | str:
    """What is wrong with one node's limits, or why they cannot be checked; empty where they are right."""
    answer = snapshot.limits.get(
        node, Result(reason="the log of DaemonSet inotify-limits was not read there")
    )
    if answer.value is None:
        return _URL.sub("", one_line(answer.reason)).replace(node, "the node")
    read = dict(line.split(maxsplit=1) for line in answer.value.splitlines() if len(line.split()) > 1)
    values = {key: int(value) for key, value in read.items() if re.fullmatch(r"[0-9]{1,19}", value)}
    low = [
        f"{key} is {values[key]}"
        for key, setting in _KEYS.items()
        if key in values and isinstance(least := expected.get(setting), int) and values[key] < least
    ]
    if low:
        return failed(
            f"node {node}: fs.inotify.{listed(low)}, too low for Kubeflow's controllers",
            "delete the pod of DaemonSet inotify-limits on it, which raises them again",
        )
    return "" if values.keys() >= _KEYS.keys() else "the log of DaemonSet inotify-limits does not have them"
