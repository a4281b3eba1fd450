"""Acts on Azure's notice of an eviction: cordons the node, and evicts its pods with the grace that is really left.

This file runs in the cluster as it is, from a ConfigMap, with nothing but Python's standard library. What is to be done
follows from the nodes and their pods each time, so a restart in the middle of an eviction carries on.

The notice is what AKS's node problem detector writes into a node's conditions (docs/facts/aks.md#evictions). It is read
and never approved: that would let Azure take the VM at once, with the pods of everybody on it.

Azure's advisory, that it may take the VM before long, ends no pod: those that agree to it save themselves, and if the
setting is `cordon`, nothing new starts on the node for a while.
"""

from __future__ import annotations

import json
import os
import queue
import re
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import partial
from http import HTTPStatus
from itertools import count
from typing import Any, Final

from .script_client import (
    FAILURES,
    GONE,
    UNREADABLE,
    Api,
    ApiError,
    Object,
    Report,
    deletion,
    eviction,
    pod_name,
    pod_path,
    start,
)
from .script_metrics import Counter, Histogram

SAVE_SECONDS: Final = 180
"""A pod that agrees saves itself that often while an advisory stands, as one save would soon be old; measured in
docs/reference/work-lost-to-evictions.md#advisories."""
ADVISED_SECONDS: Final = 1200
"""So long after an advisory pods save themselves, and its node is cordoned: Azure's longest one comes 15 minutes before
an eviction (`Azure/karpenter-provider-azure#1770`), and 5 more are our choice."""
RIGHTS: Final[Mapping[str, Sequence[str]]] = {
    "nodes": ("list", "watch", "patch"),
    "pods": ("list", "delete"),
    "pods/eviction": ("create",),
}
"""Verbs in the whole cluster, by resource of the API group ""; it deletes only pods of a node with a notice whose
eviction is refused until their grace would not fit any more."""
RIGHTS_ON_ADVISORY: Final[Mapping[str, Sequence[str]]] = {"pods/status": ("patch",)}
"""Further verbs, unless advisories are ignored. A pod's annotations can be written with its status, and whoever may
write its status changes no image, as who may write the pod does."""
MARK: Final = "kubeflow-aks/cordoned-by"
"""Annotation of a node that this program emptied, with who had cordoned it."""
ADVISED: Final = "kubeflow-aks/advised"
"""Annotation of a node with when this program heeded an advisory, and which one."""
SAVE: Final = "kubeflow-aks/save-now"
"""Annotation by which a pod agrees to save itself on an advisory, empty at first; then the last time it is to do so."""
_NAME: Final = "eviction-handler"
_OTHERS: Final = "others"
_CONDITIONS: Final = ("PreemptionScheduled", "VMEventScheduled")
_PREEMPT: Final = re.compile(r"\s*Preempt\s+(?P<status>Scheduled|Started)\b[\s:]*(?P<date>[^.]*)")
"""Beginning of a condition's message; all else (Freeze, Reboot, SpotRebalanceRecommendation) takes no VM away."""
_ADVISORY: Final = re.compile(
    r"\s*SpotRebalanceRecommendation\s+Advisory\b(?:.*EventId:\s*(?P<id>[\w-]+))?", re.DOTALL
)
"""Beginning of a condition's message that is advice; a date in it is no deadline
(`Azure/karpenter-provider-azure#1829`)."""
_NOTICE_SECONDS: Final = 30
"""Azure's notice, where a message has no date that can be read ("Azure Spot Virtual Machines", best effort)."""
_LONGEST_NOTICE_SECONDS: Final = 900
"""Azure's longest notice of any event (`linux/scheduled-events.md`, "Event scheduling"); a later date is an error."""
_REPORT_SECONDS: Final = 2
"""What the kubelet has, after the last kill, to report it before the VM goes: our choice."""
_LEAST_SECONDS: Final = 5
"""The shortest grace, even after the deadline: a VM often lives a little longer. Our choice."""
_DEFAULT_GRACE: Final = 30
"""Grace period of a pod that names none, in seconds (Kubernetes API, `terminationGracePeriodSeconds`)."""
_REQUESTS: Final = 64
"""Requests about pods at a time: by default API Priority and Fairness has 245 seats for the level of service accounts
("API Priority and Fairness", the suggested `workload-low`)."""
_CORDONS: Final = 16
"""Requests about nodes at a time, beside those about pods."""
_CORDON_SECONDS: Final = 1.0
"""How long a look waits for the cordon, once it is done with the pods."""
_LONGEST_PAUSE: Final = 8.0


class Metrics:
    """What Prometheus may know of the handler; all of it since this process began."""

    def __init__(self) -> None:
        """Nothing happened yet."""
        self.notices = Counter(
            "kubeflow_aks_eviction_notices_total",
            "Notices seen on nodes, by what their messages say.",
            "kind",
            ("advisory", "scheduled", "started"),
        )
        self.lead = Histogram(
            "kubeflow_aks_eviction_notice_lead_seconds",
            "Time from a notice until Azure takes the VM at the earliest.",
            (0, 5, 10, 20, 30, 60, 900),
        )
        self.pods = Counter(
            "kubeflow_aks_eviction_pods_total",
            "Pods of nodes with a notice; a refused one is evicted or deleted later, unless it goes with its node.",
            "result",
            ("evicted", "refused", "deleted"),
        )
        self.left = Histogram(
            "kubeflow_aks_eviction_seconds_left",
            "Time left on a node when the last of its pods had ended; 0 or less if that was not in time.",
            (0, 2, 5, 10, 15, 20, 30, 60),
        )
        self.uncordoned = Counter(
            "kubeflow_aks_eviction_nodes_uncordoned_total",
            "Nodes uncordoned, as Azure did not take them.",
        )
        self.metadata_errors = Counter(
            "kubeflow_aks_eviction_metadata_errors_total",
            "Times that a node's detector could not read Azure's metadata service any more.",
        )


@dataclass
class _Notice:
    """What is remembered of a node's notice, for what this process logs and counts.

    Attributes:
        seen: when it was seen first.
        ends: when Azure takes the VM at the earliest.
        kinds: what was counted of it.
        refused: uids of pods whose eviction was refused.
        working: whether pods of the node had to end and have not ended.
        marking: the cordon that was requested last.
    """

    seen: float
    ends: float
    kinds: set[str] = field(default_factory=set[str])
    refused: set[str] = field(default_factory=set[str])
    working: bool = False
    marking: Future[bool] | None = None


class Handler:
    """One thread watches the nodes; each node with a notice has one more, as long as the notice holds."""

    def __init__(
        self,
        api: Api,
        now: Callable[[], float] = time.time,
        report: Report | None = None,
        metrics: Metrics | None = None,
        on_advisory: str = "ignore",
    ) -> None:
        """Looks at nothing yet.

        Args:
            api: the API server.
            now: returns the seconds since the epoch.
            report: what it says of itself.
            metrics: what it counts.
            on_advisory: `ignore`; `checkpoint`: pods that agree save themselves; `cordon`: no pod starts there either.
        """
        self._api = api
        self._now = now
        self._report = report or Report()
        self._metrics = metrics or Metrics()
        self._lock = threading.Lock()
        self._nodes: dict[str, Object] = {}
        self._attended: dict[str, threading.Event] = {}
        self._notices: dict[str, _Notice] = {}
        self._unsure: set[str] = set()
        self._advised: dict[str, str] = {}
        self._on_advisory = on_advisory
        self._cordons = ThreadPoolExecutor(_CORDONS, "cordons")
        self._threads = ThreadPoolExecutor(_REQUESTS, "pods")
        self._due = queue.PriorityQueue[tuple[float, int, Callable[[], Any], Future[Any]]]()
        self._numbers = count()

    def run(self) -> None:
        """Lists and watches the nodes until the process ends."""
        while True:
            try:
                version = self._list()
                self._report.problem("nodes", "")
            except (*FAILURES, *UNREADABLE) as error:
                self._report.problem("nodes", f"cannot be listed: {error!r}")
                time.sleep(1)
                continue
            try:
                self._watch(version)
            except FAILURES as error:
                self._report.once("watch of nodes", repr(error))
                time.sleep(1)

    def _list(self) -> str:
        """Looks at all nodes; returns the version of the list."""
        listed = self._api.call("GET", "/api/v1/nodes")
        names = set(self._report.readable("node", listed["items"], self._see))
        with self._lock:
            self._nodes = {name: node for name, node in self._nodes.items() if name in names}
            for gone in self._attended.keys() - names:
                self._attended[gone].set()
            self._unsure &= names
            self._advised = {name: event for name, event in self._advised.items() if name in names}
        return listed["metadata"]["resourceVersion"]

    def _watch(self, version: str) -> None:
        """Looks at nodes that change; an error or the end of the watch is a reason to list them anew."""
        lines = self._api.watch(f"/api/v1/nodes?resourceVersion={version}")
        for kind, node in self._report.readable("event", lines, _event):
            if kind == "ERROR":
                return
            see = self._forget if kind == "DELETED" else self._see
            list(self._report.readable("node", [node], see))

    def _see(self, node: Object) -> str:
        """Has a node attended that has or had a notice; returns its name."""
        name: str = node["metadata"]["name"]
        attention, unsure, event = self._needs_attention(node), _is_unsure(node), advisory(node)
        with self._lock:
            before, self._nodes[name] = self._nodes.get(name), node
            if unsure and name not in self._unsure:
                self._metrics.metadata_errors.count()
            (self._unsure.add if unsure else self._unsure.discard)(name)
            if event and event != self._advised.get(name):
                self._metrics.notices.count("advisory")
                self._advised[name] = event
            if name in self._attended:
                if before is None or deadline(before) != deadline(node):
                    self._attended[name].set()
                return name
            if not attention:
                return name
            changed = self._attended[name] = threading.Event()
        threading.Thread(target=self._attend, args=(name, changed), name=name, daemon=True).start()
        return name

    def _forget(self, node: Object) -> None:
        name = node["metadata"]["name"]
        with self._lock:
            self._nodes.pop(name, None)
            if name in self._attended:
                self._attended[name].set()

    def _attend(self, name: str, changed: threading.Event) -> None:
        """Looks at the node again and again until it is gone or needs nothing; at once when its notice changes."""
        pause = 1.0
        while (node := self._current(name)) is not None:
            try:
                again = self.look(node)
            except Exception as error:  # noqa: BLE001 - nobody else would look at this node any more
                self._report.once(name, repr(error))
                again = True
            pause = next_pause(pause, again=again)
            changed.wait(pause)
            changed.clear()

    def _current(self, name: str) -> Object | None:
        with self._lock:
            node = self._nodes.get(name)
            if node is not None and self._needs_attention(node):
                return node
            self._attended.pop(name, None)
            notice = self._notices.pop(name, None)
        if node is None and notice is not None and notice.working:
            self._metrics.left.observe(min(0.0, notice.ends - self._now()))
        return None

    def _needs_attention(self, node: Object) -> bool:
        return needs_attention(node) or (self._on_advisory != "ignore" and bool(advisory(node)))

    def look(self, node: Object) -> bool:
        """Does what is due on a node; returns whether something must be tried again soon.

        Raises:
            ApiError: the API server refuses.
            OSError: it does not answer.
        """
        name, ends = node["metadata"]["name"], deadline(node)
        if ends is None:
            self._notices.pop(name, None)
            event = "" if self._on_advisory == "ignore" else advisory(node)
            if event:
                return self._heed(node, event)
            if is_taken_back(node):
                self._release(node, "the notice was taken back")
            return False
        notice = self._notices.setdefault(name, _Notice(self._now(), ends))
        notice.ends = ends = believed(ends, notice.seen)
        self._count(notice, kinds(node))
        if notice.marking is None or notice.marking.done():
            notice.marking = self._cordons.submit(self._mark, node, ends)
        path = f"/api/v1/pods?resourceVersion=0&fieldSelector=spec.nodeName%3D{name}"
        begun = self._now()
        listed = self._begin(0.0, partial(self._api.call, "GET", path)).result()
        ends -= self._now() - begun  # an eviction reaches the pod no sooner
        pods = list(filter(works, self._report.readable("pod", listed["items"], _identified)))
        evictions = [
            self._begin(ends - _longest_grace(pod), partial(self._evict, pod, ends, notice.refused))
            for pod in filter(leaves, pods)
        ]
        if notice.working and not pods:
            self._metrics.left.observe(notice.ends - begun)
        notice.working = bool(pods)
        again = True in [done.result() for done in evictions]
        # The end of pods is worth a look a second while there is time left, to know how much.
        again |= len(pods) > len(evictions) and begun < notice.ends
        wait([notice.marking], _CORDON_SECONDS)
        return again or not notice.marking.done() or notice.marking.result()

    def _count(self, notice: _Notice, seen: set[str]) -> None:
        """Counts what is new of a notice."""
        if not notice.kinds:
            self._metrics.lead.observe(max(0.0, notice.ends - notice.seen))
        for kind in seen - notice.kinds:
            self._metrics.notices.count(kind)
        notice.kinds |= seen

    def _begin(self, latest: float, act: Callable[[], Any]) -> Future[Any]:
        """Has it done by a thread; what must have begun first is done before all that waits, of any node."""
        done: Future[Any] = Future()
        self._due.put((latest, next(self._numbers), act, done))
        self._threads.submit(self._do_next)
        return done

    def _do_next(self) -> None:
        _, _, act, done = self._due.get()
        try:
            done.set_result(act())
        except Exception as error:  # noqa: BLE001 - it is raised where the result is read
            done.set_exception(error)

    def _mark(self, node: Object, ends: float) -> bool:
        """Cordons and marks a node, which only keeps other pods from coming; returns whether it must be tried again."""
        if _is_marked(node) and _is_cordoned(node) and ADVISED not in _annotations(node):
            return False
        try:
            self._cordon(node, {}, f"; Azure takes it in {ends - self._now():.0f} s")
        except FAILURES as error:
            self._report.once(node["metadata"]["name"], f"cannot be cordoned: {error}")
            return True
        return False

    def _cordon(self, node: Object, annotations: Mapping[str, str], detail: str) -> None:
        by = _cordoned_by(node)
        self._apply(node, {"annotations": {MARK: by, **annotations}}, {"spec": {"unschedulable": True}})
        self._report.once(node["metadata"]["name"], f"cordoned by {by}", detail)

    def _release(self, node: Object, text: str, annotations: Mapping[str, str] | None = None) -> None:
        """Withdraws what this program applied, but for some annotations."""
        cordoned = _is_cordoned(node)
        released = self._apply(node, {"annotations": annotations or {}}, {})
        if cordoned and not _is_cordoned(released):
            self._metrics.uncordoned.count()
            text += "; uncordoned"
        self._report.once(node["metadata"]["name"], text)

    def _heed(self, node: Object, event: str) -> bool:
        """Does what is due on a node with an advisory; returns whether something must be tried again soon."""
        name, now = node["metadata"]["name"], self._now()
        seconds, _, heeded = _annotations(node).get(ADVISED, "").partition(" ")
        begun = int(seconds) if heeded == event else int(now)
        left = begun + ADVISED_SECONDS - now
        advised = {ADVISED: f"{begun} {event}"}
        if self._on_advisory == "checkpoint" or left <= 0:
            if heeded != event or _is_marked(node):
                self._release(node, "Azure may take it" if left > 0 else "Azure did not take it", advised)
        elif heeded != event or not _is_marked(node):
            self._cordon(node, advised, f"; Azure may take it in the next {left / 60:.0f} min")
        if left <= 0:
            return False
        path = f"/api/v1/pods?resourceVersion=0&fieldSelector=spec.nodeName%3D{name}"
        pods = self._report.readable("pod", self._api.call("GET", path)["items"], _identified)
        due = now - (now - begun) % SAVE_SECONDS
        moment = datetime.fromtimestamp(due, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        agreeing = [pod for pod in filter(leaves, pods) if _annotations(pod).get(SAVE, moment) != moment]
        return True in [self._have_saved(pod, moment) for pod in agreeing]

    def _have_saved(self, pod: Object, moment: str) -> bool:
        """Has a pod save itself, which goes on as it is; returns whether it must be tried again."""
        change = {"metadata": {"uid": pod["metadata"]["uid"], "annotations": {SAVE: moment}}}
        try:
            self._api.call("PATCH", f"{pod_path(pod)}/status", change, "merge-patch+json")
        except FAILURES as error:
            return self._has_failed(pod, error, "cannot be asked to save itself: ")
        self._report.line(pod_name(pod), "is to save itself, as Azure may take its node")
        return False

    def _has_failed(self, pod: Object, error: Exception, text: str = "") -> bool:
        """Logs an error, unless the pod is not there any more; returns whether the request must be tried again."""
        if isinstance(error, ApiError) and error.status in GONE:
            return False
        self._report.once(pod_name(pod), f"{text}{error}")
        return True

    def _apply(self, node: Object, metadata: Object, fields: Object) -> Object:
        """The node after its fields are those of this program; what only this program had set before is removed.

        Server-side apply never conflicts with those who write other fields, and keeps a cordon that others set as well.
        """
        name = node["metadata"]["name"]
        identity = {key: node["metadata"][key] for key in ("name", "uid") if key in node["metadata"]}
        body = {"apiVersion": "v1", "kind": "Node", "metadata": {**identity, **metadata}, **fields}
        path = f"/api/v1/nodes/{name}?fieldManager={_NAME}&force=true"
        return self._api.call("PATCH", path, body, "apply-patch+yaml")

    def _evict(self, pod: Object, ends: float, refused: set[str]) -> bool:
        """Evicts a pod; returns whether it must be tried again. Notes it in `refused` if that is refused."""
        left = ends - self._now()
        path, uid, seconds = pod_path(pod), pod["metadata"]["uid"], grace(pod, left)
        result, why = "evicted", ""
        try:
            try:
                self._api.call("POST", f"{path}/eviction", eviction(pod, gracePeriodSeconds=seconds))
            except ApiError as error:
                if error.status in GONE or is_overload(error):
                    raise
                if uid not in refused:
                    refused.add(uid)
                    self._metrics.pods.count("refused")
                if can_wait(pod, left):
                    raise
                self._api.call("DELETE", path, deletion(pod, gracePeriodSeconds=seconds))
                why = f", because what refuses its eviction cannot keep the VM ({error.status})"
                result = "deleted"
        except FAILURES as error:
            return self._has_failed(pod, error)
        self._metrics.pods.count(result)
        self._report.line(pod_name(pod), f"{result}{why}, grace {seconds} s")
        return False


def deadline(node: Mapping[str, Any]) -> float | None:
    """Seconds since the epoch at which Azure takes the node's VM at the earliest; None without a notice."""
    return min((end for end in map(_deadline, _about_the_vm(node)) if end is not None), default=None)


def believed(ends: float, seen: float) -> float:
    """The deadline, or that of an ordinary notice where it is later than Azure's longest one: then its date is wrong.

    Args:
        ends: the deadline that the node shows.
        seen: when the notice was seen first; the condition may be older, as it is true of advice and other events, too.
    """
    return ends if ends <= seen + _LONGEST_NOTICE_SECONDS else seen + _NOTICE_SECONDS


def is_taken_back(node: Mapping[str, Any]) -> bool:
    """Whether this program marked the node for a notice or an advisory that is not there any more."""
    return _is_ours(node) and deadline(node) is None and not _is_unsure(node)


def kinds(node: Mapping[str, Any]) -> set[str]:
    """What a node's notice says: that the end of the VM is `scheduled`, or has `started`; empty without a notice."""
    matches = [_PREEMPT.match(condition.get("message") or "") for condition in _about_the_vm(node)]
    return {match["status"].lower() for match in matches if match}


def needs_attention(node: Mapping[str, Any]) -> bool:
    """Whether there is or was a notice, or an advisory was heeded."""
    return _is_ours(node) or deadline(node) is not None


def advisory(node: Mapping[str, Any]) -> str:
    """Azure's advice that it may take the node's VM: its id, or since when it stands there; empty without one."""
    for condition in _about_the_vm(node):
        if match := _ADVISORY.match(condition.get("message") or ""):
            return str(match["id"] or condition.get("lastTransitionTime") or "unknown")
    return ""


def works(pod: Mapping[str, Any]) -> bool:
    """Whether a pod has to end before its node: not those of DaemonSets and mirror pods, nor what has ended."""
    metadata = pod["metadata"]
    owners = metadata.get("ownerReferences", [])
    daemon = any(owner["kind"] == "DaemonSet" and owner.get("controller") for owner in owners)
    mirror = "kubernetes.io/config.mirror" in metadata.get("annotations", {})
    return not (daemon or mirror or pod.get("status", {}).get("phase") in {"Succeeded", "Failed"})


def leaves(pod: Mapping[str, Any]) -> bool:
    """Whether a pod is to be evicted: one that works, and is not ending already."""
    return works(pod) and "deletionTimestamp" not in pod["metadata"]


def grace(pod: Mapping[str, Any], left: float) -> int:
    """Seconds a pod gets: its own grace period, but no more than is left, and never next to nothing.

    Args:
        pod: the pod.
        left: seconds until Azure may take the VM; negative after that.
    """
    return min(_longest_grace(pod), max(int(left) - _REPORT_SECONDS, _LEAST_SECONDS))


def can_wait(pod: Mapping[str, Any], left: float) -> bool:
    """Whether a refusal may hold the pod back a little longer without taking from its grace period."""
    return left - _REPORT_SECONDS > _longest_grace(pod)


def is_overload(error: ApiError) -> bool:
    """Whether API Priority and Fairness refuses a request, and not a disruption budget with its status."""
    return error.status == HTTPStatus.TOO_MANY_REQUESTS and "DisruptionBudget" not in error.text


def next_pause(pause: float, *, again: bool) -> float:
    """Seconds until the next look at a node, after a pause of so many; a short one where something failed."""
    return 1.0 if again else min(2 * pause, _LONGEST_PAUSE)


def _about_the_vm(node: Mapping[str, Any], status: str = "True") -> list[Object]:
    """Its conditions about the VM that have a status."""
    conditions: list[Object] = node["status"].get("conditions") or []
    return [entry for entry in conditions if entry["type"] in _CONDITIONS and entry["status"] == status]


def _annotations(obj: Mapping[str, Any]) -> Mapping[str, str]:
    return obj["metadata"].get("annotations") or {}


def _is_marked(node: Mapping[str, Any]) -> bool:
    return MARK in _annotations(node)


def _is_ours(node: Mapping[str, Any]) -> bool:
    """Whether this program cordoned the node, or heeded an advisory."""
    return _is_marked(node) or ADVISED in _annotations(node)


def _cordoned_by(node: Mapping[str, Any]) -> str:
    """Who has cordoned a node that this program cordons now, or cordoned before."""
    return _annotations(node).get(MARK) or (_OTHERS if _is_cordoned(node) else _NAME)


def _is_unsure(node: Mapping[str, Any]) -> bool:
    return bool(_about_the_vm(node, "Unknown"))


def _is_cordoned(node: Mapping[str, Any]) -> bool:
    return bool(node["spec"].get("unschedulable"))


def _event(line: bytes) -> tuple[str, Object]:
    """Type and node of a watch's line."""
    event = json.loads(line)
    return event["type"], event["object"]


def _identified(pod: Object) -> Object:
    """A pod that has all that an eviction needs; a KeyError for another one."""
    for key in ("name", "namespace", "uid"):
        pod["metadata"][key]
    _longest_grace(pod)
    works(pod)
    return pod


def _deadline(condition: Object) -> float | None:
    """The deadline in a condition; never an error, which would keep the handler from all other nodes."""
    notice = _PREEMPT.match(condition.get("message") or "")
    if notice is None:
        return None
    begun = _seconds(datetime.fromisoformat, condition.get("lastTransitionTime") or "", 0.0)
    if notice["status"] == "Started":
        return begun
    return _seconds(parsedate_to_datetime, notice["date"].strip(), begun + _NOTICE_SECONDS)


def _seconds(read: Callable[[str], datetime], text: str, otherwise: float) -> float:
    """A date's seconds since the epoch; a date without a zone is UTC, as Azure's are."""
    try:
        moment = read(text)
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
    except (ValueError, TypeError, IndexError, OverflowError):
        return otherwise


def _longest_grace(pod: Mapping[str, Any]) -> int:
    seconds = pod["spec"].get("terminationGracePeriodSeconds")
    return _DEFAULT_GRACE if seconds is None else seconds


if __name__ == "__main__":
    heeds = os.environ.get("ON_ADVISORY", "ignore")
    places = {"": RIGHTS if heeds == "ignore" else {**RIGHTS, **RIGHTS_ON_ADVISORY}}
    counted = Metrics()
    server, reported = start(
        "waiting for notices of evictions", ["nodes"], places, list(vars(counted).values())
    )
    Handler(server, report=reported, metrics=counted, on_advisory=heeds).run()
