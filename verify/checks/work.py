"""Pods get a node in time, and their images."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from deployed.outputs import Outputs
from kube.objects import Object, at, condition, items
from story.formatting import counted
from verify.findings import Told, broken, by_first, kept, names, one_line, unseen
from verify.seen import Seen, seconds, text, where

_EXPENDABLE: Final = -10
"""Below it the autoscaler makes no node for a pod (kubernetes/autoscaler, cluster-autoscaler/FAQ.md)."""
_PULLING: Final = ("ErrImagePull", "ImagePullBackOff")


def placed(seen: Seen, outputs: Outputs) -> Iterator[Told]:
    """No pod has waited for a node longer than the autoscaler may take to bring one."""
    setting = outputs.basis("autoscaler", "maxNodeProvisionTime")
    given, why = seconds(setting), _untriggered(seen)
    waiting = [pod for pod in seen.pods.known() if _waits(pod)]
    long = [pod for pod in waiting if seen.age(at(pod, "metadata", "creationTimestamp")) > given]
    for reason, pods in by_first((_reason(pod, why), where(pod)) for pod in long).items():
        yield broken(
            f"{counted(len(pods), 'pod')} pending for longer than {setting} ({names(pods)}): {reason}",
            "change what the pod asks for or tolerates, or raise the pool's maxCount",
        )
    if not long:
        some = f"; {counted(len(waiting), 'pod')} pending for less" if waiting else ""
        yield kept(f"no pod is pending for longer than {setting}, the time that a node may take{some}")


def pulled(seen: Seen, outputs: Outputs) -> Iterator[Told]:
    """Nodes may pull from the stack's registry."""
    registry = outputs.values.get("registryId")
    if not isinstance(registry, str) or not registry:
        yield unseen("the stack has no registry of its own")
        return
    name = registry.rpartition("/")[2].lower()
    ours = re.compile(rf"{re.escape(name)}(?:-[a-z0-9]+)?\.azurecr\.[a-z.]+/.*", re.IGNORECASE)
    runs, fails = 0, list[tuple[str, str]]()
    for pod in seen.pods.known():
        for status in (
            *items(at(pod, "status", "initContainerStatuses")),
            *items(at(pod, "status", "containerStatuses")),
        ):
            if not ours.fullmatch(text(status, "image")):
                continue
            waiting = at(status, "state", "waiting")
            if text(waiting, "reason") in _PULLING:
                fails.append((one_line(text(waiting, "message") or text(waiting, "reason")), where(pod)))
            elif at(status, "imageID"):
                runs += 1
    for why, pods in by_first(fails).items():
        yield broken(
            f"{counted(len(pods), 'container')} can't pull from the registry {name} ({names(pods)}): {why}",
            "see that the image exists, and that the kubelet's identity has AcrPull on the registry; a new right may "
            "take an hour",
        )
    if runs and not fails:
        yield kept(f"nodes pull from the registry {name}: {counted(runs, 'container')} from there")
    elif not fails:
        yield unseen(f"no container is of an image in the registry {name}, so pulls from it can't be seen")


def _waits(pod: Object) -> bool:
    """Whether a pod waits for a node, and somebody would bring it one."""
    scheduled, priority = condition(pod, "PodScheduled"), at(pod, "spec", "priority")
    return (
        text(pod, "status", "phase") == "Pending"
        and not text(pod, "spec", "nodeName")
        and not at(pod, "metadata", "deletionTimestamp")
        and scheduled.get("reason") != "SchedulingGated"
        and not (isinstance(priority, int) and priority < _EXPENDABLE)
    )


def _reason(pod: Object, untriggered: dict[str, str]) -> str:
    scheduled = condition(pod, "PodScheduled")
    told = (
        one_line(text(scheduled, "message") or text(scheduled, "reason"))
        or "the scheduler has not looked at it"
    )
    more = untriggered.get(text(pod, "metadata", "uid"))
    return f"{told}; autoscaler: {more}" if more else told


def _untriggered(seen: Seen) -> dict[str, str]:
    """The autoscaler's last word on each pod, by the pod's uid; none where its events can't be read."""
    return {
        text(event, "involvedObject", "uid"): one_line(text(event, "message"))
        for event in seen.untriggered.found or []
        if text(event, "message")
    }
