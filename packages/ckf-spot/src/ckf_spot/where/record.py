"""A record: what happened to pods and nodes while somebody watched, as JSON lines that are only ever added to.

Every line has `time` and one more key: `began` (what is watched: `version`, `namespace`), `pod` or `node` (the
object, trimmed, whenever it changed), `podGone` (a uid), `nodeGone` (a name), `nodesForbidden`, `watching` (nothing
happened for a minute), `ended`.
"""

import json
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

from ckf_spot import files
from ckf_spot.agent_pool import AgentPool
from ckf_spot.errors import ABSENT, Mistake, PlacementError, refusal
from ckf_spot.fields import Object
from ckf_spot.where import parse
from ckf_spot.where.look import WITHOUT_NODES
from ckf_spot.where.observations import Gap, Look, Node, Pod

VERSION: Final = 1
_ALLOWED: Final = "expected lines that `ckf-spot where --record` has written"
_LONGEST_SILENCE: Final = timedelta(minutes=5)
"""No watch was running where a record has no line for longer than this; it writes one every minute."""
_HEARTBEAT: Final = timedelta(minutes=1)


class History:
    """The content of a record, line by line."""

    def __init__(self) -> None:
        self.namespace: str | None = None
        self.since: datetime | None = None
        self.time: datetime | None = None
        self._pods: dict[str, tuple[Object, datetime | None]] = {}
        self._nodes: dict[str, tuple[Object, datetime | None]] = {}
        self._nodes_forbidden = False
        self._gaps: list[Gap] = []
        self._steps: Mapping[str, Callable[[Any, datetime], None]] = {
            "began": self._begin,
            "pod": self._pod,
            "node": self._node,
            "podGone": self._pod_gone,
            "nodeGone": self._node_gone,
            "nodesForbidden": self._forbid,
            "watching": self._pass,
            "ended": self._pass,
        }

    def take(self, line: Object) -> None:
        """One more line.

        Raises:
            KeyError, TypeError, ValueError, AttributeError: it is none of a record.
        """
        time = parse.moment(line["time"])
        (key,) = line.keys() - {"time"}
        if self.since is None and key != "began":
            raise ValueError("the first line does not say what is watched")
        if key != "began":
            self._silence(time)
        self._steps[key](line[key], time)
        self.time = max(time, self.time or time)
        self.since = self.since or time

    def knows(self, kind: str, key: str, raw: Object) -> bool:
        """Whether an object is there and was just so when it was seen last."""
        last = (self._pods if kind == "pod" else self._nodes).get(key)
        return last is not None and last[0] == raw and last[1] is None

    def there(self, kind: str) -> set[str]:
        """Keys of the objects that are not gone."""
        every = self._pods if kind == "pod" else self._nodes
        return {key for key, (_, gone) in every.items() if gone is None}

    def pod(self, uid: str) -> Pod:
        """A pod as it was seen last."""
        return parse.pod(*self._pods[uid])

    def look(self, pools: Mapping[str, AgentPool] | None) -> Look:
        """All of it; `pools` of the contract, None where it can't be read."""
        assert self.time is not None  # noqa: S101 - the readers below see to it
        nodes: tuple[Node, ...] = tuple(parse.node(*entry) for entry in self._nodes.values())
        return Look(
            time=self.time,
            since=self.since,
            namespace=self.namespace,
            pods=tuple(parse.pod(*entry) for entry in self._pods.values()),
            nodes=None if self._nodes_forbidden else nodes,
            pools=pools,
            gaps=tuple(self._gaps),
            notes=(WITHOUT_NODES,) if self._nodes_forbidden else (),
        )

    def _begin(self, value: Object, time: datetime) -> None:
        if value["version"] != VERSION:
            raise ValueError(f"version {value['version']!r} is not known")
        namespace = value["namespace"]
        if self.since is not None and namespace != self.namespace:
            raise ValueError("it watches another namespace than the lines before")
        self.namespace = namespace
        if self.time is not None and time > self.time:
            self._gaps.append(Gap(self.time, time))

    def _pod(self, raw: Object, _: datetime) -> None:
        parse.pod(raw)
        self._pods[raw["metadata"]["uid"]] = (raw, None)

    def _node(self, raw: Object, _: datetime) -> None:
        parse.node(raw)
        self._nodes[raw["metadata"]["name"]] = (raw, None)

    def _pod_gone(self, uid: str, time: datetime) -> None:
        self._pods[uid] = (self._pods[uid][0], time)

    def _node_gone(self, name: str, time: datetime) -> None:
        self._nodes[name] = (self._nodes[name][0], time)

    def _pass(self, *_: object) -> None:
        """Somebody was watching: the time alone counts."""

    def _forbid(self, *_: object) -> None:
        self._nodes_forbidden = True

    def _silence(self, time: datetime) -> None:
        if self.time is not None and time - self.time > _LONGEST_SILENCE:
            self._gaps.append(Gap(self.time, time))


def read(path: Path) -> History:
    """The content of a record; a last line that is still being written is left out.

    Raises:
        PlacementError: it can't be read, or is no record; with the line's number.
    """
    text = files.read(path)
    history = History()
    for number, line in enumerate(_whole(text).splitlines(), 1):
        try:
            history.take(json.loads(line))
        except (KeyError, TypeError, ValueError, AttributeError, ArithmeticError) as error:
            why = f" ({error})" if type(error) is ValueError else ""
            problem = f"is no line of a record{why}"
            raise refusal(f"{path}, line {number}", line, _ALLOWED, problem) from None
    if history.time is None:
        raise refusal(str(path), ABSENT, _ALLOWED, "there is no line in it")
    return history


def _whole(text: str) -> str:
    """The text without a last line that has no end."""
    return text[: text.rfind("\n") + 1]


class Recorder:
    """Adds to a record, and keeps its content so far in memory."""

    def __init__(self, path: Path, namespace: str | None) -> None:
        """Begins or goes on; a torn last line, of a recorder that was killed, is cut off.

        Raises:
            PlacementError: the file can't be written, is no record, or is one of another namespace.
        """
        is_new = not path.exists() or path.stat().st_size == 0
        self.history = History() if is_new else read(path)
        if not is_new and self.history.namespace != namespace:
            expected = (
                f"expected {self.history.namespace or 'all'!r}, which it records already, or another file"
            )
            raise PlacementError(Mistake("namespace", namespace or "all", expected).under(str(path)))
        try:
            if not is_new:
                path.write_text(_whole(path.read_text(encoding="utf-8")), encoding="utf-8")
            self._file = path.open("a", encoding="utf-8")
        except OSError as error:
            raise refusal(str(path), ABSENT, "", f"can't be written: {error.strerror}") from None
        self._add("began", {"version": VERSION, "namespace": namespace})

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._add("ended", value=True)
        self._file.close()

    def pods(self, objects: Iterable[Object]) -> list[Pod]:
        """All pods that are there now; gives those that changed or went."""
        raws = {raw["metadata"]["uid"]: raw for raw in objects}
        changed = [pod for raw in raws.values() if (pod := self.pod(raw))]
        return changed + [self._pod_gone(uid) for uid in sorted(self.history.there("pod") - raws.keys())]

    def pod(self, raw: Object) -> Pod | None:
        """A pod as it is now, None if that is no news; daemons are none."""
        trimmed = parse.trimmed_pod(raw)
        uid = trimmed["metadata"]["uid"]
        if self.history.knows("pod", uid, trimmed) or parse.pod(trimmed).role == "daemon":
            return None
        self._add("pod", trimmed)
        return self.history.pod(uid)

    def deleted(self, raw: Object) -> Pod | None:
        """A pod as it was when it went."""
        self.pod(raw)
        uid = raw["metadata"]["uid"]
        return self._pod_gone(uid) if uid in self.history.there("pod") else None

    def nodes(self, objects: Iterable[Object]) -> None:
        """All nodes that are there now."""
        raws = {raw["metadata"]["name"]: parse.trimmed_node(raw) for raw in objects}
        for name, raw in raws.items():
            if not self.history.knows("node", name, raw):
                self._add("node", raw)
        for name in sorted(self.history.there("node") - raws.keys()):
            self._add("nodeGone", name)

    def without_nodes(self) -> None:
        """The nodes may not be read."""
        self._add("nodesForbidden", value=True)

    def heartbeat(self) -> None:
        """Says once a minute that somebody is watching."""
        if self.history.time is None or datetime.now(UTC) - self.history.time >= _HEARTBEAT:
            self._add("watching", value=True)

    def _pod_gone(self, uid: str) -> Pod:
        self._add("podGone", uid)
        return self.history.pod(uid)

    def _add(self, key: str, value: object) -> None:
        time = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        line = {"time": time, key: value}
        self.history.take(line)
        self._file.write(json.dumps(line, ensure_ascii=False, separators=(",", ":")) + "\n")
        self._file.flush()
