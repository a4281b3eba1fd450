"""What was read from a cluster, as plain data, and how it is looked at; every field may hold anything."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Final, Generic, TypeVar

from kube.objects import Object, at, condition, fields, items

T = TypeVar("T")

POOL_LABEL: Final = "kubernetes.azure.com/agentpool"
_LONG_AGO: Final = datetime.min.replace(tzinfo=UTC)


class NotSeenError(Exception):
    """Something could not be read; the text says why."""


@dataclass(frozen=True)
class Answer(Generic[T]):
    """What was read, or why nothing was."""

    found: T | None = None
    why: str = ""

    def known(self) -> T:
        """What was read.

        Raises:
            NotSeenError: nothing was.
        """
        if self.found is None:
            raise NotSeenError(self.why or "nobody has asked for it")
        return self.found


@dataclass(frozen=True)
class Seen:
    """One look at a cluster. An object that does not exist is an empty one.

    Attributes:
        now: when it was taken.
        version: what the API server says of itself.
        nodes: all.
        pods: all that have not ended.
        namespaces: all.
        storage_classes: all.
        priority_map: ConfigMap of the autoscaler's priority expander.
        autoscaler: ConfigMap in which the autoscaler writes how it is.
        expander_events: events on the priority map.
        untriggered: the autoscaler's events on pods for which it makes no node.
        argo: ConfigMap of Argo's workflow controller.
        limits: by node, what the container that raises kernel limits has written.
        guard: by probe, with what words the API server refuses it; empty where it lets it in.
        juju: whom the API server takes Juju's token for; empty where it takes it for nobody.
    """

    now: datetime
    version: Answer[Object] = field(default_factory=Answer[Object])
    nodes: Answer[list[Object]] = field(default_factory=Answer[list[Object]])
    pods: Answer[list[Object]] = field(default_factory=Answer[list[Object]])
    namespaces: Answer[list[Object]] = field(default_factory=Answer[list[Object]])
    storage_classes: Answer[list[Object]] = field(default_factory=Answer[list[Object]])
    priority_map: Answer[Object] = field(default_factory=Answer[Object])
    autoscaler: Answer[Object] = field(default_factory=Answer[Object])
    expander_events: Answer[list[Object]] = field(default_factory=Answer[list[Object]])
    untriggered: Answer[list[Object]] = field(default_factory=Answer[list[Object]])
    argo: Answer[Object] = field(default_factory=Answer[Object])
    limits: Mapping[str, Answer[str]] = field(default_factory=dict[str, Answer[str]])
    guard: Mapping[str, Answer[str]] = field(default_factory=dict[str, Answer[str]])
    juju: Answer[Object] = field(default_factory=Answer[Object])

    def age(self, time: object) -> timedelta:
        """How long ago a time of the API was; for what is none, for ever."""
        return self.now - moment(time)


def moment(time: object) -> datetime:
    """A time as the API writes it; long ago for what is none."""
    try:
        found = datetime.fromisoformat(time) if isinstance(time, str) else _LONG_AGO
    except ValueError:
        return _LONG_AGO
    return found if found.tzinfo else found.replace(tzinfo=UTC)


def text(obj: object, *path: str) -> str:
    """The text at a path, empty where there is none."""
    found = at(obj, *path)
    return found if isinstance(found, str) else ""


def labels(obj: object) -> Mapping[str, str]:
    """The labels of an object."""
    found = fields(at(obj, "metadata", "labels"))
    return {key: value for key, value in found.items() if isinstance(value, str)}


def pool_of(node: object) -> str:
    """The agent pool that a node is of, empty where it says none."""
    return labels(node).get(POOL_LABEL, "")


def owned_by(obj: object, kind: str) -> bool:
    """Whether an object of some kind owns this one."""
    return any(text(owner, "kind") == kind for owner in items(at(obj, "metadata", "ownerReferences")))


def is_ready(obj: Object) -> bool:
    """Whether a node or pod says that it is ready."""
    return condition(obj, "Ready").get("status") == "True"


def where(obj: object) -> str:
    """Namespace and name."""
    return f"{text(obj, 'metadata', 'namespace')}/{text(obj, 'metadata', 'name')}"


def seconds(duration: object) -> timedelta:
    """A setting such as `10m`.

    Raises:
        NotSeenError: it has another form.
    """
    found = re.fullmatch(r"([0-9]{1,6})([smh])", duration) if isinstance(duration, str) else None
    if found is None:
        raise NotSeenError(f"{duration!r} in the outputs is no duration")
    return timedelta(seconds=int(found[1]) * {"s": 1, "m": 60, "h": 3600}[found[2]])
