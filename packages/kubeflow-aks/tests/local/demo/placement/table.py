"""The truth table of placement as typed rows; a mistake in the file is an error, never a row that tests nothing."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, TypeAlias

import yaml

Object = dict[str, Any]

_FILE: Final = Path(__file__).parent / "truth_table.yaml"
_DEFAULT_RESOURCES: Final = {"requests": {"cpu": "100m", "memory": "128Mi"}}


@dataclass(frozen=True)
class Runs:
    """The scheduler puts the pod on a node of one of these pools."""

    pools: frozenset[str]


@dataclass(frozen=True)
class OnEach:
    """A DaemonSet's pods are on nodes of exactly these pools."""

    pools: frozenset[str]


@dataclass(frozen=True)
class Pending:
    """No node fits and no pool can help; the scheduler's message has this part."""

    message: str


@dataclass(frozen=True)
class Refused:
    """The API server's message has this part."""

    message: str


Expectation: TypeAlias = Runs | OnEach | Pending | Refused


@dataclass(frozen=True, kw_only=True)
class Row:
    """One pod and what the documents say about it."""

    name: str
    source: str
    expected: Expectation
    kind: str = "Pod"
    namespace: str = "team-a"
    labels: Mapping[str, str] = field(default_factory=dict[str, str])
    spec: Object = field(default_factory=dict[str, Any])
    resources: Object = field(default_factory=lambda: dict[str, Any](_DEFAULT_RESOURCES))
    update: Object | None = None

    @property
    def object_name(self) -> str:
        """The row's name as a Kubernetes name."""
        words = "".join(letter if letter.isalnum() else " " for letter in self.name.lower())
        return "-".join(words.split())

    def manifest(self) -> Object:
        """The object to create."""
        pod_spec = {
            "containers": [{"name": "main", "image": "work", "resources": self.resources}],
            **self.spec,
        }
        metadata = {"name": self.object_name, "namespace": self.namespace, "labels": dict(self.labels)}
        if self.kind == "Pod":
            return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": pod_spec}
        labels = {"row": self.object_name}
        template = {"metadata": {"labels": labels}, "spec": pod_spec}
        spec = {"selector": {"matchLabels": labels}, "template": template}
        return {"apiVersion": "apps/v1", "kind": "DaemonSet", "metadata": metadata, "spec": spec}

    def updated(self) -> Object:
        """The object with `update` merged into its spec."""
        manifest = self.manifest()
        return {**manifest, "spec": manifest["spec"] | (self.update or {})}


@dataclass(frozen=True)
class Phase:
    """Rows that are tried together, and the pools that have nodes before."""

    situation: str
    nodes_of: frozenset[str]
    rows: tuple[Row, ...]


@dataclass(frozen=True)
class Table:
    """The whole table."""

    namespaces: Mapping[str, Mapping[str, str]]
    """Annotations by namespace."""
    phases: tuple[Phase, ...]

    def rows(self) -> list[Row]:
        """All rows."""
        return [row for phase in self.phases for row in phase.rows]


def load() -> Table:
    """The table of the file.

    Raises:
        ValueError, TypeError, KeyError: the file has a mistake.
    """
    document: Object = yaml.safe_load(_FILE.read_text())
    phases = tuple(
        Phase(entry["situation"], frozenset(entry["nodes_of"]), tuple(map(_row, entry["rows"])))
        for entry in document["phases"]
    )
    return Table(document["namespaces"], phases)


def _row(entry: Object) -> Row:
    expectations = [key for key in _EXPECTATIONS if key in entry]
    if len(expectations) != 1:
        raise ValueError(f"{entry['name']}: one expectation is needed, there are {len(expectations)}")
    [key] = expectations
    rest = {name: value for name, value in entry.items() if name != key}
    return Row(**rest, expected=_EXPECTATIONS[key](entry[key]))


def _runs(pools: str | list[str]) -> Runs:
    return Runs(frozenset([pools] if isinstance(pools, str) else pools))


def _on_each(pools: list[str]) -> OnEach:
    return OnEach(frozenset(pools))


_EXPECTATIONS: Final[Mapping[str, Callable[[Any], Expectation]]] = {
    "runs": _runs,
    "on_each": _on_each,
    "pending": Pending,
    "refused": Refused,
}
