"""What Kubeflow finds when it comes, and where it is when it has come."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from deployed.outputs import Outputs
from kube.objects import Object, annotation, fields, name_of
from story.formatting import counted
from verify.findings import Told, broken, by_first, kept, names, one_line, unseen
from verify.seen import Answer, Seen, labels, owned_by, pool_of, text, where

_MODEL: Final = "kubeflow"
_JUJUS: Final = "model.juju.is/id"
"""What Juju marks its namespaces with, as annotation or label (juju/juju, caas/kubernetes/provider/namespaces.go)."""
_ARGO: Final = "kubeflow/argo-workflow-controller-configmap"
_PLATFORM: Final = re.compile(r"kubeflow|(?:controller|knative)-.*")
_URL: Final = re.compile(r'Get "[^"]*": ')
"""What the API server asks a kubelet; the reason follows."""
_COUNTED: Final = {"instances": "maxUserInstances", "watches": "maxUserWatches"}
_KEYS: Final = {f"max_user_{what}": setting for what, setting in _COUNTED.items()}


def namespace(seen: Seen, _: Outputs) -> Iterator[Told]:
    """The namespace of Juju's model is Juju's, or not there yet: Juju takes none that others made."""
    found = _model(seen)
    if found is None:
        yield kept("there is no namespace kubeflow yet, so Juju can make its model")
    elif annotation(found, _JUJUS) or labels(found).get(_JUJUS):
        yield kept("namespace kubeflow is Juju's model")
    else:
        yield broken(
            "namespace kubeflow is not Juju's, and `juju add-model kubeflow` refuses a namespace that is there",
            "if nothing in it is needed: `kubectl delete namespace kubeflow`",
        )


def at_home(seen: Seen, outputs: Outputs) -> Iterator[Told]:
    """Pods of Kubeflow's platform, daemons aside, run on nodes of its home."""
    pools = {str(pool["name"]): pool.get("role") for pool in outputs.pools()}
    nodes = {name_of(node): pool_of(node) for node in seen.nodes.known()}
    placed = [
        (nodes.get(text(pod, "spec", "nodeName"), ""), where(pod))
        for pod in seen.pods.known()
        if _PLATFORM.fullmatch(text(pod, "metadata", "namespace"))
        and not owned_by(pod, "DaemonSet")
        and text(pod, "spec", "nodeName") in nodes
    ]
    away = by_first((pool, pod) for pool, pod in placed if pools.get(pool) != "general")
    for pool, pods in away.items():
        yield broken(
            f"{counted(len(pods), 'pod')} of Kubeflow's platform on pool {pool or 'unknown'} ({names(pods)})",
            "see what they tolerate, then delete them: their controllers make them again",
        )
    if not placed:
        yield unseen("Kubeflow's parts are not there yet, so where they run can't be seen")
    elif not away:
        yield kept(f"Kubeflow's platform runs on its home: {counted(len(placed), 'pod')}")


def limits(seen: Seen, outputs: Outputs) -> Iterator[Told]:
    """Kernel limits of the nodes that Kubeflow runs on, as the container that raises them has read them."""
    wanted = fields(outputs.basis("kubeflow", "inotify"))
    if not wanted.get("enabled"):
        yield unseen("the stack does not raise kernel limits (kubeflow.inotify.enabled: false)")
        return
    homes = {str(pool["name"]) for pool in outputs.pools() if pool.get("role") == "general"}
    nodes = [name_of(node) for node in seen.nodes.known() if pool_of(node) in homes]
    found = [_limits(node, seen, wanted) for node in nodes]
    yield from (each for each in found if isinstance(each, Told))
    texts = ((each, node) for each, node in zip(found, nodes, strict=True) if isinstance(each, str))
    for reason, listed in by_first(texts).items():
        of = counted(len(listed), "node")
        if reason:
            yield unseen(f"kernel limits (inotify) of {of} can't be seen here ({names(listed)}): {reason}")
        else:
            least = [f"{wanted.get(setting)} {what}" for what, setting in _COUNTED.items()]
            yield kept(f"kernel limits (inotify) are at least {names(least)} on {of}")
    if not nodes:
        yield unseen("there is no node of Kubeflow's home, so its kernel limits can't be seen")


def retries(seen: Seen, outputs: Outputs) -> Iterator[Told]:
    """Argo tries steps again whose pod vanished, as soon as Kubeflow is there and the stack says so."""
    wanted, there = bool(outputs.basis("kubeflow", "argoRetries")), bool(seen.argo.known())
    if there and wanted and text(seen.argo.known(), "data", "workflowDefaults"):
        yield kept("Argo tries steps again whose pod was evicted")
    elif there and wanted:
        yield broken(
            f"the ConfigMap {_ARGO} has no workflowDefaults, so steps with retries fail when their pod is evicted",
            "run `pulumi up --refresh`, which writes them anew",
        )
    elif there:
        yield broken(
            "the setting kubeflow.argoRetries is off: a pipeline step with retries fails with `pod deleted` when its "
            "node is evicted, and the run with it",
            "Charmed Kubeflow is there, so write `kubeflow: {argoRetries: true}` into the stack file and run "
            "`pulumi up` (docs/how-to/make-retries-retry.md)",
        )
    else:
        yield unseen(
            "Argo is not there yet; until kubeflow.argoRetries is switched on after the hand-off, an eviction ends "
            "pipeline steps in spite of their retries"
        )


def _model(seen: Seen) -> Object | None:
    return next((each for each in seen.namespaces.known() if name_of(each) == _MODEL), None)


def _limits(node: str, seen: Seen, wanted: Object) -> Told | str:
    """What is wrong with one node's limits, or why they can't be seen; empty where they are right."""
    answer = seen.limits.get(node, Answer(why="nobody read the log of DaemonSet inotify-limits there"))
    if answer.found is None:
        return _URL.sub("", one_line(answer.why)).replace(node, "the node")
    read = dict(line.split(maxsplit=1) for line in answer.found.splitlines() if len(line.split()) > 1)
    values = {key: int(value) for key, value in read.items() if re.fullmatch(r"[0-9]{1,19}", value)}
    low = [
        f"{key} is {values[key]}"
        for key, setting in _KEYS.items()
        if key in values and isinstance(least := wanted.get(setting), int) and values[key] < least
    ]
    if low:
        return broken(
            f"node {node}: fs.inotify.{names(low)}, too low for Kubeflow's controllers",
            "delete the pod of DaemonSet inotify-limits on it, which raises them again",
        )
    return "" if values.keys() >= _KEYS.keys() else "the log of DaemonSet inotify-limits does not say"
