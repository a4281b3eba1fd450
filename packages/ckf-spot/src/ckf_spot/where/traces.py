"""Pods that are gone, from the traces they left: events, which the API server keeps for an hour, and Argo workflows."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Final

from ckf_spot.fields import Object
from ckf_spot.where.lost_steps import killed, nodes_of
from ckf_spot.where.observations import Pod
from ckf_spot.where.parse import moment
from ckf_spot.where.steps import is_driver, pod_labels, step
from ckf_spot.where.work import Maker, Work, is_batch

_ASSIGNED: Final = re.compile(r"Successfully assigned (\S+)/(\S+) to (\S+)")
"""The scheduler's event `Scheduled`."""
_CREATED: Final = re.compile(r"(?:Created pod: |create Pod |Created (?:head|worker) Pod \S+/)(\S+)")
"""Events of whatever makes pods: Job, ReplicaSet and training jobs in the first form, StatefulSets in the second, Ray
clusters in the third (KubeRay's `raycluster_controller.go`)."""
_CREATION: Final = ("SuccessfulCreate", "SuccessfulCreatePod", "CreatedHeadPod", "CreatedWorkerPod")
_DISRUPTIONS: Final = ("TaintManagerEviction", "Evicted", "ScaleDown", "Preempted")
"""Reasons of events that announce a pod's end: by a taint, the kubelet, the autoscaler, the scheduler."""
_REVOKED: Final = "Cancelling deletion"
"""How the taint manager's event begins where it spares the pod after all."""
_INDEXED: Final = re.compile(r"(?P<member>\d+)-[a-z0-9]{5}")
"""What an Indexed Job puts behind its name."""
_IN_GROUP: Final = re.compile(r"(?P<member>.+?)(?:-worker)?-[a-z0-9]{5}")
"""What a Ray cluster puts behind its name: `head-x2x8p`, or `<group>-worker-x2x8p`."""
_ENDED: Final[Mapping[str, str]] = {"Succeeded": "Succeeded", "Failed": "Failed", "Error": "Failed"}
"""Phase of the pod of a step that ended by itself, by Argo's phase."""
_POD_NAMES: Final = ("workflows.argoproj.io/pod-name-format", "v2")
"""Annotation of a workflow whose pods are called after their templates."""


def earlier(pods: Sequence[Pod], events: Iterable[Object], workflows: Iterable[Object]) -> tuple[Pod, ...]:
    """Pods that are there no more but whose work is known, oldest first.

    Args:
        pods: those that are there.
        events: core/v1 Events of the same namespaces.
        workflows: Argo Workflows of the same namespaces.
    """
    steps = list(_from_workflows(pods, workflows))
    disrupted = list(_from_events(pods, list(events)))
    return tuple(sorted((*steps, *disrupted), key=lambda pod: pod.created))


def disrupted(pods: Iterable[Pod], events: Iterable[Object]) -> tuple[Pod, ...]:
    """The pods, with what events say about their end where they do not say it themselves."""
    reasons = _disruptions(events)
    return tuple(
        replace(pod, disruption=reasons[pod.uid]) if pod.uid in reasons and not pod.disruption else pod
        for pod in pods
    )


def when(event: Object) -> datetime | None:
    """When an event happened first, None where it does not say."""
    text = event.get("firstTimestamp") or event.get("eventTime") or event.get("lastTimestamp")
    return moment(text) if text else None


def _from_events(pods: Sequence[Pod], events: Sequence[Object]) -> Iterator[Pod]:
    there = {pod.uid for pod in pods}
    by_name = {(pod.namespace, pod.name): pod for pod in pods}
    makers = _makers(events)
    reasons = _disruptions(events)
    for event in events:
        assignment = (
            _ASSIGNED.match(event.get("message") or "") if event.get("reason") == "Scheduled" else None
        )
        began = when(event)
        uid = (event.get("involvedObject") or {}).get("uid") or ""
        if not (assignment and began and uid) or uid in there:
            continue
        namespace, name, node = assignment.groups()
        heir = by_name.get((namespace, name))
        maker = makers.get((namespace, name))
        work = heir.work if heir else _work(namespace, maker, pods) if maker else None
        if work is None:
            continue
        kin = heir or next((pod for pod in pods if pod.work == work), None)
        there.add(uid)
        yield Pod(
            uid=uid,
            name=name,
            work=work,
            role=kin.role if kin else "batch" if is_batch(work.kind) else "other",
            node=node,
            phase="Unknown",
            created=began,
            scheduled=began,
            disruption=reasons.get(uid, ""),
            gone=True,
            source="event",
        )


def _makers(events: Iterable[Object]) -> Mapping[tuple[str, str], Maker]:
    """What made pods, by their namespace and name, from the events of their creation."""
    makers: dict[tuple[str, str], Maker] = {}
    for event in events:
        creation = _CREATED.match(event.get("message") or "") if event.get("reason") in _CREATION else None
        if creation:
            owner = event["involvedObject"]
            kind, name, pod = owner["kind"], owner["name"], creation[1]
            member = _member(kind, pod.removeprefix(f"{name}-"))
            makers[(owner.get("namespace") or "", pod)] = Maker(kind, name, member)
    return makers


def _member(kind: str, rest: str) -> str:
    """Which of its maker's pods it is, from what stands behind the maker's name in its own."""
    if kind in {"ReplicaSet", "DaemonSet"}:
        return ""
    form = {"Job": _INDEXED, "RayCluster": _IN_GROUP}.get(kind)
    if form is None:
        return rest
    match = form.fullmatch(rest)
    return match["member"] if match else ""


def _work(namespace: str, maker: Maker, pods: Sequence[Pod]) -> Work:
    """The work of a pod that is gone: that of a sibling, as another member of the same maker."""
    of_maker = [
        (pod.work, pod.maker.member)
        for pod in pods
        if pod.maker
        and (pod.namespace, pod.maker.kind, pod.maker.name) == (namespace, maker.kind, maker.name)
    ]
    if not of_maker:
        kind, name = maker.kind, maker.name
        if kind == "ReplicaSet":
            kind, name = "Deployment", name.rpartition("-")[0]
        return Work(namespace, kind, name, maker.member)
    work, member = next((sibling for sibling in of_maker if sibling[1] == maker.member), of_maker[0])
    return (
        replace(work, part=work.part.removesuffix(member) + maker.member) if member != maker.member else work
    )


def _disruptions(events: Iterable[Object]) -> Mapping[str, str]:
    """Reasons by the uid of the pod."""
    return {
        event["involvedObject"]["uid"]: event["reason"]
        for event in events
        if event.get("reason") in _DISRUPTIONS
        and event["involvedObject"].get("kind") == "Pod"
        and event["involvedObject"].get("uid")
        and not (event.get("message") or "").startswith(_REVOKED)
    }


def _from_workflows(pods: Sequence[Pod], workflows: Iterable[Object]) -> Iterator[Pod]:
    there = {(pod.namespace, pod.step_id) for pod in pods if pod.step_id}
    for workflow in workflows:
        metadata = workflow["metadata"]
        namespace, name, labels = metadata["namespace"], metadata["name"], pod_labels(workflow)
        for node in nodes_of(workflow):
            started = node.get("startedAt")
            if node.get("type") != "Pod" or not started or (namespace, node["id"]) in there:
                continue
            ended = node.get("finishedAt")
            yield Pod(
                uid=f"{metadata.get('uid', '')}/{node['id']}",
                name=_pod_name(node, metadata),
                work=Work(namespace, "Workflow", name, step(node.get("name") or "", name, labels)),
                role="helper" if is_driver(node.get("name") or "", labels) else "batch",
                node=node.get("hostNodeName") or "",
                phase="Unknown" if killed(node) or node.get("phase") not in _ENDED else _ENDED[node["phase"]],
                created=moment(started),
                scheduled=moment(started) if node.get("hostNodeName") else None,
                ended=moment(ended) if ended else None,
                gone=True,
                source="workflow",
            )


def _pod_name(node: Object, workflow: Object) -> str:
    """The name of a step's pod; `workflow` are the workflow's metadata."""
    key, value = _POD_NAMES
    if (workflow.get("annotations") or {}).get(key) != value or "templateName" not in node:
        return node.get("displayName") or node["id"]
    if node.get("name") == workflow["name"]:
        return workflow["name"]
    return f"{workflow['name']}-{node['templateName']}-{node['id'].rpartition('-')[2]}"
