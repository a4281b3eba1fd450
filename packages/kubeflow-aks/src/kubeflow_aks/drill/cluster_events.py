"""Turns changes of nodes and Kubernetes events into the scenario's events."""

import re
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final

from kubeflow_aks.clients.kubernetes.objects import Object, at, condition, is_true, items, name_of
from kubeflow_aks.drill.cluster_view import ClusterView
from kubeflow_aks.drill.stage import NAMESPACE
from kubeflow_aks.events import Kind
from kubeflow_aks.scenario.contract_pools import POOL_LABEL
from kubeflow_aks.scenario.watcher import Line

_CONDITIONS: Final = ("VMEventScheduled", "PreemptionScheduled")
_TAINT: Final = "remediator.kubernetes.azure.com/unschedulable"
_PREEMPT: Final = re.compile(r"\s*Preempt\b")
"""Beginning of the message of such a condition; it is true of advice and of a freeze, too."""
_NOTICE: Final = "PreemptScheduled"
"""How AKS announces an eviction as an event (docs/facts/aks.md#evictions)."""
_NOTICE_SECONDS: Final = 30.0
_SHUT_DOWN: Final = "node.cloudprovider.kubernetes.io/shutdown"
"""The taint of a node whose VM was deallocated instead of deleted."""
_SCALE_UP: Final = re.compile(r"\{(?P<group>\S+) (?P<from>\d+)->(?P<to>\d+) \(max: (?P<maximum>\d+)\)\}")
"""In the message of the autoscaler's event TriggeredScaleUp."""
_GROUP: Final = re.compile(r"aks-(?P<pool>[a-z0-9]+)-\d+-vmss")
_AZURE: Final = "Azure"
_AUTOSCALER: Final = "autoscaler"


@dataclass
class _Node:
    """A node that exists, and which of its events were returned."""

    pool: str
    new: bool
    requested: float | None
    ready: bool = False
    notice: bool = False
    evicted: bool = False


class ClusterEvents:
    """Reads events for a watcher; their `time` is in seconds since the epoch."""

    def __init__(self, view: ClusterView, wall: Callable[[], float] = time.time) -> None:
        """Nodes and events that exist now are not returned.

        Raises:
            UnavailableError: the API server does not answer.
        """
        self._view = view
        self._wall = wall
        self._events = {_version(event) for event in view.events()}
        self._scale_ups: dict[tuple[str, int, int], float] = {}
        self._notices: set[str] = set()
        self._evictions_requested: set[str] = set()
        self._nodes = {name_of(node): _Node(_pool(node), new=False, requested=None) for node in view.nodes()}

    def evicting(self, node: str) -> None:
        """Record that an eviction of this node was requested: when it goes it was evicted, even without a notice."""
        self._evictions_requested.add(node)

    def read(self) -> list[Line]:
        """Events since the last call."""
        lines = [line for event in self._new_events() for line in self._of_event(event)]
        nodes = {name_of(node): node for node in self._view.nodes()}
        for name, node in nodes.items():
            lines += self._of_node(name, node)
        for name in [name for name in self._nodes if name not in nodes]:
            lines += self._gone(name, self._nodes.pop(name))
        return lines

    def _new_events(self) -> list[Object]:
        events = {_version(event): event for event in self._view.events()}
        new = [event for version, event in events.items() if version not in self._events]
        self._events |= events.keys()
        return new

    def _of_event(self, event: Object) -> Iterator[Line]:
        reason, message = event.get("reason"), str(event.get("message") or "")
        about, namespace = (str(at(event, "involvedObject", key) or "") for key in ("name", "namespace"))
        if reason == _NOTICE and at(event, "involvedObject", "kind") == "Node":
            self._notices.add(about)
        if namespace != NAMESPACE:
            return
        if reason == "NotTriggerScaleUp":
            yield self._line(Kind.NOT_TRIGGERED, _AUTOSCALER, pod=f"{namespace}/{about}", detail=message)
        if reason == "TriggeredScaleUp":
            for match in _SCALE_UP.finditer(message):
                group = _GROUP.fullmatch(match["group"])
                yield from self._scale_up(
                    group["pool"] if group else match["group"], match, f"{namespace}/{about}"
                )

    def _scale_up(self, pool: str, match: re.Match[str], pod: str) -> Iterator[Line]:
        """One event for each scale-up, though every pod that triggered it has one."""
        key = (pool, int(match["from"]), int(match["to"]))
        if self._wall() - self._scale_ups.get(key, 0.0) > _NOTICE_SECONDS:
            yield self._line(
                Kind.SCALE_UP,
                _AUTOSCALER,
                pool=pool,
                detail=f"{pool} {key[1]} → {key[2]} (max {match['maximum']})",
                **{"from": key[1], "to": key[2]},
                maximum=int(match["maximum"]),
                pods=[pod],
            )
        self._scale_ups[key] = self._wall()

    def _of_node(self, name: str, node: Object) -> Iterator[Line]:
        record = self._nodes.get(name)
        if record is None:
            pool = _pool(node)
            requested = max((at for key, at in self._scale_ups.items() if key[0] == pool), default=None)
            record = self._nodes[name] = _Node(pool, new=True, requested=requested)
            if requested is not None:
                yield {**self._line(Kind.NODE_CREATING, _AZURE, pool=pool, node=name), "time": requested}
            yield self._line(Kind.NODE_REGISTERED, _AZURE, pool=pool, node=name)
        if not record.ready and is_true(node, "Ready"):
            record.ready = True
            if record.new:
                boot_time = {} if record.requested is None else {"seconds": self._wall() - record.requested}
                yield self._line(Kind.NODE_READY, _AZURE, pool=record.pool, node=name, **boot_time)
        if not record.notice and (name in self._notices or _is_announced(node)):
            record.notice = True
            yield self._line(
                Kind.EVICTION_NOTICE, _AZURE, pool=record.pool, node=name, seconds=_NOTICE_SECONDS
            )
        if not record.evicted and _has_taint(node, _SHUT_DOWN):
            yield from self._evicted(name, record)

    def _gone(self, name: str, node: _Node) -> Iterator[Line]:
        evicted = node.evicted or node.notice or name in self._evictions_requested
        if evicted and not node.evicted:
            yield from self._evicted(name, node)
        yield self._line(
            Kind.NODE_GONE, _AZURE, pool=node.pool, node=name, cause="evicted" if evicted else "removed"
        )
        self._notices.discard(name)
        self._evictions_requested.discard(name)

    def _evicted(self, name: str, node: _Node) -> Iterator[Line]:
        node.evicted = True
        left = len(self._view.own_on(name))
        yield self._line(Kind.EVICTION, _AZURE, pool=node.pool, node=name, notice=node.notice, pods=left)

    def _line(self, kind: Kind, source: str, **values: Any) -> Line:
        now = self._wall()
        return {"time": now, "wall": now, "kind": kind, "source": source, **values}


def _version(event: Object) -> tuple[str, str]:
    """Identity of an event's version: a repeated event keeps its uid and gets a new resourceVersion."""
    return str(at(event, "metadata", "uid")), str(at(event, "metadata", "resourceVersion"))


def _pool(node: Object) -> str:
    return str(at(node, "metadata", "labels", POOL_LABEL) or "")


def _is_announced(node: Object) -> bool:
    messages = [str(condition(node, kind).get("message")) for kind in _CONDITIONS if is_true(node, kind)]
    return any(map(_PREEMPT.match, messages)) or _has_taint(node, _TAINT)


def _has_taint(node: Object, key: str) -> bool:
    return any(at(taint, "key") == key for taint in items(at(node, "spec", "taints")))
