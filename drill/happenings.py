"""The journal of a drill: what nodes and events show, written down as the story's happenings."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final

from drill.sight import Sight
from drill.stage import NAMESPACE
from kube.objects import Object, at, condition, items, name_of
from story.contract_pools import POOL_LABEL
from story.happenings import Kind
from story.watcher import Line

_CONDITIONS: Final = ("VMEventScheduled", "PreemptionScheduled")
_TAINT: Final = "remediator.kubernetes.azure.com/unschedulable"
_NOTICES: Final = frozenset({"PreemptScheduled", *_CONDITIONS})
"""How AKS shows that a VM will be taken (docs/facts/aks.md#evictions)."""
_NOTICE_SECONDS: Final = 30.0
_SHUT_DOWN: Final = "node.cloudprovider.kubernetes.io/shutdown"
"""The taint of a node whose VM was deallocated instead of deleted."""
_SCALE_UP: Final = re.compile(r"\{(?P<group>\S+) (?P<from>\d+)->(?P<to>\d+) \(max: (?P<maximum>\d+)\)\}")
"""In the message of the autoscaler's event TriggeredScaleUp."""
_GROUP: Final = re.compile(r"aks-(?P<pool>[a-z0-9]+)-\d+-vmss")
_AZURE: Final = "Azure"
_AUTOSCALER: Final = "autoscaler"


@dataclass
class _Seen:
    """A node that is there, and what was written down of it."""

    pool: str
    new: bool
    asked: float | None
    ready: bool = False
    notice: bool = False
    taken: bool = False


class Happenings:
    """Lines for a watcher; `time` is in seconds since the epoch."""

    def __init__(self, sight: Sight, wall: Callable[[], float] = time.time) -> None:
        """What is there now is no news.

        Raises:
            UnavailableError: the API server does not answer.
        """
        self._sight = sight
        self._wall = wall
        self._events = {_version(event) for event in sight.events()}
        self._scale_ups: dict[tuple[str, int, int], float] = {}
        self._notices: set[str] = set()
        self._asked_for: set[str] = set()
        self._nodes = {name_of(node): _Seen(_pool(node), new=False, asked=None) for node in sight.nodes()}

    def evicting(self, node: str) -> None:
        """Azure was asked to take this node: when it goes, it was evicted, whether or not a notice was seen."""
        self._asked_for.add(node)

    def read(self) -> list[Line]:
        """What happened since the last reading."""
        lines = [line for event in self._new_events() for line in self._of_event(event)]
        there = {name_of(node): node for node in self._sight.nodes()}
        for name, node in there.items():
            lines += self._of_node(name, node)
        for name in [name for name in self._nodes if name not in there]:
            lines += self._gone(name, self._nodes.pop(name))
        return lines

    def _new_events(self) -> list[Object]:
        found = {_version(event): event for event in self._sight.events()}
        new = [event for version, event in found.items() if version not in self._events]
        self._events |= found.keys()
        return new

    def _of_event(self, event: Object) -> Iterator[Line]:
        reason, message = event.get("reason"), str(event.get("message") or "")
        about, namespace = (str(at(event, "involvedObject", key) or "") for key in ("name", "namespace"))
        if reason in _NOTICES and at(event, "involvedObject", "kind") == "Node":
            self._notices.add(about)
        if namespace != NAMESPACE:
            return
        if reason == "NotTriggerScaleUp":
            yield self._line(Kind.NOT_TRIGGERED, _AUTOSCALER, pod=f"{namespace}/{about}", detail=message)
        if reason == "TriggeredScaleUp":
            for found in _SCALE_UP.finditer(message):
                group = _GROUP.fullmatch(found["group"])
                yield from self._scale_up(
                    group["pool"] if group else found["group"], found, f"{namespace}/{about}"
                )

    def _scale_up(self, pool: str, found: re.Match[str], pod: str) -> Iterator[Line]:
        """One line for each scale-up, though every pod that asked for it has an event."""
        key = (pool, int(found["from"]), int(found["to"]))
        if self._wall() - self._scale_ups.get(key, 0.0) > _NOTICE_SECONDS:
            yield self._line(
                Kind.SCALE_UP,
                _AUTOSCALER,
                pool=pool,
                detail=f"{pool} {key[1]} → {key[2]} (max {found['maximum']})",
                **{"from": key[1], "to": key[2]},
                maximum=int(found["maximum"]),
                pods=[pod],
            )
        self._scale_ups[key] = self._wall()

    def _of_node(self, name: str, node: Object) -> Iterator[Line]:
        seen = self._nodes.get(name)
        if seen is None:
            pool = _pool(node)
            asked = max((at for key, at in self._scale_ups.items() if key[0] == pool), default=None)
            seen = self._nodes[name] = _Seen(pool, new=True, asked=asked)
            if asked is not None:
                yield {**self._line(Kind.NODE_CREATING, _AZURE, pool=pool, node=name), "time": asked}
            yield self._line(Kind.NODE_REGISTERED, _AZURE, pool=pool, node=name)
        if not seen.ready and condition(node, "Ready").get("status") == "True":
            seen.ready = True
            if seen.new:
                took = {} if seen.asked is None else {"seconds": self._wall() - seen.asked}
                yield self._line(Kind.NODE_READY, _AZURE, pool=seen.pool, node=name, **took)
        if not seen.notice and (name in self._notices or _is_announced(node)):
            seen.notice = True
            yield self._line(Kind.EVICTION_NOTICE, _AZURE, pool=seen.pool, node=name, seconds=_NOTICE_SECONDS)
        if not seen.taken and _has_taint(node, _SHUT_DOWN):
            yield from self._taken(name, seen)

    def _gone(self, name: str, seen: _Seen) -> Iterator[Line]:
        evicted = seen.taken or seen.notice or name in self._asked_for
        if evicted and not seen.taken:
            yield from self._taken(name, seen)
        yield self._line(
            Kind.NODE_GONE, _AZURE, pool=seen.pool, node=name, cause="evicted" if evicted else "removed"
        )
        self._notices.discard(name)
        self._asked_for.discard(name)

    def _taken(self, name: str, seen: _Seen) -> Iterator[Line]:
        seen.taken = True
        left = len(self._sight.own_on(name))
        yield self._line(Kind.EVICTION, _AZURE, pool=seen.pool, node=name, notice=seen.notice, pods=left)

    def _line(self, kind: Kind, source: str, **values: Any) -> Line:
        now = self._wall()
        return {"time": now, "wall": now, "kind": kind, "source": source, **values}


def _version(event: Object) -> tuple[str, str]:
    """What tells an event from the same one seen again, which keeps its name and counts up."""
    return str(at(event, "metadata", "uid")), str(at(event, "metadata", "resourceVersion"))


def _pool(node: Object) -> str:
    return str(at(node, "metadata", "labels", POOL_LABEL) or "")


def _is_announced(node: Object) -> bool:
    announced = any(condition(node, kind).get("status") == "True" for kind in _CONDITIONS)
    return announced or _has_taint(node, _TAINT)


def _has_taint(node: Object, key: str) -> bool:
    return any(at(taint, "key") == key for taint in items(at(node, "spec", "taints")))
