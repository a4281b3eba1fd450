"""Takes what was measured into the stack file, and leaves the rest of the file as it is."""

from __future__ import annotations

import copy
import re
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


def write(
    stack: str, root: Path, values: Mapping[tuple[str, ...], float | Sequence[str]], note: str = ""
) -> Path:
    """Writes settings into the file of a stack; comments and everything else stay.

    Args:
        stack: its name.
        root: folder of `Pulumi.yaml`.
        values: by path; a number is set, of a list that is there the items are put in another order.
        note: comment for the line of each list; one that begins alike up to its last word goes.

    Raises:
        StackFileError: the file can't be read.
        CostError: its form can't be kept.
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
        raise CostError(
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
