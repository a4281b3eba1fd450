"""Pods that are gone, from the traces they left: events, which the API server keeps for an hour, and Argo workflows."""

from __future__ import annotations

import base64
import gzip
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, Final

from ckf_spot.where.observations import Pod
from ckf_spot.where.parse import moment
from ckf_spot.where.work import Work, step

Object = Mapping[str, Any]

_ASSIGNED: Final = re.compile(r"Successfully assigned (\S+)/(\S+) to (\S+)")
"""The scheduler's event `Scheduled`."""
_CREATED: Final = re.compile(r"(?:Created pod: |create Pod )(\S+)")
"""Events of whatever makes pods: Job, ReplicaSet and training jobs in the first form, StatefulSets in the second."""
_CREATION: Final = ("SuccessfulCreate", "SuccessfulCreatePod")
_DISRUPTIONS: Final = ("TaintManagerEviction", "Evicted", "ScaleDown", "Preempted")
"""Reasons of events that announce a pod's end: by a taint, the kubelet, the autoscaler, the scheduler."""
_REVOKED: Final = "Cancelling deletion"
"""How the taint manager's event begins where it spares the pod after all."""
_INDEXED: Final = re.compile(r"(?P<index>\d+)-[a-z0-9]{5}")
"""What an Indexed Job puts behind its name."""
_KILLED: Final = re.compile(r"pod deleted|exit code 143|node shutdown")
"""What Argo's messages say of a step that did not end by itself: its pod vanished, or was told to stop and could still
report so (docs/facts/placement.md#retries-of-vanished-pods)."""


def earlier(pods: Sequence[Pod], events: Iterable[Object], workflows: Iterable[Object]) -> tuple[Pod, ...]:
    """Pods that are there no more but whose work is known, oldest first.

    Args:
        pods: those that are there.
        events: core/v1 Events of the same namespaces.
        workflows: Argo Workflows of the same namespaces.
    """
    steps = list(_from_workflows(pods, workflows))
    told = list(_from_events(pods, list(events)))
    return tuple(sorted((*steps, *told), key=lambda pod: pod.created))


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
    owners = _owners(events)
    reasons = _disruptions(events)
    for event in events:
        found = _ASSIGNED.match(event.get("message") or "") if event.get("reason") == "Scheduled" else None
        began = when(event)
        uid = (event.get("involvedObject") or {}).get("uid") or ""
        if not (found and began and uid) or uid in there:
            continue
        namespace, name, node = found.groups()
        heir = by_name.get((namespace, name))
        work = heir.work if heir else owners.get((namespace, name))
        if work is None:
            continue
        kin = heir or next((pod for pod in pods if pod.work == work), None)
        there.add(uid)
        yield Pod(
            uid=uid,
            name=name,
            work=work,
            role=kin.role if kin else "batch" if work.kind.endswith("Job") else "other",
            node=node,
            phase="Unknown",
            created=began,
            scheduled=began,
            disruption=reasons.get(uid, ""),
            gone=True,
            source="event",
        )


def _owners(events: Iterable[Object]) -> Mapping[tuple[str, str], Work]:
    """The work of pods by namespace and name, from the events of their creation."""
    owners: dict[tuple[str, str], Work] = {}
    for event in events:
        found = _CREATED.match(event.get("message") or "") if event.get("reason") in _CREATION else None
        if not found:
            continue
        owner = event["involvedObject"]
        kind, name, pod = owner["kind"], owner["name"], found[1]
        rest = pod.removeprefix(f"{name}-")
        indexed = _INDEXED.fullmatch(rest) if kind == "Job" else None
        if kind == "ReplicaSet":
            kind, name = "Deployment", name.rpartition("-")[0]
        is_named = kind not in {"Job", "Deployment", "DaemonSet"}
        part = indexed["index"] if indexed else rest if is_named else ""
        owners[(owner.get("namespace") or "", pod)] = Work(owner.get("namespace") or "", kind, name, part)
    return owners


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
        namespace, name = metadata["namespace"], metadata["name"]
        for node in _nodes(workflow.get("status") or {}):
            started = node.get("startedAt")
            if node.get("type") != "Pod" or not started or (namespace, node["id"]) in there:
                continue
            ended = node.get("finishedAt")
            yield Pod(
                uid=f"{metadata.get('uid', '')}/{node['id']}",
                name=node.get("displayName") or node["id"],
                work=Work(namespace, "Workflow", name, step(node.get("name") or "", name)),
                role="batch",
                node=node.get("hostNodeName") or "",
                phase=_phase(node),
                created=moment(started),
                scheduled=moment(started) if node.get("hostNodeName") else None,
                ended=moment(ended) if ended else None,
                gone=True,
                source="workflow",
            )


def _phase(node: Object) -> str:
    """Phase of the pod, Unknown for one that did not end by itself."""
    phase = node.get("phase")
    if phase == "Succeeded" or (
        phase in {"Failed", "Error"} and not _KILLED.search(node.get("message") or "")
    ):
        return "Succeeded" if phase == "Succeeded" else "Failed"
    return "Unknown"


def _nodes(status: Object) -> Sequence[Object]:
    """Nodes of a workflow's status; large ones are packed."""
    packed = status.get("compressedNodes")
    nodes = json.loads(gzip.decompress(base64.b64decode(packed))) if packed else status.get("nodes") or {}
    return tuple(nodes.values())
