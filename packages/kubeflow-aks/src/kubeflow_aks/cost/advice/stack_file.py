"""A stack file as it is, and as it would be with other settings."""

from __future__ import annotations

import copy
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kubeflow_aks.cost.advice.advice import Path as SettingPath
from kubeflow_aks.json_values import at, put
from kubeflow_aks.recorder.stack_files import read_stack
from kubeflow_aks.recorder.yaml_text import dump

_WHOLE = frozenset({"pools"})
"""Keys that a stack sets as a whole (docs/reference/settings.md); of the others it may set single parts."""


@dataclass(frozen=True)
class StackFile:
    """The settings of a stack.

    Attributes:
        project: namespace of its keys.
        values: JSON types by key, with the defaults of `Pulumi.yaml`.
        written: keys of the stack's own file, and those a change has added.
        secret: keys with an encrypted value, which no change touches.
    """

    project: str
    values: Mapping[str, Any]
    written: frozenset[str]
    secret: frozenset[str]

    def get(self, *path: str) -> Any:
        """The value of a setting, None where it is not set."""
        return at(self.values, *path)

    def changed(self, values: Mapping[SettingPath, Any]) -> StackFile:
        """The file with other values; a key that it did not have gets only what the change needs."""
        keys = dict.fromkeys(path[0] for path in values)
        changed = {
            key: self.values[key]
            for key in keys
            if key in self.written or (key in _WHOLE and key in self.values)
        }
        new: dict[str, Any] = copy.deepcopy(changed)
        for path, value in values.items():
            put(new, path, value)
        return StackFile(self.project, {**self.values, **new}, self.written | frozenset(new), self.secret)

    def lines(self, keys: frozenset[str]) -> tuple[str, ...]:
        """Those keys as a stack file has them under `config:`."""
        return tuple(
            line
            for key in self.values
            if key in keys
            for line in _lines(f"{self.project}:{key}", self.values[key])
        )


def stack_file(name: str, root: Path) -> StackFile:
    """Reads the file of a stack.

    Raises:
        StackFileError: it is not there, or can't be read.
    """
    config = read_stack(root, name)
    settings = {key: text for key, text in config.values.items() if key.startswith(f"{config.project}:")}
    return StackFile(
        config.project,
        {_name(key): _value(text) for key, text in settings.items()},
        frozenset(map(_name, config.written & settings.keys())),
        frozenset(map(_name, config.secret_keys)),
    )


def _name(key: str) -> str:
    return key.partition(":")[2]


def _lines(key: str, value: Any) -> list[str]:
    flow = None if isinstance(value, dict) else False  # None: only innermost mappings on one line
    return dump({key: value}, flow=flow).splitlines()


def _value(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text
