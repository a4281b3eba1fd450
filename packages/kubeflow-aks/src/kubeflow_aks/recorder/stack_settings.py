"""The settings in a stack file: as they are, as they would be, and written there, while all else of the file stays."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, cast

import yaml

from kubeflow_aks.json_values import at, put
from kubeflow_aks.recorder.project_file import StackFileError, read_mapping, read_project
from kubeflow_aks.recorder.stack_files import read_stack
from kubeflow_aks.recorder.yaml_text import YamlError, dump, load
from kubeflow_aks.text.files import encoding, write_whole

_NULL: Final = "tag:yaml.org,2002:null"
_WHOLE: Final = frozenset({"pools"})
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

    def changed(self, values: Mapping[tuple[str, ...], Any]) -> StackFile:
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


def write_settings(
    stack: str, root: Path, values: Mapping[tuple[str, ...], float | Sequence[str]], note: str = ""
) -> Path:
    """Writes settings into the file of a stack; comments and everything else stay.

    Args:
        stack: its name.
        root: folder of `Pulumi.yaml`.
        values: by path; a number is set, of a list that is there the items are put in another order.
        note: comment for the line of each list; one that begins alike up to its last word goes.

    Raises:
        StackFileError: the file can't be read, or its form can't be kept.
        OSError: it can't be written.
    """
    project = read_project(root)
    file = project.stack_folder / f"Pulumi.{stack}.yaml"
    before = read_mapping(file)
    config = cast(dict[str, Any], before.get("config") or {})
    content = file.read_bytes()
    text = content.decode(encoding(content))
    after = copy.deepcopy(before)
    try:
        for (top, *path), value in values.items():
            full = f"{project.name}:{top}"
            keys = ["config", next((key for key in config if project.full_key(key) == full), full), *path]
            number = isinstance(value, int | float)
            text = _with(text, keys, value) if number else _in_order(text, keys, value, note)
            put(after, keys, value if number else list(value))
        kept = load(text) == after
    except (yaml.YAMLError, YamlError):
        kept = False
    if not kept:  # an alias, for instance, is changed in several places
        tops = " and ".join(dict.fromkeys(f"{project.name}:{top}" for top, *_ in values))
        raise StackFileError(
            f"{file.name}: {tops}: its form is not allowed with --write; expected a mapping without aliases"
        )
    write_whole(file, text)
    return file


def _in_order(text: str, keys: Sequence[str], items: Sequence[str], note: str) -> str:
    """The YAML with the items of a list in another order, each with its comment, and one on the line of the key."""
    node: Any = yaml.compose(text, Loader=yaml.SafeLoader)
    key: Any = None
    for name in keys:
        pairs = node.value if isinstance(node, yaml.MappingNode) else ()
        key, node = next(((it, inner) for it, inner in pairs if it.value == name), (None, None))
    if not isinstance(node, yaml.SequenceNode):
        raise YamlError("no list is there")
    ends: list[int] = [
        it.end_mark.index if node.flow_style else f"{text}\n".find("\n", it.end_mark.index)
        for it in node.value
    ]
    spans: dict[str, tuple[int, int]] = {
        it.value: (it.start_mark.index, end) for it, end in zip(node.value, ends, strict=True)
    }
    before = text
    for (start, end), item in reversed([*zip(spans.values(), items, strict=True)]):
        text = f"{text[:start]}{before[slice(*spans[item])]}{text[end:]}"
    lines, number = text.splitlines(keepends=True), cast(int, key.start_mark.line)
    line = lines[number].rstrip()
    kept = re.sub(rf"\s*# {re.escape(note.rpartition(' ')[0])} \S+$", "", line)
    lines[number] = f"{kept}  # {note}{lines[number][len(line) :]}"
    return "".join(lines)


def _with(text: str, keys: Sequence[str], value: float) -> str:
    """The YAML with a value at a path of keys."""
    node: Any = yaml.compose(text, Loader=yaml.SafeLoader)
    if node is None:
        return f"{text}{_nested(keys, value)}\n"
    for place, key in enumerate(keys):
        if not isinstance(node, yaml.MappingNode):
            return _replaced(text, node, f" {{{_nested(keys[place:], value)}}}" if node.tag == _NULL else "")
        inner = next((item for name, item in node.value if name.value == key), None)
        if inner is None:
            return _inserted(text, node, _nested(keys[place:], value))
        node = inner
    return _replaced(text, node, f"{value:g}")


def _nested(keys: Sequence[str], value: float) -> str:
    """`a: {b: {c: 1}}`."""
    first, *others = keys
    return f"{first}: {{{_nested(others, value)}}}" if others else f"{first}: {value:g}"


def _inserted(text: str, mapping: yaml.MappingNode, line: str) -> str:
    """An entry at the head of a mapping, in its style."""
    mark = mapping.start_mark
    if mapping.flow_style:
        return f"{text[: mark.index + 1]}{line}{', ' if mapping.value else ''}{text[mark.index + 1 :]}"
    return f"{text[: mark.index]}{line}\n{' ' * mark.column}{text[mark.index :]}"


def _replaced(text: str, node: yaml.Node, value: str) -> str:
    return f"{text[: node.start_mark.index]}{value}{text[node.end_mark.index :]}"


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
