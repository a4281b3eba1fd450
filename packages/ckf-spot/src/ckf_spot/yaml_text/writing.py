"""Writes plain values as YAML that Kubernetes and every other reader understands alike."""

import json
import re
from collections.abc import Sequence
from typing import Any, Final

import yaml

from ckf_spot.yaml_text import scalars

_BREAKS: Final = frozenset("\x85\u2028\u2029\ufeff")
"""What ends a line to some readers and not to others, or marks a text's start."""


def dump(documents: Sequence[Any]) -> str:
    """The documents as YAML."""
    return yaml.dump_all(documents, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=110)


def dump_flow(value: Any) -> str:
    """One value as YAML in one line, with brackets and braces."""
    text = yaml.dump(
        [value],  # in a list even a text of several lines takes one
        Dumper=_Dumper,
        sort_keys=False,
        allow_unicode=True,
        default_flow_style=True,
        width=float("inf"),
    )
    return text[1:].rstrip("\n")[:-1]


def dump_json(value: Any, like: str) -> str:
    """One value as JSON, indented as another text is."""
    indent = re.search(r"\n( +)\S", like)
    end = "\n" if like.endswith("\n") else ""
    return json.dumps(value, indent=len(indent[1]) if indent else None, ensure_ascii=False) + end


def same(first: Any, second: Any) -> bool:
    """Whether two values are equal in type too: 1 is neither True nor 1.0. The order of keys means nothing."""
    return json.dumps(first, sort_keys=True) == json.dumps(second, sort_keys=True)


class _Dumper(yaml.SafeDumper):
    """YAML that people read: lists are indented under their key, and nothing is an alias."""

    def ignore_aliases(self, data: Any) -> bool:  # noqa: ARG002 - PyYAML's own signature
        return True

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:  # noqa: FBT001, FBT002, ARG002
        super().increase_indent(flow, False)  # noqa: FBT003


def _text(dumper: yaml.SafeDumper, value: str) -> yaml.ScalarNode:
    """A scalar in quotes where some reader would take it for something else; PyYAML itself sees to YAML 1.1."""
    lines = "\n" in value.strip("\n") and not value.endswith(
        "\n\n"
    )  # else `|+`, which takes blank lines behind it too
    quoted = not scalars.is_text(value) or not _BREAKS.isdisjoint(value)
    style = '"' if quoted else "|" if lines else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", value, style)


_Dumper.add_representer(str, _text)
