# pyright: reportUnknownMemberType=false
"""YAML of which PyYAML and the Pulumi CLI (Go, gopkg.in/yaml.v3) make the same; everything else is refused.

`tests/local/test_stack_files.py` compares both readings with those of the CLI.
"""

import copy
import json
import math
import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any, cast

import yaml
from yaml.parser import ParserError

from kubeflow_aks.text.escape import shortened

_TEXT = "tag:yaml.org,2002:str"
_MERGE = "tag:yaml.org,2002:merge"
_COLLECTIONS = ("tag:yaml.org,2002:map", "tag:yaml.org,2002:seq")
_GO_NUMBER = re.compile(r"[-+]?(0[xX][0-9a-fA-F]+|0[bB][01]+|0[oO]?[0-7]+|0|[1-9][0-9]*)")
_GO_FRACTION = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_DATE = re.compile(r"\d{4}-\d\d?-\d\d?([Tt ].*)?")
_DEEPEST = 100
"""Levels of nesting; the CLI allows 10,000, Python's stack fewer."""
_RESOLVER = yaml.SafeLoader("")
_LONGEST = 70
"""More characters than any number of 64 bits has."""
_MOST = 100_000
"""Values of a file, those repeated by aliases counted each time."""


class YamlError(ValueError):
    """Text that is not YAML, or that the CLI may read differently; the message is one line."""

    def __init__(self, reason: str, mark: yaml.Mark | None = None) -> None:
        self.line = mark.line + 1 if mark else None
        super().__init__(" ".join(reason.split()))


def load(text: str) -> Any:
    """The one document of a text: None, bool, int, float, str, lists, and maps whose keys are text.

    Raises:
        YamlError: it is not YAML, or PyYAML and the CLI may read it differently.
    """
    return copy.deepcopy(_load(text))


class _Dumper(yaml.SafeDumper):
    """Quotes each text that a reader could take for something else without."""


def _text_node(dumper: _Dumper, text: str) -> yaml.ScalarNode:
    tag = cast(str, _RESOLVER.resolve(yaml.ScalarNode, text, (True, False)))
    try:
        alike = _scalar(yaml.ScalarNode(tag, text)) == text
    except YamlError:
        alike = False
    return dumper.represent_scalar(_TEXT, text, style=None if alike else "'")


_Dumper.add_representer(str, _text_node)


def dump(value: Any, *, flow: bool | None = False) -> str:
    """A value as YAML that `load` reads back; `flow` is PyYAML's `default_flow_style`."""
    return yaml.dump(value, Dumper=_Dumper, sort_keys=False, allow_unicode=True, default_flow_style=flow)


@lru_cache(maxsize=8)
def _load(text: str) -> Any:
    """The document; kept, since `Pulumi.yaml` is read again for every stack and every run."""
    try:
        loader = yaml.SafeLoader(text)
        node = loader.get_node() if loader.check_node() else None
        _nothing_more(loader)
        return _Values().value(node) if node else None
    except RecursionError:
        raise YamlError(f"nested deeper than {_DEEPEST} levels") from None
    except yaml.MarkedYAMLError as error:
        raise YamlError(f"not YAML: {error.problem or error.context}", error.problem_mark) from None
    except yaml.reader.ReaderError as error:
        raise YamlError(f"not YAML: character U+{cast(int, error.character):04X} is not allowed") from None
    except OverflowError:
        raise YamlError("an escape in quotes names no character") from None


def _nothing_more(loader: yaml.SafeLoader) -> None:
    """The CLI reads the first document alone, and silently leaves out whatever follows it."""
    try:
        ends, mark = loader.check_event(yaml.StreamEndEvent), cast(yaml.Mark, loader.peek_event().start_mark)
    except ParserError as error:  # a scanner's error is one of the CLI as well
        ends, mark = False, error.problem_mark
    if not ends:
        raise YamlError("Pulumi reads the file up to here only, its first document; take the rest out", mark)


class _Values:
    """Values of nodes, with limits of depth and number."""

    def __init__(self) -> None:
        self._depth = self._count = 0
        self._keys: list[str] = []

    def value(self, node: yaml.Node) -> Any:
        """The value of a node and all below it."""
        self._count += 1
        if self._count > _MOST:
            raise YamlError("too many values come from aliases", node.start_mark)
        if isinstance(node, yaml.ScalarNode):
            return _scalar(node, self._keys)
        if node.tag not in _COLLECTIONS:
            raise _tagged(node)
        self._depth += 1
        if self._depth > _DEEPEST:
            raise YamlError(
                f"nested deeper than {_DEEPEST} levels, or an anchor contains itself", node.start_mark
            )
        items = cast(list[yaml.Node], node.value)
        result = self._mapping(node) if isinstance(node, yaml.MappingNode) else [self.value(i) for i in items]
        self._depth -= 1
        return result

    def _mapping(self, node: yaml.MappingNode) -> dict[str, Any]:
        mapping: dict[str, Any] = {}
        merged: list[dict[str, Any]] = []
        lines: dict[str, int] = {}
        for key, item in cast(list[tuple[yaml.Node, yaml.Node]], node.value):
            name = _key(key)
            if name in lines:
                raise YamlError(f"the key {name} occurs twice, first in line {lines[name]}", key.start_mark)
            lines[name] = key.start_mark.line + 1
            if key.tag == _MERGE:
                merged = [cast(dict[str, Any], self.value(source)) for source in _sources(item)]
                continue
            self._keys.append(name)
            mapping[name] = self.value(item)
            self._keys.pop()
        for source in merged:  # the first that has a key wins, after the mapping itself
            mapping = source | mapping
        return mapping


def _key(node: yaml.Node) -> str:
    name = node.value if node.tag == _MERGE else _scalar(node) if isinstance(node, yaml.ScalarNode) else None
    if not isinstance(name, str):
        shown = node.value if isinstance(node, yaml.ScalarNode) else "a list or mapping"
        raise YamlError(f"the key {shown} is no text; put it in quotes", node.start_mark)
    if name == "<<" and node.tag != _MERGE:
        raise YamlError("the key '<<' is not allowed; the CLI merges it even in quotes", node.start_mark)
    return name


def _sources(node: yaml.Node) -> Iterator[yaml.Node]:
    """The mappings that `<<` merges."""
    nodes = cast(list[yaml.Node], node.value) if isinstance(node, yaml.SequenceNode) else [node]
    for source in nodes:
        if not isinstance(source, yaml.MappingNode):
            raise YamlError("<< needs a mapping or a list of mappings", source.start_mark)
        yield source


def _scalar(node: yaml.ScalarNode, keys: Sequence[str] = ()) -> Any:
    """The value of a node, which stands below keys."""
    text: str = node.value
    if any("\ud800" <= char <= "\udfff" for char in text):
        raise YamlError("an escape in quotes names half of a character", node.start_mark)
    if node.style is not None and node.tag == _TEXT:
        return text
    if node.style is not None or node.tag != _RESOLVER.resolve(yaml.ScalarNode, text, (True, False)):
        raise _tagged(node)
    place = f"{'.'.join(keys).removeprefix('config.')}: " if keys else ""
    if _DATE.fullmatch(text):
        raise YamlError(
            f"{place}{shortened(text)} is a point in time in YAML; put it in quotes", node.start_mark
        )
    ours, cli = _by_pyyaml(node), _by_cli(text)
    if (type(ours), repr(ours)) != (type(cli), repr(cli)):
        plain = ours if isinstance(ours, bool) else cli
        other = f"write {_shown(plain)}, or " if isinstance(plain, bool | int | float) else ""
        raise YamlError(
            f"{place}{shortened(text)} is {_shown(ours)} for PyYAML and {_shown(cli)} for Pulumi; {other}put it in "
            "quotes",
            node.start_mark,
        )
    return ours


def _tagged(node: yaml.Node) -> YamlError:
    return YamlError(
        f"tags like {node.tag.replace('tag:yaml.org,2002:', '!!')} are not allowed", node.start_mark
    )


def _by_pyyaml(node: yaml.ScalarNode) -> Any:
    try:
        # One for each value: it has a state, and `diff` reads in several threads.
        return yaml.SafeLoader("").construct_document(node)
    except (ValueError, yaml.YAMLError):
        return None


def _by_cli(text: str) -> Any:
    """What gopkg.in/yaml.v3 3.0.1 makes of a scalar without quotes and without a date (`resolve.go`)."""
    if text.lower() in ("true", "false", "null", "~", "") and text in (
        text.lower(),
        text.title(),
        text.upper(),
    ):
        return {"t": True, "f": False}.get(text[:1].lower())
    if text.lstrip("+-").lower() in (".inf", ".nan"):
        return math.nan  # no number that a setting can have
    digits = text.replace("_", "") if text[0] in "+-0123456789" else text
    if _GO_NUMBER.fullmatch(digits) and len(digits) <= _LONGEST:
        number = int(digits, 8 if re.fullmatch(r"[-+]?0[0-7]+", digits) else 0)
        if -(2**63) <= number < 2**63:
            return number
    if _GO_FRACTION.fullmatch(digits) and math.isfinite(number := float(digits)):
        return number
    return text


def _shown(value: Any) -> str:
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return "text" if isinstance(value, str) else "no value" if value is None else shortened(json.dumps(value))
