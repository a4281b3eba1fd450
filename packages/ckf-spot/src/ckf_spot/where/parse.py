"""Pods and nodes from the API's objects, and what of them is worth keeping in a record."""

import re
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from typing import Any, Final, TypeVar

from ckf_spot import judgements
from ckf_spot.agent_pool import POOL_LABEL, SPOT_LABEL
from ckf_spot.fields import Object, map_at
from ckf_spot.placement import REQUIRED
from ckf_spot.pods import shape
from ckf_spot.where.observations import Node, Pod
from ckf_spot.where.work import OWNERS, STEP, STEP_ID, Maker, Work, maker_of, role_of, work_of

_Named = TypeVar("_Named", Work, Maker)

_GPU_PREFIX: Final = "nvidia.com/"
"""`nvidia.com/gpu`, and `nvidia.com/mig-…` where slices have names of their own."""
_PRIORITY_LABEL: Final = "kubernetes.azure.com/priority"
"""AKS's successor of the label `scalesetpriority`: `spot` or `regular`."""
_EVENT_CONDITIONS: Final = ("PreemptionScheduled", "VMEventScheduled")
"""Conditions that AKS's node-problem-detector sets when Azure announces an event (docs/facts/aks.md#evictions)."""
_READY: Final = "Ready"
"""Condition of a node; the node controller sets it to Unknown once the kubelet has been silent for 50 seconds
(kubernetes/kubernetes 1.34, `pkg/controller/nodelifecycle`)."""
_PREEMPT: Final = re.compile(r"\s*Preempt\s+(?:Scheduled|Started)\b")
"""How the message begins where the event is an eviction; all others (Reboot, Freeze, Redeploy,
SpotRebalanceRecommendation) take no VM away."""
_PHASES: Final = ("Pending", "Running", "Succeeded", "Failed", "Unknown")
_POD_METADATA: Final = (
    "name", "namespace", "uid", "labels", "creationTimestamp", "deletionTimestamp", "ownerReferences",
)  # fmt: skip
_POD_SPEC: Final = tuple(
    name for name in judgements.names_that_keep_from("start", "PodSpec") if name != "priority"
)
"""Fields that decide about a pod's node; one whose priority does not fit its class is refused and never there."""
_POD_STATUS: Final = ("phase", "startTime", "conditions")


def pod(raw: Object, gone: datetime | None = None) -> Pod:
    """A pod from the API's object.

    Args:
        raw: whole or trimmed.
        gone: when the object was seen to be there no more, None while it is.

    Raises:
        KeyError, TypeError, ValueError, AttributeError: it is no pod.
    """
    metadata, spec, status = raw["metadata"], raw.get("spec") or {}, raw.get("status") or {}
    phase = text(status.get("phase")) or "Pending"
    if phase not in _PHASES:
        raise ValueError(f"phase {phase!r} is not known")
    conditions = {entry["type"]: entry for entry in status.get("conditions") or ()}
    scheduled = conditions.get("PodScheduled", {})
    target = conditions.get("DisruptionTarget", {})
    waits = phase == "Pending" and scheduled.get("reason") == "Unschedulable"
    starts, ends = _containers(status)
    return Pod(
        uid=text(metadata["uid"]),
        name=text(metadata["name"]),
        work=_checked(work_of(raw)),
        role=role_of(raw, writes_volumes=any(_written(spec))),
        node=text(spec.get("nodeName")),
        phase=phase,
        created=moment(metadata["creationTimestamp"]),
        scheduled=_since(scheduled) if scheduled.get("status") == "True" else None,
        started=min(starts, default=_moment(status.get("startTime")) if phase != "Pending" else None),
        ended=max(ends, default=None) if phase in {"Succeeded", "Failed"} and ends else gone,
        disruption=text(target.get("reason")) or "unknown" if target.get("status") == "True" else "",
        deletion=_moment(metadata.get("deletionTimestamp")),
        gone=gone is not None,
        waiting_since=_since(scheduled) or moment(metadata["creationTimestamp"]) if waits else None,
        scheduler=text(scheduled.get("message")) if waits else "",
        gates=tuple(text(gate["name"]) for gate in spec.get("schedulingGates") or ()),
        maker=_checked(maker_of(raw)),
        step_id=text((metadata.get("annotations") or {}).get(STEP_ID)),
        gpus=_gpus_of(spec),
        spec=_checked_spec(_of_scheduling(spec)),
    )


def node(raw: Object, gone: datetime | None = None) -> Node:
    """A node from the API's object.

    Raises:
        KeyError, TypeError, ValueError, AttributeError: it is no node.
    """
    metadata, status = raw["metadata"], raw.get("status") or {}
    labels = metadata.get("labels") or {}
    conditions = {entry["type"]: entry for entry in status.get("conditions") or ()}
    ready = conditions.get(_READY, {})
    notices = [_since(conditions[name]) for name in _EVENT_CONDITIONS if _evicts(conditions.get(name, {}))]
    return Node(
        name=text(metadata["name"]),
        pool=text(labels.get(POOL_LABEL) or labels.get("agentpool")),
        spot="spot" in {labels.get(SPOT_LABEL), labels.get(_PRIORITY_LABEL)},
        gpus=_gpus(status.get("allocatable") or {}),
        created=moment(metadata["creationTimestamp"]),
        notice=min(filter(None, notices), default=None),
        silent=_since(ready) if ready.get("status") == "Unknown" else None,
        gone=gone,
    )


def trimmed_pod(raw: Object) -> dict[str, Any]:
    """What `pod` reads of a pod; no environment, command or image, which may be confidential."""
    metadata, spec, status = raw["metadata"], raw.get("spec") or {}, raw.get("status") or {}
    kept = _only(metadata, _POD_METADATA)
    annotations = metadata.get("annotations") or {}
    kept["annotations"] = _only(annotations, (STEP, STEP_ID))
    return {
        "metadata": kept,
        **_only(raw, (OWNERS,)),
        "spec": {
            **_of_scheduling(spec),
            "volumes": [
                {"persistentVolumeClaim": volume["persistentVolumeClaim"]}
                for volume in spec.get("volumes") or ()
                if "persistentVolumeClaim" in volume
            ],
        },
        "status": {
            **_only(status, _POD_STATUS),
            "containerStatuses": [
                {"state": _only(container.get("state") or {}, ("running", "terminated"))}
                for container in status.get("containerStatuses") or ()
            ],
        },
    }


def trimmed_node(raw: Object) -> dict[str, Any]:
    """What `node` reads of a node."""
    metadata, status = raw["metadata"], raw.get("status") or {}
    labels = metadata.get("labels") or {}
    return {
        "metadata": {
            **_only(metadata, ("name", "creationTimestamp")),
            "labels": _only(labels, (POOL_LABEL, SPOT_LABEL, _PRIORITY_LABEL, "agentpool")),
        },
        "status": {
            "allocatable": {
                name: amount
                for name, amount in (status.get("allocatable") or {}).items()
                if name.startswith(_GPU_PREFIX)
            },
            # Without their heartbeats, or every node would be news every few minutes.
            "conditions": [
                _only(condition, ("type", "status", "lastTransitionTime", "message"))
                for condition in status.get("conditions") or ()
                if condition["type"] in {_READY, *_EVENT_CONDITIONS}
            ],
        },
    }


def moment(text: str) -> datetime:
    """A time of the API's, such as `2026-11-21T07:40:00Z`.

    Raises:
        TypeError, ValueError: it is none.
    """
    time = datetime.fromisoformat(text)
    if time.tzinfo is None:
        raise ValueError(f"{text!r} has no time zone")
    return time.astimezone(UTC)


def text(value: Any) -> str:
    """A text, empty for none.

    Raises:
        TypeError: it is something else.
    """
    if not isinstance(value, str | None):
        raise TypeError(f"{value!r} is no text")
    return value or ""


def _checked(made: _Named) -> _Named:
    """The work or the maker, if all its fields are texts."""
    return type(made)(*map(text, vars(made).values()))


def _moment(text: str | None) -> datetime | None:
    return moment(text) if text else None


def _since(condition: Object) -> datetime | None:
    return _moment(condition.get("lastTransitionTime"))


def _evicts(condition: Object) -> bool:
    """Whether a condition announces an eviction; a record of an older release has no messages and counts them all."""
    message = condition.get("message", "Preempt Started")
    return condition.get("status") == "True" and _PREEMPT.match(text(message)) is not None


def _containers(status: Object) -> tuple[list[datetime], list[datetime]]:
    """When containers started, and when they ended."""
    states = [container.get("state") or {} for container in status.get("containerStatuses") or ()]
    there = [state.get("running") or state.get("terminated") or {} for state in states]
    starts = [moment(state["startedAt"]) for state in there if state.get("startedAt")]
    ends = [moment(state["finishedAt"]) for state in there if state.get("finishedAt")]
    return starts, ends


def _written(spec: Object) -> Iterator[str]:
    """Claims of the persistent volumes that a pod may write."""
    for volume in spec.get("volumes") or ():
        claim = volume.get("persistentVolumeClaim")
        if claim and not claim.get("readOnly"):
            yield claim["claimName"]


def _of_scheduling(spec: Object) -> dict[str, Any]:
    """What of a pod's spec decides about its node."""
    affinity = {
        kind: {REQUIRED: terms}
        for kind, rules in (spec.get("affinity") or {}).items()
        if (terms := (rules or {}).get(REQUIRED))
    }
    return {
        **_only(spec, _POD_SPEC),
        **{
            kind: [_only(container, ("resources", "restartPolicy")) for container in spec.get(kind) or ()]
            for kind in ("initContainers", "containers")
        },
        **({"affinity": affinity} if affinity else {}),
    }


def _checked_spec(spec: Object) -> Object:
    """A spec of the right shape; ValueError where it is not."""
    if mistakes := shape.override_problems({"spec": spec}, "pod"):
        raise ValueError(str(mistakes[0]))
    return spec


def _gpus_of(spec: Object) -> int:
    """Init containers run before the others, one by one."""
    before, main = (
        [_gpus(map_at(container, "resources", "limits")) for container in spec.get(kind) or ()]
        for kind in ("initContainers", "containers")
    )
    return max(sum(main), *before, 0)


def _gpus(amounts: Object) -> int:
    return sum(
        int(amount)
        for name, amount in amounts.items()
        if name.startswith(_GPU_PREFIX) and str(amount).isdecimal()
    )


def _only(fields: Object, names: Iterable[str]) -> dict[str, Any]:
    return {name: fields[name] for name in names if name in fields}
