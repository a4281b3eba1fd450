"""Pods get a node in time and can pull their images."""

import re
from collections.abc import Iterator
from typing import Final

from kubeflow_aks.clients.kubernetes.objects import Object, at, condition
from kubeflow_aks.deployed.outputs import Outputs
from kubeflow_aks.text.numbers import counted
from kubeflow_aks.text.sentences import listed, one_line
from kubeflow_aks.verify.findings import CheckResult, failed, group_by_first, passed, unknown
from kubeflow_aks.verify.snapshot import (
    OUR_NAMESPACE,
    ClusterSnapshot,
    container_statuses,
    qualified_name,
    seconds,
    text,
)

_EXPENDABLE: Final = -10
"""Below it the autoscaler adds no node for a pod (kubernetes/autoscaler, cluster-autoscaler/FAQ.md)."""
_PLACEHOLDERS: Final = (f"{OUR_NAMESPACE}-headroom", f"{OUR_NAMESPACE}-return-to-spot")
"""Namespaces of placeholders, which wait for spot nodes that need not come."""
_PULLING: Final = ("ErrImagePull", "ImagePullBackOff")


def placed(snapshot: ClusterSnapshot, outputs: Outputs) -> Iterator[CheckResult]:
    """No pod has waited for a node longer than the autoscaler may take to add one."""
    setting = outputs.basis("autoscaler", "maxNodeProvisionTime")
    limit, why = seconds(setting), _untriggered(snapshot)
    waiting = [pod for pod in snapshot.pods.required() if _waits(pod)]
    long = [pod for pod in waiting if snapshot.age(at(pod, "metadata", "creationTimestamp")) > limit]
    for reason, pods in group_by_first((_reason(pod, why), qualified_name(pod)) for pod in long).items():
        yield failed(
            f"{counted(len(pods), 'pod')} pending for longer than {setting} ({listed(pods)}): {reason}",
            "change the pod's requests or tolerations, or raise the pool's maxCount",
        )
    if not long:
        some = f"; {counted(len(waiting), 'pod')} pending for less" if waiting else ""
        yield passed(f"no pod is pending for longer than {setting}, the time limit for a new node{some}")


def pulled(snapshot: ClusterSnapshot, outputs: Outputs) -> Iterator[CheckResult]:
    """Nodes may pull from the stack's registry."""
    registry = outputs.values.get("registryId")
    if not isinstance(registry, str) or not registry:
        yield unknown("the stack has no registry of its own")
        return
    name = registry.rpartition("/")[2].lower()
    ours = re.compile(rf"{re.escape(name)}(?:-[a-z0-9]+)?\.azurecr\.[a-z.]+/.*", re.IGNORECASE)
    runs, fails = 0, list[tuple[str, str]]()
    for pod in snapshot.pods.required():
        for status in container_statuses(pod):
            if not ours.fullmatch(text(status, "image")):
                continue
            waiting = at(status, "state", "waiting")
            if text(waiting, "reason") in _PULLING:
                fails.append(
                    (one_line(text(waiting, "message") or text(waiting, "reason")), qualified_name(pod))
                )
            elif at(status, "imageID"):
                runs += 1
    for why, pods in group_by_first(fails).items():
        yield failed(
            f"{counted(len(pods), 'container')} cannot pull from registry {name} ({listed(pods)}): {why}",
            "check that the image exists and that the kubelet's identity has AcrPull on the registry; a new role "
            "assignment may take an hour",
        )
    if runs and not fails:
        yield passed(f"nodes pull from the registry {name}: {counted(runs, 'container')} from there")
    elif not fails:
        yield unknown(
            f"no container uses an image of the registry {name}, so pulls from it cannot be checked"
        )


def _waits(pod: Object) -> bool:
    """Whether a pod waits for a node that the autoscaler would add."""
    scheduled, priority = condition(pod, "PodScheduled"), at(pod, "spec", "priority")
    return (
        text(pod, "status", "phase") == "Pending"
        and not text(pod, "spec", "nodeName")
        and text(pod, "metadata", "namespace") not in _PLACEHOLDERS
        and not at(pod, "metadata", "deletionTimestamp")
        and scheduled.get("reason") != "SchedulingGated"
        and not (isinstance(priority, int) and priority < _EXPENDABLE)
    )


def _reason(pod: Object, untriggered: dict[str, str]) -> str:
    scheduled = condition(pod, "PodScheduled")
    reason = (
        one_line(text(scheduled, "message") or text(scheduled, "reason"))
        or "the scheduler has not considered it yet"
    )
    more = untriggered.get(text(pod, "metadata", "uid"))
    return f"{reason}; autoscaler: {more}" if more else reason


def _untriggered(snapshot: ClusterSnapshot) -> dict[str, str]:
    """The autoscaler's last event on each pod, by the pod's uid; empty if events cannot be read."""
    return {
        text(event, "involvedObject", "uid"): one_line(text(event, "message"))
        for event in snapshot.untriggered.value or []
        if text(event, "message")
    }
