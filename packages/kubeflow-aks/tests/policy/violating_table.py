"""The table of violating resources: for each rule, sets of resources that break it and neighbours that pass.

A file in `violating/` is a mapping of rule names to cases; keys that begin with a dot hold anchors. A case has the
`resources` and, if they break the rule, `expected`: a mapping of resource names ("" for the whole stack) to one
message or a list of them. `!unknown` is a value that only an `up` knows, `!secret x` one that is secret.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import yaml

from kubeflow_aks.policy.rule import UNKNOWN, Resource, Unknown

_FOLDER = Path(__file__).parent / "violating"


@dataclass(frozen=True)
class Secret:
    """A value that a program marks as secret."""

    value: Any


@dataclass(frozen=True)
class Registered:
    """One resource as a program of the table registers it; `inputs` may hold `UNKNOWN` and `Secret`."""

    type: str
    name: str
    inputs: Mapping[str, Any]
    protect: bool = False
    ignore_changes: tuple[str, ...] = ()

    @property
    def resource(self) -> Resource:
        """The resource as a rule gets it."""
        return Resource(
            urn=f"urn:pulumi:test::test::{self.type}::{self.name}",
            type=self.type,
            name=self.name,
            inputs=_visible(self.inputs),
            secret_inputs=frozenset(_secrets(self.inputs)),
            protect=self.protect,
            ignore_changes=frozenset(self.ignore_changes),
        )


@dataclass(frozen=True)
class Case:
    """Resources, and the expected violations of one rule: pairs of a resource's name and a message."""

    rule: str
    number: int
    registered: tuple[Registered, ...]
    expected: tuple[tuple[str, str], ...]

    def __str__(self) -> str:
        return f"{self.rule}-{self.number}-{'breaks' if self.expected else 'passes'}"


def cases() -> list[Case]:
    """Every case of every file."""
    return [
        _case(rule, number, case)
        for path in sorted(_FOLDER.glob("*.yaml"))
        for rule, listed in yaml.load(path.read_text(encoding="utf-8"), _Loader).items()  # noqa: S506 - a SafeLoader
        if not rule.startswith(".")
        for number, case in enumerate(listed)
    ]


class _Loader(yaml.SafeLoader):
    """YAML with our two tags."""


def _unknown(_loader: yaml.SafeLoader, _node: yaml.Node) -> Unknown:
    return UNKNOWN


def _secret(loader: yaml.SafeLoader, node: yaml.Node) -> Secret:
    return Secret(loader.construct_scalar(cast(yaml.ScalarNode, node)))


_Loader.add_constructor("!unknown", _unknown)
_Loader.add_constructor("!secret", _secret)


def _case(rule: str, number: int, case: Mapping[str, Any]) -> Case:
    registered = tuple(
        Registered(
            it["type"], it["name"], it["inputs"], it.get("protect", False), tuple(it.get("ignoreChanges", ()))
        )
        for it in case["resources"]
    )
    expected = tuple(
        (name, message)
        for name, messages in case.get("expected", {}).items()
        for message in (cast(Sequence[str], messages) if isinstance(messages, list) else [messages])
    )
    return Case(rule, number, registered, expected)


def _visible(value: Any) -> Any:
    if isinstance(value, Secret):
        return UNKNOWN
    if isinstance(value, dict):
        return {key: _visible(item) for key, item in cast(dict[str, Any], value).items()}
    if isinstance(value, list):
        return [_visible(item) for item in cast(list[Any], value)]
    return value


def _secrets(value: Any, path: str = "") -> Iterator[str]:
    if isinstance(value, Secret):
        yield path
    elif isinstance(value, dict):
        for key, item in cast(dict[str, Any], value).items():
            yield from _secrets(item, f"{path}.{key}" if path else key)
    elif isinstance(value, list):
        for number, item in enumerate(cast(list[Any], value)):
            yield from _secrets(item, f"{path}[{number}]")
