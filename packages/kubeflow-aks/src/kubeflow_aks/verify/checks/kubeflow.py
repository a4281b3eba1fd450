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
from kubeflow_aks.verify.findings import (
    RESTORE,
    CheckResult,
    failed,
    group_by_first,
    passed,
    unknown,
    will_break,
)
from kubeflow_aks.verify.snapshot import (
    OUR_NAMESPACE,
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
_ENFORCED: Final = "pod-security.kubernetes.io/enforce"
_RESTRICTED: Final = "restricted"
_PLATFORM: Final = "Kubeflow's platform"
_ARGO: Final = "kubeflow/argo-workflow-controller-configmap"
_ALWAYS: Final = "Always"
"""The only policy that covers pods that vanished (docs/decisions/0008-argo-retries.md)."""
_URL: Final = re.compile(r'Get "[^"]*": ')
"""The API server's request to a kubelet; the reason follows."""
_COUNTED: Final = {"instances": "maxUserInstances", "watches": "maxUserWatches"}
_KEYS: Final = {f"max_user_{what}": setting for what, setting in _COUNTED.items()}


def namespace(snapshot: ClusterSnapshot, _: Outputs) -> Iterator[CheckResult]:
    """The namespace of Juju's model is Juju's or does not exist: Juju adopts none that others made.

    It does not enforce the Pod Security Standard `restricted`: containers of charms run as root, which that refuses
    (kubernetes.io, "Pod Security Standards").
    """
    model = next((it for it in snapshot.namespaces.required() if name_of(it) == _MODEL), None)
    if model is None:
        yield passed("namespace kubeflow does not exist yet, so Juju can create its model")
    elif labels(model).get(_ENFORCED) == _RESTRICTED:
        yield will_break(
            "namespace kubeflow enforces the Pod Security Standard restricted, so new pods of charms are refused",
            f"take the label {_ENFORCED} away",
        )
    elif annotation(model, _JUJUS) or labels(model).get(_JUJUS):
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
        ((_whose(pod), nodes.get(text(pod, "spec", "nodeName"), "")), qualified_name(pod))
        for pod in snapshot.pods.required()
        if _whose(pod) and not owned_by(pod, "DaemonSet") and text(pod, "spec", "nodeName") in nodes
    ]
    away = group_by_first((key, pod) for key, pod in placed if pools.get(key[1]) != "general")
    placed = [(key, pod) for key, pod in placed if key[0] == _PLATFORM]
    for (whose, pool), pods in away.items():
        yield will_break(
            f"{counted(len(pods), 'pod')} of {whose} on pool {pool or 'unknown'} ({listed(pods)})",
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
    results = [_limits(node, snapshot, expected) for node in nodes]
    yield from (result for result in results if isinstance(result, CheckResult))
    texts = ((result, node) for result, node in zip(results, nodes, strict=True) if isinstance(result, str))
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
        yield will_break(
            f"the ConfigMap {_ARGO} has {has}, so steps with retries fail when their pod is evicted", RESTORE
        )
    elif there and policy == _ALWAYS:
        yield passed(
            "Argo retries steps whose pod was evicted, by workflowDefaults that are not this stack's"
        )
    elif there:
        yield will_break(
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
        settings: Any = yaml.load(defaults, Loader=yaml.BaseLoader)  # noqa: S506 - safe, texts only
    except (yaml.YAMLError, ValueError, RecursionError):
        return ""
    return one_line(text(settings, "spec", "templateDefaults", "retryStrategy", "retryPolicy"))


def _whose(pod: Object) -> str:
    """Whose a pod is that belongs on Kubeflow's own pool; empty for all others."""
    where = text(pod, "metadata", "namespace")
    return _PLATFORM if is_platform(where) else "this product" if where == OUR_NAMESPACE else ""


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
