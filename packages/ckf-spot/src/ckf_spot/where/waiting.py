"""Why a pod has no node yet, from the words of the scheduler and of the autoscaler."""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final, Literal

from ckf_spot import judgements
from ckf_spot.durations import text as duration
from ckf_spot.fields import Object
from ckf_spot.pods.fit import takers
from ckf_spot.where.observations import Look, Pod, ScaleUp
from ckf_spot.where.parse import moment

Cause = Literal["gated", "coming", "sold out", "full", "never", "unclear"]
"""`gated`: a queue holds it back; `coming`: its node is being made; `sold out`: Azure gave no VM, for want of capacity
or of quota; `full`: a pool has all the nodes that it may have; `never`: no node that can be made would take it."""

_DEFAULT_SCHEDULER: Final = "default-scheduler"
_REFUSED: Final = "NotTriggerScaleUp"
_MADE: Final = "TriggeredScaleUp"
_FAILED: Final = "FailedScaleUp"
_GROUPS: Final = re.compile(r"\{(\S+) \d+->\d+")
"""The scale sets in the message of `TriggeredScaleUp`: `[{aks-cpuspot-12345678-vmss 0->1 (max: 10)}]`."""
_COUNTED: Final = re.compile(r"(?:^|[:,] )\d+ (.+?)(?=, \d+ |\.? preemption:|\.?$)")
"""One of the reasons of scheduler and autoscaler, `3 Insufficient cpu`, without the number of nodes or groups."""
_SIMULATED: Final = " (simulated autoscaler)"
_SELECTION: Final = ("tolerations", "nodeSelector or affinity.nodeAffinity")
"""Fields that keep a pod off the pools that are not its own."""
_REASONS: Final[Sequence[tuple[str, Cause, str]]] = (
    ("in backoff after failed scale-up", "sold out", ""),
    ("max node group size reached|max cluster .* limit reached", "full", ""),
    ("not ready for scale-up|be vertically scaled|Too many pods|were unschedulable", "unclear", ""),
    ("persistentvolumeclaim", "unclear", "volumes"),
    (r"Insufficient (\S+)", "never", r"resources.requests['\1']"),
    ("taint", "never", _SELECTION[0]),
    ("node affinity/selector|node selector", "never", _SELECTION[1]),
    ("topology spread", "never", "topologySpreadConstraints"),
    ("anti-affinity", "never", "affinity.podAntiAffinity"),
    ("pod affinity", "never", "affinity.podAffinity"),
    ("free ports", "never", "containers[].ports[].hostPort"),
    ("requested node name", "never", "nodeName"),
    ("volume node affinity", "never", "volumes"),
    ("resourceclaim|allocate all claims", "never", "resourceClaims"),
)
"""Words of the scheduler (kubernetes/kubernetes, pkg/scheduler/framework/plugins, 1.34) and of the autoscaler
(kubernetes/autoscaler, cluster-autoscaler/core/scaleup/orchestrator/skippedreasons.go, 1.34), what they mean for a pod
if all pools refuse it, and the pod's field that they are about."""


@dataclass(frozen=True)
class Wait:
    """Why a pod has no node yet.

    Attributes:
        text: for people, without a full stop.
        fields: the pod's fields that keep it waiting, where `cause` is `never`.
    """

    cause: Cause
    text: str
    fields: tuple[str, ...] = ()


def with_scale_ups(pods: Iterable[Pod], events: Iterable[Object]) -> tuple[Pod, ...]:
    """The pods, those without a node with what the autoscaler did last about them."""
    last: dict[str, ScaleUp] = {}
    for event in events:
        time = _last_time(event)
        uid = (event.get("involvedObject") or {}).get("uid") or ""
        if event.get("reason") in {_REFUSED, _MADE, _FAILED} and time and uid:
            scale_up = ScaleUp(event["reason"], (event.get("message") or "").removesuffix(_SIMULATED), time)
            last[uid] = max(last.get(uid, scale_up), scale_up, key=lambda scale_up: scale_up.time)
    return tuple(replace(pod, scale_up=last.get(pod.uid)) if waits(pod) else pod for pod in pods)


def waits(pod: Pod) -> bool:
    """Whether a pod waits for a node, or for the queue that lets it have one."""
    return pod.active and not pod.node and not pod.deletion and bool(pod.gates or pod.waiting_since)


def wait(pod: Pod, look: Look, patience: timedelta) -> Wait | None:
    """Why a pod has no node yet; None if it has one, or nobody has looked for one.

    Args:
        pod: to be judged.
        look: what was seen besides.
        patience: how long a node may take, after which Azure is taken to have none.
    """
    if not waits(pod):
        return _unseen(pod, look, patience)
    if pod.gates:
        return Wait(
            "gated", f"it is held back until a queue admits it (scheduling gate {', '.join(pod.gates)})"
        )
    scale_up = pod.scale_up
    if scale_up is None:
        return Wait("unclear", _quoted("the scheduler", pod.scheduler) + _unjudged(pod))
    if scale_up.reason == _FAILED:
        return Wait("sold out", f"Azure gave no node: {scale_up.message.rstrip('.')}")
    if scale_up.reason == _MADE:
        return _coming(scale_up, look, patience)
    return _refused(pod, scale_up.message, look)


def _unseen(pod: Pod, look: Look, patience: timedelta) -> Wait | None:
    """Why no scheduler has looked at a pod: it is for one that does not run."""
    scheduler = pod.spec.get("schedulerName")
    pending = pod.phase == "Pending" and pod.active and not pod.node and not pod.deletion
    if not pending or scheduler in (None, "", _DEFAULT_SCHEDULER) or look.time - pod.created < patience:
        return None
    return Wait("unclear", f"no scheduler has looked at it, and its schedulerName is {scheduler}")


def _coming(scale_up: ScaleUp, look: Look, patience: timedelta) -> Wait:
    names = (look.place(group).pool or group for group in _GROUPS.findall(scale_up.message))
    pools = " and ".join(dict.fromkeys(names)) or "its pool"
    since = look.time - scale_up.time
    taken = duration(max(int(since.total_seconds()), 0))
    if since < patience:
        return Wait("coming", f"a node of {pools} is being made, for {taken} so far")
    return Wait("sold out", f"no node of {pools} has come in {taken}: {_SOLD_OUT}")


_SOLD_OUT: Final = "Azure has no VM of that size now, or a quota is used up, which an administrator sees"


def _refused(pod: Pod, message: str, look: Look) -> Wait:
    """Why the autoscaler makes no node for a pod; each of its pools is in the message with a reason.

    A pool in back-off or without room for more nodes is there whether it would take the pod or not.
    """
    pools = [*(look.pools or {}).values()]
    is_open = bool(takers(pod.spec, pools))
    reasons = list(dict.fromkeys(_COUNTED.findall(message)))
    judged = [_judged(reason) for reason in reasons]
    causes = {cause for cause, _ in judged}
    if "sold out" in causes and (is_open or not pools):
        return Wait("sold out", f"the autoscaler got no node and waits before it tries again: {_SOLD_OUT}")
    if "full" in causes and (is_open or not pools):
        return Wait("full", "its pools have as many nodes as they may have (maxCount), and none has room")
    if causes != {"never"}:
        return Wait("unclear", _quoted("the autoscaler", message) + _unjudged(pod))
    fields = tuple(dict.fromkeys(field for _, field in judged))
    if is_open:
        fields = tuple(_without(fields, _SELECTION)) or fields
    words = ", ".join(reason for reason, (_, field) in zip(reasons, judged, strict=True) if field in fields)
    return Wait("never", f"no node that the autoscaler could make would take it: {words}", fields)


def _judged(reason: str) -> tuple[Cause, str]:
    for pattern, cause, field in _REASONS:
        if match := re.search(pattern, reason, re.IGNORECASE):
            return cause, match.expand(field)
    return "unclear", ""


def _without(fields: Iterable[str], others: Collection[str]) -> Iterator[str]:
    return (field for field in fields if field not in others)


def _quoted(who: str, message: str) -> str:
    """Somebody's words about a pod, without those on preemption behind them."""
    words = message.partition(" preemption:")[0].rstrip(". ")
    return f"{who} says: {words}" if words else f"{who} has not said why"


def _unjudged(pod: Pod) -> str:
    """What of a pod may keep it waiting, and is not judged."""
    paths = [field.path for field in judgements.fields("PodSpec", pod.spec) if field.unjudged]
    return f"; not judged: {', '.join(paths)}" if paths else ""


def _last_time(event: Object) -> datetime | None:
    """When an event happened last, None where it does not say."""
    series: Mapping[str, str] = event.get("series") or {}
    text = series.get("lastObservedTime") or event.get("lastTimestamp")
    text = text or event.get("eventTime") or event.get("firstTimestamp")
    return moment(text) if text else None
