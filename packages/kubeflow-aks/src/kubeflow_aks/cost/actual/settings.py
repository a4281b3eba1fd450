"""Takes what a record of nodes shows into the stack file, and leaves the rest of the file as it is."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final, cast

import yaml

from kubeflow_aks.cost.figures import CostError
from kubeflow_aks.json_values import put
from kubeflow_aks.recorder.project_file import read_mapping, read_project
from kubeflow_aks.recorder.yaml_text import YamlError, load
from kubeflow_aks.text.files import encoding, write_whole

_NULL: Final = "tag:yaml.org,2002:null"


def write(stack: str, root: Path, values: Mapping[tuple[str, ...], float]) -> Path:
    """Writes settings into the file of a stack; comments and everything else stay.

    Raises:
        StackFileError: the file can't be read.
        CostError: its form can't be kept.
        OSError: it can't be written.
    """
    project = read_project(root)
    file = project.stack_folder / f"Pulumi.{stack}.yaml"
    before = read_mapping(file)
    config = cast(dict[str, Any], before.get("config") or {})
    full = f"{project.name}:cost"
    top = next((key for key in config if project.full_key(key) == full), full)
    content = file.read_bytes()
    text = content.decode(encoding(content))
    after = copy.deepcopy(before)
    try:
        for (_, *path), value in values.items():
            keys = ["config", top, *path]
            text = _with(text, keys, value)
            put(after, keys, value)
        kept = load(text) == after
    except (yaml.YAMLError, YamlError):
        kept = False
    if not kept:  # an alias, for instance, is changed in several places
        raise CostError(
            f"{file.name}: {top}: its form is not allowed with --write; expected a mapping without aliases"
        )
    write_whole(file, text)
    return file


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
